// Products with a row-major n x d matrix a; where there is an ld, its rows are that far apart.

// part8 loads up to eight rows of eight columns; what is outside reads as zero.
VM void part8(v8 r[8], const double *a, long d, long rows, long cols) {
	for (int i = 0; i < 8; i++)
		r[i] = i >= rows ? v8_set1(0) : cols < 8 ? v8_loadn(a + i * d, cols) : v8_load(a + i * d);
}

// vm_matvec: dst[i] is the sum over k, in order, of a[i][k] v[k]. Eight rows
// at a time are transposed in registers, so that the lanes are rows.
TARGET void FN(vm_matvec)(double *dst, const double *a, long n, long d, const double *v) {
	for (long i = 0; i < n; i += 8) {
		long rows = n - i;
		const double *p = a + i * d;
		v8 acc = v8_set1(0), r[8];
		for (long k = 0; k < d; k += 8) {
			long cols = d - k < 8 ? d - k : 8;
			if (rows >= 8 && cols == 8) {
				part8(r, p + k, d, 8, 8);
				v8_transpose(r);
				for (int j = 0; j < 8; j++) acc = v8_fma(r[j], v8_set1(v[k + j]), acc);
			} else {
				part8(r, p + k, d, rows, cols);
				v8_transpose(r);
				for (int j = 0; j < 8; j++)
					if (j < cols) acc = v8_fma(r[j], v8_set1(v[k + j]), acc);
			}
		}
		if (rows >= 8) v8_store(dst + i, acc);
		else v8_storen(dst + i, acc, rows);
	}
}

// lanes8 adds rows [0, n) of cols <= 8 columns to the lanes of row i mod 8: lane l of the
// columns is the register at lanes + 8 l.
VM void lanes8(double *lanes, const double *a, long n, long d, const double *c, long cols, int whole) {
	v8 acc[8];
	long i = 0;
	for (int l = 0; l < 8; l++) acc[l] = v8_load(lanes + 8 * l);
	for (; i + 8 <= n; i += 8, a += 8 * d)
		for (int l = 0; l < 8; l++)
			acc[l] = v8_fma(whole ? v8_load(a + l * d) : v8_loadn(a + l * d, cols), v8_set1(c[i + l]), acc[l]);
	for (int l = 0; l < 8; l++) {
		if (i + l < n) acc[l] = v8_fma(v8_loadn(a + l * d, cols), v8_set1(c[i + l]), acc[l]);
		v8_store(lanes + 8 * l, acc[l]);
	}
}

// vm_mattvec: dst[k] is the sum over rows i of a[i][k] c[i], row i in lane i mod 8. Rows
// are taken in blocks that stay in the first-level cache while the columns are walked.
// lanes has room for 8 d doubles, d rounded up to a multiple of eight, all zero.
TARGET void FN(vm_mattvec)(double *dst, const double *a, long ld, long n, long d, const double *c, double *lanes) {
	long block = 2048 / (d + 1) * 8 + 8;
	for (long i = 0; i < n; i += block) {
		long rows = n - i < block ? n - i : block;
		for (long k = 0; k < d; k += 8) {
			if (d - k >= 8) lanes8(lanes + 8 * k, a + i * ld + k, rows, ld, c + i, 8, 1);
			else lanes8(lanes + 8 * k, a + i * ld + k, rows, ld, c + i, d - k, 0);
		}
	}
	for (long k = 0; k < d; k += 8, lanes += 64) {
		v8 s[8];
		for (int l = 0; l < 8; l++) s[l] = v8_load(lanes + 8 * l);
		v8 t = v8_add(v8_add(v8_add(s[0], s[1]), v8_add(s[2], s[3])), v8_add(v8_add(s[4], s[5]), v8_add(s[6], s[7])));
		if (d - k >= 8) v8_store(dst + k, t);
		else v8_storen(dst + k, t, d - k);
	}
}

// vm_rowdots: dst[i] is the sum over k of a[i][k] v[k], column k in lane k mod 8. Eight rows share the loads of v, and
// their lanes are summed together.
TARGET void FN(vm_rowdots)(double *dst, const double *a, long ld, long n, long d, const double *v) {
	for (long i = 0; i < n; i += 8, a += 8 * ld) {
		long rows = n - i < 8 ? n - i : 8;
		v8 acc[8];
		for (int r = 0; r < 8; r++) acc[r] = v8_set1(0);
		for (long k = 0; k < d; k += 8) {
			if (rows == 8 && d - k >= 8) {
				v8 vv = v8_load(v + k);
				for (int r = 0; r < 8; r++) acc[r] = v8_fma(v8_load(a + r * ld + k), vv, acc[r]);
			} else {
				v8 part[8], vv = d - k < 8 ? v8_loadn(v + k, d - k) : v8_load(v + k);
				part8(part, a + k, ld, rows, d - k < 8 ? d - k : 8);
				for (int r = 0; r < 8; r++) acc[r] = v8_fma(part[r], vv, acc[r]);
			}
		}
		v8_transpose(acc);
		v8 t = v8_add(v8_add(v8_add(acc[0], acc[1]), v8_add(acc[2], acc[3])), v8_add(v8_add(acc[4], acc[5]), v8_add(acc[6], acc[7])));
		if (rows == 8) v8_store(dst + i, t);
		else v8_storen(dst + i, t, rows);
	}
}
