// One run of SMO steps, with the bits of run in steps.go, which defines it. This file is included once
// for each type of kernel row (ROW) and instruction set; FN(name) names the instance.
// The arrays are padded to multiples of 8 with elements that can move neither way.

#ifndef SVM_VECTORS
#define SVM_VECTORS
typedef double v8d __attribute__((vector_size(64)));
typedef long long v8l __attribute__((vector_size(64)));
typedef float v8f __attribute__((vector_size(32)));
typedef int v8i __attribute__((vector_size(32)));
typedef double v8du __attribute__((vector_size(64), aligned(8), may_alias));
typedef float v8fu __attribute__((vector_size(32), aligned(4), may_alias));
#define VM static inline TARGET __attribute__((always_inline))

VM v8d load_double(const double *p) { return *(const v8du *)p; }
VM v8d load_float(const float *p) { return __builtin_convertvector(*(const v8fu *)p, v8d); }
VM void store(double *p, v8d v) { *(v8du *)p = v; }
// low is a < b ? a : b and high is a > b ? a : b. In AVX-512 the compiler makes long chains of the
// plain form, in which one element waits for the one before.
#ifdef WIDE
#include <immintrin.h>
typedef __mmask8 m8;
typedef __mmask8 m8f;
VM m8 less(v8d a, v8d b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ); }
VM m8f lessf(v8f a, v8f b) { return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LT_OQ); }
VM v8l pickl(m8 m, v8l a, v8l b) { return (v8l)_mm512_mask_blend_epi64(m, (__m512i)b, (__m512i)a); }
VM v8f pickf(m8f m, v8f a, v8f b) { return (v8f)_mm256_mask_blend_ps(m, (__m256)b, (__m256)a); }
VM v8i picki(m8f m, v8i a, v8i b) { return (v8i)_mm256_mask_blend_epi32(m, (__m256i)b, (__m256i)a); }
VM v8d low(v8d a, v8d b) { return (v8d)_mm512_min_pd((__m512d)a, (__m512d)b); }
VM v8d high(v8d a, v8d b) { return (v8d)_mm512_max_pd((__m512d)a, (__m512d)b); }
VM v8f highf(v8f a, v8f b) { return (v8f)_mm256_max_ps((__m256)a, (__m256)b); }
#else
typedef v8l m8;
typedef v8i m8f;
VM m8 less(v8d a, v8d b) { return a < b; }
VM m8f lessf(v8f a, v8f b) { return a < b; }
VM v8l pickl(v8l m, v8l a, v8l b) { return (m & a) | (~m & b); }
VM v8f pickf(v8i m, v8f a, v8f b) { return (v8f)((m & (v8i)a) | (~m & (v8i)b)); }
VM v8i picki(v8i m, v8i a, v8i b) { return (m & a) | (~m & b); }
VM v8d low(v8d a, v8d b) { return (v8d)pickl(a < b, (v8l)a, (v8l)b); }
VM v8d high(v8d a, v8d b) { return (v8d)pickl(a > b, (v8l)a, (v8l)b); }
VM v8f highf(v8f a, v8f b) { return pickf(a > b, a, b); }
#endif
#define SPLAT(v) ((v8d){v, v, v, v, v, v, v, v})
#define SPLATL(v) ((v8l){v, v, v, v, v, v, v, v})
#define SPLATF(v) ((v8f){v, v, v, v, v, v, v, v})
#define SPLATI(v) ((v8i){v, v, v, v, v, v, v, v})

// lowest finds the first minimum of the lanes; the caller wants the lowest index on ties.
VM long lowest(v8d best, v8l at, v8d most, double *min, double *max) {
	long i = at[0];
	double lo = best[0], hi = most[0];
	for (int l = 1; l < 8; l++) {
		if (best[l] < lo || (best[l] == lo && at[l] < i)) { lo = best[l]; i = at[l]; }
		if (most[l] > hi) hi = most[l];
	}
	*min = lo;
	*max = hi;
	return i;
}
#define AHEAD 256 // values of a row from those that are loaded to those that are prefetched
#endif

// scan finds the element that gains most by moving up, and the extremes.
VM long FN(scan)(const double *g, const double *up, const double *down, long n, double *min, double *max) {
	v8d best = SPLAT(__builtin_inf()), most = -best;
	v8l at = SPLATL(0), index = {0, 1, 2, 3, 4, 5, 6, 7};
	for (long k = 0; k < n; k += 8) {
		v8d v = load_double(g + k), a = v + load_double(up + k), b = v + load_double(down + k);
		at = pickl(less(a, best), index, at);
		best = low(a, best);
		most = high(b, most);
		index += SPLATL(8);
	}
	return lowest(best, at, most, min, max);
}

// move adds di ki + dj kj to g and scans the result.
VM long FN(move)(double *g, const ROW *ki, const ROW *kj, double di, double dj,
	const double *up, const double *down, long n, double *min, double *max) {
	v8d best = SPLAT(__builtin_inf()), most = -best, u = SPLAT(di), w = SPLAT(dj);
	v8l at = SPLATL(0), index = {0, 1, 2, 3, 4, 5, 6, 7};
	for (long k = 0; k < n; k += 8) {
		__builtin_prefetch(kj + k + AHEAD);
		v8d v = load_double(g + k) + (u * LOAD(ki + k) + w * LOAD(kj + k));
		store(g + k, v);
		v8d a = v + load_double(up + k), b = v + load_double(down + k);
		at = pickl(less(a, best), index, at);
		best = low(a, best);
		most = high(b, most);
		index += SPLATL(8);
	}
	return lowest(best, at, most, min, max);
}

// partner finds the element whose move down, against i's up, gains most to second order.
VM long FN(partner)(const double *g, const double *down, const double *diag, const ROW *ki, double diagi, double min, long n) {
	v8f best = SPLATF(-1), tau = SPLATF(1e-12f);
	v8i at = SPLATI(0), index = {0, 1, 2, 3, 4, 5, 6, 7};
	v8d least = SPLAT(min), own = SPLAT(diagi);
	for (long k = 0; k < n; k += 8) {
		v8d b = load_double(g + k) + load_double(down + k) - least;
		__builtin_prefetch(ki + k + AHEAD);
		v8d kk = LOAD(ki + k);
		v8d a = own + load_double(diag + k) - (kk + kk);
		v8f bf = __builtin_convertvector(b, v8f), af = __builtin_convertvector(a, v8f);
		af = highf(af, tau);
		v8f gain = pickf(lessf(SPLATF(0), bf), bf * bf / af, SPLATF(-1));
		at = picki(lessf(best, gain), index, at);
		best = highf(gain, best);
		index += SPLATI(8);
	}
	long j = at[0];
	float top = best[0];
	for (int l = 1; l < 8; l++)
		if (best[l] > top || (best[l] == top && at[l] < j)) { top = best[l]; j = at[l]; }
	return j;
}

TARGET int FN(svm_run)(const ROW *rows, const int *slot, long stride, long long *used, double *g, double *up, double *down,
	double *beta, const double *lo, const double *hi, const double *diag, long n, double epsilon, double tol,
	long budget, long long *clock, long *out, double *extremes) {
	double min, max, inf = __builtin_inf();
	long done = 0, i = FN(scan)(g, up, down, n, &min, &max);
	int status;
	for (;;) {
		if (!(max - min >= tol)) { status = 0; break; }
		if (done == budget) { status = 1; break; }
		if (slot[i] < 0) { status = 2; out[1] = i; break; }
		const ROW *ki = rows + slot[i] * stride;
		used[slot[i]] = ++*clock;
		long j = FN(partner)(g, down, diag, ki, diag[i], min, n);
		if (slot[j] < 0) { status = 2; out[1] = j; break; }
		const ROW *kj = rows + slot[j] * stride;
		used[slot[j]] = *clock;

		double a = diag[i] + diag[j] - 2 * (double)ki[j], b = g[j] + down[j] - min;
		if (!(b > 0)) { status = 3; break; }
		if (!(a > 1e-12)) a = 1e-12;
		double bi = beta[i], bj = beta[j], t = b / a;
		if (epsilon > 0) {
			double first = bi < 0 ? -bi : inf, second = bj > 0 ? bj : inf;
			if (second < first) { double swap = first; first = second; second = swap; }
			if (t > first) {
				b -= 2 * epsilon;
				t = b / a;
				if (t < first) t = first;
				if (t > second) {
					b -= 2 * epsilon;
					t = b / a;
					if (t < second) t = second;
				}
			}
		}
		double roomi = hi[i] - bi, roomj = bj - lo[j];
		if (t > roomi) t = roomi;
		if (t > roomj) t = roomj;
		double newi = t == roomi ? hi[i] : bi + t, newj = t == roomj ? lo[j] : bj - t;
		beta[i] = newi;
		beta[j] = newj;
		up[i] = newi < hi[i] ? (newi >= 0 ? epsilon : -epsilon) : inf;
		down[i] = newi > lo[i] ? (newi > 0 ? epsilon : -epsilon) : -inf;
		up[j] = newj < hi[j] ? (newj >= 0 ? epsilon : -epsilon) : inf;
		down[j] = newj > lo[j] ? (newj > 0 ? epsilon : -epsilon) : -inf;
		i = FN(move)(g, ki, kj, newi - bi, newj - bj, up, down, n, &min, &max);
		done++;
	}
	out[0] = done;
	extremes[0] = min;
	extremes[1] = max;
	return status;
}

// svm_add adds by[0] a + by[1] b + by[2] c + by[3] d to fit, element by element, in the order of addFourRef in steps.go.
TARGET void FN(svm_add)(double *fit, const ROW *a, const ROW *b, const ROW *c, const ROW *d, const double *by, long n) {
	long k = 0;
	v8d p = SPLAT(by[0]), q = SPLAT(by[1]), r = SPLAT(by[2]), s = SPLAT(by[3]);
	for (; k + 8 <= n; k += 8)
		store(fit + k, load_double(fit + k) + ((p * LOAD(a + k) + q * LOAD(b + k)) + (r * LOAD(c + k) + s * LOAD(d + k))));
	for (; k < n; k++) fit[k] += (by[0] * a[k] + by[1] * b[k]) + (by[2] * c[k] + by[3] * d[k]);
}
