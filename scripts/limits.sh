#!/usr/bin/env bash
# Measures what one database and its one writer can hold (docs/how-to/many-machines.md): many cells of one evaluation in one run, and
# many evaluations in 40 shards that are joined. Needs bin/bench; takes about five minutes and a gigabyte in a temporary folder.
set -euo pipefail
bench=$(realpath "$(dirname "$0")/../bin/bench")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# protocol NAME SPLITS VALUES writes a protocol in which LDA takes about half a millisecond a cell.
protocol() {
  cat >"$1.toml" <<TOML
title    = "$1"
splits   = $2
datasets = ["swiss"]
columns  = ["LDA"]
only_columns = true

[semantics]
test_fraction = 0.3
folds         = 5
method_seed   = 1
standardise   = true

[methods.LDA]
grid = [{ name = "shrinkage", values = [$3] }]
TOML
}

# timed TITLE COMMAND .. prints what the command took.
timed() {
  local title=$1
  shift
  /usr/bin/time -f "$title: %e s, %U + %S s of processor time, %M KiB at most" "$@" 2>&1 >/dev/null | tail -1
}

protocol cells "${CELLS:-200000}" 0.1
timed "${CELLS:-200000} cells, run" "$bench" run --protocol cells.toml --methods LDA --datasets swiss --db cells.db --yes --jobs 2
timed "the same request again" "$bench" run --protocol cells.toml --methods LDA --datasets swiss --db cells.db --yes --jobs 2
timed "bench status" "$bench" status --db cells.db
timed "import into another database" "$bench" import cells.db --db copy.db
stat -c "%s bytes for ${CELLS:-200000} cells" cells.db

protocol evaluations 6000 "$(seq -s, 0.01 0.01 1)"
for k in $(seq 40); do
  "$bench" run --protocol evaluations.toml --methods LDA --datasets swiss --shard "$k/40" --db "shard$k.db" --yes --jobs 2 2>/dev/null
done
timed "40 shards, import" "$bench" import shard*.db --db joined.db
"$bench" query --db joined.db 'SELECT COUNT(*) AS evaluations FROM evaluations'
stat -c "%s bytes for 6000 cells with 500 evaluations each" joined.db
