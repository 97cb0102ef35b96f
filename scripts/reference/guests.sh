#!/usr/bin/env bash
# The guests of the reference run: methods of other libraries, each by a plugin of methods/external/python/examples, on
# the sets of the suite with fewer than 2,000 rows. The plugins state the grids, and each result says the versions of the
# libraries: those of methods/internal/gbdt/testdata/peers.txt, xrfm 0.4.5 and torch 2.15.0. A cell takes at most two
# minutes (see run.sh); the limit is higher, since EBM on arrhythmia is forecast at 172 s where it takes 90. Their cells
# join the parts of the sets (part.sh). The same command continues after an interruption.
#
#   scripts/reference/guests.sh DATABASE [SET...]     all sets if none is named; BENCH_DATA says where those are that
#                                                     the program does not bring, BENCH_PYTHON which Python has the
#                                                     libraries
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=bin/bench db=$1
shift
[ $# -gt 0 ] || set -- $("$bench" data list --format csv | awk -F , '$3 < 2000 && /suite/ { print $1 }')
plugins=()
for name in catboost_plugin ebm histgb svc xrfm_plugin; do
  plugins+=(--plugin "methods/external/python/examples/$name.py")
done
guests=CatBoost,EBM,sklearn-HGB,sklearn-SVC,xRFM-published
for set; do # CatBoost looks at the memory of its process; code 3 is as in run.sh
  "$bench" run --db "$db" "${plugins[@]}" --allow-read /proc --methods "$guests" --datasets "$set" --max-cell 75s ||
    [ $? = 3 ]
done
scripts/reference/part.sh "$db" "$@"
