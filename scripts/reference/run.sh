#!/usr/bin/env bash
# The reference run, one data set after another: every method where a cell takes at most two minutes by its forecast, which
# is 2.5 times --max-cell. Of each set that is whole the part and the file of the program are written (part.sh). The same command continues after an interruption.
#
#   scripts/reference/run.sh DATABASE [SET...]     all sets if none is named; BENCH_DATA says where pima, occupancy and
#                                                  bankmarketing are
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=bin/bench db=$1
shift
[ $# -gt 0 ] || set -- wine newthyroid heart bupa iono sonar balance wdbc australian vehicle german splice spambase pima occupancy \
  bankmarketing
for set; do
  "$bench" run --db "$db" --datasets "$set" --max-cell 48s
  scripts/reference/part.sh "$set" "$db"
done

# The program carries these results from now on, and the pages are made from them.
make build
scripts/reference/pages.sh
