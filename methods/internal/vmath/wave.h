// Passes of the greedy step over its examples; wave.go holds the formulas.

TARGET int FN(vm_wave)(double *s, double *c, const double *z, const double *f, const double *y, long n, double *sums) {
	v8 zero = v8_set1(0), sf = zero, ss = zero, cf = zero, cs = zero, cc = zero, sy = zero, cy = zero;
	int far = 0;
	for (long i = 0; i < n; i += 8) {
		v8 sv, cv, fv = part(f, i, n), yv = part(y, i, n);
		far |= m8_any(trig(part(z, i, n), &sv, &cv));
		put(s, sv, i, n);
		put(c, cv, i, n);
		cv = keep(cv, i, n);
		sf = v8_fma(sv, fv, sf);
		ss = v8_fma(sv, sv, ss);
		cf = v8_fma(cv, fv, cf);
		cs = v8_fma(cv, sv, cs);
		cc = v8_fma(cv, cv, cc);
		sy = v8_fma(sv, yv, sy);
		cy = v8_fma(cv, yv, cy);
	}
	sums[0] = v8_hsum(sf);
	sums[1] = v8_hsum(ss);
	sums[2] = v8_hsum(cf);
	sums[3] = v8_hsum(cs);
	sums[4] = v8_hsum(cc);
	sums[5] = v8_hsum(sy);
	sums[6] = v8_hsum(cy);
	return far;
}

TARGET double FN(vm_wave_slope)(double *slope, const double *f, const double *s, const double *c, const double *y, long n,
	const double *a, const double *t) {
	v8 af = v8_set1(a[0]), as = v8_set1(a[1]), ac = v8_set1(a[2]);
	v8 tf = v8_set1(t[0]), ts = v8_set1(t[1]), tc = v8_set1(t[2]);
	v8 ds = v8_sub(as, ts), dc = v8_sub(ac, tc), total = v8_set1(0);
	for (long i = 0; i < n; i += 8) {
		v8 fv = part(f, i, n), sv = part(s, i, n), cv = part(c, i, n);
		v8 u = v8_sub(v8_fma(ac, cv, v8_fma(as, sv, v8_mul(af, fv))), part(y, i, n));
		v8 v = v8_fma(tc, cv, v8_fma(ts, sv, v8_mul(tf, fv)));
		v8 p = v8_mul(u, v8_fnma(dc, sv, v8_mul(ds, cv)));
		put(slope, v8_fnma(v, v8_fnma(ac, sv, v8_mul(as, cv)), p), i, n);
		u = keep(u, i, n);
		total = v8_fma(u, u, total);
	}
	return v8_hsum(total);
}
