#!/usr/bin/env bash
# The pages of docs/reference-run, from the results that come with the program. They are about the six methods of the
# published table.
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=bin/bench
out=docs/reference-run
db=reference.db
rm -f "$db"
"$bench" import reference --db "$db"
mkdir -p "$out"
report() { "$bench" report "$1" --protocol table2 --methods paper --db "$db" --force -o "$out/$2" "${@:3}"; }
report accuracy table2.md
report accuracy table2.html

# All fifteen sets of the paper count, bankmarketing is shown apart.
report cd cd.svg
report leaderboard leaderboard.svg
report times times.svg
