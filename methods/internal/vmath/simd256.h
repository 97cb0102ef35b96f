// Eight lanes of double as two AVX2 registers; see simd512.h.
#include <immintrin.h>

#define FN(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VM static inline __attribute__((always_inline)) TARGET

typedef struct { __m256d a, b; } v8;
typedef v8 m8; // the sign bit of each lane

#define V8(x, y) ((v8){(x), (y)})

VM v8 v8_set1(double a) { return V8(_mm256_set1_pd(a), _mm256_set1_pd(a)); }
VM v8 v8_load(const double *p) { return V8(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)); }
VM void v8_store(double *p, v8 x) { _mm256_storeu_pd(p, x.a); _mm256_storeu_pd(p + 4, x.b); }

static const long long first_lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
VM m8 m8_first(long n) { return v8_load((const double *)(first_lanes + 8 - n)); }
VM v8 v8_loadn(const double *p, long n) {
	m8 m = m8_first(n);
	return V8(_mm256_maskload_pd(p, _mm256_castpd_si256(m.a)),
		_mm256_maskload_pd(p + 4, _mm256_castpd_si256(m.b)));
}
VM void v8_storen(double *p, v8 x, long n) {
	m8 m = m8_first(n);
	_mm256_maskstore_pd(p, _mm256_castpd_si256(m.a), x.a);
	_mm256_maskstore_pd(p + 4, _mm256_castpd_si256(m.b), x.b);
}

VM v8 v8_add(v8 x, v8 y) { return V8(_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)); }
VM v8 v8_sub(v8 x, v8 y) { return V8(_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)); }
VM v8 v8_mul(v8 x, v8 y) { return V8(_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)); }
VM v8 v8_div(v8 x, v8 y) { return V8(_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)); }
VM v8 v8_sqrt(v8 x) { return V8(_mm256_sqrt_pd(x.a), _mm256_sqrt_pd(x.b)); }
VM v8 v8_fma(v8 x, v8 y, v8 z) { return V8(_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)); }
VM v8 v8_fnma(v8 x, v8 y, v8 z) { return V8(_mm256_fnmadd_pd(x.a, y.a, z.a), _mm256_fnmadd_pd(x.b, y.b, z.b)); }
VM v8 v8_min(v8 x, v8 y) { return V8(_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)); }
VM v8 v8_max(v8 x, v8 y) { return V8(_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)); }
VM v8 v8_abs(v8 x) {
	__m256d s = _mm256_set1_pd(-0.0);
	return V8(_mm256_andnot_pd(s, x.a), _mm256_andnot_pd(s, x.b));
}
VM v8 v8_neg(v8 x) {
	__m256d s = _mm256_set1_pd(-0.0);
	return V8(_mm256_xor_pd(s, x.a), _mm256_xor_pd(s, x.b));
}

VM m8 m8_notle(v8 x, v8 y) { return V8(_mm256_cmp_pd(x.a, y.a, _CMP_NLE_UQ), _mm256_cmp_pd(x.b, y.b, _CMP_NLE_UQ)); }
VM m8 m8_lt(v8 x, v8 y) { return V8(_mm256_cmp_pd(x.a, y.a, _CMP_LT_OQ), _mm256_cmp_pd(x.b, y.b, _CMP_LT_OQ)); }
VM m8 m8_eq(v8 x, v8 y) { return V8(_mm256_cmp_pd(x.a, y.a, _CMP_EQ_OQ), _mm256_cmp_pd(x.b, y.b, _CMP_EQ_OQ)); }
VM m8 m8_or(m8 x, m8 y) { return V8(_mm256_or_pd(x.a, y.a), _mm256_or_pd(x.b, y.b)); }
VM m8 m8_and(m8 x, m8 y) { return V8(_mm256_and_pd(x.a, y.a), _mm256_and_pd(x.b, y.b)); }
VM int m8_bits(m8 m) { return _mm256_movemask_pd(m.a) | _mm256_movemask_pd(m.b) << 4; }
VM int m8_any(m8 m) { return _mm256_movemask_pd(_mm256_or_pd(m.a, m.b)) != 0; }
VM v8 v8_select(m8 m, v8 yes, v8 no) {
	return V8(_mm256_blendv_pd(no.a, yes.a, m.a), _mm256_blendv_pd(no.b, yes.b, m.b));
}

VM void turn4(__m256d t, __m256d x, __m256d *s, __m256d *c) {
	__m256i q = _mm256_castpd_si256(t);
	__m256d sign = _mm256_set1_pd(-0.0), odd = _mm256_castsi256_pd(_mm256_slli_epi64(q, 63));
	__m256d a = _mm256_blendv_pd(*s, *c, odd), b = _mm256_blendv_pd(*c, *s, odd);
	__m256d sa = _mm256_xor_pd(_mm256_castsi256_pd(_mm256_slli_epi64(q, 62)), x);
	__m256d sb = _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi64(q, _mm256_set1_epi64x(1)), 62));
	*s = _mm256_xor_pd(a, _mm256_and_pd(sa, sign));
	*c = _mm256_xor_pd(b, _mm256_and_pd(sb, sign));
}
VM void v8_turn(v8 t, v8 x, v8 *s, v8 *c) {
	turn4(t.a, x.a, &s->a, &c->a);
	turn4(t.b, x.b, &s->b, &c->b);
}

// The two factors are normal and the first product is exact, so that only the
// second rounds.
VM __m256d scale4(__m256d y, __m256d t) {
	__m256i q = _mm256_sub_epi64(_mm256_castpd_si256(t), _mm256_set1_epi64x(0x4338000000000000LL - 2048));
	__m256i q1 = _mm256_srli_epi64(q, 1), q2 = _mm256_sub_epi64(q, q1);
	__m256i bias = _mm256_set1_epi64x(1023 - 1024);
	y = _mm256_mul_pd(y, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi64(q1, bias), 52)));
	return _mm256_mul_pd(y, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_add_epi64(q2, bias), 52)));
}
VM v8 v8_scale(v8 y, v8 q, v8 t) { (void)q; return V8(scale4(y.a, t.a), scale4(y.b, t.b)); }

VM double v8_hsum(v8 x) {
	__m256d h = _mm256_hadd_pd(x.a, x.b); // 0+1, 4+5, 2+3, 6+7
	__m128d s = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
	return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

VM void transpose4(__m256d *r0, __m256d *r1, __m256d *r2, __m256d *r3) {
	__m256d a = _mm256_unpacklo_pd(*r0, *r1), b = _mm256_unpackhi_pd(*r0, *r1);
	__m256d c = _mm256_unpacklo_pd(*r2, *r3), d = _mm256_unpackhi_pd(*r2, *r3);
	*r0 = _mm256_permute2f128_pd(a, c, 0x20);
	*r1 = _mm256_permute2f128_pd(b, d, 0x20);
	*r2 = _mm256_permute2f128_pd(a, c, 0x31);
	*r3 = _mm256_permute2f128_pd(b, d, 0x31);
}
VM void v8_transpose(v8 r[8]) {
	for (int i = 0; i < 8; i += 4) {
		transpose4(&r[i].a, &r[i + 1].a, &r[i + 2].a, &r[i + 3].a);
		transpose4(&r[i].b, &r[i + 1].b, &r[i + 2].b, &r[i + 3].b);
	}
	for (int i = 0; i < 4; i++) {
		__m256d swap = r[i].b;
		r[i].b = r[i + 4].a;
		r[i + 4].a = swap;
	}
}
