// Sums with a fixed order: element i goes to lane i mod 32, and the lanes are
// added in the order of tree in reduce.go.

VM double tree32(v8 a0, v8 a1, v8 a2, v8 a3) {
	return v8_hsum(v8_add(v8_add(a0, a1), v8_add(a2, a3)));
}

TARGET double FN(vm_dot)(const double *x, const double *y, long n) {
	v8 a[4] = {v8_set1(0), v8_set1(0), v8_set1(0), v8_set1(0)};
	long i = 0;
	for (; i + 32 <= n; i += 32)
		for (int j = 0; j < 4; j++)
			a[j] = v8_fma(v8_load(x + i + 8 * j), v8_load(y + i + 8 * j), a[j]);
	for (int j = 0; j < 4; j++) {
		long m = n - i - 8 * j;
		if (m >= 8)
			a[j] = v8_fma(v8_load(x + i + 8 * j), v8_load(y + i + 8 * j), a[j]);
		else if (m > 0)
			a[j] = v8_fma(v8_loadn(x + i + 8 * j, m), v8_loadn(y + i + 8 * j, m), a[j]);
	}
	return tree32(a[0], a[1], a[2], a[3]);
}

TARGET double FN(vm_sum)(const double *x, long n) {
	v8 a[4] = {v8_set1(0), v8_set1(0), v8_set1(0), v8_set1(0)};
	long i = 0;
	for (; i + 32 <= n; i += 32)
		for (int j = 0; j < 4; j++) a[j] = v8_add(a[j], v8_load(x + i + 8 * j));
	for (int j = 0; j < 4; j++) {
		long m = n - i - 8 * j;
		if (m >= 8)
			a[j] = v8_add(a[j], v8_load(x + i + 8 * j));
		else if (m > 0)
			a[j] = v8_add(a[j], v8_loadn(x + i + 8 * j, m));
	}
	return tree32(a[0], a[1], a[2], a[3]);
}

TARGET void FN(vm_axpy)(double a, const double *x, double *y, long n) {
	v8 av = v8_set1(a);
	long i = 0;
	for (; i + 8 <= n; i += 8) v8_store(y + i, v8_fma(av, v8_load(x + i), v8_load(y + i)));
	if (i < n) v8_storen(y + i, v8_fma(av, v8_loadn(x + i, n - i), v8_loadn(y + i, n - i)), n - i);
}
