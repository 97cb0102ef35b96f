// Eight lanes of double as one AVX-512 register; simd256.h gives the same
// operations with the same results on two AVX2 registers.
#include <immintrin.h>

#define FN(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")))
#define VM static inline __attribute__((always_inline)) TARGET

typedef __m512d v8;
typedef __mmask8 m8;

VM v8 v8_set1(double a) { return _mm512_set1_pd(a); }
VM v8 v8_load(const double *p) { return _mm512_loadu_pd(p); }
VM void v8_store(double *p, v8 a) { _mm512_storeu_pd(p, a); }
VM v8 v8_add(v8 a, v8 b) { return _mm512_add_pd(a, b); }
VM v8 v8_sub(v8 a, v8 b) { return _mm512_sub_pd(a, b); }
VM v8 v8_mul(v8 a, v8 b) { return _mm512_mul_pd(a, b); }
VM v8 v8_div(v8 a, v8 b) { return _mm512_div_pd(a, b); }
VM v8 v8_fnma(v8 a, v8 b, v8 c) { return _mm512_fnmadd_pd(a, b, c); } // c - ab
VM v8 v8_fma(v8 a, v8 b, v8 c) { return _mm512_fmadd_pd(a, b, c); } // ab + c
VM m8 m8_ge(v8 a, v8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
VM m8 m8_gt(v8 a, v8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
VM m8 m8_bits(unsigned b) { return (m8)b; }
VM v8 v8_select(m8 m, v8 yes, v8 no) { return _mm512_mask_blend_pd(m, no, yes); }
// pairs reads eight pairs and returns the first members and the second ones.
VM void v8_pairs(const double *p, v8 *first, v8 *second) {
	v8 a = _mm512_loadu_pd(p), b = _mm512_loadu_pd(p + 8);
	*first = _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
	*second = _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}
VM v8 v8_max(v8 a, v8 b) { return _mm512_max_pd(a, b); }
VM __m256 v8_single(v8 a) { return _mm512_cvtpd_ps(a); }
VM v8 v8_wide(__m256 a) { return _mm512_cvtps_pd(a); }
