package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A Problem is a training set, prepared for any number of solutions. It is not safe
// for concurrent use.
type Problem struct {
	n, d     int
	x        []float64     // n x d, row-major
	packed   *vmath.Packed // of x, or nil where a copy would take too much memory
	positive int           // labels +1
	square   float64       // mean |x_i|^2

	c     float64
	sigma float64 // penalty of the augmented Lagrangian
	w     []float64
	b     float64
	vmath.Hinge
	sums    vmath.HingeSums
	free    []int // examples with 0 < next < C
	gradW   []float64
	gradB   float64
	dir     []float64 // d: Newton direction in w
	moved   []int     // examples whose multiplier the last move changed
	changes []float64 // y_i times the changes of the multipliers of moved
	sumW    []float64 // d: sum_i y_i next_i x_i
	scratch []float64 // n
	system
	newtons int // Newton steps in all
	stale   int // Newton steps since refresh
}

// A Solution is an optimal classifier x -> w.x + b.
type Solution struct {
	W         []float64 // d
	B         float64   // the middle of its optimal interval where b is not unique
	Objective float64   // P(W, B)
	Gap       float64   // bound on Objective minus the minimum, from a feasible dual point
	Steps     int       // Newton steps
}

// A solution has a relative duality gap, Gap / Objective, of at most Target. Where rounding does not allow this, a gap
// of at most Tolerance counts as solved, too.
const (
	Target    = 1e-9
	Tolerance = 1e-6
)

const (
	// maxSteps is the default limit of Newton steps. PBRFF and GFC take a few to 150.
	maxSteps = 5000
	// After patience consecutive bounds that each lower the gap by less than half, Solve takes the gap for rounding.
	patience = 6
	// After hopeless such bounds, Solve ends with a gap above Tolerance.
	hopeless = 30
	// rounding times C n is the rounding error of an objective. For separable examples that is a large part of the
	// objective.
	rounding = 0x1p-50
)

// New prepares n examples of d features (row-major, kept and not changed) with labels -1
// and +1. Both labels must occur: otherwise every large |b| is optimal.
func New(x []float64, n, d int, y []float64) (*Problem, error) {
	positive := 0
	for _, v := range y {
		if v > 0 {
			positive++
		}
	}
	if positive == 0 || positive == n {
		return nil, fmt.Errorf("linear SVM: all %d labels are %+g: two classes are needed", n, y[0])
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("linear SVM: feature %d of row %d is %v: features must be finite", i%d, i/d, v)
		}
	}
	square := vmath.Dot(x, x) / float64(n)
	perRow := func() []float64 { return make([]float64, n) }
	perFeature := func() []float64 { return make([]float64, d) }
	var packed *vmath.Packed
	if n*d <= fitting.Few {
		packed = vmath.Pack(x, n, d)
	}
	return &Problem{
		n: n, d: d, x: x, positive: positive, square: square, packed: packed,
		w: perFeature(), gradW: perFeature(), dir: perFeature(), sumW: perFeature(),
		Hinge: vmath.Hinge{
			Y: y, Slack: perRow(), Change: perRow(), Alpha: perRow(), Next: perRow(), Turned: perRow(),
			Free: make([]uint8, (n+7)/8), Moved: make([]uint8, (n+7)/8),
		},
		scratch: perRow(),
		system:  system{gram: make([]float64, size(d+1)*size(d+1)), inGram: make([]uint8, (n+7)/8)},
	}, nil
}

// Memory returns the bytes that a problem and its solutions take, the examples apart.
func Memory(n, d int) int64 {
	e, packed := size(d+1), 0
	if n*d <= fitting.Few {
		packed = vmath.PackedBytes(n, d)
	}
	return int64(packed) + 8*int64(12*n+5*e*(e+8)+128*e)
}

// rowsAtOnce is how many rows are multiplied at a time, so that they stay in the cache.
const rowsAtOnce = 128

// multiply sets dst to the products of the examples with v.
func (p *Problem) multiply(dst, v []float64) {
	if p.packed != nil {
		p.packed.MatVec(dst, v)
		return
	}
	for lo := 0; lo < p.n; lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, p.n)
		vmath.MatMulT(dst[lo:hi], v, 1, p.d, p.x[lo*p.d:hi*p.d], hi-lo)
	}
}

// combine sets dst to the sum of the examples times c.
func (p *Problem) combine(dst, c []float64) {
	if p.packed != nil {
		p.packed.MatTVec(dst, c)
		return
	}
	vmath.MatTVec(dst, p.x, p.n, p.d, c)
}

// In the first stage sigma is C / firstWidth, or mostMove / (firstWidth mean |x_i|^2) if that is less. So a multiplier
// crosses [0, C] while its slack crosses an interval of length firstWidth. From stage to stage sigma grows by one of
// three factors. Faster growth and slower growth both cost more Newton steps in all.
const (
	firstWidth = 3.0
	// mostMove bounds sigma where examples are separable and C is large: the multipliers then stay far below C.
	mostMove = 1000.0
	// settledGrowth is the factor after a stage of at most one Newton step, when the free examples hardly change any
	// more.
	settledGrowth = 6.0
	// fastGrowth is the factor after a stage of at most fewSteps Newton steps.
	fastGrowth = 2.5
	fewSteps   = 3
	// slowGrowth is the factor after every other stage.
	slowGrowth = 1.7
)

// Solve returns the solution for a finite C > 0 by the algorithm of the package comment, from w = 0 and alpha = 0,
// after at most limit Newton steps (0 means a limit far beyond what solvable problems take). It is an error if ctx is
// done. A caller warns of a Gap above Tolerance times the Objective.
//
// promise is the duality gap if w and b fitted the multipliers exactly. The true gap is computed after a stage whose
// promise is at the target or makes no progress.
func (p *Problem) Solve(ctx context.Context, c float64, limit int) (Solution, error) {
	if limit <= 0 {
		limit = maxSteps
	}
	p.b = 0
	clear(p.w)
	clear(p.Alpha)
	p.c, p.sigma, p.newtons, p.free = c, min(c, mostMove/p.square)/firstWidth, 0, p.free[:0]
	clear(p.Change)
	clear(p.gram)
	clear(p.inGram)
	p.refresh()
	cert := certificate{best: p.solution(), bound: math.Inf(-1)}
	cert.best.Gap = math.Inf(1)
	objective := cert.best.Objective // at the end of a stage
	promised, largest := math.Inf(1), math.Inf(1)
	for {
		before := p.newtons
		solvable, err := p.minimize(ctx, limit, float64(1e-3*Target*objective)+float64(rounding*c*float64(p.n)))
		if err != nil {
			return Solution{}, err
		}
		steps, spent := p.newtons-before, p.newtons >= limit
		objective = vmath.Dot(p.w, p.w)/2 + float64(c*p.sums.Loss)
		promise := float64(c*p.sums.Loss) - p.sums.Product
		stuck := !(promise < promised) || steps <= 1 && !(promise <= promised/2)
		if spent || stuck || promise <= Target*objective {
			p.certify(&cert)
			relative := cert.best.Gap / cert.best.Objective
			if relative <= Target || relative <= Tolerance && cert.idle >= patience || spent || cert.idle >= hopeless {
				cert.best.Steps = p.newtons
				return cert.best, nil
			}
		}
		promised = promise
		copy(p.Alpha, p.Next)
		if !solvable { // 1/sigma is smaller than the rounding of the products of rows: keep sigma smaller from now on
			largest = p.sigma / settledGrowth
		}
		p.sigma = min(p.sigma*growth(steps), largest)
	}
}

// growth is the factor of sigma after a stage of the given number of Newton steps.
func growth(steps int) float64 {
	switch {
	case steps <= 1:
		return settledGrowth
	case steps <= fewSteps:
		return fastGrowth
	}
	return slowGrowth
}

// A certificate is the best point found so far with its duality gap.
type certificate struct {
	best  Solution
	bound float64 // the best dual value
	idle  int     // consecutive bounds that each lowered the gap by less than half
}

// certify updates the certificate with the current point and multipliers, after it has computed the slacks from w and b
// again.
func (p *Problem) certify(cert *certificate) {
	p.refresh()
	p.move(0)
	cert.bound = max(cert.bound, p.dual())
	gap := cert.best.Gap
	if s := p.solution(); s.Objective < cert.best.Objective {
		cert.best = s
	}
	cert.best.Gap = max(0, cert.best.Objective-cert.bound)
	if cert.idle++; cert.best.Gap < gap/2 {
		cert.idle = 0
	}
}

// refresh computes the slacks from w and b again and clears the multipliers and sumW, since rounding errors add up over
// the updates of move. The caller must call move(0) next, or minimize, which calls it.
func (p *Problem) refresh() {
	p.multiply(p.Slack, p.w)
	vmath.Signed(p.Slack, p.Y, p.b)
	for i, v := range p.Slack {
		p.Slack[i] = 1 - v
	}
	clear(p.Next)
	clear(p.sumW)
	p.stale = 0
}

// dual moves the next multipliers to sum_i a_i y_i = 0 and returns D there. It moves only the free multipliers if they
// have enough room, since the Lagrangian D(a) - b sum_i a_i y_i is flat in a free multiplier.
func (p *Problem) dual() float64 {
	room := func(i int) float64 { // how far a_i can move in the direction that makes gradB smaller
		if p.Y[i]*p.gradB < 0 {
			return p.Next[i]
		}
		return p.c - p.Next[i]
	}
	total := 0.0
	for _, i := range p.free {
		total += room(i)
	}
	onlyFree := total >= math.Abs(p.gradB)
	if !onlyFree {
		total = 0
		for i := range p.Next {
			total += room(i)
		}
	}
	share := 0.0
	if total > 0 {
		share = p.gradB / total
	}
	sum := 0.0
	for i, a := range p.Next {
		if !onlyFree || a > 0 && a < p.c {
			a += float64(p.Y[i] * room(i) * share)
		}
		sum += a
		p.scratch[i] = p.Y[i] * a
	}
	p.combine(p.dir, p.scratch)
	return sum - vmath.Dot(p.dir, p.dir)/2
}

// solution returns w with the middle of the optimal interval of b. For fixed w, P is piecewise linear in b. Its slope
// is -C times the number of positive labels at minus infinity, and rises by C at each y_i - w.x_i.
//
// Where the examples can be separated and C is large, tiny slacks times C can be most of P. So solution enlarges w and
// b until no slack is left, if this lowers P.
func (p *Problem) solution() Solution {
	kinks := p.scratch
	for i, y := range p.Y {
		kinks[i] = p.b + float64(y*p.Slack[i])
	}
	low, high := neighbours(kinks, p.positive-1)
	b := low/2 + high/2
	hinge, worst := 0.0, 0.0
	for i, y := range p.Y {
		t := max(0, p.Slack[i]-float64(y*(b-p.b)))
		hinge += t
		worst = max(worst, t)
	}
	s := Solution{W: slices.Clone(p.w), B: b}
	square := vmath.Dot(p.w, p.w)
	s.Objective = float64(p.c*hinge) + square/2
	if enlarge := 1 / (1 - worst - 0x1p-50); worst < 0.5 && square*enlarge*enlarge/2 < s.Objective {
		floats.Scale(enlarge, s.W)
		s.B *= enlarge
		s.Objective = square * enlarge * enlarge / 2
	}
	return s
}

// neighbours returns the elements k and k + 1 of v in sorted order. It rearranges v.
func neighbours(v []float64, k int) (low, high float64) {
	for from, to := 0, len(v); ; { // the k-th is within [from, to)
		if to-from <= 12 {
			slices.Sort(v[from:to])
			break
		}
		a, b, c := v[from], v[from+(to-from)/2], v[to-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := from, to-1
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch { // v[from..j] <= pivot <= v[i..to), and elements between j and i equal the pivot
		case k <= j:
			to = j + 1
		case k >= i:
			from = i
		default:
			from, to = k, k+1
		}
	}
	return v[k], slices.Min(v[k+1:])
}
