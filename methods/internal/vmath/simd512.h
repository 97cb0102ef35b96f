// Eight lanes of double as one AVX-512 register. simd256.h gives the same
// operations with the same results on two AVX2 registers.
#include <immintrin.h>

#define FN(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")))
#define VM static inline __attribute__((always_inline)) TARGET

typedef __m512d v8;
typedef __mmask8 m8; // one bit a lane

VM v8 v8_set1(double a) { return _mm512_set1_pd(a); }
VM v8 v8_load(const double *p) { return _mm512_loadu_pd(p); }
VM void v8_store(double *p, v8 a) { _mm512_storeu_pd(p, a); }
// loadn and storen touch the first n < 8 lanes; the others read as zero.
VM m8 m8_first(long n) { return (m8)((1u << n) - 1); }
VM v8 v8_loadn(const double *p, long n) { return _mm512_maskz_loadu_pd(m8_first(n), p); }
VM void v8_storen(double *p, v8 a, long n) { _mm512_mask_storeu_pd(p, m8_first(n), a); }

VM v8 v8_add(v8 a, v8 b) { return _mm512_add_pd(a, b); }
VM v8 v8_sub(v8 a, v8 b) { return _mm512_sub_pd(a, b); }
VM v8 v8_mul(v8 a, v8 b) { return _mm512_mul_pd(a, b); }
VM v8 v8_div(v8 a, v8 b) { return _mm512_div_pd(a, b); }
VM v8 v8_sqrt(v8 a) { return _mm512_sqrt_pd(a); }
VM v8 v8_fma(v8 a, v8 b, v8 c) { return _mm512_fmadd_pd(a, b, c); }   // ab + c
VM v8 v8_fnma(v8 a, v8 b, v8 c) { return _mm512_fnmadd_pd(a, b, c); } // c - ab
VM v8 v8_abs(v8 a) { return _mm512_abs_pd(a); }
VM v8 v8_neg(v8 a) { return _mm512_xor_pd(a, _mm512_set1_pd(-0.0)); }
// min and max return b where a lane of b is NaN.
VM v8 v8_min(v8 a, v8 b) { return _mm512_min_pd(a, b); }
VM v8 v8_max(v8 a, v8 b) { return _mm512_max_pd(a, b); }

VM m8 m8_notle(v8 a, v8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_NLE_UQ); }
VM m8 m8_lt(v8 a, v8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
VM m8 m8_eq(v8 a, v8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
VM int m8_any(m8 m) { return m != 0; }
VM m8 m8_or(m8 a, m8 b) { return a | b; }
VM m8 m8_and(m8 a, m8 b) { return a & b; }
VM int m8_bits(m8 m) { return m; } // lane i is bit i
VM v8 v8_select(m8 m, v8 yes, v8 no) { return _mm512_mask_blend_pd(m, no, yes); }

// turn swaps and negates the sine s and cosine c of a reduced argument according
// to the quadrant in the low bits of t, and gives the sine the sign of x.
VM void v8_turn(v8 t, v8 x, v8 *s, v8 *c) {
	__m512i q = _mm512_castpd_si512(t), sign = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
	m8 odd = _mm512_test_epi64_mask(q, _mm512_set1_epi64(1));
	v8 a = _mm512_mask_blend_pd(odd, *s, *c), b = _mm512_mask_blend_pd(odd, *c, *s);
	__m512i sa = _mm512_xor_si512(_mm512_slli_epi64(q, 62), _mm512_castpd_si512(x));
	__m512i sb = _mm512_slli_epi64(_mm512_add_epi64(q, _mm512_set1_epi64(1)), 62);
	*s = _mm512_xor_pd(a, _mm512_castsi512_pd(_mm512_and_si512(sa, sign)));
	*c = _mm512_xor_pd(b, _mm512_castsi512_pd(_mm512_and_si512(sb, sign)));
}

// scale returns y times two to the integral power q, |q| < 2000, rounded once.
// t holds q in its low bits.
VM v8 v8_scale(v8 y, v8 q, v8 t) { (void)t; return _mm512_scalef_pd(y, q); }

// hsum adds the lanes as ((0+1)+(2+3)) + ((4+5)+(6+7)).
VM double v8_hsum(v8 a) {
	__m256d lo = _mm512_castpd512_pd256(a), hi = _mm512_extractf64x4_pd(a, 1);
	__m256d h = _mm256_hadd_pd(lo, hi); // 0+1, 4+5, 2+3, 6+7
	__m128d s = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
	return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

// transpose turns r[i] = row i into r[j] = column j.
VM void v8_transpose(v8 r[8]) {
	v8 a[8], b[8];
	for (int i = 0; i < 8; i += 2) {
		a[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
		a[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
	}
	for (int i = 0; i < 8; i += 4)
		for (int j = 0; j < 2; j++) {
			b[i + j] = _mm512_shuffle_f64x2(a[i + j], a[i + j + 2], 0x88);
			b[i + j + 2] = _mm512_shuffle_f64x2(a[i + j], a[i + j + 2], 0xdd);
		}
	for (int j = 0; j < 4; j++) {
		r[j] = _mm512_shuffle_f64x2(b[j], b[j + 4], 0x88);
		r[j + 4] = _mm512_shuffle_f64x2(b[j], b[j + 4], 0xdd);
	}
}
