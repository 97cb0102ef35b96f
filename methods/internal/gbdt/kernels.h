// The C kernels of one split. node.go and ranks.go hold their definition in Go.
#pragma once
#include <stdint.h>

enum { LANES = 8 };

// What a scan needs of a node besides its histogram (see side in node.go).
typedef struct {
	double gradient, raw, hessian, rows, scan;
} gb_side;

// The best split of each lane.
typedef struct {
	double gain[LANES], gradient[LANES], hessian[LANES], bin[LANES];
} gb_best;

#define GB_NODE_PARAMS \
	(const uint8_t *bins, long n, long blocks, const int32_t *top, const int64_t *at, const uint8_t *most_freq, \
		const int32_t *index, long m, const float *pairs, const uint8_t *use, const uint8_t *fast, \
		const double *limits, const double *sides, double *small, double *large, double *best, \
		const int32_t *start, const uint16_t *cells)
#define GB_NODE_ARGS (bins, n, blocks, top, at, most_freq, index, m, pairs, use, fast, limits, sides, small, large, best, start, cells)

// The kernel of one division of a node's rows. splitRowsRef in leafwise.go holds its definition.
#define GB_SPLIT_PARAMS (const uint8_t *bins, int last, int missing, int32_t *index, long m, int32_t *spare)
#define GB_SPLIT_ARGS (bins, last, missing, index, m, spare)

// The kernel of one search for a cut. ranks.go holds its definition.
#define GB_CUT_PARAMS \
	(const uint16_t *bins, long n, long blocks, const int32_t *top, const uint8_t *use, const int32_t *index, long m, \
		const float *pairs, const double *limits, double *hist, uint8_t *seen, int32_t *list, double *out)
#define GB_CUT_ARGS (bins, n, blocks, top, use, index, m, pairs, limits, hist, seen, list, out)
#define LEAST_GAIN ((double)1e-6f)

void gb_cut GB_CUT_PARAMS;
void gb_cut_avx512 GB_CUT_PARAMS;
void gb_cut_avx2 GB_CUT_PARAMS;
long gb_split GB_SPLIT_PARAMS;
long gb_split_avx512 GB_SPLIT_PARAMS;
long gb_split_avx2 GB_SPLIT_PARAMS;
void gb_node GB_NODE_PARAMS;
void gb_node_avx512 GB_NODE_PARAMS;
void gb_node_avx2 GB_NODE_PARAMS;
void gb_use(int level);
