package fourier

import "github.com/kernelboosting/bench/registry"

// This file estimates what fits take, in bytes and in nanoseconds of one core, for n rows, P columns of the embedding
// and K outputs.

// ridgeMemory counts the start, the linear system, the blocks of rows, and a few sets of weights that are garbage at
// any time. It adds the columns in the bases of channels, and where sigma is learned the blocks of a pass.
func (d design) ridgeMemory(s registry.Shape, learned bool) int64 {
	width, parts := d.columns(s), d.parts(s)
	inputs := s.D * d.kernel.mapped()
	bytes := d.startBytes(s) + 8*int64(4*s.Outputs()*width)
	if d.product {
		bytes += ridgeBytes(s.N, width, s.Outputs()) + workBytes(inputs, parts, width, s.N, false)
	} else {
		bytes += ridgeBytes(s.N, d.mostRank(s), s.Outputs()) + d.columnsBytes(s, false)
	}
	if learned {
		bytes += 2 * passBytes(s, inputs, parts, width)
	}
	return bytes
}

// columnsBytes is what newColumns allocates: the values of channels, the columns in two orders, the embedding of one
// channel, and X'X twice if grams is set.
func (d design) columnsBytes(s registry.Shape, grams bool) int64 {
	n, rank := s.N, d.mostRank(s)
	bytes := int64(n*(8*s.D*d.kernel.mapped()+4*d.parts(s))) + 8*int64(n*(2*rank+2*d.features)+d.columns(s)*d.features)
	if grams { // newColumns makes them up to a rank of 2n
		most := min(rank, 2*n)
		bytes += 8 * int64(2*most*most)
	}
	return bytes + 8*int64(rank*min(n, rowsAtOnce))
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
	return d.embedNanoseconds(s) + n*p*min(n, p)/70
}

// solveNanoseconds is the time of a factorisation of the given order and its use for n x p columns.
func solveNanoseconds(s registry.Shape, p float64) float64 {
	n, k := float64(s.N), float64(s.Outputs())
	order := min(n, p)
	return 5e5 + order*order*order/40 + order*order*(4+k) + k*n*p/6
}

// drawNanoseconds is the time to draw the embedding.
func (d design) drawNanoseconds(s registry.Shape) float64 {
	return 1e6 + float64(s.D*d.kernel.mapped()*d.features)*20
}

// passNanoseconds is the time of one pass over the rows for the gradient in sigma, where no channel has few values.
func (d design) passNanoseconds(s registry.Shape) float64 {
	n, p, k := float64(s.N), float64(d.columns(s)), float64(s.Outputs())
	return 1.6*d.embedNanoseconds(s) + n*p*(1.2+0.15*k)
}

// A channel with a single input has columns that are functions of one number, so that the matrix of these columns has a
// low rank. If the input has many values, this rank is usually oneInput. If some values of the input are far from its
// mean, the rank is about mostOfOne.
const oneInput, mostOfOne = 14, 20

// mostRank is about the rank of the columns of all channels if every feature has many values, some far from their mean.
func (d design) mostRank(s registry.Shape) (rank int) {
	for _, size := range s.Groups() {
		if size*d.kernel.mapped() == 1 && 4*oneInput <= 3*d.features {
			rank += mostOfOne
		} else {
			rank += d.features
		}
	}
	return rank
}

// rank estimates the rank of the columns. A feature of few values has the rank `code`. Where features are many, most
// are zero in most rows.
func (d design) rank(s registry.Shape) int {
	const narrow, sparse, code = 20, 8, 3
	rank := d.mostRank(s)
	if rank != mostOfOne*s.D {
		return rank
	}
	many := s.D - s.Codes
	return s.Codes*code + min(many, narrow)*oneInput + max(0, many-narrow)*sparse
}

// many is the share of the columns whose channel has many values. In a channel with few values, what is computed once
// for each value costs next to nothing.
func (d design) many(s registry.Shape) float64 {
	if len(s.Groups()) != s.D || d.kernel.mapped() != 1 {
		return 1
	}
	return 1 - float64(s.Codes)/float64(s.D)
}

// columnsNanoseconds is the time of newColumns, with X'X if grams is set.
func (d design) columnsNanoseconds(s registry.Shape, grams bool) float64 {
	n, p, count, r := float64(s.N), float64(d.columns(s)), float64(d.features), float64(d.rank(s))
	ns := d.many(s)*(d.embedNanoseconds(s)+n*p*(1+count/30)) + p*count*count/5 + 100*p + 4*n*r
	if grams && r <= 2*n {
		ns += n * r * r / 50
	}
	return ns
}

// memory counts, for a whole path, the start, the columns, the points of the group lasso, and a direct solution. Where
// sigma is learned, it adds another lasso and a pass, which are garbage at any time.
func (g groupSetting) memory(s registry.Shape) int64 {
	n, width, rank, parts, k := s.N, g.columns(s), g.mostRank(s), g.parts(s), s.Outputs()
	inputs := s.D * g.kernel.mapped()
	lasso := g.columnsBytes(s, !g.tube)
	order := min(n, rank, directLimit)
	direct := 3*order*order + rank*min(n, rowsAtOnce)
	if rank > n {
		direct = 2*order*order + 2*n*rank
	}
	points := 6 * k * (9*n + 8*rank + 2*width)
	bytes := g.startBytes(s) + lasso + 8*int64(points+direct) + workBytes(inputs, parts, width, n, false)
	if g.steps > 0 {
		const young = 3 << 20 // garbage of small problems, which the collector leaves until the heap has 4 MiB
		bytes += lasso + passBytes(s, inputs, parts, width) + young
	}
	return bytes
}

// lassoNanoseconds is the time of newLasso.
func (g groupSetting) lassoNanoseconds(s registry.Shape) float64 {
	return g.columnsNanoseconds(s, !g.tube)
}

// solutionNanoseconds is the time of Newton's steps for one penalty, and of learning sigma from there. The numbers of
// steps are usual ones.
func (g groupSetting) solutionNanoseconds(s registry.Shape) float64 {
	cold, warm := 14.0, 10.0
	if g.tube {
		cold, warm = 22, 17
	}
	step := float64(s.Outputs()) * g.stepNanoseconds(s)
	ns := 2e5 + cold*step
	if g.steps > 0 {
		evaluations := 0.8 * float64(g.steps+1)
		ns += evaluations * (g.lassoNanoseconds(s) + 2e5 + warm*step + g.many(s)*g.share()*g.passNanoseconds(s))
	}
	return ns
}

// share is the usual part of the channels that have weights.
func (g groupSetting) share() float64 { return min(1, 0.12+0.022/g.lambda) }

// stepNanoseconds is the time of one of Newton's steps for one output: its system, and three products with X.
func (g groupSetting) stepNanoseconds(s registry.Shape) float64 {
	const turns = 40 // of conjugate gradients
	n, r, row, product := float64(s.N), float64(g.rank(s)), 25.0, 0.3
	if g.tube {
		row = 90
	}
	if s.Outputs() > 1 {
		product = 0.05 // ns an element, where several vectors share the reading of X
	}
	active := r * g.share()
	order := min(n, active)
	system, iterated := order*order*max(n, active)/40+order*order*order/30+1.5*n*active, turns*2*n*active*product
	if !g.tube && active <= n {
		system, iterated = order*order*order/30+5*order*order, turns*order*order*product
	}
	if order > directLimit || s.Outputs() > 1 && iterated < system {
		system = iterated
	}
	return 15e3 + 1500*float64(g.parts(s)) + system + n*(row+2*r*product)
}
