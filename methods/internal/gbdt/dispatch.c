//go:build cgo && amd64 && !windows && !nokernels

#include "kernels.h"

static int level;

void gb_use(int l) { level = l; }

void gb_node GB_NODE_PARAMS {
	if (level == 2) gb_node_avx512 GB_NODE_ARGS;
	else gb_node_avx2 GB_NODE_ARGS;
}

void gb_cut GB_CUT_PARAMS {
	if (level == 2) gb_cut_avx512 GB_CUT_ARGS;
	else gb_cut_avx2 GB_CUT_ARGS;
}

long gb_split GB_SPLIT_PARAMS {
	return level == 2 ? gb_split_avx512 GB_SPLIT_ARGS : gb_split_avx2 GB_SPLIT_ARGS;
}
