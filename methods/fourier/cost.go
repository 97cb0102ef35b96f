package fourier

import "github.com/kernelboosting/bench/registry"

// What fits take, in bytes and in nanoseconds of one core. n rows, P columns of the embedding, K outputs.

// ridgeMemory counts the start, the systems, and the blocks of rows; with those of a pass where sigma is learned. A few sets of weights
// are garbage at a time.
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

// prepareNanoseconds is a product of the embedding with itself; solveNanoseconds is a factorisation and its use.
func (d design) prepareNanoseconds(s registry.Shape) float64 {
	n, p := float64(s.N), float64(d.columns(s))
	ns := 2e6 + d.embedNanoseconds(s) + n*p*min(n, p)/45 + float64(s.D*d.kernel.mapped()*d.features)*20
	if p > n { // the rows of Psi are kept, not its products
		ns += 15 * n * p
	}
	return ns
}

func (d design) solveNanoseconds(s registry.Shape) float64 {
	n, p, k := float64(s.N), float64(d.columns(s)), float64(s.Outputs())
	order := min(n, p)
	return order*order*order/60 + order*order*(3+k) + k*n*p/4
}

// passNanoseconds is one pass for the gradient in sigma.
func (d design) passNanoseconds(s registry.Shape) float64 {
	n, p, k := float64(s.N), float64(d.columns(s)), float64(s.Outputs())
	return 2*d.embedNanoseconds(s) + n*p*(1+0.15*k)
}

// memory counts the start, the columns, in two orders where there are several outputs, and what the points and the systems of the group lasso hold;
// where sigma is learned another lasso and a pass are garbage at a time.
func (g groupSetting) memory(s registry.Shape) int64 {
	n, width, rank, parts, k := s.N, g.columns(s), g.rank(s), g.parts(s), s.Outputs()
	inputs := s.D * g.kernel.mapped()
	columns := n * (rank + rank/4 + g.features) // slices grow by a quarter
	if k > 1 {
		columns += n * rank
	}
	points := k * (17*n + 8*rank + 4*width)
	bytes := g.startBytes(s) + 8*int64(columns+points+width*g.features) + workBytes(inputs, parts, width, n, false)
	if g.steps > 0 {
		const young = 3 << 20 // garbage of small problems, which the collector leaves until the heap has 4 MiB
		bytes += 8*int64(columns) + passBytes(s, inputs, parts, width) + young
	}
	return bytes
}

// oneInput is the rank of the columns of a channel of one input whose values are many.
const oneInput = 14

// rank is about that of the columns.
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

// lassoNanoseconds is what newLasso takes, and solutionNanoseconds what one penalty takes from there.
func (g groupSetting) lassoNanoseconds(s registry.Shape) float64 {
	n, p, d := float64(s.N), float64(g.columns(s)), float64(g.features)
	return g.embedNanoseconds(s) + n*p*(2+d/25) + p*d*d*0.2 + float64(s.D*g.kernel.mapped()*g.features)*20
}

// solutionNanoseconds: turns of conjugate gradients, which are more where columns crowd and where the loss is sharp. The factors are those of
// fits on the sets of the protocol table2.
func (g groupSetting) solutionNanoseconds(s registry.Shape) float64 {
	n, r, k := float64(s.N), float64(g.rank(s)), float64(s.Outputs())
	product := 0.25 // of one vector, which comes from memory
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
