// The C kernels, one line each: result, name, parameters, arguments. Lengths are
// in elements. The int results of the trigonometric kernels are not zero when an
// argument was beyond the fast reduction (see elementary.h).
#define KERNELS(K) \
	K(int, vm_sincos, (double *s, double *c, const double *x, long n), (s, c, x, n)) \
	K(int, vm_sin, (double *s, const double *x, long n), (s, x, n)) \
	K(int, vm_cos, (double *c, const double *x, long n), (c, x, n)) \
	K(void, vm_exp, (double *y, const double *x, long n), (y, x, n)) \
	K(void, vm_log, (double *y, const double *x, long n), (y, x, n)) \
	K(double, vm_dot, (const double *x, const double *y, long n), (x, y, n)) \
	K(double, vm_sum, (const double *x, long n), (x, n)) \
	K(void, vm_axpy, (double a, const double *x, double *y, long n), (a, x, y, n)) \
	K(void, vm_matvec, (double *dst, const double *a, long n, long d, const double *v), (dst, a, n, d, v)) \
	K(void, vm_mattvec, (double *dst, const double *a, long n, long d, const double *c, double *lanes), \
		(dst, a, n, d, c, lanes)) \
	K(void, vm_pack, (double *x, const double *a, long n, long d), (x, a, n, d)) \
	K(void, vm_packed_matvec, (double *dst, const double *x, long n, long d, const double *v), (dst, x, n, d, v)) \
	K(void, vm_packed_mattvec, (double *dst, const double *x, long n, long d, const double *c, double *lanes), \
		(dst, x, n, d, c, lanes)) \
	K(void, vm_packed_matmul, (double *dst, const double *x, long n, long d, const double *w, long m), (dst, x, n, d, w, m)) \
	K(int, vm_packed_trig, (double *dst, const double *x, long n, long d, const double *w, long m), (dst, x, n, d, w, m)) \
	K(int, vm_expcos, (const double *x, long n, long d, const double *w, double b, const double *r, double *cosines, \
		double *grad, double *lanes, double *value), (x, n, d, w, b, r, cosines, grad, lanes, value)) \
	K(double, vm_explinear, (const double *x, long n, long d, const double *v, const double *r, double *scores, \
		double *grad, double *lanes), (x, n, d, v, r, scores, grad, lanes)) \
	K(double, vm_sqlinear, (const double *x, long n, long d, const double *v, const double *r, double *scores, \
		double *grad, double *lanes), (x, n, d, v, r, scores, grad, lanes)) \
	K(void, vm_exppairs, (const double *x, long n, long m, const double *cu, const double *su, const double *r, \
		double *losses, double *lanes), (x, n, m, cu, su, r, losses, lanes)) \
	K(void, vm_sqpairs, (const double *x, long n, long m, const double *cu, const double *su, const double *r, \
		double *losses, double *lanes), (x, n, m, cu, su, r, losses, lanes)) \
	K(double, vm_expshift, (const double *r, const double *c, const double *s, long n, double cb, double sb), \
		(r, c, s, n, cb, sb)) \
	K(double, vm_reweight, (double *score, double *w, double *r, const double *y, const double *h, double alpha, long n), \
		(score, w, r, y, h, alpha, n)) \
	K(void, vm_matmul, (double *c, const double *a, const double *b, long m, long k, long n, int turned, int upper, \
		double *panels), (c, a, b, m, k, n, turned, upper, panels)) \
	K(void, vm_mirror, (double *c, long n), (c, n)) \
	K(void, vm_gaussian, (double *dst, const double *dots, const double *squares, double s, double g, long n), \
		(dst, dots, squares, s, g, n)) \
	K(void, vm_margins, (const double *y, const double *h, const double *w, long n, double *plus, double *minus), \
		(y, h, w, n, plus, minus))

// vm_level returns the widest instructions this processor has: 2 AVX-512, 1 AVX2 and FMA, 0 neither.
int vm_level(void);
// vm_use selects the kernels of a level; 0 is not one.
void vm_use(int level);

#define DECLARE(result, name, params, args) result name params;
KERNELS(DECLARE)
