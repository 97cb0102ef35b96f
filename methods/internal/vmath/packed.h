// Kernels on the packed layout of packed.go: blocks of up to BLOCK rows, a
// multiple of eight rows padded with zeros, each column of a block contiguous.

#define BLOCK 32

// height returns the padded number of rows of the block that starts at row i.
VM long height(long n, long i) {
	long h = (n - i + 7) & ~7L;
	return h < BLOCK ? h : BLOCK;
}

// chain computes, for w columns of v and 8u rows of a block, z = sum over k in order of x_k v_k:
// z[j zs + row], v[j vs + k]. u and w are constants after inlining.
VM void chain(double *z, long zs, const double *x, long h, long d, const double *v, long vs, int u, int w) {
	v8 acc[16];
	for (int i = 0; i < u * w; i++) acc[i] = v8_set1(0);
	for (long k = 0; k < d; k++, x += h)
		for (int j = 0; j < w; j++) {
			v8 b = v8_set1(v[j * vs + k]);
			for (int i = 0; i < u; i++) acc[j * u + i] = v8_fma(v8_load(x + 8 * i), b, acc[j * u + i]);
		}
	for (int j = 0; j < w; j++)
		for (int i = 0; i < u; i++) v8_store(z + j * zs + 8 * i, acc[j * u + i]);
}

// block_matvec sets z, of h elements, to the product of a block with v.
VM void block_matvec(double *z, const double *x, long h, long d, const double *v) {
	long i = 0;
	for (; i + 32 <= h; i += 32) chain(z + i, 0, x + i, h, d, v, 0, 4, 1);
	for (; i < h; i += 8) chain(z + i, 0, x + i, h, d, v, 0, 1, 1);
}

// block_matmul sets column j of z to the product of a block with row j of the m x d matrix v.
VM void block_matmul(double *z, const double *x, long h, long d, const double *v, long m) {
	long j = 0;
	for (; j + 4 <= m; j += 4) {
		long i = 0;
		if (WIDE)
			for (; i + 32 <= h; i += 32) chain(z + j * h + i, h, x + i, h, d, v + j * d, d, 4, 4);
		for (; i < h; i += 8) chain(z + j * h + i, h, x + i, h, d, v + j * d, d, 1, 4);
	}
	for (; j + 2 <= m; j += 2) {
		long i = 0;
		for (; i + 32 <= h; i += 32) chain(z + j * h + i, h, x + i, h, d, v + j * d, d, 4, 2);
		for (; i < h; i += 8) chain(z + j * h + i, h, x + i, h, d, v + j * d, d, 1, 2);
	}
	for (; j < m; j++) block_matvec(z + j * h, x, h, d, v + j * d);
}

// reduce adds to w consecutive columns' eight lanes the products of the columns with c.
VM void reduce(double *lanes, const double *x, long h, const double *c, int w) {
	v8 acc[8];
	for (int j = 0; j < w; j++) acc[j] = v8_load(lanes + 8 * j);
	for (long i = 0; i < h; i += 8) {
		v8 cv = v8_load(c + i);
		for (int j = 0; j < w; j++) acc[j] = v8_fma(v8_load(x + j * h + i), cv, acc[j]);
	}
	for (int j = 0; j < w; j++) v8_store(lanes + 8 * j, acc[j]);
}

// block_mattvec adds the product of the transpose of a block with c to the d x 8 lanes.
VM void block_mattvec(double *lanes, const double *x, long h, long d, const double *c) {
	long k = 0;
	if (WIDE)
		for (; k + 8 <= d; k += 8) reduce(lanes + 8 * k, x + k * h, h, c, 8);
	for (; k + 4 <= d; k += 4) reduce(lanes + 8 * k, x + k * h, h, c, 4);
	for (; k < d; k++) reduce(lanes + 8 * k, x + k * h, h, c, 1);
}

VM void sum_lanes(double *dst, const double *lanes, long d) {
	for (long k = 0; k < d; k++) dst[k] = v8_hsum(v8_load(lanes + 8 * k));
}

// part loads x[i..i+8) of an array of n; what is outside reads as zero.
VM v8 part(const double *x, long i, long n) { return n - i >= 8 ? v8_load(x + i) : v8_loadn(x + i, n - i); }
VM void put(double *y, v8 v, long i, long n) {
	if (n - i >= 8) v8_store(y + i, v);
	else v8_storen(y + i, v, n - i);
}
// keep zeroes the lanes outside an array of n.
VM v8 keep(v8 v, long i, long n) { return n - i >= 8 ? v : v8_select(m8_first(n - i), v, v8_set1(0)); }

// vm_pack copies the row-major n x d matrix a into the packed layout.
TARGET void FN(vm_pack)(double *x, const double *a, long n, long d) {
	v8 r[8];
	for (long i = 0; i < n; i += BLOCK, x += BLOCK * d) {
		long h = height(n, i);
		for (long q = 0; q < h; q += 8)
			for (long k = 0; k < d; k += 8) {
				long cols = d - k < 8 ? d - k : 8;
				part8(r, a + (i + q) * d + k, d, n - i - q, cols);
				v8_transpose(r);
				for (int j = 0; j < 8; j++)
					if (j < cols) v8_store(x + (k + j) * h + q, r[j]);
			}
	}
}

TARGET void FN(vm_packed_matvec)(double *dst, const double *x, long n, long d, const double *v) {
	double z[BLOCK];
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		if (n - i >= BLOCK) {
			block_matvec(dst + i, x + i * d, h, d, v);
			continue;
		}
		block_matvec(z, x + i * d, h, d, v);
		for (long k = 0; k < h; k += 8) put(dst, v8_load(z + k), i + k, n);
	}
}

TARGET void FN(vm_packed_mattvec)(double *dst, const double *x, long n, long d, const double *c, double *lanes) {
	double cz[BLOCK];
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		for (long k = 0; k < h; k += 8) v8_store(cz + k, part(c, i + k, n));
		block_mattvec(lanes, x + i * d, h, d, cz);
	}
	sum_lanes(dst, lanes, d);
}

// vm_packed_trig: column j of the 2m of dst is the cosine and column m+j the sine of the product
// with row j of w. The result is not zero when an argument was too far.
TARGET int FN(vm_packed_trig)(double *dst, const double *x, long n, long d, const double *w, long m) {
	int far = 0;
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		double *c = dst + i * 2 * m, *s = c + h * m;
		block_matmul(s, x + i * d, h, d, w, m);
		for (long k = 0; k < h * m; k += 8) far |= sincos_part(s + k, c + k, s + k, 8);
	}
	return far;
}

// vm_packed_cos: row j of dst, m x n, is the cosine of the product with row j of w, less phase[j]. The
// result is not zero when an argument was too far.
TARGET int FN(vm_packed_cos)(double *dst, const double *x, long n, long d, const double *w, const double *phase, long m) {
	double z[4 * BLOCK];
	int far = 0;
	for (long i = 0; i < n; i += BLOCK) {
		long h = height(n, i);
		for (long j = 0; j < m; j += 4) {
			long cols = m - j < 4 ? m - j : 4;
			block_matmul(z, x + i * d, h, d, w + j * d, cols);
			for (long q = 0; q < cols; q++) {
				v8 shift = v8_set1(phase[j + q]), s, c;
				for (long k = 0; k < h; k += 8) {
					far |= m8_any(trig(v8_sub(v8_load(z + q * h + k), shift), &s, &c));
					put(dst + (j + q) * n, c, i + k, n);
				}
			}
		}
	}
	return far;
}
