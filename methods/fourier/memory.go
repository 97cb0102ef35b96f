package fourier

import "github.com/kernelboosting/bench/registry"

// This file estimates the memory of fits, in bytes, for n rows, P columns of the embedding
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
		bytes += ridgeBytes(s.N, d.mostRank(s), s.Outputs()) + d.columnsBytes(s, false, false) +
			workBytes(inputs, parts, width, s.N, false)
	}
	if learned {
		bytes += 2 * passBytes(s, inputs, parts, width)
	}
	return bytes
}

// columnsBytes is what newColumns allocates: the values of channels, the columns of the values, which are half of the
// rows at most, those of all rows if they are held, and X'X twice if grams is set.
func (d design) columnsBytes(s registry.Shape, held, grams bool) int64 {
	n, rank := s.N, d.mostRank(s)
	columns := n * rank / 2
	if held {
		columns = n * (rank + d.features/2)
	}
	bytes := int64(n*(8*s.D*d.kernel.mapped()+4*d.parts(s))) + 8*int64(columns+d.columns(s)*d.features)
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

// memory counts, for a whole path, the start, the columns, the points of the group lasso, and a direct solution. Where
// sigma is learned, it adds another lasso without its columns and a pass, which are garbage at any time.
func (g grouped) memory(s registry.Shape) int64 {
	n, width, rank, parts, k := s.N, g.columns(s), g.mostRank(s), g.parts(s), s.Outputs()
	inputs := s.D * g.kernel.mapped()
	lasso := g.columnsBytes(s, true, !g.tube)
	order := min(n, rank, directLimit)
	direct := 3*order*order + rank*min(n, rowsAtOnce)
	if rank > n {
		direct = 2*order*order + 2*n*rank
	}
	points := 6 * k * (9*n + 8*rank + 2*width)
	bytes := g.startBytes(s) + lasso + 8*int64(points+direct) + workBytes(inputs, parts, width, n, false)
	if g.steps > 0 {
		const young = 3 << 20 // garbage of small problems, which the collector leaves until the heap has 4 MiB
		bytes += lasso - 8*int64(n*rank) + passBytes(s, inputs, parts, width) + young
	}
	return bytes
}
