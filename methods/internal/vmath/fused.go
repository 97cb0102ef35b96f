package vmath

// ExpCosLoss is the objective of GBRFF2 (Gautheron et al. 2020, Algorithm 3) without
// its penalty. For z_i = w.x_i - b over the rows x_i of p and residuals r it returns
//
//	f = (1/n) sum_i exp(-r_i cos z_i)
//
// and sets grad, of Cols elements, to df/dw = (1/n) sum_i x_i r_i sin(z_i) exp(-r_i cos z_i),
// and cosines[i] to cos z_i. One pass over p.
func (p *Packed) ExpCosLoss(w []float64, b float64, r, cosines, grad []float64) float64 {
	equalLengths("Packed.ExpCosLoss", p.d, w, grad)
	equalLengths("Packed.ExpCosLoss", p.n, r, cosines)
	f := expCos(p.data, p.n, p.d, w, b, r, cosines, grad)
	return mean(f, grad, p.n)
}

// LandmarkLoss is the objective of GBRFF1's landmark search (Gautheron et al. 2020,
// Algorithm 2) in the angles t_j = w_j.x of a landmark x. p holds [C S], the cosines and
// sines of z_ij = w_j.x_i for K features (see Trig), so 2K columns. With
// a_i = (1/K) sum_j cos(t_j - z_ij) it returns
//
//	f = (1/n) sum_i exp(-r_i a_i)
//
// and sets grad, of K elements, to df/dt_j = (1/n) sum_i r_i exp(-r_i a_i) (1/K) sin(t_j - z_ij),
// whose product with W is the gradient in x. One pass over p, which needs no trigonometry, since cos(t - z) = cos t cos
// z + sin t sin z.
func (p *Packed) LandmarkLoss(t, r, grad []float64) float64 {
	k := len(t)
	sameLength("Packed.LandmarkLoss", "cos and sin of t", 2*k, "the matrix", p.d)
	sameLength("Packed.LandmarkLoss", "grad", len(grad), "t", k)
	sameLength("Packed.LandmarkLoss", "r", len(r), "the matrix", p.n)
	mem := scratch(4 * k)
	defer pool.Put(mem)
	v, g := (*mem)[:2*k], (*mem)[2*k:]
	SinCos(v[k:], v[:k], t)
	for j := range v {
		v[j] /= float64(k)
	}
	f := mean(expLinear(p.data, p.n, p.d, v, r, g), g, p.n)
	for j := range grad {
		grad[j] = float64(v[j]*g[k+j]) - float64(v[k+j]*g[j])
	}
	return f
}

// PairLosses sets losses[j] to the loss of feature j alone at the angles t of a landmark,
//
//	f_j = (1/n) sum_i exp(-r_i cos(t_j - z_ij)),
//
// where p holds [C S] as for LandmarkLoss.
func (p *Packed) PairLosses(t, r, losses []float64) {
	k := len(t)
	sameLength("Packed.PairLosses", "cos and sin of t", 2*k, "the matrix", p.d)
	sameLength("Packed.PairLosses", "r", len(r), "the matrix", p.n)
	sameLength("Packed.PairLosses", "losses", len(losses), "t", k)
	mem := scratch(2 * k)
	defer pool.Put(mem)
	c, s := (*mem)[:k], (*mem)[k:]
	SinCos(s, c, t)
	expPairs(p.data, p.n, k, c, s, r, losses)
	mean(0, losses, p.n)
}

// ExpShiftLoss returns (1/n) sum_i exp(-r_i cos(z_i - b)) from the cosines c and
// sines s of z: the line search over GBRFF2's phase b needs one exponential an example.
func ExpShiftLoss(r, c, s []float64, b float64) float64 {
	equalLengths("ExpShiftLoss", len(r), c, s)
	sb, cb := sinCosRef(b)
	return expShift(r, c, s, cb, sb) / float64(len(r))
}

// Reweight is a boosting step with the exponential loss: score += alpha h,
// w = exp(-y score), and r = y w. It returns the sum of w.
// y holds the labels -1 and +1.
func Reweight(score, w, r, y, h []float64, alpha float64) float64 {
	equalLengths("Reweight", len(score), w, r, y, h)
	return reweight(score, w, r, y, h, alpha)
}

// MarginSums returns sum_i (1 + y_i h_i) w_i and sum_i (1 - y_i h_i) w_i. Half the
// logarithm of their ratio is the boosting coefficient alpha of h.
func MarginSums(y, h, w []float64) (plus, minus float64) {
	equalLengths("MarginSums", len(y), h, w)
	return margins(y, h, w)
}

// mean divides f and the elements of g by n.
func mean(f float64, g []float64, n int) float64 {
	for i := range g {
		g[i] /= float64(n)
	}
	return f / float64(n)
}
