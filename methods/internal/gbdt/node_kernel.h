// The kernel of one split, over the operations of simd512.h or simd256.h. Sums run in
// the order of rows and of bins, one lane a feature, so every width gives the same bits.
#include <string.h>

#include "kernels.h"

// ahead asks for row i + AHEAD of a node's rows, since rows of a node lie apart in memory and the processor cannot guess
// the next one.
enum { AHEAD = 24 };
VM void ahead(const uint8_t *rows, long width, const int32_t *index, long i, long m, const float *pairs) {
	if (!index || i + AHEAD >= m) return;
	long r = index[i + AHEAD];
	_mm_prefetch((const char *)(rows + r * width), _MM_HINT_T0);
	_mm_prefetch((const char *)(pairs + 2 * r), _MM_HINT_T0);
}

VM void add_pair(double *d, __m128d p) { _mm_storeu_pd(d, _mm_add_pd(_mm_loadu_pd(d), p)); }

VM __m128d pair_of(const float *pairs, long r) {
	return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(pairs + 2 * r))));
}

// build_lanes adds the pairs of m rows to the first lanes of the histogram h of one block.
VM void build_lanes(int lanes, const uint8_t *bins, const int32_t *index, long m, const float *pairs, double *h) {
	for (long i = 0; i < m; i++) {
		long r = index ? index[i] : i;
		ahead(bins, LANES, index, i, m, pairs);
		uint64_t b;
		memcpy(&b, bins + r * LANES, sizeof b);
		__m128d p = pair_of(pairs, r);
		for (int j = 0; j < lanes; j++) add_pair(h + (b >> 8 * j & 255) * (2 * LANES) + 2 * j, p);
	}
}

// build has a loop for each number of lanes and for all rows, so that compilers unroll it.
VM void build(int lanes, const uint8_t *bins, const int32_t *index, long m, const float *pairs, double *h) {
#define LOOP(k) case k: if (index) build_lanes(k, bins, index, m, pairs, h); else build_lanes(k, bins, 0, m, pairs, h); break;
	switch (lanes) { LOOP(1) LOOP(2) LOOP(3) LOOP(4) LOOP(5) LOOP(6) LOOP(7) LOOP(8) }
}

// build_sparse does the same for all blocks at once, from the cells of sparse.go.
VM void build_sparse(const int32_t *start, const uint16_t *cells, const int32_t *index, long m, const float *pairs, double *h) {
	for (long i = 0; i < m; i++) {
		long r = index ? index[i] : i;
		ahead((const uint8_t *)start, sizeof *start, index, i, m, pairs);
		if (index && i + AHEAD / 2 < m) _mm_prefetch((const char *)(cells + 4L * start[index[i + AHEAD / 2]]), _MM_HINT_T0);
		__m128d p = pair_of(pairs, r);
		for (const uint16_t *c = cells + 4L * start[r], *end = cells + 4L * start[r + 1]; c < end; c += 4)
			for (int j = 0; j < 4; j++) add_pair(h + 2L * c[j], p);
	}
}

// repair sets each lane's most frequent bin to the node's sums less all other bins.
VM void repair(double *h, long top, const uint8_t *most_freq, double gradient, double hessian) {
	for (int j = 0; j < LANES; j++) h[most_freq[j] * (2 * LANES) + 2 * j] = h[most_freq[j] * (2 * LANES) + 2 * j + 1] = 0;
	v8 g = v8_set1(gradient), s = v8_set1(hessian), a, b;
	for (long t = 0; t < top; t++) {
		v8_pairs(h + t * (2 * LANES), &a, &b);
		g = v8_sub(g, a);
		s = v8_sub(s, b);
	}
	double gs[LANES], hs[LANES];
	v8_store(gs, g);
	v8_store(hs, s);
	for (int j = 0; j < LANES; j++) {
		h[most_freq[j] * (2 * LANES) + 2 * j] = gs[j];
		h[most_freq[j] * (2 * LANES) + 2 * j + 1] = hs[j];
	}
}

// scan looks from the last bin down for the best threshold of each lane in use. With
// less, h is first made h - less.
VM void scan(double *h, const double *less, long top, unsigned use, const double *limits, const gb_side *n, gb_best *out) {
	const v8 l2 = v8_set1(limits[0]), least = v8_set1(limits[1]), minh = v8_set1(limits[2]), whole_number = v8_set1(0x1p52);
	const v8 sg = v8_set1(n->gradient), sh = v8_set1(n->hessian);
	const v8 factor = v8_set1(n->rows / n->hessian), margin = v8_set1(1 - 1e-10), most = v8_set1(n->rows - limits[1]);
	// With G, H the node's sums (H with L2 twice) a gain is G^2/H + (g_r H - G h_r)^2 / (H h_l h_r).
	const v8 whole = v8_set1(n->hessian + 2 * limits[0]), square = v8_mul(sg, sg);
	v8 rg = v8_set1(0), rh = v8_set1(limits[3]), rc = v8_set1(0);
	v8 best = v8_set1((n->gradient * n->gradient) / (n->hessian + limits[0]));
	v8 bar = v8_sub(v8_mul(v8_mul(best, margin), whole), square), bg = rg, bh = rg, bin = v8_set1(-1);
	m8 open = m8_bits(use);
	for (long t = top - 1; t >= 0; t--) {
		double *p = h + t * (2 * LANES);
		if (less) {
			const double *q = less + t * (2 * LANES);
			v8_store(p, v8_sub(v8_load(p), v8_load(q)));
			v8_store(p + LANES, v8_sub(v8_load(p + LANES), v8_load(q + LANES)));
			if (!t || !open) continue;
		} else if (!t || !open) break;
		v8 g, s;
		v8_pairs(p, &g, &s);
		rg = v8_add(rg, g);
		rh = v8_add(rh, s);
		rc = v8_add(rc, v8_sub(v8_fma(s, factor, whole_number), whole_number));
		v8 lh = v8_sub(sh, rh);
		// open depends on its last value by one operation only: anything longer is waited for.
		m8 right = m8_ge(rc, least) & m8_ge(rh, minh), left = m8_ge(most, rc) & m8_ge(lh, minh);
		open = m8_bits(open & (left | ~right)); // a lane whose left side is too small is done
		m8 ok = open & left & right;
		if (!ok) continue;
		v8 hr = v8_add(rh, l2), hl = v8_add(lh, l2);
		v8 excess = v8_fnma(sg, hr, v8_mul(rg, whole));
		// No division while the gain is below the best one by more than rounding.
		ok &= m8_gt(v8_mul(excess, excess), v8_mul(bar, v8_mul(hl, hr)));
		if (!ok) continue;
		v8 lg = v8_sub(sg, rg), gain = v8_add(v8_div(v8_mul(lg, lg), hl), v8_div(v8_mul(rg, rg), hr));
		m8 better = ok & m8_gt(gain, best);
		best = v8_select(better, gain, best);
		bar = v8_sub(v8_mul(v8_mul(best, margin), whole), square);
		bg = v8_select(better, lg, bg);
		bh = v8_select(better, lh, bh);
		bin = v8_select(better, v8_set1((double)(t - 1)), bin);
	}
	v8_store(out->gain, best);
	v8_store(out->gradient, bg);
	v8_store(out->hessian, bh);
	v8_store(out->bin, bin);
}

VM void subtract(double *h, const double *less, long top) {
	for (long i = 0; i < top * 2 * LANES; i += LANES) v8_store(h + i, v8_sub(v8_load(h + i), v8_load(less + i)));
}

// gb_split moves the rows whose bin is at most last, or missing, to the front of a node's rows, both sides in their order.
TARGET long FN(gb_split) GB_SPLIT_PARAMS {
	long left = 0, right = 0;
	for (long i = 0; i < m; i++) { // without a branch, since it could not be predicted
		int32_t r = index[i];
		if (i + AHEAD < m) _mm_prefetch((const char *)(bins + (long)index[i + AHEAD] * LANES), _MM_HINT_T0);
		int bin = bins[(long)r * LANES], side = (bin > last) & (bin != missing);
		index[left] = spare[right] = r;
		left += 1 - side;
		right += side;
	}
	memcpy(index + left, spare, sizeof(int32_t) * (size_t)right);
	return left;
}

TARGET void FN(gb_node) GB_NODE_PARAMS {
	const gb_side *side = (const gb_side *)sides;
	gb_best *out = (gb_best *)best;
	if (start) {
		memset(small, 0, sizeof(double) * (size_t)at[blocks]);
		if (index) build_sparse(start, cells, index, m, pairs, small);
		else build_sparse(start, cells, 0, m, pairs, small);
	}
	for (long b = 0; b < blocks; b++) {
		if (!use[b]) continue;
		double *h = small + at[b];
		if (!start) {
			memset(h, 0, sizeof(double) * (size_t)(at[b + 1] - at[b]));
			build(32 - __builtin_clz(use[b]), bins + b * n * LANES, index, m, pairs, h);
		}
		repair(h, top[b], most_freq + b * LANES, side[0].gradient, side[0].raw);
		if (large && side[1].scan) scan(large + at[b], h, top[b], fast[b], limits, &side[1], out + blocks + b);
		else if (large) subtract(large + at[b], h, top[b]);
		if (side[0].scan) scan(h, 0, top[b], fast[b], limits, &side[0], out + b);
	}
}
