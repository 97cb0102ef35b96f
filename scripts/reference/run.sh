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
# The paper has bankmarketing for three of its methods.
"$bench" run --db "$db" --methods BMKR,GFC,PBRFF,GBRFF1,LGBM,GBRFF2 --datasets $sets
"$bench" run --db "$db" --methods GBRFF1,LGBM,GBRFF2 --datasets bankmarketing

mkdir -p harness/reference/files
"$bench" export harness/reference/files/table2.bench --db "$db" --protocol table2

# The program carries these results from now on, and the pages are made from it.
make build
scripts/reference/pages.sh "$db"
