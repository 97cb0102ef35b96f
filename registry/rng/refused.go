//go:build 386 || arm || mips || mipsle

package rng

// A build for a processor of 32 bits ends here, with a name that says why, before it ends at constants that overflow.
const _ = bench_needs_a_processor_of_64_bits__build_it_for_GOARCH_amd64_or_arm64
