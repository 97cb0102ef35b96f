// Sine, cosine and exponential on eight lanes, and the loops over arrays. The Go functions of the same formulas in elementary.go are the
// definition; every constant and every order of operations is theirs.

// trig sets *s and *c to the sine and cosine of x and returns the lanes whose
// argument is beyond the fast reduction; their *s and *c mean nothing.
VM m8 trig(v8 x, v8 *s, v8 *c) {
	const v8 magic = v8_set1(0x1.8p52);
	v8 ax = v8_abs(x);
	v8 t = v8_fma(ax, v8_set1(0x1.45f306dc9c883p-1), magic);
	v8 q = v8_sub(t, magic);
	v8 r = v8_fnma(q, v8_set1(0x1.921fb54442d18p+0), ax);
	r = v8_fnma(q, v8_set1(0x1.1a62633145c07p-54), r);
	r = v8_fnma(q, v8_set1(-0x1.f1976b7ed8fbcp-110), r);
	v8 z = v8_mul(r, r);

	v8 p = v8_set1(0x1.5d8fd191f8e19p-33);
	p = v8_fma(p, z, v8_set1(-0x1.ae5e5a912f93bp-26));
	p = v8_fma(p, z, v8_set1(0x1.71de3567d2dadp-19));
	p = v8_fma(p, z, v8_set1(-0x1.a01a019bfdee6p-13));
	p = v8_fma(p, z, v8_set1(0x1.111111110f7d0p-7));
	p = v8_fma(p, z, v8_set1(-0x1.5555555555548p-3));
	*s = v8_fma(v8_mul(r, z), p, r);

	p = v8_set1(-0x1.8fa4998e4dd99p-37);
	p = v8_fma(p, z, v8_set1(0x1.1ee9d7b401c96p-29));
	p = v8_fma(p, z, v8_set1(-0x1.27e4f7eac3801p-22));
	p = v8_fma(p, z, v8_set1(0x1.a01a019c844dcp-16));
	p = v8_fma(p, z, v8_set1(-0x1.6c16c16c14f91p-10));
	p = v8_fma(p, z, v8_set1(0x1.555555555554bp-5));
	p = v8_fma(p, z, v8_set1(-0.5));
	*c = v8_fma(p, z, v8_set1(1));

	v8_turn(t, x, s, c);
	return m8_notle(ax, v8_set1(0x1p30));
}

VM v8 expo(v8 x) {
	const v8 magic = v8_set1(0x1.8p52);
	x = v8_min(v8_set1(710), x);
	x = v8_max(v8_set1(-746), x);
	v8 t = v8_fma(x, v8_set1(0x1.71547652b82fep+0), magic);
	v8 q = v8_sub(t, magic);
	v8 r = v8_fnma(q, v8_set1(0x1.62e42fefa39efp-1), x);
	r = v8_fnma(q, v8_set1(0x1.abc9e3b39803fp-56), r);
	v8 p = v8_set1(0x1.ad202ae768665p-26);
	p = v8_fma(p, r, v8_set1(0x1.289f81c5802c5p-22));
	p = v8_fma(p, r, v8_set1(0x1.71df55233e072p-19));
	p = v8_fma(p, r, v8_set1(0x1.a019ab3599f63p-16));
	p = v8_fma(p, r, v8_set1(0x1.a01a011c3784ep-13));
	p = v8_fma(p, r, v8_set1(0x1.6c16c17cc0c50p-10));
	p = v8_fma(p, r, v8_set1(0x1.111111112882dp-7));
	p = v8_fma(p, r, v8_set1(0x1.555555555320ep-5));
	p = v8_fma(p, r, v8_set1(0x1.5555555555501p-3));
	p = v8_fma(p, r, v8_set1(0.5));
	p = v8_fma(p, v8_mul(r, r), r);
	return v8_scale(v8_add(v8_set1(1), p), q, t);
}

// sincos_part writes the sines of n <= 8 numbers to s, which may be null, and the cosines to c. Where x is beyond the fast
// reduction, s and c receive x itself, and the result is not zero.
VM int sincos_part(double *s, double *c, const double *x, long n) {
	v8 sv, cv, xv = n < 8 ? v8_loadn(x, n) : v8_load(x);
	m8 far = trig(xv, &sv, &cv);
	int any = m8_any(far);
	if (__builtin_expect(any, 0)) {
		sv = v8_select(far, xv, sv);
		cv = v8_select(far, xv, cv);
	}
	if (n < 8) {
		if (s) v8_storen(s, sv, n);
		v8_storen(c, cv, n);
	} else {
		if (s) v8_store(s, sv);
		v8_store(c, cv);
	}
	return any;
}

TARGET int FN(vm_sincos)(double *s, double *c, const double *x, long n) {
	int any = 0;
	long i = 0;
	for (; i + 8 <= n; i += 8) any |= sincos_part(s + i, c + i, x + i, 8);
	if (i < n) any |= sincos_part(s + i, c + i, x + i, n - i);
	return any;
}

TARGET int FN(vm_cos)(double *c, const double *x, long n) {
	int any = 0;
	long i = 0;
	for (; i + 8 <= n; i += 8) any |= sincos_part(0, c + i, x + i, 8);
	if (i < n) any |= sincos_part(0, c + i, x + i, n - i);
	return any;
}

TARGET void FN(vm_exp)(double *y, const double *x, long n) {
	long i = 0;
	for (; i + 8 <= n; i += 8) v8_store(y + i, expo(v8_load(x + i)));
	if (i < n) v8_storen(y + i, expo(v8_loadn(x + i, n - i)), n - i);
}

// tangent returns the hyperbolic tangent of x + b: see Tanh.
VM v8 tangent(v8 x, v8 b) {
	v8 one = v8_set1(1), two = v8_set1(2);
	return v8_sub(one, v8_div(two, v8_add(one, expo(v8_mul(two, v8_add(x, b))))));
}

TARGET void FN(vm_tanh)(double *y, const double *x, double b, long n) {
	v8 bv = v8_set1(b);
	long i = 0;
	for (; i + 8 <= n; i += 8) v8_store(y + i, tangent(v8_load(x + i), bv));
	if (i < n) v8_storen(y + i, tangent(v8_loadn(x + i, n - i), bv), n - i);
}
