// The kernel of one search for XGBoost's exact cuts (ranks.go), over the operations of
// simd512.h or simd256.h.
#include <string.h>

#include "kernels.h"

// add_ranks adds the pairs of m rows to a histogram.
VM void add_ranks(const uint16_t *bins, const int32_t *index, long m, const float *pairs, double *h) {
	for (long i = 0; i < m; i++) {
		long r = index[i];
		ahead((const uint8_t *)bins, sizeof *bins * LANES, index, i, m, pairs);
		uint64_t b[2];
		memcpy(b, bins + r * LANES, sizeof b);
		__m128d p = pair_of(pairs, r);
		for (int j = 0; j < LANES; j++) add_pair(h + (b[j / 4] >> j % 4 * 16 & 65535) * (2 * LANES) + 2 * j, p);
	}
}

// list_ranks lists the bins that m rows have, from the last down, and zeroes them.
VM long list_ranks(const uint16_t *bins, const int32_t *index, long m, long top, uint8_t *seen, int32_t *list, double *h) {
	memset(seen, 0, (size_t)top);
	for (long i = 0; i < m; i++) {
		const uint16_t *b = bins + index[i] * (long)LANES;
		for (int j = 0; j < LANES; j++) seen[b[j]] = 1;
	}
	long k = 0;
	for (long t = top - 1; t >= 0; t--) { // without a branch that chance decides
		list[k] = (int32_t)t;
		k += seen[t];
	}
	for (long i = 0; i < k; i++) {
		v8_store(h + list[i] * (2 * LANES), v8_set1(0));
		v8_store(h + list[i] * (2 * LANES) + LANES, v8_set1(0));
	}
	return k;
}

// A search is a scan under way. bar is the least gain, times the products of both
// denominators, that is worth a division: the best one less what rounding may hide.
typedef struct {
	v8 rg, rh, best, rank, bar;
} FN(search);

VM v8 high_bar(v8 best, double floor, double root) {
	return v8_mul(v8_add(v8_max(best, v8_set1(floor)), v8_set1(root)), v8_set1(1 - 1e-6));
}

// single_gain is the gain of a side in single precision.
VM __m256 single_gain(v8 g, v8 h) { return _mm256_div_ps(v8_single(v8_mul(g, g)), v8_single(h)); }

// step adds bin t to the right sides and tries the cut below it; it reports whether
// a left side is still large enough.
VM int step(FN(search) *s, const double *bin, long t, m8 lanes, const double *limits, double floor) {
	const v8 l2 = v8_set1(limits[0]), least = v8_set1(limits[1]);
	v8 g, h;
	v8_pairs(bin, &g, &h);
	s->rg = v8_add(s->rg, g);
	s->rh = v8_add(s->rh, h);
	v8 lh = v8_sub(v8_set1(limits[3]), s->rh);
	m8 left = m8_ge(lh, least) & lanes;
	if (!left) return 0;
	m8 ok = left & m8_ge(s->rh, least);
	v8 lg = v8_sub(v8_set1(limits[2]), s->rg), hr = v8_add(s->rh, l2), hl = v8_add(lh, l2);
	v8 both = v8_add(v8_mul(v8_mul(lg, lg), hr), v8_mul(v8_mul(s->rg, s->rg), hl));
	ok &= m8_gt(both, v8_mul(s->bar, v8_mul(hl, hr)));
	if (!ok) return 1;
	__m256 gains = _mm256_add_ps(single_gain(lg, hl), single_gain(s->rg, hr));
	v8 gain = v8_wide(_mm256_sub_ps(gains, _mm256_set1_ps((float)limits[4])));
	m8 better = ok & m8_gt(gain, s->best);
	if (!better) return 1;
	s->best = v8_select(better, gain, s->best);
	s->rank = v8_select(better, v8_set1((double)t), s->rank);
	s->bar = high_bar(s->best, floor, limits[4]);
	return 1;
}

TARGET void FN(gb_cut) GB_CUT_PARAMS {
	double floor = LEAST_GAIN; // the best gain of the blocks before
	for (long b = 0; b < blocks; b++, out += 2 * LANES) {
		const uint16_t *ranks = bins + b * n * LANES;
		const v8 zero = v8_set1(0), least = v8_set1(LEAST_GAIN);
		FN(search) s = {zero, zero, least, zero, high_bar(least, floor, limits[4])};
		m8 lanes = m8_bits(use[b]);
		if (2 * m >= top[b]) {
			memset(hist, 0, sizeof(double) * 2 * LANES * (size_t)top[b]);
			add_ranks(ranks, index, m, pairs, hist);
			for (long t = top[b] - 1; t >= 1 && step(&s, hist + t * (2 * LANES), t, lanes, limits, floor); t--) {
			}
		} else { // an empty bin changes no sum
			long k = list_ranks(ranks, index, m, top[b], seen, list, hist);
			add_ranks(ranks, index, m, pairs, hist);
			for (long i = 0; i < k && list[i] && step(&s, hist + list[i] * (2 * LANES), list[i], lanes, limits, floor); i++) {
			}
		}
		v8_store(out, s.best);
		v8_store(out + LANES, s.rank);
		for (int j = 0; j < LANES; j++)
			if (out[j] > floor) floor = out[j];
	}
}
