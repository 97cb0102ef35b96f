// vm_logistic: see Logistic in logistic.go. sums receives eight lanes each of the product, the linear part, and
// the largest sizes of moved and f.
TARGET void FN(vm_logistic)(double *f, const double *moved, const double *y, double *residual, double *root, double *slope,
	long n, double *sums) {
	v8 one = v8_set1(1), zero = v8_set1(0), half = v8_set1(-0.5), bound = v8_set1(160);
	v8 product = one, far = zero, change = zero, top = zero;
	for (long i = 0; i < n; i += 8) {
		v8 q = part(moved, i, n), yv = part(y, i, n), v = v8_add(part(f, i, n), q), size = v8_abs(v), m = v8_mul(yv, v);
		put(f, v, i, n);
		change = v8_max(v8_abs(q), change);
		top = v8_max(size, top);
		v8 u = expo(v8_mul(half, v8_min(bound, size))), t = v8_mul(u, u), s = v8_add(one, t);
		v8 w = v8_div(one, v8_mul(u, s)), inverse = v8_mul(u, w);
		m8 bad = m8_lt(m, zero);
		put(root, v8_mul(u, inverse), i, n);
		put(residual, v8_neg(v8_mul(yv, v8_select(bad, inverse, v8_mul(t, inverse)))), i, n);
		put(slope, v8_neg(v8_mul(yv, v8_select(bad, v8_mul(s, w), u))), i, n);
		far = v8_add(far, keep(v8_max(v8_neg(m), zero), i, n));
		product = v8_mul(product, n - i >= 8 ? s : v8_select(m8_first(n - i), s, one));
	}
	v8_store(sums, product);
	v8_store(sums + 8, far);
	v8_store(sums + 16, change);
	v8_store(sums + 24, top);
}
