// c = a b for row-major a (m x k) and b packed into panels of PANEL columns: panel j
// holds, for each k, columns j PANEL.. of b, padded with zeros. Each element of c is one chain of
// fused multiply-adds in the order of k; blocks over k continue the chain from memory.
//
// A tile of TILE x PANEL results stays in registers. A panel's DEPTH rows stay in the first-level
// cache while TALL rows of a pass over them, and those rows of a stay in the second.

#if WIDE
#define PANEL 24
#define TILE 8
#else
#define PANEL 8
#define TILE 6
#endif
#define DEPTH 192
#define TALL 192

// tile computes mr rows and w columns, w <= 8 nv, of c over depth steps of k, whose rows of b are ldb apart.
VM void tile(double *c, long ldc, const double *a, long lda, const double *b, long ldb, long depth, long w, int first, int mr, int nv) {
	v8 acc[TILE * 3];
	long last = w - 8 * (nv - 1);
	for (int i = 0; i < mr; i++)
		for (int j = 0; j < nv; j++)
			acc[i * nv + j] = first ? v8_set1(0)
				: j == nv - 1 && last < 8 ? v8_loadn(c + i * ldc + 8 * j, last) : v8_load(c + i * ldc + 8 * j);
	for (long k = 0; k < depth; k++) {
		v8 bv[3];
		for (int j = 0; j < nv; j++) bv[j] = v8_load(b + k * ldb + 8 * j);
		for (int i = 0; i < mr; i++) {
			v8 av = v8_set1(a[i * lda + k]);
			for (int j = 0; j < nv; j++) acc[i * nv + j] = v8_fma(av, bv[j], acc[i * nv + j]);
		}
	}
	for (int i = 0; i < mr; i++)
		for (int j = 0; j < nv; j++) {
			if (j == nv - 1 && last < 8) v8_storen(c + i * ldc + 8 * j, acc[i * nv + j], last);
			else v8_store(c + i * ldc + 8 * j, acc[i * nv + j]);
		}
}

#define COLUMN(name, nv) \
	static TARGET __attribute__((noinline)) void name(double *c, long ldc, const double *a, long lda, const double *b, \
		long ldb, long depth, long w, int first, long rows) { \
		long i = 0; \
		for (; i + TILE <= rows; i += TILE) tile(c + i * ldc, ldc, a + i * lda, lda, b, ldb, depth, w, first, TILE, nv); \
		for (; i + 2 <= rows; i += 2) tile(c + i * ldc, ldc, a + i * lda, lda, b, ldb, depth, w, first, 2, nv); \
		for (; i < rows; i++) tile(c + i * ldc, ldc, a + i * lda, lda, b, ldb, depth, w, first, 1, nv); \
	}
COLUMN(column1, 1)
#if WIDE
COLUMN(column2, 2)
COLUMN(column3, 3)
#endif

// column computes rows x w results, w <= PANEL.
VM void column(double *c, long ldc, const double *a, long lda, const double *b, long ldb, long depth, long w, int first, long rows) {
#if WIDE
	if (w > 16) { column3(c, ldc, a, lda, b, ldb, depth, w, first, rows); return; }
	if (w > 8) { column2(c, ldc, a, lda, b, ldb, depth, w, first, rows); return; }
#endif
	column1(c, ldc, a, lda, b, ldb, depth, w, first, rows);
}

// pack_plain packs b, k x n row-major; pack_turned packs the transpose of b, n x k row-major. Rows of b are ld apart.
VM void pack_plain(double *panels, const double *b, long ld, long k, long n) {
	for (long j = 0; j < n; j += PANEL, panels += k * PANEL)
		for (long i = 0; i < k; i++)
			for (long l = 0; l < PANEL; l += 8) {
				long w = n - j - l;
				v8 v = w >= 8 ? v8_load(b + i * ld + j + l) : w > 0 ? v8_loadn(b + i * ld + j + l, w) : v8_set1(0);
				v8_store(panels + i * PANEL + l, v);
			}
}

VM void pack_turned(double *panels, const double *b, long ld, long k, long n) {
	v8 r[8];
	for (long j = 0; j < n; j += PANEL, panels += k * PANEL)
		for (long l = 0; l < PANEL; l += 8)
			for (long i = 0; i < k; i += 8) {
				long cols = k - i < 8 ? k - i : 8;
				part8(r, b + (j + l) * ld + i, ld, n - j - l, cols);
				v8_transpose(r);
				for (int q = 0; q < 8; q++)
					if (q < cols) v8_store(panels + (i + q) * PANEL + l, r[q]);
			}
}

// vm_matmul: c (m x n, rows ldc apart) = a (m x k, rows lda apart) b (rows ldb apart), or a times the transpose of b where
// turned; with add set, the chains go on from what c holds. With upper set, elements left of the diagonal's tile may be left unwritten.
TARGET void FN(vm_matmul)(double *c, long ldc, const double *a, long lda, const double *b, long ldb, long m, long k, long n,
		int turned, int upper, int add, double *panels) {
	long whole = 0; // columns that are read where they lie, since a few rows of a do not repay a copy
	if (turned) pack_turned(panels, b, ldb, k, n);
	else {
		if (m <= TILE) whole = n - n % PANEL;
		pack_plain(panels + whole * k, b + whole, ldb, k, n - whole);
	}
	if (k == 0 && !add)
		for (long i = 0; i < m; i++)
			for (long j = 0; j < n; j++) c[i * ldc + j] = 0;
	for (long i = 0; i < m; i += TALL) {
		long rows = m - i < TALL ? m - i : TALL;
		for (long q = 0; q < k; q += DEPTH) {
			long depth = k - q < DEPTH ? k - q : DEPTH;
			for (long j = 0; j < n; j += PANEL) {
				long w = n - j < PANEL ? n - j : PANEL, tall = rows;
				if (upper && j + w - i < tall) tall = j + w - i; // rows below have their mirror elsewhere
				if (tall <= 0) continue;
				int packed = j >= whole;
				const double *from = packed ? panels + j * k + q * PANEL : b + q * ldb + j;
				column(c + i * ldc + j, ldc, a + i * lda + q, lda, from, packed ? PANEL : ldb, depth, w, q == 0 && !add, tall);
			}
		}
	}
}

// vm_mirror copies the part above the diagonal of the n x n matrix c below it.
TARGET void FN(vm_mirror)(double *c, long n) {
	v8 r[8];
	for (long i = 0; i < n; i += 8)
		for (long j = i; j < n; j += 8) {
			long rows = n - i < 8 ? n - i : 8, cols = n - j < 8 ? n - j : 8;
			if (i == j) {
				for (long p = i; p < i + rows; p++)
					for (long q = p + 1; q < i + rows; q++) c[q * n + p] = c[p * n + q];
				continue;
			}
			part8(r, c + i * n + j, n, rows, cols);
			v8_transpose(r);
			for (int q = 0; q < 8; q++)
				if (q < cols) {
					if (rows == 8) v8_store(c + (j + q) * n + i, r[q]);
					else v8_storen(c + (j + q) * n + i, r[q], rows);
				}
		}
}

// vm_gaussian: dst[j] = exp(-g max(0, s + squares[j] - 2 dots[j])).
TARGET void FN(vm_gaussian)(double *dst, const double *dots, const double *squares, double s, double g, long n) {
	v8 sv = v8_set1(s), gv = v8_set1(-g), two = v8_set1(2), zero = v8_set1(0);
	for (long i = 0; i < n; i += 8) {
		v8 q = v8_fnma(two, part(dots, i, n), v8_add(sv, part(squares, i, n)));
		put(dst, expo(v8_mul(gv, v8_max(zero, q))), i, n);
	}
}

// vm_laplace: with q = s + squares[j] - 2 dots[j] and r = sqrt(q), dst[j] = exp(-r/b), and, unless slopes is null,
// slopes[j] = dst[j] / (r b). Where q is at most `rounding` times s + squares[j], they are 1 and 0.
TARGET void FN(vm_laplace)(double *dst, double *slopes, const double *dots, const double *squares, double s, double b, double rounding,
		long n) {
	v8 sv = v8_set1(s), bv = v8_set1(b), two = v8_set1(2), zero = v8_set1(0), least = v8_set1(rounding);
	for (long i = 0; i < n; i += 8) {
		v8 sum = v8_add(sv, part(squares, i, n)), q = v8_fnma(two, part(dots, i, n), sum);
		m8 apart = m8_lt(v8_mul(least, sum), q);
		v8 r = v8_sqrt(v8_select(apart, q, zero)), e = expo(v8_neg(v8_div(r, bv)));
		put(dst, e, i, n);
		if (slopes) put(slopes, v8_select(apart, v8_div(e, v8_mul(r, bv)), zero), i, n);
	}
}
