//go:build cgo && amd64 && !windows && !purego

#include "kernels.h"

static int level;

int gb_level(void) {
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") ? 2 : 1;
}

void gb_use(int l) { level = l; }

void gb_node GB_NODE_PARAMS {
	if (level == 2) gb_node_avx512 GB_NODE_ARGS;
	else gb_node_avx2 GB_NODE_ARGS;
}

void gb_cut GB_CUT_PARAMS {
	if (level == 2) gb_cut_avx512 GB_CUT_ARGS;
	else gb_cut_avx2 GB_CUT_ARGS;
}

long gb_divide GB_DIVIDE_PARAMS {
	if (level == 2) return gb_divide_avx512 GB_DIVIDE_ARGS;
	return gb_divide_avx2 GB_DIVIDE_ARGS;
}
