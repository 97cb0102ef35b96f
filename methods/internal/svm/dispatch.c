//go:build cgo && amd64 && !windows && !nokernels

#include "dispatch.h"

int svm_run_float_avx2(PARAMS(float));
int svm_run_float_avx512(PARAMS(float));
int svm_run_double_avx2(PARAMS(double));
int svm_run_double_avx512(PARAMS(double));
void svm_add_float_avx2(ADD(float));
void svm_add_float_avx512(ADD(float));
void svm_add_double_avx2(ADD(double));
void svm_add_double_avx512(ADD(double));

#define ARGS rows, slot, stride, used, g, up, down, beta, lo, hi, diag, n, epsilon, tol, budget, clock, out, extremes

int svm_run_float(int level, PARAMS(float)) {
	return level == 2 ? svm_run_float_avx512(ARGS) : svm_run_float_avx2(ARGS);
}

int svm_run_double(int level, PARAMS(double)) {
	return level == 2 ? svm_run_double_avx512(ARGS) : svm_run_double_avx2(ARGS);
}

void svm_add_float(int level, ADD(float)) {
	(level == 2 ? svm_add_float_avx512 : svm_add_float_avx2)(fit, a, b, c, d, by, n);
}

void svm_add_double(int level, ADD(double)) {
	(level == 2 ? svm_add_double_avx512 : svm_add_double_avx2)(fit, a, b, c, d, by, n);
}
