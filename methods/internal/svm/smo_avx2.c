//go:build cgo && amd64 && !windows && !nokernels

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL avx2
#define PASTE(a, b, c) a##_##b##_##c
#define CAT(a, b, c) PASTE(a, b, c)
#include "smo_instances.h"
