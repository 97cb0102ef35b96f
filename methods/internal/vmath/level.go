//go:build cgo && amd64 && !windows && !nokernels

package vmath

/*
#include <cpuid.h>

// The compilers' own __builtin_cpu_supports is not used: it reads a table of the library that the compiler links, and
// that of zig 0.17 is always empty. (The kernels were then never called, and fits took several times as long.)
static int level(void) {
	unsigned a, b, c, d, saved, rest;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA) || !(c & bit_OSXSAVE)) return 0;
	// the registers that the system saves for each thread
	__asm__ volatile("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
	if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return 0;
	const unsigned wide = bit_AVX512F | bit_AVX512DQ | bit_AVX512VL | bit_AVX512BW;
	return (saved & 0xe6) == 0xe6 && (b & wide) == wide ? 2 : 1;
}
*/
import "C"

// Level returns the widest instructions that can be used: 2 AVX-512 (F, DQ, VL and BW), 1 AVX2 with FMA, 0 neither.
func Level() int { return int(C.level()) }
