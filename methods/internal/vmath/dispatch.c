//go:build cgo && amd64 && !windows && !purego

#include "kernels.h"

#define DECLARE_BOTH(result, name, params, args) result name##_avx512 params; result name##_avx2 params;
KERNELS(DECLARE_BOTH)

static int level;

int vm_level(void) {
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") ? 2 : 1;
}

void vm_use(int l) { level = l; }

#define DISPATCH(result, name, params, args) \
	result name params { if (level == 2) return name##_avx512 args; return name##_avx2 args; }
KERNELS(DISPATCH)
