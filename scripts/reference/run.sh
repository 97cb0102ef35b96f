#!/usr/bin/env bash
# The reference run: the published Table 2 from an empty database, and what is made from it: the file that
# `bench import reference` takes, and the pages of docs/reference-run. It takes an hour or so on two cores; the
# same command continues after an interruption.
#
#   scripts/reference/run.sh [DATABASE]     reference.db if not given; BENCH_DATA says where the data is
set -euo pipefail
cd "$(dirname "$0")/../.."
db=${1:-reference.db}
bench=bin/bench
sets=wine,sonar,newthyroid,heart,bupa,iono,wdbc,balance,australian,pima,vehicle,german,splice,spambase,occupancy
out=docs/reference-run

# The paper has bankmarketing for three of its methods.
"$bench" run --db "$db" --methods BMKR,GFC,PBRFF,GBRFF1,LGBM,GBRFF2 --datasets $sets
"$bench" run --db "$db" --methods GBRFF1,LGBM,GBRFF2 --datasets bankmarketing

mkdir -p "$out" harness/reference/files
"$bench" bundle harness/reference/files/table2.bench --db "$db" --protocol table2
"$bench" report accuracy --db "$db" -o "$out/table2.md"
"$bench" report accuracy --db "$db" -o "$out/table2.html"
ask() { "$bench" query --db "$db" --format md -- "$(cat "scripts/reference/$1.sql")" >"$out/$1.md"; }
ask core-seconds
ask environment

# What follows from the numbers; all fifteen sets of the paper count, bankmarketing stands apart.
"$bench" compare GBRFF2 --db "$db" -o "$out/compare-gbrff2.md"
"$bench" report tests --db "$db" -o "$out/tests.md"
"$bench" report times --db "$db" -o "$out/times.md"
figures=$(mktemp -d)
trap 'rm -rf "$figures"' EXIT
for report in cd times; do
  "$bench" report $report --db "$db" -o "$figures/"
  cp "$figures/$report.svg" "$out/"
done

# The README shows this table and this verdict.
go test ./cmd -run '^TestReadmeShowsTheReferenceRun$' -update
