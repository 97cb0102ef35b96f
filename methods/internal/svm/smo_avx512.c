//go:build cgo && amd64 && !windows && !nokernels

#ifdef __clang__ // fuses products and sums unless told, and uses the whole width without being told
#pragma STDC FP_CONTRACT OFF
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#endif
#define LEVEL avx512
#define WIDE
#define PASTE(a, b, c) a##_##b##_##c
#define CAT(a, b, c) PASTE(a, b, c)
#include "smo_instances.h"
