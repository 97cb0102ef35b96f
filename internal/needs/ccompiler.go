//go:build !cgo && !(386 || arm || mips || mipsle)

package needs

const _ = bench_keeps_results_in_SQLite_which_needs_a_C_compiler__install_one_and_build_with_CGO_ENABLED_1
