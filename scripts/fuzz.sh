#!/usr/bin/env bash
# Searches for inputs that a fuzz target fails on: every target (make fire), or with a number the one that has its turn
# (a continuous run takes the commit's). FUZZTIME is the time that each target gets. Prints such an input, and then ends
# with 1.
set -euo pipefail
cd "$(dirname "$0")/.."
# By default Go spends a minute on making each new input smaller, and all of a short time on the first one.
flags=(-fuzztime "${FUZZTIME:-1m}" -fuzzminimizetime 10x)
mapfile -t targets < <(grep -roE '^func Fuzz\w+' --include='*_test.go' . | sed 's|/[^/]*:func | |' | LC_ALL=C sort)
[ "${#targets[@]}" -gt 0 ] || { echo "fuzz: there is no target" >&2; exit 2; }
if [ $# -gt 0 ]; then
  targets=("${targets[$1 % ${#targets[@]}]}")
  flags+=(-parallel 1)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
for target in "${targets[@]}"; do
  read -r package name <<<"$target"
  echo "fuzz: $target"
  go test -vet=off -run "^$name\$" -fuzz "^$name\$" "${flags[@]}" "$package" 2>&1 | tee "$log" && continue
  # Before 1.27 Go sometimes takes the end of the time for a failure, on busy cores (go.dev/issue/75804).
  if grep -qx ' *context deadline exceeded' "$log" && ! grep -qE 'Failing input written|panic:' "$log"; then
    echo "fuzz: the time of $target ended; no input failed"
    continue
  fi
  failed=1
  # Go tells the name of the file with the input alone.
  git ls-files -z --others "$package/testdata/fuzz/$name" | xargs -0 -r tail -v -n +1
done
exit "$failed"
