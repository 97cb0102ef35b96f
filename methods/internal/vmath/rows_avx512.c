//go:build cgo && amd64 && !windows && !nokernels

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#include "simd512.h"
#define WIDE 1
#undef FN
#define FN(name) name##_rows_avx512 // the headers' kernels are this unit's own here
#include "elementary.h"
#include "rowmajor.h"
#include "packed.h"
#include "rows.h"
