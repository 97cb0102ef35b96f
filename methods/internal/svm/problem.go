package svm

import (
	"fmt"
	"math"
	"slices"
)

// Problem is the dual problem of the package comment for n examples. Target, Lower and Upper have length
// n, Lower <= 0 <= Upper.
type Problem struct {
	Target       []float64
	Lower, Upper []float64
	Epsilon      float64 // half-width of the tube; 0 for classification
}

// Classification returns the problem of a C-SVC with labels y in {-1,+1} and cost c[i] of example
// i, or c[0] of all.
func Classification(y []float64, c ...float64) Problem {
	p := Problem{Target: y, Lower: make([]float64, len(y)), Upper: make([]float64, len(y))}
	for i, v := range y {
		if cost := c[i%len(c)]; v > 0 {
			p.Upper[i] = cost
		} else {
			p.Lower[i] = -cost
		}
	}
	return p
}

// Regression returns the problem of an epsilon-SVR with targets y and cost c[i] of example i, or
// c[0] of all.
func Regression(y []float64, epsilon float64, c ...float64) Problem {
	p := Problem{Target: y, Lower: make([]float64, len(y)), Upper: make([]float64, len(y)), Epsilon: epsilon}
	for i := range y {
		p.Upper[i] = c[i%len(c)]
		p.Lower[i] = -p.Upper[i]
	}
	return p
}

func (p Problem) check(n int) error {
	if len(p.Target) != n || len(p.Lower) != n || len(p.Upper) != n {
		return fmt.Errorf("svm: %d targets, %d lower and %d upper bounds for a kernel of %d examples", len(p.Target),
			len(p.Lower), len(p.Upper), n)
	}
	if n == 0 {
		return fmt.Errorf("svm: no examples")
	}
	if !(p.Epsilon >= 0 && p.Epsilon < math.Inf(1)) {
		return fmt.Errorf("svm: epsilon is %v, not a finite number >= 0", p.Epsilon)
	}
	for i, t := range p.Target {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fmt.Errorf("svm: target %d is %v", i, t)
		}
		if !(p.Lower[i] <= 0 && p.Upper[i] >= 0 && p.Upper[i]-p.Lower[i] < math.Inf(1)) {
			return fmt.Errorf("svm: example %d has bounds %v and %v; a finite lower <= 0 <= upper is needed", i,
				p.Lower[i], p.Upper[i])
		}
	}
	return nil
}

// Solution is a point of the dual and its machine. The zero value, given to
// Solve, is a cold start.
type Solution struct {
	Beta      []float64 // dual variables
	Fit       []float64 // K Beta: the machine on its training examples, less the bias
	Bias      float64
	Objective float64 // of the dual, minimised: <= 0
	Gap       float64 // by which the most violating pair violates the KKT conditions
	Steps     int     // SMO steps of the last Solve
	Capped    bool    // MaxSteps or rounding ended Solve before the gap was below the tolerance

	exact  bool      // Beta is an interior point's: Fit is computed from the kernel's factor
	change []float64 // by which Beta has changed since Fit was K Beta; nil if it has not
}

// prepare makes s a feasible start for p. It puts Beta into the bounds, then moves elements in their order until the
// sum is zero.
func (s *Solution) prepare(p Problem) {
	n := len(p.Target)
	if len(s.Beta) != n {
		*s = Solution{Beta: make([]float64, n), Fit: make([]float64, n)}
		return
	}
	known, sum, size := len(s.Fit) == n, 0.0, 0.0
	for i, b := range s.Beta {
		c := max(p.Lower[i], min(p.Upper[i], b))
		if c != c { // not a number
			c, known = 0, false
		}
		s.set(i, c)
		sum += c
		size += math.Abs(c)
	}
	if math.Abs(sum) > 1e-12*size {
		for i, b := range s.Beta {
			s.set(i, max(p.Lower[i], min(p.Upper[i], b-sum)))
			if sum -= b - s.Beta[i]; sum == 0 {
				break
			}
		}
	}
	if !known {
		s.Fit, s.change = make([]float64, n), slices.Clone(s.Beta)
	}
}

// set changes element i of Beta to b. A change by rounding alone leaves Fit as it is.
func (s *Solution) set(i int, b float64) {
	by := b - s.Beta[i]
	s.Beta[i] = b
	if math.Abs(by) <= 1e-15*math.Abs(b) {
		return
	}
	if s.change == nil {
		s.change = make([]float64, len(s.Beta))
	}
	s.change[i] += by
}

// Scale multiplies each Beta[i] by the factor by[i] >= 0, for a warm start with other costs. It multiplies Fit by the
// least factor. So the next Solve reads only those rows of the kernel whose factor is larger.
func (s *Solution) Scale(by []float64) {
	least := slices.Min(by)
	for i, b := range s.Beta {
		s.Fit[i] *= least
		s.Beta[i] = float64(least * b)
		s.set(i, float64(by[i]*b))
	}
}

// tubeSlopes returns the one-sided derivatives of epsilon |b|: for a move of b upwards, and for one downwards.
func tubeSlopes(b, epsilon float64) (up, down float64) {
	up, down = epsilon, epsilon
	if b < 0 {
		up = -epsilon
	}
	if b <= 0 {
		down = -epsilon
	}
	return up, down
}

// finish sets Objective, Gap and Bias from Beta and Fit.
func (s *Solution) finish(p Problem) {
	minUp, maxDown := math.Inf(1), math.Inf(-1)
	sum, free, value := 0.0, 0, 0.0
	for i, b := range s.Beta {
		g := s.Fit[i] - p.Target[i]
		value += float64(0.5*b*(g-p.Target[i])) + float64(p.Epsilon*math.Abs(b))
		up, down := tubeSlopes(b, p.Epsilon)
		if b < p.Upper[i] {
			minUp = min(minUp, g+up)
		}
		if b > p.Lower[i] {
			maxDown = max(maxDown, g+down)
		}
		if b > p.Lower[i] && b < p.Upper[i] && up == down {
			sum += g + up
			free++
		}
	}
	s.Objective, s.Gap = value, max(0, maxDown-minUp)
	switch {
	case free > 0:
		s.Bias = -sum / float64(free)
	case math.IsInf(minUp, 0) && math.IsInf(maxDown, 0):
		s.Bias = 0 // every bound is zero
	case math.IsInf(minUp, 0): // only moves down are possible: one class
		s.Bias = -maxDown
	case math.IsInf(maxDown, 0):
		s.Bias = -minUp
	default:
		s.Bias = -(minUp + maxDown) / 2
	}
}
