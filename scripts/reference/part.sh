#!/usr/bin/env bash
# Parts of the reference run: the results of data sets, from a database in which they were computed. For each set it
# writes harness/reference/parts/table2/SET.bench, with the folds of every grid point; then
# harness/reference/files/table2/SET.bench, which comes with the program, and checks both. It gives
# harness/reference/costs.csv the times that this file lacks. Results of the part as it was stay if the database lacks
# them. It ends with an error, and leaves this set as it is, if a cell that may take up to two minutes (see run.sh) is
# missing, or if a cell has other counts than before.
#
#   scripts/reference/part.sh DATABASE SET...
set -euo pipefail
db=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/bench" ./cmd/bench
bench() { "$work/bench" --db "$work/part.db" "$@"; }
# lacks names the methods with cells to run: the last column, which says why cells are left out, is empty. A forecast
# uses no times of other machines, so the database knows better than the part which cells take too long.
lacks() { bench run --db "$1" --datasets "$set" --max-cell 48s --dry-run | awk '/ -$/ { print $2 }' | sort; }

for set; do
  part=harness/reference/parts/table2/$set.bench
  rm -f "$work"/part.db*
  bench export "$work/new.bench" --db "$db" --protocol table2 --datasets "$set" --force
  sources=("$work/new.bench")
  [ ! -e "$part" ] || sources+=("$part")
  bench import "${sources[@]}"
  lacks "$work/part.db" >"$work/part.lacks"
  lacks "$db" >"$work/db.lacks"
  lacking=$(comm -12 "$work"/{part,db}.lacks)
  # A database of guests alone says nothing of this program's methods, of which CART is quick on every set.
  own=$(bench query --db "$db" --format csv -- "SELECT COUNT(*) FROM results WHERE dataset = '$set' AND
    method = 'CART'" | tail -n +2)
  [ "$own" = 0 ] || [ -z "$lacking" ] || { echo "part.sh: $set lacks cells of" $lacking >&2; exit 1; }
  # A method that was over the limit once its first cells were measured has some splits alone, and is left out.
  whole=$(bench query --format csv -- "SELECT method FROM results WHERE protocol = 'table2' AND dataset = '$set'
    GROUP BY method HAVING COUNT(*) = 20" | tail -n +2 | paste -sd ,)
  bench export "$part" --protocol table2 --datasets "$set" --methods "$whole" --force
done

go test -vet=off ./harness/reference -run '^TestParts$' -update
go test -vet=off ./harness/plan -run '^TestCostsFile$' -update # the times of methods that had none of the set
go test -vet=off ./harness/reference
