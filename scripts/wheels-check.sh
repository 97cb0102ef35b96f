#!/bin/sh
# Installs the wheels of dist/ each in a new environment, and goes from there to a verdict in an empty folder, offline:
# what `make wheels` made is whole, and needs NumPy and, for frames, pandas alone.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# install ENVIRONMENT WHEEL LIBRARY.. installs libraries with the checksums of the continuous run, and then the wheel,
# which may need nothing else.
install() {
  environment=$work/$1 wheel=$2
  shift 2
  for library; do
    sed -n "/^$library==/,/[^\\\\]\$/p" methods/internal/gbdt/testdata/peers.txt
  done >"$work/libraries.txt"
  "$environment/bin/pip" install -q --disable-pip-version-check --require-hashes --no-deps -r "$work/libraries.txt"
  "$environment/bin/pip" install -q --disable-pip-version-check --no-index "$here/dist/$wheel"-*.whl
}

python3 -m venv "$work/plugin"
install plugin benchplugin numpy
"$work/plugin/bin/python" -c 'import benchplugin; benchplugin.serve'
python3 -m venv "$work/whole"
install whole kernelboosting_bench numpy pandas python-dateutil six
cat >"$work/mine.py" <<'END'
import bench
import numpy as np


class Mine:
    grid = {"penalty": [0.1, 10.0]}

    def __init__(self, penalty=1.0):
        self.penalty = penalty

    def fit(self, X, y):
        self.w = np.linalg.solve(X.T @ X + self.penalty * np.eye(X.shape[1]), X.T @ y)

    def decision_function(self, X):
        return X @ self.w


found = bench.run([Mine, "CART"], ["swiss", "circles"], splits=2)
assert len(found.frame) == 8 and set(found.frame.status) == {"ok"}, found.frame
print(found.compare("Mine"))
END
cd "$work"
env -u BENCH_PYTHON -u BENCH_PLUGINS BENCH_MIRROR="$work/none" BENCH_DATA="$work/data" "$work/whole/bin/python" mine.py >verdict
grep -q 'Mine against CART' verdict
env -u BENCH_PYTHON -u BENCH_PLUGINS BENCH_DATA="$work/data" "$work/whole/bin/bench" methods plugins >plugins.txt
grep -q 'plugins/mine.py .*Mine' plugins.txt
echo "wheels: installed, and a verdict from the program that one carries"
