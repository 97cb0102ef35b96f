// Eight lanes of double as two AVX2 registers (see simd512.h).
#include <immintrin.h>

#define FN(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VM static inline __attribute__((always_inline)) TARGET

typedef struct { __m256d a, b; } v8;
typedef unsigned m8;

VM v8 v8_set1(double a) { return (v8){_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
VM v8 v8_load(const double *p) { return (v8){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
VM void v8_store(double *p, v8 x) { _mm256_storeu_pd(p, x.a); _mm256_storeu_pd(p + 4, x.b); }
VM v8 v8_add(v8 x, v8 y) { return (v8){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)}; }
VM v8 v8_sub(v8 x, v8 y) { return (v8){_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)}; }
VM v8 v8_mul(v8 x, v8 y) { return (v8){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)}; }
VM v8 v8_div(v8 x, v8 y) { return (v8){_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)}; }
VM v8 v8_fnma(v8 x, v8 y, v8 z) { return (v8){_mm256_fnmadd_pd(x.a, y.a, z.a), _mm256_fnmadd_pd(x.b, y.b, z.b)}; }
VM v8 v8_fma(v8 x, v8 y, v8 z) { return (v8){_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)}; }
#define BITS(x, y, op) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, op)) | \
	(unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, op)) << 4)
VM m8 m8_ge(v8 x, v8 y) { return BITS(x, y, _CMP_GE_OQ); }
VM m8 m8_gt(v8 x, v8 y) { return BITS(x, y, _CMP_GT_OQ); }
VM m8 m8_bits(unsigned b) { return b & 255; }
VM __m256d m4_wide(unsigned m) {
	const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
	return _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(m), bit), bit));
}
VM v8 v8_select(m8 m, v8 yes, v8 no) {
	return (v8){_mm256_blendv_pd(no.a, yes.a, m4_wide(m & 15)), _mm256_blendv_pd(no.b, yes.b, m4_wide(m >> 4))};
}
VM void m4_pairs(const double *p, __m256d *first, __m256d *second) {
	__m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + 4);
	*first = _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8);
	*second = _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8);
}
VM void v8_pairs(const double *p, v8 *first, v8 *second) {
	m4_pairs(p, &first->a, &second->a);
	m4_pairs(p + 8, &first->b, &second->b);
}
VM v8 v8_max(v8 x, v8 y) { return (v8){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)}; }
VM __m256 v8_single(v8 x) { return _mm256_set_m128(_mm256_cvtpd_ps(x.b), _mm256_cvtpd_ps(x.a)); }
VM v8 v8_wide(__m256 x) { return (v8){_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))}; }
