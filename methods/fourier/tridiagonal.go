package fourier

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A tridiagonal is a symmetric positive semidefinite matrix A = Q T Q', Q orthogonal and T with three diagonals: in the basis of Q's
// columns, systems with A + mu I take time in proportion to their order for every mu.
type tridiagonal struct {
	n         int
	diag, off []float64 // of T: off[i] stands at (i, i+1)
	q         []float64 // n x n
	most      float64   // at least the largest eigenvalue

	ratio, inverse []float64 // of a factorisation: L's part below the diagonal, one over D
	line           []float64
}

// newTridiagonal reduces a (n x n), of which nothing is left, by Householder's reflections (Golub and Van Loan, Matrix Computations,
// Algorithm 8.3.1).
func newTridiagonal(ctx context.Context, a []float64, n int) (*tridiagonal, error) {
	t := &tridiagonal{n: n, diag: make([]float64, n), off: make([]float64, n), q: make([]float64, n*n),
		ratio: make([]float64, n), inverse: make([]float64, n), line: make([]float64, n)}
	betas, p := make([]float64, n), make([]float64, n)
	for k := range n - 2 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := n - k - 1
		v := a[k*n+k+1 : (k+1)*n] // the row right of the diagonal, replaced by the reflection
		betas[k], t.off[k] = reflection(v)
		if betas[k] == 0 {
			continue
		}
		w := p[:m]
		for i := range m {
			w[i] = betas[k] * vmath.Dot(a[(k+1+i)*n+k+1:(k+2+i)*n], v)
		}
		vmath.Axpy(-betas[k]/2*vmath.Dot(w, v), v, w)
		for i := range m {
			row := a[(k+1+i)*n+k+1 : (k+2+i)*n]
			vmath.Axpy(-v[i], w, row)
			vmath.Axpy(-w[i], v, row)
		}
	}
	if n > 1 {
		t.off[n-2] = a[(n-2)*n+n-1]
	}
	for i := range n {
		t.diag[i] = a[i*n+i]
		t.q[i*n+i] = 1
	}
	for k := n - 3; k >= 0; k-- { // Q = H_0 H_1 .., from the last one on
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, m := a[k*n+k+1:(k+1)*n], n-k-1
		w := p[:m]
		clear(w)
		for i := range m {
			vmath.Axpy(v[i], t.q[(k+1+i)*n+k+1:(k+2+i)*n], w)
		}
		for i := range m {
			vmath.Axpy(-betas[k]*v[i], w, t.q[(k+1+i)*n+k+1:(k+2+i)*n])
		}
	}
	for i := range n {
		reach := math.Abs(t.off[i])
		if i > 0 {
			reach += math.Abs(t.off[i-1])
		}
		t.most = max(t.most, t.diag[i]+reach) // Gershgorin
	}
	return t, nil
}

// reflection replaces x by the v of the reflection I - beta v v' that turns x to (alpha, 0, .., 0), v_0 not being scaled.
func reflection(x []float64) (beta, alpha float64) {
	rest := vmath.Dot(x[1:], x[1:])
	if rest == 0 {
		return 0, x[0]
	}
	alpha = -math.Copysign(math.Sqrt(float64(x[0]*x[0])+rest), x[0])
	x[0] -= alpha
	return 2 / (float64(x[0]*x[0]) + rest), alpha
}

// solve writes (kappa T + mu I)^-1 q to s, mu > 0, and returns |s| and the derivative of |s| in mu.
func (t *tridiagonal) solve(s, q []float64, kappa, mu float64) (norm, slope float64) {
	n := t.n
	before, link := 0.0, 0.0 // of the line above: its z, and kappa off over its pivot
	for i := range n {
		pivot := float64(kappa*t.diag[i]) + mu
		if i > 0 {
			below := kappa * t.off[i-1]
			link = below * t.inverse[i-1]
			pivot -= float64(link * below)
		}
		// No pivot of a semidefinite matrix is less than what is added to its diagonal, but for rounding.
		t.inverse[i], t.ratio[i] = 1/max(pivot, mu), link
		before = q[i] - float64(link*before)
		s[i] = before
	}
	square := 0.0
	for i := n - 1; i >= 0; i-- {
		v := float64(s[i] * t.inverse[i])
		if i < n-1 {
			v -= float64(t.ratio[i+1] * s[i+1])
		}
		s[i] = v
		square += float64(s[i] * s[i])
	}
	norm = math.Sqrt(square)
	before = 0
	for i, v := range s { // s' A^-1 s from the first half of a solution
		before = v - float64(t.ratio[i]*before)
		slope -= float64(float64(before*before) * t.inverse[i])
	}
	return norm, slope / norm
}

// shrink solves the group lasso of one block in the basis of T,
//
//	u = argmin  kappa/2 u'T u - q.u + lam |u|,
//
// q not being kept. It is zero where |q| <= lam; elsewhere u = (kappa T + mu I)^-1 q at the mu = lam/|u|, the one positive root of
// 1/|u(mu)| - mu/lam. That function is concave, so that Newton's steps go down to the root from any point beyond it; others are held in
// an interval that shrinks. warm is where the search starts, and the root afterwards.
func (t *tridiagonal) shrink(u, q []float64, kappa, lam float64, warm *float64) {
	size := norm(q)
	if !(size > lam) {
		clear(u)
		return
	}
	low, high := 0.0, lam*kappa*t.most/(size-lam)
	mu := *warm
	if !(mu > 0 && mu < high) {
		mu = high
	}
	for range 100 {
		norm, slope := t.solve(u, q, kappa, mu)
		f := 1/norm - mu/lam
		if f > 0 {
			low = mu
		} else {
			high = mu
		}
		next := mu - f/(-slope/float64(norm*norm)-1/lam)
		if !(next > low && next < high) {
			next = math.Sqrt(low) * math.Sqrt(high)
			if low == 0 {
				next = high / 16
			}
		}
		done := math.Abs(next-mu) <= 1e-8*mu // Newton's next step would be the square of this one
		mu = next
		if done {
			break
		}
	}
	t.solve(u, q, kappa, mu)
	*warm = mu
}
