#!/usr/bin/env bash
# The guests of the reference run: methods of other libraries, each by a plugin of methods/external/python/examples, on
# the sets of the suite with fewer than 2,000 rows. The plugins state the grids, and each result says the versions of
# the libraries. The cells join the part of their set (part.sh). The same command continues after an interruption.
#
#   scripts/reference/guests.sh DATABASE [SET...]     all sets if none is named; BENCH_DATA says where those are that
#                                                     the program does not bring
set -euo pipefail
cd "$(dirname "$0")/../.."
bench=$PWD/bin/bench db=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- $("$bench" data list --format csv | awk -F , '$3 < 2000 && /suite/ { print $1 }')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { "$work/venv/bin/pip" install -q --disable-pip-version-check "$@"; }
pip --require-hashes --no-deps -r methods/internal/gbdt/testdata/peers.txt
pip xrfm==0.4.5 torch==2.15.0
export BENCH_PYTHON=$work/venv/bin/python BENCH_PLUGINS=$work/plugins
mkdir "$work/plugins"
cp methods/external/python/examples/{catboost_plugin,ebm,histgb,svc,xrfm_plugin}.py "$work/plugins"
guests=CatBoost,EBM,sklearn-HGB,sklearn-SVC,xRFM-published
for set; do # CatBoost looks at the memory of its process
  "$bench" run --db "$db" --allow-read /proc --methods "$guests" --datasets "$set"
  scripts/reference/part.sh "$set" "$db"
done
