// A loss pass over a row-major matrix, for data of which no packed copy is kept.

#define TILE 32   // rows turned into columns at a time: they stay in the first-level cache
#define AHEAD 256 // rows between a tile and the memory asked for while it is computed

// vm_rows_expcos is vm_expcos of the packed rows of a, with its bits: the lane of a row is
// its number mod 8 there too, and lanes add in the order of rows. tile has room for TILE d
// doubles. Asking for memory ahead is what makes it run at the speed of reading it: between
// tiles the processor's own prefetching pauses.
TARGET int FN(vm_rows_expcos)(const double *a, long n, long d, const double *w, double b, const double *r,
	double *cosines, double *grad, double *lanes, double *tile, double *value) {
	double z[TILE];
	int far = 0;
	v8 total = v8_set1(0), bv = v8_set1(b);
	for (long i = 0; i < n; i += TILE) {
		long rows = n - i < TILE ? n - i : TILE, h = (rows + 7) & ~7L;
		int more = n - i > AHEAD + TILE;
		FN(vm_pack)(tile, a + i * d, rows, d);
		block_matvec(z, tile, h, d, w);
		for (long k = 0; k < h; k += 8) {
			v8 s, c, rv = part(r, i + k, n);
			for (long j = 0; more && j < d; j++) __builtin_prefetch(a + (i + k + AHEAD) * d + 8 * j, 0, 2);
			far |= m8_any(trig(v8_sub(v8_load(z + k), bv), &s, &c));
			put(cosines, c, i + k, n);
			v8 e = expo(v8_neg(v8_mul(rv, c)));
			total = v8_add(total, keep(e, i + k, n));
			v8_store(z + k, v8_mul(v8_mul(rv, s), e));
		}
		block_mattvec(lanes, tile, h, d, z);
	}
	sum_lanes(grad, lanes, d);
	*value = v8_hsum(total);
	return far;
}
