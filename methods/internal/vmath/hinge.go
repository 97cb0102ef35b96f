package vmath

import "math"

// A Hinge is the state of n examples in the proximal point method for hinge losses: slacks t_i = 1 - y_i f(x_i) and
// multipliers in [0, C]. With the penalty sigma, the next multiplier of an example is
//
//	a_i = alpha_i + sigma t_i, moved into [0, C].
//
// The example is free if alpha_i + sigma t_i is strictly inside. Free and Moved have (n + 7) / 8 elements, all other
// slices have n.
type Hinge struct {
	Y      []float64 // labels -1 or +1
	Slack  []float64 // t
	Change []float64 // how much a whole step lowers the slacks
	Alpha  []float64 // multipliers, the centre of the proximal term
	Next   []float64 // a, the next multipliers
	Turned []float64 // y_i times the last change of Next
	Free   []uint8   // bit i mod 8 of element i / 8: example i is free
	Moved  []uint8   // bit i mod 8 of element i / 8: the last move changed Next[i]
}

// HingeSums are sums over examples, in 8 lanes.
type HingeSums struct {
	Distance float64 // (a_i - alpha_i)^2
	Balance  float64 // a_i y_i
	Loss     float64 // max(0, t_i)
	Product  float64 // a_i t_i
}

// Move lowers the slacks by step times Change and computes Next, Turned, Free and Moved.
func (h *Hinge) Move(step, sigma, c float64) HingeSums {
	n := len(h.Slack)
	equalLengths("Hinge.Move", n, h.Change, h.Alpha, h.Y, h.Next, h.Turned)
	sameLength("Hinge.Move", "Free", len(h.Free), "bits of Slack", (n+7)/8)
	sameLength("Hinge.Move", "Moved", len(h.Moved), "bits of Slack", (n+7)/8)
	return hingeMove(h, step, sigma, c)
}

// Slope returns, with q = Change and the slacks lowered by step times q, the sum of a_i q_i over all examples and the
// sum of q_i^2 over the free examples.
func (h *Hinge) Slope(step, sigma, c float64) (product, square float64) {
	equalLengths("Hinge.Slope", len(h.Slack), h.Change, h.Alpha)
	return hingeSlope(h, step, sigma, c)
}

// Signed sets x[i] to y[i] (x[i] + b).
func Signed(x, y []float64, b float64) {
	sameLength("Signed", "x", len(x), "y", len(y))
	signed(x, y, b)
}

// clip returns the next multiplier for a slack, and whether the example is free.
func clip(alpha, t, sigma, c float64) (a float64, free bool) {
	a = math.FMA(sigma, t, alpha)
	switch {
	case !(a > 0):
		return 0, false
	case a < c:
		return a, true
	}
	return c, false
}

func hingeMoveRef(h *Hinge, step, sigma, c float64) HingeSums {
	var distance, balance, loss, product [8]float64
	clear(h.Free)
	clear(h.Moved)
	for i, t := range h.Slack {
		t = math.FMA(-step, h.Change[i], t)
		a, free := clip(h.Alpha[i], t, sigma, c)
		if free {
			h.Free[i/8] |= 1 << (i % 8)
		}
		if a != h.Next[i] {
			h.Moved[i/8] |= 1 << (i % 8)
		}
		h.Slack[i] = t
		h.Turned[i] = h.Y[i] * (a - h.Next[i])
		h.Next[i] = a
		m := a - h.Alpha[i]
		distance[i%8] = math.FMA(m, m, distance[i%8])
		balance[i%8] = math.FMA(a, h.Y[i], balance[i%8])
		if t > 0 {
			loss[i%8] += t
		} else {
			loss[i%8] += 0
		}
		product[i%8] = math.FMA(a, t, product[i%8])
	}
	for i := len(h.Slack); i%8 != 0; i++ { // a padded lane adds +0
		balance[i%8] += 0
		product[i%8] += 0
	}
	return HingeSums{tree8(distance[:]), tree8(balance[:]), tree8(loss[:]), tree8(product[:])}
}

func hingeSlopeRef(h *Hinge, step, sigma, c float64) (product, square float64) {
	var p, s [8]float64
	for i, q := range h.Change {
		a, free := clip(h.Alpha[i], math.FMA(-step, q, h.Slack[i]), sigma, c)
		p[i%8] = math.FMA(a, q, p[i%8])
		if free {
			s[i%8] = math.FMA(q, q, s[i%8])
		}
	}
	for i := len(h.Change); i%8 != 0; i++ {
		p[i%8] += 0
	}
	return tree8(p[:]), tree8(s[:])
}

func signedRef(x, y []float64, b float64) {
	for i, v := range x {
		x[i] = y[i] * (v + b)
	}
}
