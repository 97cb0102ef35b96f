#!/usr/bin/env bash
# Looks for known vulnerabilities that the program's code calls, in the modules that it is linked with and in Go's own
# library (make vulns). Fails where there are some, and names them. Where the database does not answer, it says so and
# ends with 0. Takes the database, as a URL (default: Go's), and packages (default: all).
set -euo pipefail
cd "$(dirname "$0")/.."
database=${1:-https://vuln.go.dev}
shift || true
[ $# -gt 0 ] || set -- ./...

# answers fails where nothing answers, or a server that says that it has failed. govulncheck judges any other answer.
answers() {
  python3 - "$database" <<'END'
import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(sys.argv[1] + "/index/db.json", timeout=20).close()
except urllib.error.HTTPError as e:
    sys.exit(e.code >= 500)
except OSError:
    sys.exit(1)
END
}

command -v python3 >/dev/null || { echo "vulns: python3 is missing" >&2; exit 2; }
if ! answers; then
  echo "known vulnerabilities were not checked: the database at $database does not answer"
  exit 0
fi
go tool -modfile=tools/go.mod govulncheck -db "$database" "$@"
