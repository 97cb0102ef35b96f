package fourier

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// solveWide is solve of a = X'X, where X = diag(root) Psi has fewer rows than columns. A change is delta_j = alpha_j u_j + eta_j with u_j = w_j/|w_j|
// and eta_j orthogonal to it, on which M_j is 1/|w_j|. With x_j = X_j u_j, and X~_j = (|w_j|/lambda)^1/2 X_j (I - u_j u_j'), the change z of X w solves
//
//	S z = sum_j alpha_j x_j - b,   S = I + sum_j X~_j X~_j',   b = sum_j (|w_j|/lambda)^1/2 X~_j r_j,
//
// alpha what remains, x_j.z = -u_j.r_j, and eta_j = -(|w_j|/lambda)^1/2 X~_j'z - (|w_j|/lambda) (r_j - (u_j.r_j) u_j).
func (s *smoothPart) solveWide(ctx context.Context, psi, root, r []float64) ([]float64, error) {
	count, n := len(s.which), len(root)
	tilde, lines, along := s.orthogonal(psi, root, r)
	m := make([]float64, n*n)
	err := frame.Blocks(ctx, s.columns, rowsAtOnce, func(from, to int) {
		gramAdd(ctx, m, transposed(tilde[from*n:to*n], to-from, n), n, to-from)
	})
	if err != nil {
		return nil, err
	}
	vmath.Mirror(m, n)
	for i := range n {
		m[i*n+i]++
	}
	f := cholesky.New(n)
	if err := f.Factor(ctx, m); err != nil {
		return nil, ctx.Err()
	}
	solved := append([]float64(nil), lines...) // S^-1 of each
	for i := range count + 1 {
		if err := f.Solve(ctx, m, solved[i*n:(i+1)*n]); err != nil {
			return nil, err
		}
	}
	z := solved[count*n:]
	products, alpha := make([]float64, count*count), make([]float64, count)
	vmath.MatMulT(products, lines[:count*n], count, n, solved[:count*n], count)
	for i := range alpha {
		alpha[i] = vmath.Dot(lines[i*n:(i+1)*n], z) - along[i]
	}
	few := cholesky.New(count)
	if err := few.Factor(ctx, products); err != nil {
		return nil, ctx.Err()
	}
	if err := few.Solve(ctx, products, alpha); err != nil {
		return nil, err
	}
	scaleAll(-1, z)
	for i, v := range alpha {
		vmath.Axpy(v, solved[i*n:(i+1)*n], z)
	}
	delta, at := make([]float64, s.columns), 0
	vmath.MatVec(delta, tilde, s.columns, n, z)
	for i, j := range s.which {
		w := s.part(s.w, j)
		size := norm(w)
		scale := math.Sqrt(size / s.lambda)
		for k, v := range w {
			eta := -float64(scale*delta[at+k]) - float64(scale*scale*(r[at+k]-float64(along[i]*v)/size))
			delta[at+k] = float64(alpha[i]*v)/size + eta
		}
		at += len(w)
	}
	return delta, ctx.Err()
}

// orthogonal returns the columns of all X~_j; the x_j and after them b, a line of n each; and the u_j.r_j.
func (s *smoothPart) orthogonal(psi, root, r []float64) (tilde, lines, along []float64) {
	n := len(root)
	tilde, lines = make([]float64, s.columns*n), make([]float64, (len(s.which)+1)*n)
	b, at := lines[len(s.which)*n:], 0
	for i, j := range s.which {
		u := append([]float64(nil), s.part(s.w, j)...)
		d, size := len(u), norm(u)
		scaleAll(1/size, u)
		own, columns := lines[i*n:(i+1)*n], psi[s.at[j]*n:(s.at[j]+d)*n]
		vmath.MatTVec(own, columns, d, n, u)
		along = append(along, vmath.Dot(u, r[at:at+d]))
		scale := math.Sqrt(size / s.lambda)
		for k := range d {
			line := tilde[(at+k)*n : (at+k+1)*n]
			for i, v := range columns[k*n : (k+1)*n] {
				line[i] = float64(scale*root[i]) * (v - float64(u[k]*own[i]))
			}
			vmath.Axpy(scale*r[at+k], line, b) // what r_j has along u_j, X~_j makes zero
		}
		for i, v := range root {
			own[i] *= v
		}
		at += d
	}
	return tilde, lines, along
}
