#!/usr/bin/env bash
# The reference run, one data set after another: every method where a cell takes at most two minutes by its forecast,
# which is 2.5 times --max-cell. Of each set that is whole the part and the file of the program are written (part.sh).
# The same command continues after an interruption.
#
#   scripts/reference/run.sh DATABASE [SET...]     all sets of the suite if none is named, smallest first; BENCH_DATA says
#                                                  where those are that the program does not bring
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=bin/bench db=$1
shift
[ $# -gt 0 ] || set -- $(sed -n '/^ /s/[",]//gp' harness/protocol/suite.toml)
for set; do # code 3: some cells were left out or failed; part.sh says which ones must not lack
  "$bench" run --db "$db" --datasets "$set" --max-cell 48s || [ $? = 3 ]
  scripts/reference/part.sh "$db" "$set"
done

# The program carries these results from now on, and the pages are made from them.
make build
scripts/reference/pages.sh
