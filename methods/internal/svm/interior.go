package svm

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The primal-dual interior point.
//
// Problem: the package's dual with beta = a - a*, a and a* >= 0, which is a quadratic programme with bounds. z stacks
// the variables a_i and a*_i that are not fixed at 0, with signs s, costs c and upper bounds u. The matrix S adds up
// the variables of each example with their signs, so that beta = S z:
//
//	min over z  1/2 z'S'K S z + c'z    subject to  s'z = 0,  0 <= z <= u
//
// Symbols: lo and hi are the multipliers of z >= 0 and z <= u, and y is the multiplier of s'z = 0; the machine's bias
// is -y. The KKT conditions are
//
//	S'K S z + c - y s - lo + hi = 0,   s'z = 0,   z_k lo_k = 0,   (u_k - z_k) hi_k = 0.
//
// The duality measure mu is the mean of the products z_k lo_k and (u_k - z_k) hi_k. The residual of a point is the left
// side of the first equation.
//
// Algorithm: Newton's method on the KKT conditions with Mehrotra's predictor and corrector (Wright, Primal-Dual
// Interior-Point Methods, 1997, chapter 10). It follows the central path, on which all products equal mu, as mu goes to
// zero. Eliminating lo, hi and y leaves systems with the matrix S'K S + 1/theta, theta = 1 / (lo/z + hi/(u-z)). These
// are reduced to the n x n matrix 1 + D K with D = S theta S' (systems.go). Where K has low rank, they are reduced to
// the size of the rank (lowrank.go). mixture.go extends the method to a sum of kernels whose weights are learned.
//
// Stopping rule: the caller's, on mu and the largest element of the residual. The method also stops where rounding
// leaves no step.

// An interior is one run of the interior point.
type interior struct {
	n, m    int       // examples, variables
	of      []int     // of each variable: its example
	twin    []int     // of each variable: the other variable of its example, or -1
	s, c, u []float64 // m
	z       []float64 // m
	lo, hi  []float64 // m
	y       float64
	mix     *mixture
	system  system

	beta, fit []float64 // n: S z and K beta
	rhs       []float64 // m: minus the residual
	theta     []float64 // m
	weight    []float64 // n: the diagonal of D

	tlo, thi []float64 // m: the targets of the products z lo and (u-z) hi
	dz       []float64 // m: the Newton direction of z
	dlo, dhi []float64 // m: the Newton directions of lo and hi
	q        []float64 // m: (S'K S + 1/theta)^-1 s

	load, v, kv []float64 // n: workspace of apply

	largest  float64 // of u
	careful  bool    // see beCareful
	typical  float64 // mean of u
	lowest   float64 // the lowest mu so far, as stalls notes it
	stagnant int     // steps since lowest fell by a tenth
}

const (
	// startShare is where z starts, as a share of u.
	startShare = 0.5
	// toBound is the share of the way to the nearest bound that a step takes at most (Wright, chapter 10).
	toBound = 0.995
)

func newInterior(p Problem, mix *mixture, room *scratch) *interior {
	in := &interior{n: len(p.Target), mix: mix}
	for i, target := range p.Target {
		first := len(in.of)
		for _, sign := range []float64{1, -1} {
			u := p.Upper[i]
			if sign < 0 {
				u = -p.Lower[i]
			}
			if u > 0 {
				in.of = append(in.of, i)
				in.s, in.u, in.c = append(in.s, sign), append(in.u, u), append(in.c, p.Epsilon-sign*target)
				in.twin = append(in.twin, -1)
			}
		}
		if len(in.of) == first+2 {
			in.twin[first], in.twin[first+1] = first+1, first
		}
	}
	in.m = len(in.of)
	for _, a := range []*[]float64{&in.z, &in.lo, &in.hi, &in.theta, &in.rhs, &in.dz, &in.q, &in.dlo, &in.dhi, &in.tlo,
		&in.thi} {
		*a = room.take(in.m)
	}
	for _, a := range []*[]float64{&in.beta, &in.fit, &in.weight, &in.load, &in.v, &in.kv} {
		*a = room.take(in.n)
	}
	in.system = newSystem(mix, room)
	for k, u := range in.u {
		in.z[k], in.lo[k], in.hi[k] = u*startShare, 1, 1
		in.largest = max(in.largest, u)
	}
	return in
}

// run follows the central path until done returns true, rounding stops it, or it has taken limit steps. done gets mu
// and the largest element of the residual.
func (in *interior) run(ctx context.Context, limit int, done func(mu, worst float64) bool) error {
	for range limit {
		if err := ctx.Err(); err != nil {
			return err
		}
		mu := 0.0
		for k, z := range in.z {
			mu += float64(z*in.lo[k]) + float64((in.u[k]-z)*in.hi[k])
		}
		mu = (mu + in.mix.products(0)) / float64(2*in.m+in.mix.learned())
		worst, err := in.residual(ctx)
		if err != nil {
			return err
		}
		if done(mu, worst) {
			return nil
		}
		moved, err := in.newton(ctx, mu, worst)
		if err != nil && !errors.Is(err, solve.ErrNotPositive) {
			return err
		}
		if err != nil || !moved || math.IsNaN(in.y) {
			return nil
		}
	}
	return nil
}

// residual sets beta and K beta, sets rhs to minus the residual, and returns the size of the residual's largest
// element.
func (in *interior) residual(ctx context.Context) (float64, error) {
	in.fold(in.beta, in.z)
	if err := in.mix.evaluate(ctx, in.fit, in.beta); err != nil {
		return 0, err
	}
	worst := 0.0
	for k, i := range in.of {
		in.rhs[k] = -(in.s[k]*(in.fit[i]-in.y) + in.c[k] - in.lo[k] + in.hi[k])
		worst = max(worst, math.Abs(in.rhs[k]))
	}
	return worst, nil
}

// fold writes S x.
func (in *interior) fold(dst, x []float64) {
	clear(dst)
	for k, i := range in.of {
		dst[i] += in.s[k] * x[k]
	}
}

// newton takes one step from the residual in rhs, or reports that rounding allows none.
func (in *interior) newton(ctx context.Context, mu, worst float64) (bool, error) {
	sum, err := in.factor(ctx)
	if err != nil {
		return false, err
	}
	if _, err := in.direction(ctx, sum); err != nil {
		return false, err
	}
	in.setCorrector(mu, worst)
	dy, err := in.direction(ctx, sum)
	if err != nil {
		return false, err
	}
	step := in.longest(toBound)
	if in.careful {
		if step, err = in.mix.limitCurvature(ctx, step, worst, in.v); err != nil {
			return false, err
		}
	}
	for k := range in.z {
		in.z[k] += float64(step * in.dz[k])
		in.lo[k] += float64(step * in.dlo[k])
		in.hi[k] += float64(step * in.dhi[k])
	}
	in.mix.move(step)
	in.y += float64(step * dy)
	return step > 0, nil
}

// factor factors the system at the current point, sets q, and sets the predictor's targets to zero. It returns s'z.
func (in *interior) factor(ctx context.Context) (sum float64, err error) {
	clear(in.weight)
	for k, z := range in.z {
		in.theta[k] = 1 / (in.lo[k]/z + in.hi[k]/(in.u[k]-z))
		in.weight[in.of[k]] += in.theta[k]
		sum += in.s[k] * z
		in.tlo[k], in.thi[k] = 0, 0
	}
	in.mix.setTargets(0)
	if err := in.system.prepare(ctx, in.weight); err != nil {
		return 0, err
	}
	return sum, in.apply(ctx, in.q, in.s)
}

// setCorrector sets the corrector's targets from the predictor's direction: mu (after/mu)^3 minus the predictor's
// second order terms, where after is the mu after the longest step along the predictor.
func (in *interior) setCorrector(mu, worst float64) {
	step := in.longest(1)
	after := in.mix.products(step)
	for k, z := range in.z {
		z, d := z+float64(step*in.dz[k]), in.dz[k]
		after += float64(z*(in.lo[k]+float64(step*in.dlo[k]))) + float64((in.u[k]-z)*(in.hi[k]+float64(step*in.dhi[k])))
		in.tlo[k], in.thi[k] = -d*in.dlo[k], d*in.dhi[k]
	}
	after /= float64(2*in.m + in.mix.learned())
	ratio := after / mu
	target := float64(mu * float64(ratio*float64(ratio*ratio)))
	in.mix.setCorrectedTargets(target)
	if in.careful {
		if low := min(mu, tied*worst*in.typical); target < low || in.stalls(mu) {
			target = max(centred*mu, low)
			clear(in.tlo)
			clear(in.thi)
			in.mix.setTargets(target)
		}
	}
	for k := range in.z {
		in.tlo[k] += target
		in.thi[k] += target
	}
}

// Mehrotra's corrector can cycle or lose the central path. Where it does, a careful path replaces it by a direction
// back to the central path. A careful path also bounds the second order terms of a step (mixture.limitCurvature). It
// takes about 2.5 times as long.
const (
	// stagnantSteps is the number of steps without a fall of mu by a tenth after which the corrector is replaced.
	stagnantSteps = 5
	// centred is the share of mu that the replacement aims for.
	centred = 0.3
	// tied times the largest element of the residual and the typical bound is the least target of a product. If the
	// products vanish before the residual does, the path stops.
	tied = 1e-2
	// denseRows is the largest n for which a careful path always factors n x n matrices. This is more accurate where
	// many rows are equal.
	denseRows = 2500
)

// stalls reports whether mu has stopped falling.
func (in *interior) stalls(mu float64) bool {
	if in.stagnant++; in.lowest == 0 || mu < 0.9*in.lowest {
		in.lowest, in.stagnant = mu, 0
	}
	return in.stagnant > stagnantSteps
}

// beCareful makes the path a careful one.
func (in *interior) beCareful(room *scratch) {
	in.careful = true
	in.typical = vmath.Sum(in.u) / float64(in.m)
	if _, low := in.system.(*lowRank); low && in.n <= denseRows {
		in.system = newDense(in.mix, room)
	}
}

// direction sets dz, dlo and dhi to the Newton direction for z lo = tlo and (u-z) hi = thi, and returns the direction
// of y. sum is s'z.
func (in *interior) direction(ctx context.Context, sum float64) (float64, error) {
	side := in.mix.rightSide()
	for k, z := range in.z {
		in.dhi[k] = in.rhs[k] + (in.tlo[k]/z - in.lo[k]) - (in.thi[k]/(in.u[k]-z) - in.hi[k])
		if side != nil {
			in.dhi[k] -= in.s[k] * side[in.of[k]]
		}
	}
	if err := in.apply(ctx, in.dz, in.dhi); err != nil {
		return 0, err
	}
	num, den := -sum, 0.0
	for k, s := range in.s {
		num -= s * in.dz[k]
		den += s * in.q[k]
	}
	dy := num / den
	for k, z := range in.z {
		w := in.u[k] - z
		d := in.dz[k] + float64(dy*in.q[k])
		in.dz[k] = d
		in.dlo[k] = in.tlo[k]/z - in.lo[k] - float64(in.lo[k]/z*d)
		in.dhi[k] = in.thi[k]/w - in.hi[k] + float64(in.hi[k]/w*d)
	}
	in.fold(in.v, in.dz)
	in.mix.setDirection(in.v)
	return dy, nil
}

// longest returns the step along the direction that takes the given share of the way to the nearest bound, at most 1.
func (in *interior) longest(share float64) float64 {
	step := in.mix.longest(share)
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

// apply writes (S'K S + 1/theta)^-1 x to dst. If v solves (1 + D K) v = S theta x, then dst = theta (x - S'K v) and S
// dst = v. Where an example has two variables, the variable with the larger theta is computed from v and the other one,
// which avoids cancellation.
func (in *interior) apply(ctx context.Context, dst, x []float64) error {
	clear(in.load)
	for k, i := range in.of {
		in.load[i] += float64(in.s[k] * in.theta[k] * x[k])
	}
	if err := in.system.solve(ctx, in.v, in.kv, in.load); err != nil {
		return err
	}
	for k, i := range in.of {
		twin := in.twin[k]
		if twin < 0 {
			dst[k] = in.s[k] * in.v[i]
			continue
		}
		small := in.theta[k] * (x[k] - in.s[k]*in.kv[i])
		if in.theta[k] > in.theta[twin] || (in.theta[k] == in.theta[twin] && twin > k) {
			other := float64(in.theta[twin] * (x[twin] - in.s[twin]*in.kv[i]))
			small = in.s[k]*in.v[i] + other // s_k (v - s_twin other), and the signs differ
		}
		dst[k] = small
	}
	return nil
}

// solution returns beta. It first moves a variable to a bound if the bound's multiplier is larger than the variable's
// share of the way to the bound.
func (in *interior) solution() []float64 {
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
