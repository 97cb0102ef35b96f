#!/usr/bin/env bash
# Has every other build compute three cells of each method again and compare them with those of the ordinary build: another C
# compiler, no kernels in C, gonum without assembly, newer processors, and another processor, emulated (hours on one core).
# Needs zig as a C compiler ($ZIG, such as "python -m ziglang"), qemu-aarch64-static, and the data ($BENCH_DATA).
# Takes the methods to compare, all without any.
set -euo pipefail
cd "$(dirname "$0")/.."
zig="${ZIG:-zig}"
for tool in "$zig" qemu-aarch64-static; do
  $tool --help >/dev/null 2>&1 || { echo "everywhere: $tool does not run; install zig (or set ZIG) and qemu-user-static" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bench() { "$work/ordinary" --db "$work/results.db" "$@"; }
go build -o "$work/ordinary" ./cmd/bench
# wine twice and newthyroid twice, of which three are chosen: the grid that the pinned counts have.
sed 's/^splits = 1$/splits = 2/' methods/testdata/portable.toml >"$work/everywhere.toml"
all=("$@")
[ $# -gt 0 ] || mapfile -t all < <(bench methods list --format csv | tail -n +2 | cut -d, -f1)
bench run --protocol "$work/everywhere.toml" --datasets wine,newthyroid --methods "$(IFS=,; echo "${all[*]}")" --keep scores

failed=0
compare() { # name, how to start it; settings and flags of go build
  local name=$1 start=$2
  shift 2
  env "$@" go build "${tags[@]}" -o "$work/$name" ./cmd/bench
  for method in "${all[@]}"; do
    $start "$work/$name" --db "$work/results.db" verify --methods "$method" --sample 3 --seed 1 || { failed=1; echo "everywhere: $method differs in the build $name" >&2; }
  done
}
tags=()
compare clang "" CC="$zig cc"
compare newer "" GOAMD64=v3
compare arm64 qemu-aarch64-static CC="$zig cc -target aarch64-linux-musl" CGO_ENABLED=1 GOARCH=arm64
tags=(-tags noasm)
compare noasm "" GOFLAGS="${GOFLAGS:-}"
tags=(-tags nokernels)
compare nokernels "" GOFLAGS="${GOFLAGS:-}"
tags=(-tags "nokernels noasm")
compare nokernels-noasm "" GOFLAGS="${GOFLAGS:-}"
exit "$failed"
