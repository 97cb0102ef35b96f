// Parameters as in smo.h; level as package simd tells it.
#define PARAMS(ROW) const ROW *rows, const int *slot, long stride, long long *used, double *g, double *up, double *down, \
	double *beta, const double *lo, const double *hi, const double *diag, long n, double epsilon, double tol, \
	long budget, long long *clock, long *out, double *extremes

int svm_run_float(int level, PARAMS(float));
int svm_run_double(int level, PARAMS(double));

#define ADD(ROW) double *fit, const ROW *a, const ROW *b, const ROW *c, const ROW *d, const double *by, long n

void svm_add_float(int level, ADD(float));
void svm_add_double(int level, ADD(double));
