package vmath

import "math"

// Like the kernels, the references include the padded rows, with a zero residual. A padded row adds nothing, but may
// turn a lane's -0 into +0.

func expCosRef(x []float64, n, d int, w []float64, b float64, r, cosines, grad []float64) float64 {
	mem := scratch(8 * d)
	defer pool.Put(mem)
	var total [8]float64
	for i := 0; i < n; i += block {
		expCosBlockRef(x[i*d:], i, n, d, w, b, r, cosines, *mem, &total)
	}
	sumLanes(grad, *mem)
	return tree8(total[:])
}

// expCosBlockRef adds the block of rows from i on, which is at x, to the lanes of the gradient and of the loss.
func expCosBlockRef(x []float64, i, n, d int, w []float64, b float64, r, cosines, lanes []float64, total *[8]float64) {
	var room [block]float64
	z := room[:height(n, i)]
	blockMatVecRef(z, x, d, w)
	for k := range z {
		s, c := sinCosRef(z[k] - b)
		ri := 0.0
		if i+k < n {
			ri = r[i+k]
		}
		e := expRef(-(ri * c))
		if i+k < n {
			total[k%8] += e
			cosines[i+k] = c
		} else {
			total[k%8] += 0
		}
		z[k] = float64(ri*s) * e
	}
	blockMatTVecRef(lanes, x, z)
}

func expLinearRef(x []float64, n, d int, v, r, grad []float64) float64 {
	mem := scratch(8 * d)
	defer pool.Put(mem)
	lanes := *mem
	var z [block]float64
	var total [8]float64
	for i := 0; i < n; i += block {
		h := height(n, i)
		blockMatVecRef(z[:h], x[i*d:], d, v)
		for k := range h {
			if i+k < n {
				e := expRef(-(r[i+k] * z[k]))
				total[k%8] += e
				z[k] = -(r[i+k] * e)
			} else {
				z[k] = -(0 * expRef(-(0 * z[k])))
			}
		}
		blockMatTVecRef(lanes, x[i*d:], z[:h])
	}
	sumLanes(grad, lanes)
	return tree8(total[:])
}

func expPairsRef(x []float64, n, m int, cu, su, r, losses []float64) {
	mem := scratch(8 * m)
	defer pool.Put(mem)
	for i := 0; i < n; i += block {
		h := height(n, i)
		c, s := x[2*i*m:][:h*m], x[2*i*m+h*m:][:h*m]
		for j := range m {
			l := (*[8]float64)((*mem)[8*j:])
			for k := range min(h, n-i) {
				a := math.FMA(s[j*h+k], su[j], float64(c[j*h+k]*cu[j]))
				l[k%8] += expRef(-r[i+k] * a)
			}
		}
	}
	sumLanes(losses, *mem)
}

func expShiftRef(r, c, s []float64, cb, sb float64) float64 {
	var total [8]float64
	for i, ri := range r {
		a := math.FMA(s[i], sb, float64(c[i]*cb))
		total[i%8] += expRef(-(ri * a))
	}
	return tree8(total[:])
}

func reweightRef(score, w, r, y, h []float64, alpha float64) float64 {
	var total [8]float64
	for i := range score {
		score[i] = math.FMA(alpha, h[i], score[i])
		w[i] = expRef(-(y[i] * score[i]))
		r[i] = y[i] * w[i]
		total[i%8] += w[i]
	}
	return tree8(total[:])
}

func marginsRef(y, h, w []float64) (plus, minus float64) {
	var p, q [8]float64
	for i, wi := range w {
		m := float64(y[i] * h[i])
		p[i%8] = math.FMA(1+m, wi, p[i%8])
		q[i%8] = math.FMA(1-m, wi, q[i%8])
	}
	for i := len(w); i%8 != 0; i++ {
		p[i%8] += 0
		q[i%8] += 0
	}
	return tree8(p[:]), tree8(q[:])
}
