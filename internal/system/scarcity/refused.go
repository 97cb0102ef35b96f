//go:build !cgo && !(386 || arm || mips || mipsle)

package scarcity

// A build without C ends here, with a name that says why. What has a form in Go as well, such as the loops of
// methods/internal/vmath, does not import this package.
const _ = bench_keeps_results_in_SQLite_which_needs_a_C_compiler__install_one_and_build_with_CGO_ENABLED_1
