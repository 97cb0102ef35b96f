// Parameters as in smo.h; level as package simd tells it.
#define PARAMS(ROW) const ROW *rows, const int *slot, long stride, long long *used, double *g, double *up, double *down, \
	double *beta, const double *lo, const double *hi, const double *diag, long n, double epsilon, double tol, \
	long budget, long long *clock, long *out, double *extremes

int svm_run_float(int level, PARAMS(float));
int svm_run_double(int level, PARAMS(double));
