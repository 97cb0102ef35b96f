package solve

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"
)

// An Objective returns f(x) and writes the gradient at x to g. It keeps neither x nor g.
type Objective func(x, g []float64) float64

// An LBFGS minimises smooth functions by the limited-memory BFGS method.
//
// The problem is min f(x) over x in R^n. One call returns the value and the gradient g of f. An iteration is
//
//	p = -H g                      H: the inverse Hessian that the last m pairs
//	                              s = x' - x, y = g' - g describe (two loops)
//	x' = x + a p                  a: a step with the strong Wolfe conditions
//	                              f(x') <= f(x) + 1e-3 a g.p,  |g'.p| <= 0.9 |g.p|
//
// and the method stops when max|g_i| is at most gradTol, when one iteration
// reduces f by at most relTol max(|f(x)|, |f(x')|, 1), after MaxIter iterations, or when
// no step is found. Two-loop recursion: Nocedal and Wright, Numerical
// Optimization, Algorithm 7.4; the line search is in search.go.
//
// The boosting methods stop each inner problem after ten iterations, so the tenth iterate matters as much as the
// minimum. Therefore it follows L-BFGS-B 3.0 (Zhu, Byrd, Lu, Nocedal; Morales, Nocedal), the code behind SciPy's
// fmin_l_bfgs_b, on problems without bounds: its defaults, first trial steps, line search and restarts. Iterates agree
// up to rounding. One thing is added: if f or its slope is not finite at a trial point, the step is shortened.
//
// It keeps its workspace, so that the million small problems of a boosting run allocate nothing. The zero value has
// SciPy's defaults. It is not safe for concurrent use.
type LBFGS struct {
	MaxIter int // iterations; 0 means 15000

	pairs    [kept]pair // ring buffer: the latest pair is at index (stored-1) % kept
	stored   int        // pairs since the last restart
	g        []float64
	x0, g0   []float64 // start of the line search
	p        []float64 // search direction
	capacity int       // n that the workspace was made for
}

// A pair is one correction: s = x' - x, y = g' - g.
type pair struct {
	s, y   []float64
	sy     float64 // s.y
	gammaH float64 // s.y / y.y, the scale of the initial inverse Hessian
	coef   float64 // first-loop coefficient
}

// Status says why a run ended.
type Status uint8

const (
	GradientSmall  Status = iota + 1 // max|g_i| <= gradTol
	ReductionSmall                   // the last iteration reduced f by no more than relTol allows
	IterationLimit                   // MaxIter iterations done
	SearchFailed                     // no acceptable step even along -g; x is the best point known
)

// Result describes the end of a run.
type Result struct {
	F           float64 // f at the returned x
	Iterations  int
	Evaluations int // calls of the objective
	Status      Status
}

const (
	eps             = 0x1p-52
	defaultMaxIter  = 15000
	gradTol         = 1e-5
	relTol          = 1e7 * eps
	kept            = 10 // pairs
	maxSearchTrials = 20
)

// Minimize runs the method from x and leaves the last iterate in x. It allocates
// nothing if an earlier call had the same len(x).
func (m *LBFGS) Minimize(x []float64, objective Objective) Result {
	m.reserve(len(x))
	m.stored = 0
	r := Result{F: objective(x, m.g), Evaluations: 1}
	if m.gradientSmall() {
		r.Status = GradientSmall
		return r
	}
	for {
		previous := r.F
		if !m.iterate(x, objective, &r) {
			r.Status = SearchFailed
			return r
		}
		switch {
		case r.Iterations >= cmp.Or(m.MaxIter, defaultMaxIter):
			r.Status = IterationLimit
		case m.gradientSmall():
			r.Status = GradientSmall
		case previous-r.F <= relTol*max(math.Abs(previous), math.Abs(r.F), 1):
			r.Status = ReductionSmall
		default:
			continue
		}
		return r
	}
}

// iterate does one iteration: direction, line search, and the next pair. If the
// search fails it starts anew from the steepest descent, once; it returns false
// if that fails too.
func (m *LBFGS) iterate(x []float64, objective Objective, r *Result) bool {
	copy(m.x0, x)
	copy(m.g0, m.g)
	for {
		m.direction()
		first := 1.0
		if r.Iterations == 0 {
			first = min(1/Norm(m.p), maxStep)
		}
		slope0 := Dot(m.g0, m.p)
		f, step, slope, ok := m.lineSearch(x, objective, r, first, slope0)
		if ok {
			r.F = f
			r.Iterations++
			m.remember(step, slope0, slope)
			return true
		}
		copy(x, m.x0)
		copy(m.g, m.g0)
		if m.stored == 0 {
			return false
		}
		m.stored = 0
	}
}

// lineSearch moves x from x0 along p and leaves the gradient there in m.g. It
// returns f, the step and the slope along p at the new x.
func (m *LBFGS) lineSearch(x []float64, objective Objective, r *Result,
	step, slope0 float64) (f, a, slope float64, ok bool) {
	if !(slope0 < 0) {
		return 0, 0, 0, false
	}
	s := newSearch(r.F, slope0, step)
	for range maxSearchTrials {
		AddScaledTo(x, m.x0, step, m.p)
		f = objective(x, m.g)
		r.Evaluations++
		slope = Dot(m.g, m.p)
		next, done := s.next(trial{step, f, slope})
		if done {
			return f, step, slope, true
		}
		step = next
	}
	return 0, 0, 0, false
}

// direction sets p = -H g by the two loops over the stored pairs.
func (m *LBFGS) direction() {
	for i, g := range m.g {
		m.p[i] = -g
	}
	if m.stored == 0 {
		return
	}
	oldest := max(0, m.stored-kept)
	for k := m.stored - 1; k >= oldest; k-- {
		c := &m.pairs[k%kept]
		c.coef = Dot(c.s, m.p) / c.sy
		AddScaled(m.p, -c.coef, c.y)
	}
	floats.Scale(m.pairs[(m.stored-1)%kept].gammaH, m.p)
	for k := oldest; k < m.stored; k++ {
		c := &m.pairs[k%kept]
		AddScaled(m.p, c.coef-Dot(c.y, m.p)/c.sy, c.s)
	}
}

// remember stores the pair of the step just taken, unless its curvature s.y is
// not safely positive.
func (m *LBFGS) remember(step, slope0, slope float64) {
	sy := (slope - slope0) * step
	if sy <= eps*-slope0*step {
		return
	}
	c := &m.pairs[m.stored%kept]
	m.stored++
	floats.ScaleTo(c.s, step, m.p)
	floats.SubTo(c.y, m.g, m.g0)
	c.sy = sy
	c.gammaH = sy / Dot(c.y, c.y)
}

func (m *LBFGS) gradientSmall() bool {
	return MaxAbs(m.g) <= gradTol
}

// reserve makes the workspace for n variables.
func (m *LBFGS) reserve(n int) {
	if n == m.capacity {
		return
	}
	m.capacity = n
	backing := make([]float64, (4+2*kept)*n)
	take := func() []float64 {
		v := backing[:n:n]
		backing = backing[n:]
		return v
	}
	m.g, m.x0, m.g0, m.p = take(), take(), take(), take()
	for i := range m.pairs {
		m.pairs[i].s, m.pairs[i].y = take(), take()
	}
}
