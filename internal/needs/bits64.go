//go:build 386 || arm || mips || mipsle

package needs

const _ = bench_needs_a_processor_of_64_bits__build_it_for_GOARCH_amd64_or_arm64
