// Passes of the linear machine's solver over its examples; hinge.go holds the formulas.

// clip sets *a to the multiplier alpha + sigma t moved into [0, c] and returns the lanes strictly inside.
VM m8 clip(v8 alpha, v8 t, v8 sigma, v8 c, v8 *a) {
	v8 zero = v8_set1(0), raw = v8_fma(sigma, t, alpha);
	m8 above = m8_lt(zero, raw), below = m8_lt(raw, c);
	*a = v8_select(above, v8_select(below, raw, c), zero);
	return m8_and(above, below);
}

TARGET void FN(vm_hinge_move)(double *t, const double *change, double step, const double *alpha, double *next, const double *y,
	double *turned, unsigned char *inside, unsigned char *moved, long n, double sigma, double c, double *sums) {
	v8 zero = v8_set1(0), sv = v8_set1(sigma), cv = v8_set1(c), stepv = v8_set1(step);
	v8 square = zero, balance = zero, hinge = zero, dual = zero;
	for (long i = 0; i < n; i += 8) {
		int lanes = n - i >= 8 ? 255 : (1 << (n - i)) - 1;
		v8 a, al = part(alpha, i, n), old = part(next, i, n), yv = part(y, i, n);
		v8 tv = keep(v8_fnma(stepv, part(change, i, n), part(t, i, n)), i, n);
		m8 f = clip(al, tv, sv, cv, &a);
		inside[i >> 3] = m8_bits(f) & lanes;
		moved[i >> 3] = ~m8_bits(m8_eq(a, old)) & lanes;
		put(t, tv, i, n);
		put(next, a, i, n);
		put(turned, v8_mul(yv, v8_sub(a, old)), i, n);
		v8 m = v8_sub(a, al);
		square = v8_fma(m, m, square);
		balance = v8_fma(a, yv, balance);
		hinge = v8_add(hinge, v8_select(m8_lt(zero, tv), tv, zero));
		dual = v8_fma(a, tv, dual);
	}
	sums[0] = v8_hsum(square);
	sums[1] = v8_hsum(balance);
	sums[2] = v8_hsum(hinge);
	sums[3] = v8_hsum(dual);
}

TARGET void FN(vm_hinge_slope)(const double *t, const double *change, double step, const double *alpha, long n,
	double sigma, double c, double *sums) {
	v8 zero = v8_set1(0), sv = v8_set1(sigma), cv = v8_set1(c), stepv = v8_set1(step);
	v8 slope = zero, square = zero;
	for (long i = 0; i < n; i += 8) {
		v8 a, q = part(change, i, n);
		m8 f = clip(part(alpha, i, n), v8_fnma(stepv, q, part(t, i, n)), sv, cv, &a);
		slope = v8_fma(a, q, slope);
		q = v8_select(f, q, zero);
		square = v8_fma(q, q, square);
	}
	sums[0] = v8_hsum(slope);
	sums[1] = v8_hsum(square);
}

// vm_signed: x[i] = y[i] (x[i] + b).
TARGET void FN(vm_signed)(double *x, const double *y, double b, long n) {
	v8 bv = v8_set1(b);
	for (long i = 0; i < n; i += 8) put(x, v8_mul(part(y, i, n), v8_add(part(x, i, n), bv)), i, n);
}
