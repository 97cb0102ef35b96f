package kernel

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/lbfgs"
)

// firstSteps are taken with the pivots of the start, the others with pivots for where these lead.
const firstSteps = 5

// find takes L-BFGS steps on the partial error, beyond checkedRows. A rank is enough if twice the rank gives nearly the same error, and at the start the same
// gradient; otherwise it is doubled, to mostLOORank at most. That is checked where pivots are chosen and, for the error, at the end; if the rank is not
// enough there, the last steps are taken anew. What is not enough in the end is warned of, with the relative difference of the two errors.
func (p *partialLOO) find(theta, y []float64, steps int) (gamma, alpha []float64, err error) {
	p.y = y
	worst, short := 0.0, steps <= firstSteps
	for stretch, steps := range []int{min(firstSteps, steps), steps - firstSteps} {
		if steps <= 0 {
			continue
		}
		off, err := p.descend(theta, steps, stretch == 0, short || stretch == 1)
		if err != nil {
			return nil, nil, err
		}
		worst = max(worst, off)
	}
	if worst > nearError && p.warn != nil {
		p.warn(len(p.pivots), worst)
	}
	p.release() // it would be in memory beside the regression's
	alpha, err = p.regression(theta)
	return p.gamma, alpha, err
}

// descend takes steps and returns how far the error is from one of twice the rank, at the beginning or, of the last steps, at the end: where it is farther.
func (p *partialLOO) descend(theta []float64, steps int, first, last bool) (float64, error) {
	start := slices.Clone(theta)
	for least := leastLOORank; ; {
		e, slope, off, err := p.enoughPivots(theta, least, first)
		if err != nil {
			return 0, err
		}
		descent := lbfgs.Minimizer{MaxIter: steps, RelTol: looGain}
		descent.Minimize(theta, from(e, slope, p.value))
		if p.err != nil {
			return 0, p.err
		}
		if !last {
			return off, nil
		}
		at, err := p.offTwice(theta, p.errorAlone(theta))
		if err != nil {
			return 0, err
		}
		rank, most := len(p.pivots), mostLOORank(p.n)
		if at <= nearError || rank == most || rank < least {
			return max(off, at), nil
		}
		least = min(2*rank, most)
		copy(theta, start)
	}
}

// enoughPivots chooses pivots at theta and returns the error and the gradient there, and how far the error is from one of twice the rank.
func (p *partialLOO) enoughPivots(theta []float64, least int, withSlope bool) (e float64, slope []float64, off float64, err error) {
	most := mostLOORank(p.n)
	if err := p.choose(theta, least, most); err != nil {
		return 0, nil, 0, err
	}
	slope = make([]float64, len(theta))
	e = p.value(theta, slope)
	for p.err == nil {
		pivots, twice, aside := p.pivots, make([]float64, len(theta)), 0.0
		if err := p.double(theta); err != nil {
			return 0, nil, 0, err
		}
		reference := 0.0
		if withSlope && len(pivots) < most {
			reference = p.value(theta, twice)
			aside = slopeOff(reference, twice, slope)
		} else {
			reference = p.errorAlone(theta)
		}
		off = apart(e, reference)
		if off <= nearError && aside <= nearSlope || len(p.pivots) == len(pivots) || len(pivots) == most {
			p.pivots = pivots
			break
		}
		p.pivots = p.pivots[:min(len(p.pivots), most)]
		if len(p.pivots) < most && withSlope {
			e, slope = reference, twice
		} else {
			e = p.value(theta, slope)
		}
	}
	p.release()
	return e, slope, off, p.err
}

// offTwice returns how far e is from the error of twice the rank, with the pivots chosen at theta.
func (p *partialLOO) offTwice(theta []float64, e float64) (float64, error) {
	pivots := p.pivots
	if err := p.double(theta); err != nil {
		return 0, err
	}
	off := apart(e, p.errorAlone(theta))
	p.pivots = pivots
	p.release()
	return off, p.err
}

// double chooses twice as many pivots at theta.
func (p *partialLOO) double(theta []float64) error {
	return p.pick(theta, min(2*len(p.pivots), p.n), func(cholesky.End) bool { return false })
}

// apart is the difference of two errors relative to the second; of errors that are no numbers it is 1.
func apart(e, reference float64) float64 {
	off := math.Abs(e-reference) / reference
	if math.IsNaN(off) || math.IsInf(off, 0) {
		return 1
	}
	return off
}

// regression solves ridge regression at theta with the whole kernel.
func (p *partialLOO) regression(theta []float64) ([]float64, error) {
	p.bandwidths(theta)
	o, err := newOperator(p.ctx, p.x, p.d, p.gamma, false, p.n <= keptRows)
	if err != nil {
		return nil, err
	}
	c := float64(float64(p.n) * p.lambda)
	partial, err := cholesky.NewPartial(p.ctx, o.diagonal(), o.rows, func(end cholesky.End) bool { return enoughRank(end, c, 1) }, mostRank(p.n))
	if err != nil {
		return nil, err
	}
	s, err := launch(p.ctx, o, partial.V, squareLoss{y: p.y}, 0, c, make([]float64, len(partial.V)))
	if err != nil {
		return nil, err
	}
	if err := products(p.ctx, o, []*solution{s}); err != nil {
		return nil, err
	}
	return s.alpha, s.err
}
