package svm

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Two-variable steps crawl where the kernel has low rank and C is large: a linear SVR with C = 100 can take
// 10^7. An interior point has no such trouble, and low rank makes it cheap. Solve turns to it
// after interiorAfter n steps, once, if the kernel comes with a factor K = V V' (SetFactor), and goes on from
// where it ends, so that what Solve promises of the solution stays what it checks.
//
// With beta = a - a*, the signed rows of V as v_k, k = 1..m, and their costs and bounds:
//
//	min over z  1/2 |V'z|^2 + c'z    subject to  s'z = 0, 0 <= z <= u
//
// z, the multipliers lo, hi of its bounds and y of the equation follow the central path: Newton's method on the
// optimality conditions with Mehrotra's predictor and corrector, 0.995 of the way to the nearest bound (Wright,
// Primal-Dual Interior-Point Methods, 1997, chapter 10). The n x n system is reduced to one of the rank by Woodbury's
// formula (Fine and Scheinberg, JMLR 2001).
type interior struct {
	n, m, rank int
	vt         []float64 // rank x m: signed rows of V, turned
	of         []int     // of each variable: its example
	s, c, u    []float64
	z, lo, hi  []float64
	y          float64

	theta    []float64 // 1 / (lo/z + hi/(u-z))
	scaled   []float64 // rank x m: vt sqrt(theta)
	small    []float64 // rank x rank: I + scaled scaled', then its factor
	vz, t    []float64 // rank
	rhs      []float64
	dz, q    []float64
	dlo, dhi []float64
	tlo, thi []float64 // what the products of z lo and (u-z) hi are to be
}

const (
	interiorAfter = 30 // times n
	interiorSteps = 80
	interiorRank  = 4 // n must be so many times the rank
)

// SetFactor says that the matrix is V V', V being n x rank, row-major, up to rounding. Solve
// may use it; V must not change.
func (g *Gram[F]) SetFactor(v []float64, rank int) { g.factor, g.rank = v, rank }

func newInterior(p Problem, v []float64, rank int) *interior {
	in := &interior{n: len(p.Target), rank: rank}
	for i, target := range p.Target {
		for _, sign := range []float64{1, -1} {
			u := p.Upper[i]
			if sign < 0 {
				u = -p.Lower[i]
			}
			if u > 0 {
				in.of = append(in.of, i)
				in.s, in.u, in.c = append(in.s, sign), append(in.u, u), append(in.c, p.Epsilon-sign*target)
			}
		}
	}
	in.m = len(in.of)
	for _, a := range []*[]float64{&in.z, &in.lo, &in.hi, &in.theta, &in.rhs, &in.dz, &in.q, &in.dlo, &in.dhi, &in.tlo, &in.thi} {
		*a = make([]float64, in.m)
	}
	in.vt, in.scaled = make([]float64, rank*in.m), make([]float64, rank*in.m)
	in.small, in.vz, in.t = make([]float64, rank*rank), make([]float64, rank), make([]float64, rank)
	for k, i := range in.of {
		for r := range rank {
			in.vt[r*in.m+k] = in.s[k] * v[i*rank+r]
		}
		in.z[k], in.lo[k], in.hi[k] = in.u[k]/2, 1, 1
	}
	return in
}

// run follows the path and returns beta, or nil if rounding stops it early on.
func (in *interior) run(ctx context.Context, tol float64) ([]float64, error) {
	largest := 0.0
	for _, u := range in.u {
		largest = max(largest, u)
	}
	for range interiorSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mean := 0.0
		for k, z := range in.z {
			mean += (z*in.lo[k] + (in.u[k]-z)*in.hi[k]) / float64(2*in.m)
		}
		worst := in.residual()
		if mean <= 1e-7*tol*largest && worst <= 1e-3*tol {
			return in.beta(), nil
		}
		if !in.newton(mean) || math.IsNaN(in.y) {
			return nil, nil
		}
	}
	return in.beta(), nil
}

// residual sets rhs to minus the stationarity residual Qz + c - y s - lo + hi, and returns its largest size.
func (in *interior) residual() float64 {
	vmath.MatVec(in.vz, in.vt, in.rank, in.m, in.z)
	vmath.MatTVec(in.rhs, in.vt, in.rank, in.m, in.vz)
	worst := 0.0
	for k := range in.rhs {
		in.rhs[k] = -(in.rhs[k] + in.c[k] - in.y*in.s[k] - in.lo[k] + in.hi[k])
		worst = max(worst, math.Abs(in.rhs[k]))
	}
	return worst
}

// newton takes one step from the residual in rhs, or reports that rounding allows none: first the direction to
// z lo = (u-z) hi = 0, then, with the same factor, the one that corrects its curvature and aims for as much of the mean as
// the first would leave.
func (in *interior) newton(mean float64) bool {
	sum := 0.0
	for k, z := range in.z {
		in.theta[k] = 1 / (in.lo[k]/z + in.hi[k]/(in.u[k]-z))
		in.q[k] = math.Sqrt(in.theta[k])
		sum += in.s[k] * z
		in.tlo[k], in.thi[k] = 0, 0
	}
	for r := range in.rank {
		for k, v := range in.vt[r*in.m : (r+1)*in.m] {
			in.scaled[r*in.m+k] = v * in.q[k]
		}
	}
	vmath.Gram(in.small, in.scaled, in.rank, in.m)
	for r := range in.rank {
		in.small[r*in.rank+r]++
	}
	if !cholesky(in.small, in.rank) {
		return false
	}
	in.apply(in.q, in.s)
	in.direction(sum)
	step, left := in.longest(1), 0.0
	for k, z := range in.z {
		z, d := z+step*in.dz[k], in.dz[k]
		left += (z*(in.lo[k]+step*in.dlo[k]) + (in.u[k]-z)*(in.hi[k]+step*in.dhi[k])) / float64(2*in.m)
		in.tlo[k], in.thi[k] = -d*in.dlo[k], d*in.dhi[k]
	}
	aim := mean * math.Pow(left/mean, 3)
	for k := range in.z {
		in.tlo[k] += aim
		in.thi[k] += aim
	}
	dy := in.direction(sum)
	step = in.longest(0.995)
	for k := range in.z {
		in.z[k] += step * in.dz[k]
		in.lo[k] += step * in.dlo[k]
		in.hi[k] += step * in.dhi[k]
	}
	in.y += step * dy
	return step > 0
}

// direction sets dz, dlo and dhi to the Newton direction for z lo = tlo, (u-z) hi = thi, sum being s'z, and
// returns that of y.
func (in *interior) direction(sum float64) float64 {
	for k, z := range in.z {
		in.dhi[k] = in.rhs[k] + (in.tlo[k]/z - in.lo[k]) - (in.thi[k]/(in.u[k]-z) - in.hi[k])
	}
	in.apply(in.dz, in.dhi)
	num, den := -sum, 0.0
	for k, s := range in.s {
		num -= s * in.dz[k]
		den += s * in.q[k]
	}
	dy := num / den
	for k, z := range in.z {
		w := in.u[k] - z
		d := in.dz[k] + dy*in.q[k]
		in.dz[k] = d
		in.dlo[k] = in.tlo[k]/z - in.lo[k] - in.lo[k]/z*d
		in.dhi[k] = in.thi[k]/w - in.hi[k] + in.hi[k]/w*d
	}
	return dy
}

// longest returns the given share of the way to the nearest bound, at most 1.
func (in *interior) longest(share float64) float64 {
	step := 1.0
	for k, d := range in.dz {
		if d < 0 {
			step = min(step, -share*in.z[k]/d)
		} else if d > 0 {
			step = min(step, share*(in.u[k]-in.z[k])/d)
		}
		if in.dlo[k] < 0 {
			step = min(step, -share*in.lo[k]/in.dlo[k])
		}
		if in.dhi[k] < 0 {
			step = min(step, -share*in.hi[k]/in.dhi[k])
		}
	}
	return step
}

// apply writes (Q + 1/theta)^-1 x to dst.
func (in *interior) apply(dst, x []float64) {
	for k, v := range x {
		dst[k] = in.theta[k] * v
	}
	vmath.MatVec(in.t, in.vt, in.rank, in.m, dst)
	choleskySolve(in.small, in.rank, in.t)
	back := in.scaled[:in.m] // rebuilt by the next step
	vmath.MatTVec(back, in.vt, in.rank, in.m, in.t)
	for k := range dst {
		dst[k] -= in.theta[k] * back[k]
	}
}

// beta puts the variables that their multipliers hold at a bound there.
func (in *interior) beta() []float64 {
	beta := make([]float64, in.n)
	for k, z := range in.z {
		u := in.u[k]
		switch {
		case z < u*in.lo[k]:
			z = 0
		case u-z < u*in.hi[k]:
			z = u
		}
		beta[in.of[k]] += in.s[k] * z
	}
	return beta
}

// cholesky factors the n x n matrix a in place, lower triangle.
func cholesky(a []float64, n int) bool {
	for j := range n {
		for i := j; i < n; i++ {
			v := a[i*n+j]
			for q := range j {
				v -= a[i*n+q] * a[j*n+q]
			}
			if i > j {
				a[i*n+j] = v / a[j*n+j]
				continue
			}
			if !(v > 0) || math.IsInf(v, 0) {
				return false
			}
			a[j*n+j] = math.Sqrt(v)
		}
	}
	return true
}

func choleskySolve(l []float64, n int, b []float64) {
	for i := range n {
		for q := range i {
			b[i] -= l[i*n+q] * b[q]
		}
		b[i] /= l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for q := i + 1; q < n; q++ {
			b[i] -= l[q*n+i] * b[q]
		}
		b[i] /= l[i*n+i]
	}
}
