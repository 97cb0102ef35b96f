package vmath

// ExpCosLoss is the objective of GBRFF2 (Gautheron et al. 2020, Algorithm 3) without
// its penalty. For z_i = w.x_i - b over the rows x_i of p and residuals r it returns
//
//	f = (1/n) sum_i exp(-r_i cos z_i)
//
// and sets grad, of Cols elements, to df/dw = (1/n) sum_i x_i r_i sin(z_i) exp(-r_i cos z_i),
// and cosines[i] to cos z_i unless cosines is nil. One pass over p.
func (p *Packed) ExpCosLoss(w []float64, b float64, r, cosines, grad []float64) float64 {
	sameLength("Packed.ExpCosLoss", "w", len(w), "the matrix", p.d)
	sameLength("Packed.ExpCosLoss", "r", len(r), "the matrix", p.n)
	sameLength("Packed.ExpCosLoss", "grad", len(grad), "the matrix", p.d)
	if cosines != nil {
		sameLength("Packed.ExpCosLoss", "cosines", len(cosines), "the matrix", p.n)
	}
	f := expCos(p.data, p.n, p.d, w, b, r, cosines, grad)
	return mean(f, grad, p.n)
}

// ExpLinearLoss returns the exponential loss of the linear scores a_i = v.x_i,
//
//	f = (1/n) sum_i exp(-r_i a_i),
//
// sets grad, of Cols elements, to df/dv = -(1/n) sum_i x_i r_i exp(-r_i a_i), and
// scores[i] to a_i unless scores is nil. One pass over p.
func (p *Packed) ExpLinearLoss(v, r, scores, grad []float64) float64 {
	p.linearLengths("Packed.ExpLinearLoss", v, r, scores, grad)
	f := expLinear(p.data, p.n, p.d, v, r, scores, grad)
	return mean(f, grad, p.n)
}

// SquareLinearLoss is like ExpLinearLoss, for the square loss f = (1/n) sum_i (r_i - a_i)^2 with
// df/dv = -(2/n) sum_i x_i (r_i - a_i).
func (p *Packed) SquareLinearLoss(v, r, scores, grad []float64) float64 {
	p.linearLengths("Packed.SquareLinearLoss", v, r, scores, grad)
	f := squareLinear(p.data, p.n, p.d, v, r, scores, grad)
	return mean(f, grad, p.n)
}

func (p *Packed) linearLengths(f string, v, r, scores, grad []float64) {
	sameLength(f, "v", len(v), "the matrix", p.d)
	sameLength(f, "r", len(r), "the matrix", p.n)
	sameLength(f, "grad", len(grad), "the matrix", p.d)
	if scores != nil {
		sameLength(f, "scores", len(scores), "the matrix", p.n)
	}
}

// LandmarkLoss is the objective of GBRFF1's landmark search (Gautheron et al. 2020,
// Algorithm 2) in the angles t_j = w_j.x of a landmark x. p holds [C S], the cosines and
// sines of z_ij = w_j.x_i for K features (see Trig), so 2K columns. With
// a_i = (1/K) sum_j cos(t_j - z_ij) it returns
//
//	f = (1/n) sum_i exp(-r_i a_i)
//
// and sets grad, of K elements, to df/dt_j = (1/n) sum_i r_i exp(-r_i a_i) (1/K) sin(t_j - z_ij),
// whose product with W is the gradient in x; scores[i] becomes a_i unless scores is nil.
// The passes over examples need no trigonometry: cos(t - z) = cos t cos z + sin t sin z.
func (p *Packed) LandmarkLoss(t, r, scores, grad []float64) float64 {
	return p.landmarkLoss(t, r, scores, grad, (*Packed).ExpLinearLoss)
}

// LandmarkSquareLoss is LandmarkLoss for the least-squares objective of GBRFF (Gautheron
// et al. 2019), f = (1/n) sum_i (r_i - a_i)^2.
func (p *Packed) LandmarkSquareLoss(t, r, scores, grad []float64) float64 {
	return p.landmarkLoss(t, r, scores, grad, (*Packed).SquareLinearLoss)
}

// landmarkLoss evaluates a loss of linear scores at v = [cos t, sin t]/K and applies the chain rule.
func (p *Packed) landmarkLoss(t, r, scores, grad []float64, loss func(p *Packed, v, r, scores, grad []float64) float64) float64 {
	k := len(t)
	sameLength("Packed landmark loss", "cos and sin of t", 2*k, "the matrix", p.d)
	sameLength("Packed landmark loss", "grad", len(grad), "t", k)
	mem := scratch(4 * k)
	defer pool.Put(mem)
	v, g := (*mem)[:2*k], (*mem)[2*k:]
	SinCos(v[k:], v[:k], t)
	for j := range v {
		v[j] /= float64(k)
	}
	f := loss(p, v, r, scores, g)
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
func (p *Packed) PairLosses(t, r, losses []float64) { p.pairLosses(t, r, losses, expPairs) }

// PairSquareLosses is PairLosses for the square loss, f_j = (1/n) sum_i (r_i - cos(t_j - z_ij))^2.
func (p *Packed) PairSquareLosses(t, r, losses []float64) { p.pairLosses(t, r, losses, squarePairs) }

func (p *Packed) pairLosses(t, r, losses []float64, kernel func(x []float64, n, m int, cu, su, r, losses []float64)) {
	k := len(t)
	sameLength("Packed pair losses", "cos and sin of t", 2*k, "the matrix", p.d)
	sameLength("Packed pair losses", "r", len(r), "the matrix", p.n)
	sameLength("Packed pair losses", "losses", len(losses), "t", k)
	mem := scratch(2 * k)
	defer pool.Put(mem)
	c, s := (*mem)[:k], (*mem)[k:]
	SinCos(s, c, t)
	kernel(p.data, p.n, k, c, s, r, losses)
	mean(0, losses, p.n)
}

// ExpShiftLoss returns (1/n) sum_i exp(-r_i cos(z_i - b)) from the cosines c and
// sines s of z: the line search over GBRFF2's phase b needs one exponential an example.
func ExpShiftLoss(r, c, s []float64, b float64) float64 {
	sameLength("ExpShiftLoss", "c", len(c), "r", len(r))
	sameLength("ExpShiftLoss", "s", len(s), "r", len(r))
	sb, cb := sinCosRef(b)
	return expShift(r, c, s, cb, sb) / float64(len(r))
}

// Reweight is a boosting step with the exponential loss: score += alpha h,
// w = exp(-y score), and r = y w unless r is nil. It returns the sum of w.
// y holds the labels -1 and +1.
func Reweight(score, w, r, y, h []float64, alpha float64) float64 {
	sameLength("Reweight", "w", len(w), "score", len(score))
	sameLength("Reweight", "y", len(y), "score", len(score))
	sameLength("Reweight", "h", len(h), "score", len(score))
	if r != nil {
		sameLength("Reweight", "r", len(r), "score", len(score))
	}
	return reweight(score, w, r, y, h, alpha)
}

// MarginSums returns sum_i (1 + y_i h_i) w_i and sum_i (1 - y_i h_i) w_i. Half the
// logarithm of their ratio is the boosting coefficient alpha of h.
func MarginSums(y, h, w []float64) (plus, minus float64) {
	sameLength("MarginSums", "h", len(h), "y", len(y))
	sameLength("MarginSums", "w", len(w), "y", len(y))
	return margins(y, h, w)
}

// mean divides f and the elements of g by n.
func mean(f float64, g []float64, n int) float64 {
	for i := range g {
		g[i] /= float64(n)
	}
	return f / float64(n)
}
