#!/bin/sh
# Makes two wheels in dist/: benchplugin, the Python side of plugins, which needs NumPy alone; and
# kernelboosting-bench, which holds the program bin/bench and the package bench, too.
# BENCH_WHEEL_PLATFORM is the tag of the program's platform, such as manylinux_2_17_x86_64 (default: this machine's).
# PIPFLAGS are further flags of `pip wheel`.
set -eu
cd "$(dirname "$0")/.."
test -x bin/bench || { echo "wheels: there is no bin/bench; make build makes it" >&2; exit 2; }
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R methods/external/python "$work/plugin"
cp -R cmd/python "$work/whole"
cp -R methods/external/python/benchplugin "$work/whole/benchplugin"
find "$work" -name __pycache__ -prune -exec rm -rf {} +
mkdir -p "$work/whole/bench/bin" dist
cp bin/bench "$work/whole/bench/bin/bench"
# shellcheck disable=SC2086
"$python" -m pip wheel --quiet --no-deps ${PIPFLAGS-} --wheel-dir dist "$work/plugin" "$work/whole"
ls dist/*.whl
