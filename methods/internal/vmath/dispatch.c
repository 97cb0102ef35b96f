//go:build cgo && amd64 && !windows && !nokernels

#include "kernels.h"

#define DECLARE_BOTH(result, name, params, args) result name##_avx512 params; result name##_avx2 params;
KERNELS(DECLARE_BOTH)

static int level;

void vm_use(int l) { level = l; }

#define DISPATCH(result, name, params, args) \
	result name params { if (level == 2) return name##_avx512 args; return name##_avx2 args; }
KERNELS(DISPATCH)
