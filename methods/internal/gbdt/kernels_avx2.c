//go:build cgo && amd64 && !windows && !nokernels

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif
#include "simd256.h"
#include "node_kernel.h"
#include "cut_kernel.h"
