//go:build cgo && amd64 && !windows && !purego

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#define LEVEL avx512
#define PASTE(a, b, c) a##_##b##_##c
#define CAT(a, b, c) PASTE(a, b, c)
#include "smo_instances.h"
