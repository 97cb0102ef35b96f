// Symmetric systems: sums of outer products, and Cholesky factors. All sizes are multiples
// of eight, so nothing is masked; symmetric.go says what the caller pads with.
//
// A block of STRIP rows by 8 nv columns stays in registers while the products a'b of a whole
// range of rows go by. Elements below the diagonal that share a block with others above
// it are computed along and mean nothing.

#if WIDE
#define STRIP 8
#define SPAN 16 // registers of a row in vm_addrows
#else
#define STRIP 4
#define SPAN 6
#endif
#define RANGE 128 // rows whose panel stays in the first-level cache

// products adds sign times the sum over rows r of a[r][i] b[r][j] to the block at acc, row after
// row, i < STRIP, j < 8 nv. lda is the distance of rows.
VM void products(v8 *acc, const double *a, const double *b, long ld, long rows, int nv, int minus) {
	for (long r = 0; r < rows; r++) {
		v8 bv[3];
		for (int j = 0; j < nv; j++) bv[j] = v8_load(b + r * ld + 8 * j);
		for (int i = 0; i < STRIP; i++) {
			v8 av = v8_set1(a[r * ld + i]);
			for (int j = 0; j < nv; j++)
				acc[i * nv + j] = minus ? v8_fnma(av, bv[j], acc[i * nv + j]) : v8_fma(av, bv[j], acc[i * nv + j]);
		}
	}
}

// outer_strips updates columns [j, j + 8 nv) of the rows up to the diagonal.
#define OUTER_STRIPS(name, nv, minus) \
	static TARGET __attribute__((noinline)) void name(double *c, long m, const double *a, long ld, long rows, long j, int set) { \
		for (long i = 0; i < j + 8 * nv; i += STRIP) { \
			v8 acc[STRIP * nv]; \
			double *p = c + i * m + j; \
			for (int r = 0; r < STRIP; r++) \
				for (int v = 0; v < nv; v++) acc[r * nv + v] = set ? v8_set1(0) : v8_load(p + r * m + 8 * v); \
			products(acc, a + i, a + j, ld, rows, nv, minus); \
			for (int r = 0; r < STRIP; r++) \
				for (int v = 0; v < nv; v++) v8_store(p + r * m + 8 * v, acc[r * nv + v]); \
		} \
	}
OUTER_STRIPS(add1, 1, 0)
OUTER_STRIPS(subtract1, 1, 1)
#if WIDE
OUTER_STRIPS(add2, 2, 0)
OUTER_STRIPS(add3, 3, 0)
OUTER_STRIPS(subtract2, 2, 1)
OUTER_STRIPS(subtract3, 3, 1)
#endif

// vm_outer: columns [from, m) of c, m x m, become (how 0), gain (1) or lose (-1) the sum of the outer
// products of the rows of a, which are ld apart.
TARGET void FN(vm_outer)(double *c, long m, const double *a, long ld, long rows, long from, int how) {
	for (long r = 0; r < rows || r == 0; r += RANGE, how = how ? how : 1) {
		long depth = rows - r < RANGE ? rows - r : RANGE;
		const double *p = a + r * ld;
		for (long j = from; j < m;) {
#if WIDE
			if (m - j >= 24) {
				if (how < 0) subtract3(c, m, p, ld, depth, j, 0);
				else add3(c, m, p, ld, depth, j, how == 0);
				j += 24;
				continue;
			}
			if (m - j >= 16) {
				if (how < 0) subtract2(c, m, p, ld, depth, j, 0);
				else add2(c, m, p, ld, depth, j, how == 0);
				j += 16;
				continue;
			}
#endif
			if (how < 0) subtract1(c, m, p, ld, depth, j, 0);
			else add1(c, m, p, ld, depth, j, how == 0);
			j += 8;
		}
	}
}

// factor_strip computes rows [i, i + STRIP) of the factor in the columns [j, j + 8 nv), from the rows above
// and, where pivots is set, the pivots in them. It returns 0 if a pivot was not positive.
VM int factor_strip(double *u, long ld, const double *c, long ldc, double scale, const double *shift,
	long i, long j, int nv, int pivots) {
	v8 acc[STRIP * 3];
	for (int r = 0; r < STRIP; r++)
		for (int v = 0; v < nv; v++) {
			if (j + 8 * v < ldc) acc[r * nv + v] = v8_mul(v8_set1(scale), v8_load(c + (i + r) * ldc + j + 8 * v));
			else acc[r * nv + v] = v8_load(u + (i + r) * ld + j + 8 * v);
		}
	products(acc, u + i, u + j, ld, i, nv, 1);
	for (int r = 0; r < STRIP; r++) {
		double *row = u + (i + r) * ld;
		double inverse;
		if (pivots) {
			v8_store(row + j, acc[r * nv]);
			double pivot = row[i + r] + shift[i + r];
			if (!(pivot > 0) || pivot > 0x1.fffffffffffffp1023) return 0;
			inverse = 1 / _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(pivot)));
		} else {
			inverse = row[i + r];
		}
		for (int v = 0; v < nv; v++) {
			acc[r * nv + v] = v8_mul(acc[r * nv + v], v8_set1(inverse));
			v8_store(row + j + 8 * v, acc[r * nv + v]);
		}
		if (pivots) row[i + r] = inverse;
		for (int q = r + 1; q < STRIP; q++) {
			v8 f = v8_set1(row[i + q]);
			for (int v = 0; v < nv; v++) acc[q * nv + v] = v8_fnma(f, acc[r * nv + v], acc[q * nv + v]);
		}
	}
	return 1;
}

// vm_factor: see Factor in symmetric.go. u is m x (m + 8), c is m x m.
TARGET int FN(vm_factor)(double *u, const double *c, long m, double scale, const double *shift) {
	long ld = m + 8;
	for (long i = 0; i < m; i += STRIP) {
		long j = i & ~7L;
#if WIDE
		if (ld - j >= 24) {
			if (!factor_strip(u, ld, c, m, scale, shift, i, j, 3, 1)) return 0;
			j += 24;
		} else {
			if (!factor_strip(u, ld, c, m, scale, shift, i, j, 2, 1)) return 0;
			j += 16;
		}
		for (; ld - j >= 24; j += 24) factor_strip(u, ld, c, m, scale, shift, i, j, 3, 0);
		if (ld - j >= 16) {
			factor_strip(u, ld, c, m, scale, shift, i, j, 2, 0);
			j += 16;
		}
#else
		if (!factor_strip(u, ld, c, m, scale, shift, i, j, 1, 1)) return 0;
		j += 8;
#endif
		for (; j < ld; j += 8) factor_strip(u, ld, c, m, scale, shift, i, j, 1, 0);
	}
	return 1;
}

// vm_back: see Back in symmetric.go.
TARGET void FN(vm_back)(double *x, const double *u, long m, long column) {
	long ld = m + 8;
	double z[8];
	for (long i = m - 8; i >= 0; i -= 8) {
		v8 r[8];
		for (int q = 0; q < 8; q++) r[q] = v8_set1(0);
		for (long k = i + 8; k < m; k += 8) {
			v8 xv = v8_load(x + k);
			for (int q = 0; q < 8; q++) r[q] = v8_fma(v8_load(u + (i + q) * ld + k), xv, r[q]);
		}
		v8_transpose(r);
		v8 s = v8_add(v8_add(v8_add(r[0], r[1]), v8_add(r[2], r[3])), v8_add(v8_add(r[4], r[5]), v8_add(r[6], r[7])));
		v8_store(z, s);
		for (int q = 0; q < 8; q++) z[q] = u[(i + q) * ld + m + column] - z[q];
		for (int q = 7; q >= 0; q--) {
			x[i + q] = z[q] * u[(i + q) * ld + i + q];
			for (int p = 0; p < q; p++) z[p] = __builtin_fma(-u[(i + p) * ld + i + q], x[i + q], z[p]);
		}
	}
}

// add_rows adds rows of a in 8 (nv - 1) + last columns, nv a constant after inlining.
VM void add_rows(double *dst, const double *a, long n, const long *which, const double *c, long rows, int nv, long last) {
	v8 acc[SPAN];
	for (int j = 0; j < nv - 1; j++) acc[j] = v8_load(dst + 8 * j);
	acc[nv - 1] = v8_loadn(dst + 8 * (nv - 1), last);
	for (long r = 0; r < rows; r++) {
		const double *p = a + which[r] * n;
		v8 cv = v8_set1(c[r]);
		for (int j = 0; j < nv - 1; j++) acc[j] = v8_fma(cv, v8_load(p + 8 * j), acc[j]);
		acc[nv - 1] = v8_fma(cv, v8_loadn(p + 8 * (nv - 1), last), acc[nv - 1]);
	}
	for (int j = 0; j < nv - 1; j++) v8_store(dst + 8 * j, acc[j]);
	v8_storen(dst + 8 * (nv - 1), acc[nv - 1], last);
}

#define SOME 32 // rows that stay in the second-level cache while their columns are walked

// add_some is vm_addrows for SOME rows at most.
static TARGET __attribute__((noinline)) void FN(add_some)(double *dst, const double *a, long n, const long *which, const double *c,
	long rows) {
	for (long j = 0; j < n; j += 8 * SPAN) {
		long cols = n - j < 8 * SPAN ? n - j : 8 * SPAN, nv = (cols + 7) / 8, last = cols - 8 * (nv - 1);
#define CASE(k) case k: add_rows(dst + j, a + j, n, which, c, rows, k, last); break;
		switch (nv) {
			CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#if WIDE
			CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16)
#endif
		}
#undef CASE
	}
}

// vm_addrows: dst += the sum over r in order of c[r] times row which[r] of a, n columns.
TARGET void FN(vm_addrows)(double *dst, const double *a, long n, const long *which, const double *c, long rows) {
	for (long r = 0; r < rows; r += SOME) FN(add_some)(dst, a, n, which + r, c + r, rows - r < SOME ? rows - r : SOME);
}

// vm_columns: column r of dst, whose rows are ld apart, is row which[r] of a, n columns.
TARGET void FN(vm_columns)(double *dst, long ld, const double *a, long n, const long *which, long rows) {
	v8 r[8];
	for (long i = 0; i < rows; i += 8)
		for (long k = 0; k < n; k += 8) {
			long cols = n - k < 8 ? n - k : 8;
			for (int q = 0; q < 8; q++) {
				const double *p = a + (i + q < rows ? which[i + q] : 0) * n + k;
				r[q] = i + q >= rows ? v8_set1(0) : cols == 8 ? v8_load(p) : v8_loadn(p, cols);
			}
			v8_transpose(r);
			for (int q = 0; q < 8; q++)
				if (q < cols) put(dst + (k + q) * ld, r[q], i, rows);
		}
}

// vm_transpose: dst, whose rows are to apart, is the transpose of the n x d matrix a.
TARGET void FN(vm_transpose)(double *dst, long to, const double *a, long ld, long n, long d) {
	v8 r[8];
	for (long i = 0; i < n; i += 8)
		for (long k = 0; k < d; k += 8) {
			long cols = d - k < 8 ? d - k : 8;
			part8(r, a + i * ld + k, ld, n - i, cols);
			v8_transpose(r);
			for (int q = 0; q < 8; q++)
				if (q < cols) put(dst + (k + q) * to, r[q], i, n);
		}
}

// vm_scale: row i of dst, whose rows are to apart, is s[i] times row i of a.
TARGET void FN(vm_scale)(double *dst, long to, const double *a, long ld, long n, long d, const double *s) {
	for (long i = 0; i < n; i++, dst += to, a += ld) {
		v8 sv = v8_set1(s[i]);
		for (long k = 0; k < d; k += 8) put(dst, v8_mul(sv, part(a, k, d)), k, d);
	}
}
