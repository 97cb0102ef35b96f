#!/bin/sh
# Makes a release of the commit that is checked out, in dist/ (make release): binaries for Linux, wheels that hold them, what each
# binary is made of (CycloneDX), the licences of that, the reference run with the folds of every grid point, and checksums.
#
# All is made twice, in two folders, once with your caches and once without any, and must be equal byte for byte. Each binary computes cells of the reference run again, as do a build by the system's C compiler and one
# without kernels in C or assembly, and all must get equal bits. The binary runs in a folder that holds nothing else.
# CONTRIBUTING.md says what comes before and after.
#
# BENCH_SIGNING_KEY is the file of minisign's secret key that signs the checksums; minisign may ask for its password.
# Needs git, Go, a C compiler, Python with venv, readelf, qemu-aarch64-static, the right to call chroot (as the superuser or in a
# user namespace), PyPI and the Go module proxy, and data of wine and newthyroid, which it fetches. ZIG is a zig of the version
# in zig.txt, such as "python -m ziglang"; without it the script installs one for itself.
set -eu
umask 022
cd "$(dirname "$0")/.."
top=$PWD
zig_version=$(sed -n 's/^ziglang==\([^ ]*\).*/\1/p' scripts/zig.txt)
cyclonedx=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

say() { printf 'release: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

version=$(sed -n 's/^version: //p' CITATION.cff)
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed, and a release is made of a commit"
tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || echo "$commit")
[ "$tagged" = "$commit" ] || die "the tag v$version is of another commit, $tagged"
for tool in cc readelf qemu-aarch64-static; do
  command -v $tool >/dev/null || die "$tool is missing"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Settings of the caller's that change a binary do not count.
unset GOAMD64 GOARM64 GOEXPERIMENT CGO_CFLAGS CGO_CPPFLAGS CGO_LDFLAGS CC
export GOENV=off GOFLAGS= GOWORK=off CGO_ENABLED=1 LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
python3 -m venv "$work/python"
export PYTHON="$work/python/bin/python"
pip="$PYTHON -m pip install -q --disable-pip-version-check --require-hashes --no-deps"
$pip -r scripts/setuptools.txt
[ -n "${ZIG:-}" ] || $pip -r scripts/zig.txt
zig=${ZIG:-"$PYTHON -m ziglang"}
[ "$($zig version)" = "$zig_version" ] || die "ZIG is version $($zig version), and not $zig_version"
scripts/vulns.sh >&2 || die "a release calls no code that is known to be vulnerable (see above)"
go test -run '^TestCitationFile$' ./reports/paper >"$work/said" 2>&1 || die "$(cat "$work/said")"
GOBIN="$work" CGO_ENABLED=0 go install -trimpath "$cyclonedx"

# target ARCH sets what go and cyclonedx-gomod read: that processor, and a C compiler for it and for the library musl. A program
# that is linked with musl as a whole runs on any Linux, whatever C library that has.
target() {
  case $1 in amd64) processor=x86_64 ;; arm64) processor=aarch64 ;; esac
  export CC="$zig cc -target $processor-linux-musl" GOOS=linux GOARCH="$1"
  export CGO_CFLAGS=-O2 CGO_LDFLAGS='-O2 -s' # go's own have -g, for which zig keeps symbols and the names of folders
}

# make_in FOLDER makes everything into FOLDER/dist, from a clone of the commit there.
make_in() {
  git clone -q --no-tags "$top" "$1"
  cd "$1"
  git checkout -q --detach "$commit"
  git tag "v$version"
  mkdir bin dist
  for arch in amd64 arm64; do (
    name=bench-$version-linux-$arch
    target $arch
    go build -trimpath -buildvcs=true -tags 'netgo osusergo' -o "dist/$name" -ldflags "-s -w -buildid= -linkmode=external \
      -extldflags=-static -X github.com/kernelboosting/bench/harness/environment.ProgramVersion=v$version" ./cmd/bench
    "$work/cyclonedx-gomod" app -json -std -noserial -notimestamp -main cmd/bench . 2>"$work/said" >"$work/modules.json" ||
      die "$(cat "$work/said")"
    sqlite=$(go list -m -f '{{.Dir}}' github.com/mattn/go-sqlite3)
    "$PYTHON" scripts/components.py "$zig" "$sqlite" <"$work/modules.json" >"dist/$name.cdx.json"
    cp "dist/$name" bin/bench
    BENCH_WHEEL_PLATFORM=manylinux_2_17_$processor.manylinux2014_$processor.musllinux_1_1_$processor \
      BENCH_ZIG=$zig scripts/wheels.sh >/dev/null
  ) done
  BENCH_ZIG=$zig "$PYTHON" scripts/licences.py dist/bench-*-amd64 dist/bench-*-arm64 >"dist/bench-$version-licences.txt"
  tar -c --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX \
    -f "dist/bench-$version-reference.tar" -C harness/reference/parts table2
}

one=$work/one two=$work/another/folder
began=$(date +%s)
mkdir "$work/another"
(make_in "$one")
say "made once, in $(($(date +%s) - began)) s; now once more, in another folder, without caches"
(export GOCACHE="$work/go" ZIG_GLOBAL_CACHE_DIR="$work/zig" ZIG_LOCAL_CACHE_DIR="$work/zig" && make_in "$two")
(cd "$one/dist" && sha256sum -- * >"$work/SHA256SUMS")
(cd "$two/dist" && sha256sum -- * | diff "$work/SHA256SUMS" - >&2) || die "what was made twice is not equal"
amd64=$one/dist/bench-$version-linux-amd64 arm64=$one/dist/bench-$version-linux-arm64

# No dynamic linker and no library: so no symbol of any version of glibc.
for binary in "$amd64" "$arm64"; do
  readelf -lWd "$binary" >"$work/said"
  ! grep -E 'INTERP|NEEDED' "$work/said" >&2 || die "$binary needs files of the system"
done
say "equal byte for byte; no binary needs a file of the system"

# gate BUILD CELLS COMMAND.. has a build compute so many cells of each method of the reference run again, which must have equal bits.
gate() {
  build=$1 cells=$2
  shift 2
  rm -f "$work"/gate.db*
  "$@" --db "$work/gate.db" import reference >"$work/said" 2>&1 || die "$build: $(cat "$work/said")"
  "$@" --db "$work/gate.db" query --format csv "SELECT DISTINCT method FROM results WHERE dataset = 'wine'" >"$work/methods"
  for method in $(tail -n +2 "$work/methods"); do
    "$@" --db "$work/gate.db" verify --protocol table2 --methods $method --datasets wine,newthyroid --sample "$cells" --seed 1 \
      >"$work/said" 2>&1 || die "$build gets other bits: $(cat "$work/said")"
  done
  say "$build: $cells cells of each method of the reference run have equal bits"
}
"$amd64" data fetch wine newthyroid >"$work/said" 2>&1 || die "$(cat "$work/said")"
gate "the binary for amd64" 3 "$amd64"
gate "the binary for arm64, emulated" 1 qemu-aarch64-static "$arm64"
(
  cd "$one"
  go build -o bin/cc ./cmd/bench
  go build -tags 'nokernels noasm' -o bin/plain ./cmd/bench
  # The kernels in C are what a fit's speed comes from: the binary finds the instructions that they need.
  (target amd64 && go test -count=1 -ldflags '-linkmode=external -extldflags=-static' -run TestLevel \
    ./methods/internal/vmath)
) >"$work/said" 2>&1 || die "$(cat "$work/said")"
gate "a build by the system's C compiler" 3 "$one/bin/cc"
gate "a build without kernels in C or assembly" 1 "$one/bin/plain"

# alone ARGUMENT.. runs the binary in a folder that holds it and an empty folder, as Dockerfile has it.
alone() {
  enter=chroot
  [ "$(id -u)" = 0 ] || enter='unshare --map-root-user chroot'
  env -i PATH="$PATH:/usr/sbin" $(sed -n 's/^ENV //p' Dockerfile) $enter \
    "$work/root" /bench --db /work/results.db "$@" >"$work/said" 2>&1 ||
    die "alone, $*: $(cat "$work/said")"
}
mkdir -p "$work/root/work"
cp "$amd64" "$work/root/bench"
tar -xf "$one/dist/bench-$version-reference.tar" -C "$work/root/work"
alone import reference
alone import /work/table2/wine.bench
alone report leaderboard --protocol table2 --exclude bankmarketing
alone run --methods CART,GBRFF2 --datasets circles,swiss --splits 2
alone report cd -o /work/cd.pdf
alone paper GBRFF2 LGBM -o /work/paper
say "the binary runs in a folder that holds nothing else"

rm -rf dist
mkdir dist
cp "$one"/dist/* "$work/SHA256SUMS" dist
if [ -n "${BENCH_SIGNING_KEY:-}" ]; then
  scripts/sign.sh "$BENCH_SIGNING_KEY" dist "bench $version, commit $commit"
else
  say "not signed: BENCH_SIGNING_KEY names no secret key of minisign"
fi
scripts/wheels-check.sh "$top/dist" >&2
say "dist/ holds version $version, made in $(($(date +%s) - began)) s"
cat dist/SHA256SUMS
