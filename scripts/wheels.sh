#!/bin/sh
# Makes two wheels in dist/: benchplugin, the Python side of plugins, which needs NumPy alone; and
# kernelboosting-bench, which holds the program bin/bench and the package bench, too.
# BENCH_WHEEL_PLATFORM is the tag of the program's platform, such as manylinux_2_17_x86_64 (default: this machine's).
# Each holds the licences of what is in it. BENCH_ZIG is for licences.py.
# PYTHON is one with setuptools of the version in setuptools.txt; without it the script installs that for itself.
set -eu
cd "$(dirname "$0")/.."
test -x bin/bench || { echo "wheels: there is no bin/bench; make build makes it" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-}
if [ -z "$python" ]; then
  python3 -m venv "$work/python"
  python=$work/python/bin/python
  "$python" -m pip install -q --disable-pip-version-check --require-hashes --no-deps -r scripts/setuptools.txt
fi
cp -R methods/external/python "$work/plugin"
cp -R cmd/python "$work/whole"
cp -R methods/external/python/benchplugin "$work/whole/benchplugin"
find "$work/plugin" "$work/whole" -name __pycache__ -prune -exec rm -rf {} +
mkdir -p "$work/whole/bench/bin" dist
cp bin/bench "$work/whole/bench/bin/bench"
cp LICENSE "$work/plugin"
cp LICENSE "$work/whole"
"$python" scripts/licences.py bin/bench >"$work/whole/LICENCES.txt"
all=$(sed -n 's/^All together: //p' "$work/whole/LICENCES.txt")
sed -i "s/^license = .*/license = \"$all\"/" "$work/whole/pyproject.toml"
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist "$work/plugin" "$work/whole"
ls dist/*.whl
