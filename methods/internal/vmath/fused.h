// Loss and gradient passes; the formulas stand in fused.go.

TARGET int FN(vm_expcos)(const double *x, long n, long d, const double *w, double b, const double *r,
	double *cosines, double *grad, double *lanes, double *value) {
	double z[BLOCK];
	int far = 0;
	v8 total = v8_set1(0), bv = v8_set1(b);
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		block_matvec(z, x + i * d, h, d, w);
		for (long k = 0; k < h; k += 8) {
			v8 s, c, rv = part(r, i + k, n);
			far |= m8_any(trig(v8_sub(v8_load(z + k), bv), &s, &c));
			put(cosines, c, i + k, n);
			v8 e = expo(v8_neg(v8_mul(rv, c)));
			total = v8_add(total, keep(e, i + k, n));
			v8_store(z + k, v8_mul(v8_mul(rv, s), e));
		}
		block_mattvec(lanes, x + i * d, h, d, z);
	}
	sum_lanes(grad, lanes, d);
	*value = v8_hsum(total);
	return far;
}

TARGET double FN(vm_explinear)(const double *x, long n, long d, const double *v, const double *r,
	double *grad, double *lanes) {
	double z[BLOCK];
	v8 total = v8_set1(0);
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		block_matvec(z, x + i * d, h, d, v);
		for (long k = 0; k < h; k += 8) {
			v8 a = v8_load(z + k), rv = part(r, i + k, n);
			v8 e = expo(v8_neg(v8_mul(rv, a)));
			total = v8_add(total, keep(e, i + k, n));
			v8_store(z + k, v8_neg(v8_mul(rv, e)));
		}
		block_mattvec(lanes, x + i * d, h, d, z);
	}
	sum_lanes(grad, lanes, d);
	return v8_hsum(total);
}

// vm_exppairs sums the losses of the m scores cu_j c_ij + su_j s_ij, each alone.
TARGET void FN(vm_exppairs)(const double *x, long n, long m, const double *cu, const double *su,
	const double *r, double *losses, double *lanes) {
	double minus[BLOCK];
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		const double *c = x + i * 2 * m, *s = c + h * m;
		for (long k = 0; k < h; k += 8) v8_store(minus + k, v8_neg(part(r, i + k, n)));
		for (long j = 0; j < m; j++, c += h, s += h) {
			v8 cj = v8_set1(cu[j]), sj = v8_set1(su[j]), total = v8_load(lanes + 8 * j);
			for (long k = 0; k < h; k += 8) {
				v8 a = v8_fma(v8_load(s + k), sj, v8_mul(v8_load(c + k), cj));
				total = v8_add(total, keep(expo(v8_mul(v8_load(minus + k), a)), i + k, n));
			}
			v8_store(lanes + 8 * j, total);
		}
	}
	sum_lanes(losses, lanes, m);
}

TARGET double FN(vm_expshift)(const double *r, const double *c, const double *s, long n, double cb, double sb) {
	v8 total = v8_set1(0), cv = v8_set1(cb), sv = v8_set1(sb);
	for (long i = 0; i < n; i += 8) {
		v8 a = v8_fma(part(s, i, n), sv, v8_mul(part(c, i, n), cv));
		total = v8_add(total, keep(expo(v8_neg(v8_mul(part(r, i, n), a))), i, n));
	}
	return v8_hsum(total);
}

TARGET double FN(vm_reweight)(double *score, double *w, double *r, const double *y, const double *h, double alpha, long n) {
	v8 total = v8_set1(0), av = v8_set1(alpha);
	for (long i = 0; i < n; i += 8) {
		v8 yv = part(y, i, n), f = v8_fma(av, part(h, i, n), part(score, i, n));
		v8 e = expo(v8_neg(v8_mul(yv, f)));
		put(score, f, i, n);
		put(w, e, i, n);
		put(r, v8_mul(yv, e), i, n);
		total = v8_add(total, keep(e, i, n));
	}
	return v8_hsum(total);
}

TARGET void FN(vm_margins)(const double *y, const double *h, const double *w, long n, double *plus, double *minus) {
	v8 p = v8_set1(0), q = v8_set1(0), one = v8_set1(1);
	for (long i = 0; i < n; i += 8) {
		v8 m = v8_mul(part(y, i, n), part(h, i, n)), wv = part(w, i, n);
		p = v8_fma(v8_add(one, m), wv, p);
		q = v8_fma(v8_sub(one, m), wv, q);
	}
	*plus = v8_hsum(p);
	*minus = v8_hsum(q);
}
