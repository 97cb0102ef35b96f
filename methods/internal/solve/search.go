package solve

import "math"

// The line search of Moré and Thuente, Line search algorithms with guaranteed
// sufficient decrease, ACM TOMS 20 (1994) 286-307, with the constants and the
// safeguards of MINPACK-2's dcsrch and dcstep. Along the direction p let
// phi(a) = f(x + a p). A step a is accepted when
//
//	phi(a) <= phi(0) + decrease a phi'(0)  and  |phi'(a)| <= curvature |phi'(0)|.
//
// The search keeps the best step so far (low) and, once a minimiser is enclosed,
// the other end of the interval (high), and picks the next trial from cubic and
// quadratic interpolants of the two. As long as no trial has both a sufficient
// decrease and phi' >= 0 it works on psi(a) = phi(a) - decrease a phi'(0).
const (
	decrease  = 1e-3
	curvature = 0.9
	relWidth  = 0.1 // an enclosing interval narrower than relWidth times its end is accepted
	maxStep   = 1e10
	extendMin = 1.1 // limits of a step beyond the best one, in units of the last move
	extendMax = 4.0
	shrink    = 0.66 // if two trials leave more than this share of the interval, the interval is halved
)

// A trial is a step a with phi(a) and phi'(a).
type trial struct{ a, f, slope float64 }

type search struct {
	start      trial // at a = 0
	low, high  trial
	bracketed  bool
	onPhi      bool    // working on phi, no longer on psi
	least, top float64 // limits of the next trial
	width      float64 // widths of the interval, now and one trial earlier
	widthOld   float64
}

// newSearch begins a search at phi(0) = f0, phi'(0) = slope0 < 0 whose first
// trial will be step.
func newSearch(f0, slope0, step float64) search {
	start := trial{0, f0, slope0}
	return search{
		start: start, low: start, high: start,
		top:   step + extendMax*step,
		width: maxStep, widthOld: 2 * maxStep,
	}
}

// next takes the outcome of a trial and returns the next step, or done if the
// trial is accepted or no further progress can be made beyond it.
func (s *search) next(t trial) (step float64, done bool) {
	if !finite(t.f) || !finite(t.slope) {
		return s.low.a + (t.a-s.low.a)/2, false
	}
	slopeTest := float64(decrease * s.start.slope)
	fTest := s.start.f + float64(t.a*slopeTest)
	if !s.onPhi && t.f <= fTest && t.slope >= 0 {
		s.onPhi = true
	}
	if s.finished(t, fTest, slopeTest) {
		return t.a, true
	}
	if !s.onPhi && t.f <= s.low.f && t.f > fTest {
		s.tilt(-slopeTest)
		step = s.interpolate(trial{t.a, t.f - float64(t.a*slopeTest), t.slope - slopeTest})
		s.tilt(slopeTest)
	} else {
		step = s.interpolate(t)
	}
	return s.safeguard(step), false
}

// finished reports whether t is accepted or the interval has become too narrow.
func (s *search) finished(t trial, fTest, slopeTest float64) bool {
	switch {
	case t.f <= fTest && math.Abs(t.slope) <= curvature*-s.start.slope:
		return true
	case s.bracketed && (t.a <= s.least || t.a >= s.top):
		return true
	case s.bracketed && s.top-s.least <= relWidth*s.top:
		return true
	case t.a == maxStep && t.f <= fTest && t.slope <= slopeTest:
		return true
	case t.a == 0 && (t.f > fTest || t.slope >= slopeTest):
		return true
	}
	return false
}

// tilt adds the line a*slope to both ends of the interval: it turns phi into psi
// and back.
func (s *search) tilt(slope float64) {
	for _, t := range []*trial{&s.low, &s.high} {
		t.f += float64(t.a * slope)
		t.slope += slope
	}
}

// safeguard halves an interval that shrinks too slowly and sets the limits of the
// trial after this one.
func (s *search) safeguard(step float64) float64 {
	if s.bracketed {
		if math.Abs(s.high.a-s.low.a) >= shrink*s.widthOld {
			step = s.low.a + (s.high.a-s.low.a)/2
		}
		s.widthOld, s.width = s.width, math.Abs(s.high.a-s.low.a)
		s.least, s.top = min(s.low.a, s.high.a), max(s.low.a, s.high.a)
	} else {
		s.least = step + float64(extendMin*(step-s.low.a))
		s.top = step + extendMax*(step-s.low.a)
	}
	step = min(max(step, 0), maxStep)
	if s.bracketed && (step <= s.least || step >= s.top || s.top-s.least <= relWidth*s.top) {
		step = s.low.a
	}
	return step
}

// interpolate returns a step towards a minimiser and updates the interval with t.
// The four cases are those of section 4 of the paper.
func (s *search) interpolate(t trial) float64 {
	var step float64
	low := s.low
	turned := t.slope*low.slope < 0
	switch {
	case t.f > low.f: // 1: a higher value encloses a minimiser
		cubic, _ := cubicStep(low, t)
		quadratic := low.a + float64(low.slope/((low.f-t.f)/(t.a-low.a)+low.slope)/2*(t.a-low.a))
		step = cubic
		if math.Abs(cubic-low.a) >= math.Abs(quadratic-low.a) {
			step = cubic + (quadratic-cubic)/2
		}
		s.bracketed = true
	case turned: // 2: a lower value with a slope of the other sign also encloses a minimiser
		cubic, _ := cubicStep(t, low)
		step = farther(t.a, cubic, secantStep(t, low))
		s.bracketed = true
	case math.Abs(t.slope) < math.Abs(low.slope): // 3: lower and flatter
		step = s.beyond(t)
	case s.bracketed: // 4: lower, no flatter
		step, _ = cubicStep(t, s.high)
	default:
		step = s.limit(t)
	}
	if t.f > low.f {
		s.high = t
		return step
	}
	if turned {
		s.high = low
	}
	s.low = t
	return step
}

// beyond is case 3: the cubic may have no minimiser beyond t.
func (s *search) beyond(t trial) float64 {
	cubic, ok := cubicStep(t, s.low)
	if !ok {
		cubic = s.limit(t)
	}
	secant := secantStep(t, s.low)
	if !s.bracketed {
		return max(s.least, min(s.top, farther(t.a, cubic, secant)))
	}
	step := secant
	if math.Abs(cubic-t.a) < math.Abs(secant-t.a) {
		step = cubic
	}
	bound := t.a + float64(shrink*(s.high.a-t.a))
	if t.a > s.low.a {
		return min(bound, step)
	}
	return max(bound, step)
}

// limit is the farthest step that is allowed in the direction of t.
func (s *search) limit(t trial) float64 {
	if t.a > s.low.a {
		return s.top
	}
	return s.least
}

// cubicStep minimises the cubic that has the values and slopes of both trials; ok
// reports whether the minimiser lies beyond p, seen from q.
func cubicStep(p, q trial) (a float64, ok bool) {
	theta := 3*(p.f-q.f)/(q.a-p.a) + p.slope + q.slope
	scale := max(math.Abs(theta), math.Abs(p.slope), math.Abs(q.slope))
	gamma := float64(scale * math.Sqrt(max(0,
		float64((theta/scale)*(theta/scale))-float64((p.slope/scale)*(q.slope/scale)))))
	if q.a < p.a {
		gamma = -gamma
	}
	r := (gamma - p.slope + theta) / (gamma - p.slope + gamma + q.slope)
	return p.a + float64(r*(q.a-p.a)), r < 0 && gamma != 0
}

// secantStep returns the step at which the line through both slopes is zero.
func secantStep(p, q trial) float64 {
	return p.a + float64(p.slope/(p.slope-q.slope)*(q.a-p.a))
}

// farther returns which of a and b is farther from origin, b if neither is.
func farther(origin, a, b float64) float64 {
	if math.Abs(a-origin) > math.Abs(b-origin) {
		return a
	}
	return b
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
