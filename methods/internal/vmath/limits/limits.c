//go:build cgo && amd64 && !windows && !purego

#include <immintrin.h>

// Chains independent accumulators, enough to hide the latency of a multiply-add.
#define CHAINS 12

#define LIMITS(suffix, isa, type, width, set, fmadd, add, load) \
	static __attribute__((target(isa))) long fma_##suffix(long rounds, double *out) { \
		type a[CHAINS], half = set(0.5), one = set(1); \
		for (int i = 0; i < CHAINS; i++) a[i] = set(i); \
		for (long r = 0; r < rounds; r++) \
			for (int i = 0; i < CHAINS; i++) a[i] = fmadd(a[i], half, one); \
		for (int i = 1; i < CHAINS; i++) a[0] = add(a[0], a[i]); \
		*out = ((double *)a)[0]; \
		return rounds * CHAINS * width; \
	} \
	static __attribute__((target(isa))) double read_##suffix(const double *x, long n, long repeat) { \
		type a[8]; \
		for (int i = 0; i < 8; i++) a[i] = set(0); \
		while (repeat--) \
			for (long k = 0; k + 8 * width <= n; k += 8 * width) \
				for (int i = 0; i < 8; i++) a[i] = add(a[i], load(x + k + i * width)); \
		for (int i = 1; i < 8; i++) a[0] = add(a[0], a[i]); \
		return ((double *)a)[0]; \
	}

LIMITS(avx512, "avx512f", __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_add_pd, _mm512_loadu_pd)
LIMITS(avx2, "avx2,fma", __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_add_pd, _mm256_loadu_pd)
#define PLAIN_FMA(a, b, c) ((a) * (b) + (c))
#define PLAIN_ADD(a, b) ((a) + (b))
#define PLAIN(a) (a)
#define PLAIN_LOAD(p) (*(p))
LIMITS(plain, "sse2", double, 1, PLAIN, PLAIN_FMA, PLAIN_ADD, PLAIN_LOAD)

volatile double lim_sink;

// level is what package simd tells.
long lim_fma(int level, long rounds) {
	double out;
	long n = level == 2 ? fma_avx512(rounds, &out)
		: level == 1 ? fma_avx2(rounds, &out) : fma_plain(rounds, &out);
	lim_sink = out;
	return n;
}

double lim_read(int level, const double *x, long n, long repeat) {
	return level == 2 ? read_avx512(x, n, repeat)
		: level == 1 ? read_avx2(x, n, repeat) : read_plain(x, n, repeat);
}
