package fourier

import "github.com/kernelboosting/bench/registry"

// This file estimates what fits take, in bytes and in nanoseconds of one core, for n rows, P columns of the embedding and K outputs.

// ridgeMemory counts the start, the linear system, the blocks of rows, and a few sets of weights that are garbage at any time.
// Where sigma is learned, it also counts the blocks of a pass.
func (d design) ridgeMemory(s registry.Shape, learned bool) int64 {
	width, parts := d.columns(s), d.parts(s)
	inputs := s.D * d.kernel.mapped()
	bytes := d.startBytes(s) + ridgeBytes(s.N, width, s.Outputs()) + workBytes(inputs, parts, width, s.N, false) + 8*int64(4*s.Outputs()*width)
	if learned {
		bytes += 2 * passBytes(s, inputs, parts, width)
	}
	return bytes
}

// passBytes is what a pass over the rows allocates.
func passBytes(s registry.Shape, inputs, parts, width int) int64 {
	h := min(s.N, rowsAtOnce)
	return workBytes(inputs, parts, width, s.N, true) + 8*int64(h*(2*s.Outputs()+inputs+width)+3*s.Outputs()*width)
}

func (d design) parts(s registry.Shape) int {
	if d.product {
		return 1
	}
	return len(s.Groups())
}

// prepareNanoseconds is the time of a product of the embedding with itself.
func (d design) prepareNanoseconds(s registry.Shape) float64 {
	n, p := float64(s.N), float64(d.columns(s))
	ns := 2e6 + d.embedNanoseconds(s) + n*p*min(n, p)/45 + float64(s.D*d.kernel.mapped()*d.features)*20
	if p > n { // the fit keeps the rows of Psi
		ns += 15 * n * p
	}
	return ns
}

// solveNanoseconds is the time of a factorisation and its use.
func (d design) solveNanoseconds(s registry.Shape) float64 {
	n, p, k := float64(s.N), float64(d.columns(s)), float64(s.Outputs())
	order := min(n, p)
	return order*order*order/60 + order*order*(3+k) + k*n*p/4
}

// passNanoseconds is the time of one pass over the rows for the gradient in sigma.
func (d design) passNanoseconds(s registry.Shape) float64 {
	n, p, k := float64(s.N), float64(d.columns(s)), float64(s.Outputs())
	return 2*d.embedNanoseconds(s) + n*p*(1+0.15*k)
}

// memory counts, for a whole path, the start, the columns in two orders, their products, and the points of the group lasso.
// Where sigma is learned, it adds another lasso and a pass, which are garbage at any time.
func (g groupSetting) memory(s registry.Shape) int64 {
	n, width, rank, parts, k := s.N, g.columns(s), g.rank(s), g.parts(s), s.Outputs()
	inputs := s.D * g.kernel.mapped()
	columns := n * (2*rank + g.features)
	if !g.tube && rank <= 2*n {
		columns += rank * rank
	}
	points := 6 * k * (9*n + 8*rank + 2*width)
	bytes := g.startBytes(s) + 8*int64(columns+points+width*g.features) + workBytes(inputs, parts, width, n, false)
	if g.steps > 0 {
		const young = 3 << 20 // garbage of small problems, which the collector leaves until the heap has 4 MiB
		bytes += 8*int64(columns) + passBytes(s, inputs, parts, width) + young
	}
	return bytes
}

// oneInput is the usual rank of the columns of a channel whose single input has many values.
const oneInput = 14

// rank estimates the rank of the columns.
func (g groupSetting) rank(s registry.Shape) (rank int) {
	for _, size := range s.Groups() {
		if d := g.features; size*g.kernel.mapped() == 1 && 4*oneInput <= 3*d {
			rank += oneInput
		} else {
			rank += d
		}
	}
	return rank
}

// lassoNanoseconds is the time of newLasso.
func (g groupSetting) lassoNanoseconds(s registry.Shape) float64 {
	n, p, d := float64(s.N), float64(g.columns(s)), float64(g.features)
	return g.embedNanoseconds(s) + n*p*(2+d/25) + p*d*d*0.2 + float64(s.D*g.kernel.mapped()*g.features)*20
}

// solutionNanoseconds is the time of the solution for one penalty, after newLasso. It counts the steps of conjugate gradients.
// Many columns and a sharp loss need more steps. The factors were fitted on the sets of the protocol table2.
func (g groupSetting) solutionNanoseconds(s registry.Shape) float64 {
	n, r, k := float64(s.N), float64(g.rank(s)), float64(s.Outputs())
	product := 0.25 // ns an element, for one vector; the columns come from memory
	if k > 1 {
		product = 0.05
	}
	crowd, row := r/(r+n), 15.0
	turns := 60 + 400*crowd
	if g.tube {
		turns, row = 120+1200*crowd, 30
	}
	one := 1e6 + turns*k*n*(row+r*product)
	if g.steps > 0 {
		one += 1.2 * float64(g.steps+1) * (g.lassoNanoseconds(s) + one/2 + g.passNanoseconds(s))
	}
	return one
}
