// The C kernels, one line each: result, name, parameters, arguments. Lengths are
// in elements. The int results of the trigonometric kernels are not zero when an
// argument was beyond the fast reduction (see elementary.h).
#define KERNELS(K) \
	K(int, vm_sincos, (double *s, double *c, const double *x, long n), (s, c, x, n)) \
	K(int, vm_cos, (double *c, const double *x, long n), (c, x, n)) \
	K(void, vm_exp, (double *y, const double *x, long n), (y, x, n)) \
	K(void, vm_tanh, (double *y, const double *x, double b, long n), (y, x, b, n)) \
	K(double, vm_dot, (const double *x, const double *y, long n), (x, y, n)) \
	K(double, vm_sum, (const double *x, long n), (x, n)) \
	K(void, vm_axpy, (double a, const double *x, double *y, long n), (a, x, y, n)) \
	K(void, vm_matvec, (double *dst, const double *a, long n, long d, const double *v), (dst, a, n, d, v)) \
	K(void, vm_rowdots, (double *dst, const double *a, long ld, long n, long d, const double *v), (dst, a, ld, n, d, v)) \
	K(void, vm_mattvec, (double *dst, const double *a, long ld, long n, long d, const double *c, double *lanes), \
		(dst, a, ld, n, d, c, lanes)) \
	K(void, vm_transpose, (double *dst, long to, const double *a, long ld, long n, long d), (dst, to, a, ld, n, d)) \
	K(void, vm_scale, (double *dst, long to, const double *a, long ld, long n, long d, const double *s), (dst, to, a, ld, n, d, s)) \
	K(void, vm_pack, (double *x, const double *a, long n, long d), (x, a, n, d)) \
	K(void, vm_packed_matvec, (double *dst, const double *x, long n, long d, const double *v), (dst, x, n, d, v)) \
	K(void, vm_packed_mattvec, (double *dst, const double *x, long n, long d, const double *c, double *lanes), \
		(dst, x, n, d, c, lanes)) \
	K(int, vm_packed_trig, (double *dst, const double *x, long n, long d, const double *w, long m), (dst, x, n, d, w, m)) \
	K(int, vm_packed_cos, (double *dst, const double *x, long n, long d, const double *w, const double *phase, long m), \
		(dst, x, n, d, w, phase, m)) \
	K(int, vm_expcos, (const double *x, long n, long d, const double *w, double b, const double *r, double *cosines, \
		double *grad, double *lanes, double *value), (x, n, d, w, b, r, cosines, grad, lanes, value)) \
	K(double, vm_explinear, (const double *x, long n, long d, const double *v, const double *r, double *grad, \
		double *lanes), (x, n, d, v, r, grad, lanes)) \
	K(void, vm_exppairs, (const double *x, long n, long m, const double *cu, const double *su, const double *r, \
		double *losses, double *lanes), (x, n, m, cu, su, r, losses, lanes)) \
	K(double, vm_expshift, (const double *r, const double *c, const double *s, long n, double cb, double sb), \
		(r, c, s, n, cb, sb)) \
	K(double, vm_reweight, (double *score, double *w, double *r, const double *y, const double *h, double alpha, long n), \
		(score, w, r, y, h, alpha, n)) \
	K(void, vm_matmul, (double *c, long ldc, const double *a, long lda, const double *b, long ldb, long m, long k, long n, \
		int turned, int upper, int add, double *panels), (c, ldc, a, lda, b, ldb, m, k, n, turned, upper, add, panels)) \
	K(void, vm_mirror, (double *c, long n), (c, n)) \
	K(void, vm_gaussian, (double *dst, const double *dots, const double *squares, double s, double g, long n), \
		(dst, dots, squares, s, g, n)) \
	K(void, vm_laplace, (double *dst, double *slopes, const double *dots, const double *squares, double s, double b, \
		double rounding, long n), (dst, slopes, dots, squares, s, b, rounding, n)) \
	K(void, vm_addgaussians, (double *dst, const double *dots, const double *rows, const double *points, const double *coefs, \
		double g, long n, long m), (dst, dots, rows, points, coefs, g, n, m)) \
	K(void, vm_outer, (double *c, long m, const double *a, long ld, long rows, long from, int how), (c, m, a, ld, rows, from, how)) \
	K(int, vm_factor, (double *u, const double *c, long m, double scale, const double *shift), (u, c, m, scale, shift)) \
	K(void, vm_back, (double *x, const double *u, long m, long column), (x, u, m, column)) \
	K(void, vm_addrows, (double *dst, const double *a, long n, const long *which, const double *c, long rows), \
		(dst, a, n, which, c, rows)) \
	K(void, vm_columns, (double *dst, long ld, const double *a, long n, const long *which, long rows), \
		(dst, ld, a, n, which, rows)) \
	K(void, vm_logistic, (double *f, const double *moved, const double *y, double *residual, double *root, double *slope, \
		long n, double *sums), (f, moved, y, residual, root, slope, n, sums)) \
	K(void, vm_signed, (double *x, const double *y, double b, long n), (x, y, b, n)) \
	K(void, vm_hinge_move, (double *t, const double *change, double step, const double *alpha, double *next, const double *y, \
		double *turned, unsigned char *inside, unsigned char *moved, long n, double sigma, double c, double *sums), \
		(t, change, step, alpha, next, y, turned, inside, moved, n, sigma, c, sums)) \
	K(void, vm_hinge_slope, (const double *t, const double *change, double step, const double *alpha, long n, \
		double sigma, double c, double *sums), (t, change, step, alpha, n, sigma, c, sums)) \
	K(int, vm_wave, (double *s, double *c, const double *z, const double *f, const double *y, long n, double *sums), \
		(s, c, z, f, y, n, sums)) \
	K(double, vm_wave_slope, (double *slope, const double *f, const double *s, const double *c, const double *y, long n, \
		const double *a, const double *t), (slope, f, s, c, y, n, a, t)) \
	K(void, vm_margins, (const double *y, const double *h, const double *w, long n, double *plus, double *minus), \
		(y, h, w, n, plus, minus))

// vm_use selects the kernels of a level of package simd; 0 is not one.
void vm_use(int level);

#define DECLARE(result, name, params, args) result name params;
KERNELS(DECLARE)
