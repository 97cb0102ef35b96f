#!/usr/bin/env bash
# The pages of docs/reference-run, from a database of the reference run. Where there is none, the results that come with the
# program are imported first, which takes some seconds.
#
#   scripts/reference/pages.sh [DATABASE]     reference.db if not given
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=bin/bench
out=docs/reference-run
db=${1:-reference.db}
[ -e "$db" ] || "$bench" import reference --db "$db"
mkdir -p "$out"
"$bench" report accuracy --db "$db" --details --force -o "$out/table2.md"
"$bench" report accuracy --db "$db" --force -o "$out/table2.html"
ask() { "$bench" query --db "$db" --format md -- "$(cat "scripts/reference/$1.sql")" >"$out/$1.md"; }
ask core-seconds
ask environment

# What follows from the numbers; all fifteen sets of the paper count, bankmarketing stands apart.
"$bench" compare GBRFF2 --db "$db" --details --force -o "$out/compare-gbrff2.md"
"$bench" report tests --db "$db" --details --force -o "$out/tests.md"
"$bench" report times --db "$db" --details --force -o "$out/times.md"
"$bench" report leaderboard --db "$db" --force -o "$out/leaderboard.md"
"$bench" report cd --db "$db" --force -o "$out/cd.svg"
"$bench" report times --db "$db" --force -o "$out/times.svg"

# The README shows this table and this verdict.
go test ./cmd -run '^TestReadmeShowsTheReferenceRun$' -update
