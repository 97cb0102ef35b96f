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

// memory counts the start and either side of the group lasso, with the points that it keeps and the matrices of a polishing step; where sigma is learned another lasso and
// a pass are garbage at a time.
func (g groupSetting) memory(s registry.Shape) int64 {
	width, parts, k := g.columns(s), g.parts(s), s.Outputs()
	inputs := s.D * g.kernel.mapped()
	block := g.features * g.features
	var side, images int64
	if !g.tube && byGram(s.N, width) {
		images = int64(width)
		side = int64(width)*int64(2*width+3*g.features+k) + rowsAtOnce*int64(width)
	} else {
		images = int64(s.N)
		side = int64(s.N)*int64(width+g.features+k) + int64(g.features*s.N)
		if few := int64(min(s.N, width)); width > s.N { // what a polishing step makes
			side += int64(s.N)*int64(width+2*parts) + few*few
		} else {
			side += few * (few + rowsAtOnce)
		}
	}
	points := int64(history+6) * int64(k) * (int64(width) + images)
	bytes := g.startBytes(s) + 8*(side+points+int64((parts+2)*block)+int64(4*k*width)) + workBytes(inputs, parts, width, s.N, false)
	if g.steps > 0 {
		const young = 3 << 20 // garbage of small problems, which the collector leaves until the heap has 4 MiB
		bytes += 8*(side+int64(parts*block)) + passBytes(s, inputs, parts, width) + young
	}
	return bytes
}

// lassoNanoseconds is what newLasso takes, and solutionNanoseconds what one penalty takes from there.
func (g groupSetting) lassoNanoseconds(s registry.Shape) float64 {
	n, p, d := float64(s.N), float64(g.columns(s)), float64(g.features)
	products := n * p * d / 20
	if !g.tube && byGram(s.N, g.columns(s)) {
		products = n*p*p/45 + p*p*d/10
	}
	return g.embedNanoseconds(s) + products + p*d*d*0.8 + float64(s.D*g.kernel.mapped()*g.features)*20
}

// solutionNanoseconds: sweeps, and the steps that polish them, which grow with what is less of rows and columns. The factors are those of
// fits on the sets of the protocol table2.
func (g groupSetting) solutionNanoseconds(s registry.Shape) float64 {
	n, p, k := float64(s.N), float64(g.columns(s)), float64(s.Outputs())
	var one float64
	switch crowd := p / (p + n); {
	case g.tube:
		one = 2.5e6 + k*n*p*(3+135*crowd+0.035*min(n, p))
	case byGram(s.N, g.columns(s)):
		one = 2e6 + 50*(k*p*30+p*p*(0.1+0.08*k)) + k*p*p*p/90
	default:
		one = k * n * p * (75*crowd + 0.05*min(n, p))
	}
	if g.steps > 0 {
		one += 1.2 * float64(g.steps+1) * (g.lassoNanoseconds(s) + one + g.passNanoseconds(s))
	}
	return one
}
