#!/bin/sh
# Follows the lines of README that install a release, each in a home of its own, and goes from there to a verdict in an
# empty folder, offline: what was made is whole, holds its licences, and needs NumPy and, for frames, pandas alone.
# Takes a folder with what `make release` makes, as release.sh does; without it the wheels of `make wheels` are those of a
# release, and bin/bench is its binary. A file that SHA256SUMS.minisig does not sign yet is signed by a key that is thrown
# away.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files" "$work/libraries"
if [ $# -gt 0 ]; then
  cp "$1"/* "$work/files"
else
  cp dist/*.whl "$work/files"
  cp bin/bench "$work/files/bench-0-linux-$(go env GOARCH)"
  (cd "$work/files" && sha256sum -- * >SHA256SUMS)
fi

# pinned ENVIRONMENT [FILE] makes an environment of Python with what the file lists by checksums.
pinned() {
  python3 -m venv "$work/$1"
  [ -z "${2:-}" ] || "$work/$1/bin/pip" install -q --disable-pip-version-check --require-hashes --no-deps -r "$2"
}
for library in numpy pandas python-dateutil six; do
  sed -n "/^$library==/,/[^\\\\]\$/p" methods/internal/gbdt/testdata/peers.txt
done >"$work/libraries.txt"
pinned whole "$work/libraries.txt"
"$work/whole/bin/pip" download -q --disable-pip-version-check --no-deps --require-hashes -d "$work/libraries" \
  -r "$work/libraries.txt"
cd "$work/files"

# What an index of packages asks of a wheel; and the licences, each in the file that it names.
tools=$work/tools/bin
if pinned tools "$here/scripts/install.txt"; then
  "$tools/twine" check --strict ./*.whl
else
  echo "wheels: skipped: scripts/install.txt, which has these tools, could not be installed"
fi
python3 - "$here/conda-recipe/recipe.yaml" ./*.whl <<'END'
import email, sys, zipfile
recipe = " ".join(open(sys.argv[1]).read().split())
for path in sys.argv[2:]:
    wheel = zipfile.ZipFile(path)
    info = next(n for n in wheel.namelist() if n.endswith("METADATA"))
    about = email.message_from_bytes(wheel.read(info))
    licences, files = about["License-Expression"].split(" AND "), about.get_all("License-File")
    texts = "".join(wheel.read(info.replace("METADATA", "licenses/" + f)).decode() for f in files)
    assert "MIT" in licences and "The bench authors" in texts and about["Author"] and about.get_all("Project-URL"), path
    if "bench/bin/bench" in wheel.namelist():
        assert {"Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "MIT"} <= set(licences), licences
        assert f"license: {' AND '.join(licences)} license_file" in recipe, f"conda-recipe/recipe.yaml lacks {licences}"
        for said in "gonum.org/v1/gonum v", "Apache License", "The Go Authors", "10.24432/C5PC7J":
            assert said in texts, f"{path}: no licence says {said!r}"
END

# The lines of README: each must leave a program that answers, or judge a file that was changed.
if command -v minisign >/dev/null; then
  [ -e SHA256SUMS.minisig ] || {
    minisign -G -W -p "$work/public" -s "$work/key" >/dev/null
    "$here/scripts/sign.sh" "$work/key" . "thrown away" >/dev/null
  }
else
  echo "wheels: skipped: there is no minisign, which verifies signatures"
fi
sed -n '/^```sh$/,/^```$/p; /^```$/q' "$here/README.md" | grep -v '^```' >"$work/lines"
follow() { # follow LINE runs it in this folder and in a new home
  rm -rf "$work/home" && mkdir "$work/home"
  env -u XDG_DATA_HOME -u XDG_BIN_HOME HOME="$work/home" PATH="$tools:$PATH" UV_NO_INDEX=1 UV_FIND_LINKS="$work/libraries" \
    UV_PYTHON="$(command -v python3)" sh -e -c "$1" >"$work/said" 2>&1
}
answers() {
  "$work/home/.local/bin/bench" version >"$work/said" && grep -q '^version' "$work/said"
}
count=0
while read -r line; do
  case $line in
  uv*) [ -x "$tools/uv" ] || continue ;;
  minisign*) command -v minisign >/dev/null || continue ;;
  esac
  follow "$line" || { cat "$work/said"; echo "wheels: README: $line"; exit 1; }
  case $line in
  minisign*) # neither a file that was changed nor a list of other checksums passes
    for file in SHA256SUMS "$(ls bench-*-linux-amd64)"; do
      cp "$file" "$work/kept" && echo >>"$file"
      ! follow "$line" || { echo "wheels: README: $line: passes for a changed $file"; exit 1; }
      cp "$work/kept" "$file"
    done
    ;;
  *) answers || { cat "$work/said"; echo "wheels: README: $line: no program that answers"; exit 1; } ;;
  esac
  count=$((count + 1))
done <"$work/lines"
[ "$count" = 3 ] || echo "wheels: $count of $(wc -l <"$work/lines") lines of README were followed"

pinned plugin
"$work/plugin/bin/pip" install -q --disable-pip-version-check --no-index -f "$work/libraries" ./benchplugin-*.whl
"$work/plugin/bin/python" -c 'import benchplugin; benchplugin.serve'
"$work/whole/bin/pip" install -q --disable-pip-version-check --no-index ./kernelboosting_bench-*_"$(uname -m)".whl
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
echo "wheels: $count lines of README followed, and a verdict from the program that a wheel carries"
