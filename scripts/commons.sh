#!/bin/sh
# Makes a commons with the program's own commands, as people would, and packs it with its history and pages (make release):
#
#   commons.sh BENCH FILE.tar [DATASETS [SPLITS]]
#
# Two plugins enter on all splits, and three on the first split of every set. Each has a lock made from one new Python,
# and is checked in another one, made from the lock. Needs git, Python with venv, and PyPI.
set -eu
program=$(cd "$(dirname "$1")" && pwd)/${1##*/}
packed=$(cd "$(dirname "$2")" && pwd)/${2##*/}
sets=${3:-wine,sonar,newthyroid,heart,bupa,iono} splits=${4:-5}
cd "$(dirname "$0")/.."
examples=$PWD/methods/external/python/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

python3 -m venv "$work/python"
for library in numpy scipy scikit-learn joblib threadpoolctl narwhals cloudpickle interpret-core pandas python-dateutil \
  six tzdata chimeraboost numba llvmlite perpetual typing_extensions; do
  sed -n "/^$library==/,/[^\\\\]\$/p" methods/internal/gbdt/testdata/peers.txt
done >"$work/libraries.txt"
"$work/python/bin/pip" install -q --disable-pip-version-check --require-hashes --no-deps -r "$work/libraries.txt"

cd "$work"
export BENCH="$program" BENCH_PYTHON="$work/python/bin/python" BENCH_PLUGINS='' BENCH_KNOWN_PLUGINS="$work/known" \
  BENCH_DATA="$work/data" GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost GIT_COMMITTER_NAME=bench \
  GIT_COMMITTER_EMAIL=bench@localhost
git init -q --bare -b main hub.git
"$program" commons init commons --datasets "$sets" --splits "$splits" --least-splits 1
git -C commons remote add origin "$work/hub.git"
git -C commons push -q origin main

# enter METHOD PLUGIN SPLITS
enter() {
  mkdir -p plugins
  cp "$examples/$2" plugins
  "$program" run --methods "$1" --datasets "$sets" --splits "$3"
  "$program" submit "$1" --to hub.git --author bench --timeout 1h >branch || {
    cat branch
    exit 1
  }
  git -C commons fetch -q
  sh commons/check.sh "origin/$(tail -n 1 branch)"
  git -C commons push -q origin main
}
enter sklearn-HGB histgb.py "$splits"
enter EBM ebm.py "$splits"
enter ChimeraBoost chimeraboost_plugin.py 1
enter Perpetual perpetual_plugin.py 1
enter sklearn-MLP mlp.py 1

git -C commons remote remove origin
"$program" commons site commons
tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX -f "$packed" commons
