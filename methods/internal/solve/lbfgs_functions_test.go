package solve_test

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/solve"
)

// The functions of testdata/lbfgs.json.
var objectives = map[string]solve.Objective{
	"beale": func(x, g []float64) float64 {
		f := 0.0
		g[0], g[1] = 0, 0
		power := 1.0
		for i, c := range []float64{1.5, 2.25, 2.625} {
			r := c - x[0]*(1-power*x[1])
			f += r * r
			g[0] -= 2 * r * (1 - power*x[1])
			g[1] += 2 * r * x[0] * float64(i+1) * power
			power *= x[1]
		}
		return f
	},
	"rosenbrock": func(x, g []float64) float64 {
		f := 0.0
		clear(g)
		for i := range len(x) - 1 {
			a, b := 1-x[i], x[i+1]-x[i]*x[i]
			f += a*a + 100*b*b
			g[i] += -2*a - 400*b*x[i]
			g[i+1] += 200 * b
		}
		return f
	},
	"wood": func(x, g []float64) float64 {
		a, b := x[1]-x[0]*x[0], x[3]-x[2]*x[2]
		c, d := x[1]+x[3]-2, x[1]-x[3]
		g[0] = -400*a*x[0] - 2*(1-x[0])
		g[1] = 200*a + 20*c + 0.2*d
		g[2] = -360*b*x[2] - 2*(1-x[2])
		g[3] = 180*b + 20*c - 0.2*d
		return 100*a*a + (1-x[0])*(1-x[0]) + 90*b*b + (1-x[2])*(1-x[2]) + 10*c*c + 0.1*d*d
	},
	"quadratic": func(x, g []float64) float64 {
		f := 0.0
		for i, v := range x {
			g[i] = float64(i+1) * v
			f += 0.5 * g[i] * v
		}
		return f
	},
	// mean over i of exp(-r_i cos(a_i.x - c_i)), the shape of the GBRFF losses
	"waves": func(x, g []float64) float64 {
		const n = 20
		f := 0.0
		clear(g)
		for i := range n {
			r, z := math.Cos(float64(5*i)), -0.3*float64(i)
			for j, v := range x {
				z += v * math.Sin(1+3*float64(i)+7*float64(j))
			}
			e := math.Exp(-r * math.Cos(z))
			f += e / n
			for j := range g {
				g[j] += r * e * math.Sin(z) * math.Sin(1+3*float64(i)+7*float64(j)) / n
			}
		}
		return f
	},
	"quartic": func(x, g []float64) float64 {
		f := 0.0
		for i, v := range x {
			f += 1e-3*v*v*v*v + 1e-2*v
			g[i] = 4e-3*v*v*v + 1e-2
		}
		return f
	},
	"exponentials": func(x, g []float64) float64 {
		f := 0.0
		for i, v := range x {
			k := float64(i + 1)
			e := math.Exp(0.5 * k * v)
			f += e - k*v
			g[i] = 0.5*k*e - k
		}
		return f
	},
}
