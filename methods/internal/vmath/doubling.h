// Sums of Gaussian kernels of ten bandwidths, each twice the one before: see AddGaussians.

#define DOUBLINGS 10

// vm_addgaussians: dst[k n + i] += sum_j coefs[j DOUBLINGS + k] e_ij^(2^k), e_ij = exp(-g max(0, rows[i] + points[j] - 2 dots[j n + i])).
TARGET void FN(vm_addgaussians)(double *dst, const double *dots, const double *rows, const double *points, const double *coefs,
	double g, long n, long m) {
	v8 gv = v8_set1(-g), two = v8_set1(2), zero = v8_set1(0), low = v8_set1(-700), faint = v8_set1(1e-150);
	for (long i = 0; i < n; i += 8) {
		v8 sums[DOUBLINGS], sv = part(rows, i, n);
		for (int k = 0; k < DOUBLINGS; k++) sums[k] = zero;
		for (long j = 0; j < m; j++) {
			const double *c = coefs + j * DOUBLINGS;
			v8 q = v8_fnma(two, part(dots + j * n, i, n), v8_add(sv, v8_set1(points[j])));
			v8 e = expo(v8_max(low, v8_mul(gv, v8_max(zero, q))));
#pragma GCC unroll 10
			for (int k = 0; k < DOUBLINGS; k++) {
				e = v8_max(faint, e);
				sums[k] = v8_fma(v8_set1(c[k]), e, sums[k]);
				e = v8_mul(e, e);
			}
		}
		for (int k = 0; k < DOUBLINGS; k++) put(dst + k * n, v8_add(part(dst + k * n, i, n), sums[k]), i, n);
	}
}
