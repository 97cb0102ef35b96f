package svm

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Two-variable steps crawl where the kernel matrix is nearly singular and C is large: a linear SVR with C = 100 can take
// 10^8. An interior point has no such trouble. Solve turns to it when the steps have cost what it would, and goes on from
// where it ends, so that what Solve promises of the solution stays what it checks; Mix, which learns the weights of
// several kernels, has nothing else.
//
// With beta = a - a*, S the matrix that adds up variables with their signs, beta = S z, and the variables' costs and bounds:
//
//	min over z  1/2 z'S'K S z + c'z    subject to  s'z = 0, 0 <= z <= u
//
// z, the multipliers lo, hi of its bounds and y of the equation follow the central path: Newton's method on the
// optimality conditions with Mehrotra's predictor and corrector, 0.995 of the way to the nearest bound (Wright,
// Primal-Dual Interior-Point Methods, 1997, chapter 10). The systems, of the matrix S'K S + 1/theta, are reduced to
// K + 1/D with D = S theta S', n x n (systems.go), and where K has low rank to one of the rank (lowrank.go).
type interior struct {
	n, m    int
	of      []int // of each variable: its example
	s, c, u []float64
	z       []float64
	lo, hi  []float64
	y       float64
	mix     *mixture
	system  system

	beta, bias  []float64 // n: S z; and K beta, the machine less its bias
	theta       []float64 // 1 / (lo/z + hi/(u-z))
	weight      []float64 // n: D
	load, v, kv []float64 // n
	rhs         []float64
	dz, q       []float64
	dlo, dhi    []float64
	tlo, thi    []float64 // what the products of z lo and (u-z) hi are to be
	twin        []int     // of each variable: the other one of its example, or -1
	largest     float64

	careful bool    // whether steps that bring nothing are replaced
	typical float64 // mean of u
	lowest  float64 // mean of the products so far
	idle    int     // steps since it fell by a tenth
}

// The most Newton steps: of Solve's interior points, which take 20 to 40; of Mix, which takes up to 150 on 14,000 rows, since
// its start is near the lower bounds.
const (
	interiorSteps = 80
	mixSteps      = 400
)

func newInterior(p Problem, mix *mixture, start float64, room *scratch) *interior {
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
	for _, a := range []*[]float64{&in.z, &in.lo, &in.hi, &in.theta, &in.rhs, &in.dz, &in.q, &in.dlo, &in.dhi, &in.tlo, &in.thi} {
		*a = room.take(in.m)
	}
	for _, a := range []*[]float64{&in.beta, &in.bias, &in.weight, &in.load, &in.v, &in.kv} {
		*a = room.take(in.n)
	}
	in.system = newSystem(mix, room)
	for k, u := range in.u {
		in.z[k], in.lo[k], in.hi[k] = u*start, 1, 1
		in.largest = max(in.largest, u)
	}
	return in
}

// run follows the path until done says so or rounding stops it, at most limit steps.
func (in *interior) run(ctx context.Context, limit int, done func(mean, worst float64) bool) error {
	for range limit {
		if err := ctx.Err(); err != nil {
			return err
		}
		mean := 0.0
		for k, z := range in.z {
			mean += float64(z*in.lo[k]) + float64((in.u[k]-z)*in.hi[k])
		}
		mean = (mean + in.mix.products()) / float64(2*in.m+in.mix.learned())
		worst, err := in.residual(ctx)
		if err != nil {
			return err
		}
		if done(mean, worst) {
			return nil
		}
		moved, err := in.newton(ctx, mean, worst)
		if err != nil && !errors.Is(err, cholesky.ErrNotPositive) {
			return err
		}
		if err != nil || !moved || math.IsNaN(in.y) {
			return nil
		}
	}
	return nil
}

// residual sets beta, K beta and rhs, to minus the stationarity residual S'K beta + c - y s - lo + hi, and returns its largest size.
func (in *interior) residual(ctx context.Context) (float64, error) {
	in.fold(in.beta, in.z)
	if err := in.mix.evaluate(ctx, in.bias, in.beta); err != nil {
		return 0, err
	}
	worst := 0.0
	for k, i := range in.of {
		in.rhs[k] = -(in.s[k]*(in.bias[i]-in.y) + in.c[k] - in.lo[k] + in.hi[k])
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

// newton takes one step from the residual in rhs, or reports that rounding allows none: first the direction to
// z lo = (u-z) hi = 0, then, with the same factor, the one that corrects its curvature and aims for as much of the mean as
// the first would leave.
func (in *interior) newton(ctx context.Context, mean, worst float64) (bool, error) {
	sum := 0.0
	clear(in.weight)
	for k, z := range in.z {
		in.theta[k] = 1 / (in.lo[k]/z + in.hi[k]/(in.u[k]-z))
		in.weight[in.of[k]] += in.theta[k]
		sum += in.s[k] * z
		in.tlo[k], in.thi[k] = 0, 0
	}
	in.mix.aim(0)
	if err := in.system.prepare(ctx, in.mix, in.weight); err != nil {
		return false, err
	}
	if err := in.apply(ctx, in.q, in.s); err != nil {
		return false, err
	}
	if _, err := in.direction(ctx, sum); err != nil {
		return false, err
	}
	step := in.longest(1)
	left := in.mix.productsAfter(step)
	for k, z := range in.z {
		z, d := z+float64(step*in.dz[k]), in.dz[k]
		left += float64(z*(in.lo[k]+float64(step*in.dlo[k]))) + float64((in.u[k]-z)*(in.hi[k]+float64(step*in.dhi[k])))
		in.tlo[k], in.thi[k] = -d*in.dlo[k], d*in.dhi[k]
	}
	left /= float64(2*in.m + in.mix.learned())
	rest := left / mean
	aim := float64(mean * float64(rest*float64(rest*rest)))
	in.mix.correct(aim)
	if in.careful {
		if low := min(mean, tied*worst*in.typical); aim < low || in.stalls(mean) {
			aim = max(centred*mean, low)
			clear(in.tlo)
			clear(in.thi)
			in.mix.aim(aim)
		}
	}
	for k := range in.z {
		in.tlo[k] += aim
		in.thi[k] += aim
	}
	dy, err := in.direction(ctx, sum)
	if err != nil {
		return false, err
	}
	step = in.longest(0.995)
	if in.careful {
		if step, err = in.mix.straight(ctx, step, worst, in.v); err != nil {
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

// A careful path leaves Mehrotra's predictor and corrector, which can cycle or lose the centre, and aims for the share centred
// of the mean of the products, after idleSteps steps in which that did not fall by a tenth, and where it would fall below tied times
// the residual times the typical bound: products that vanish before the residual does stop the path. Its
// steps are kept short enough for what is not linear (see straight).
const (
	idleSteps = 5
	centred   = 0.3
	tied      = 1e-2
)

func (in *interior) stalls(mean float64) bool {
	if in.idle++; in.lowest == 0 || mean < 0.9*in.lowest {
		in.lowest, in.idle = mean, 0
	}
	return in.idle > idleSteps
}

// denseRows is the largest n for which a careful path factors n x n matrices whatever the rank, which is more accurate where many
// rows are equal.
const denseRows = 2500

func (in *interior) beCareful(room *scratch) {
	in.careful = true
	in.typical = vmath.Sum(in.u) / float64(in.m)
	if s, low := in.system.(*lowRank); low && in.n <= denseRows {
		in.system = newDense(in.mix, s.rank, room)
	}
}

// direction sets dz, dlo and dhi to the Newton direction for z lo = tlo, (u-z) hi = thi, sum being s'z, and
// returns that of y.
func (in *interior) direction(ctx context.Context, sum float64) (float64, error) {
	pull := in.mix.pull()
	for k, z := range in.z {
		in.dhi[k] = in.rhs[k] + (in.tlo[k]/z - in.lo[k]) - (in.thi[k]/(in.u[k]-z) - in.hi[k])
		if pull != nil {
			in.dhi[k] -= in.s[k] * pull[in.of[k]]
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
	in.mix.follow(in.v)
	return dy, nil
}

// longest returns the given share of the way to the nearest bound, at most 1.
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

// apply writes (S'K S + 1/theta)^-1 x to dst. With b = S theta x and v the solution of (1 + D K) v = b it is
// theta (x - S'K v), of which S is v: that gives the larger variable of an example without cancellation.
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

// solution puts the variables that their multipliers hold at a bound there, and returns beta.
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
