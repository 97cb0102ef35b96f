//go:build cgo && amd64 && !windows && !nokernels

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#include "simd256.h"
#define WIDE 0
#include "elementary.h"
#include "reduce.h"
#include "rowmajor.h"
#include "packed.h"
#include "fused.h"
#include "gemm.h"
#include "doubling.h"
#include "symmetric.h"
#include "hinge.h"
#include "logistic.h"
#include "wave.h"
