package fourier

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
)

// An embedding is a random map from the mapped inputs x of a row to its `width` columns
//
//	psi_k(x) = sqrt(2/D) cos( sum_i sigma_g(i) H_ki x_i + 2 pi b_k ).
//
// It is the paper's eq. (4), or eq. (13) with one such map for each channel, side by side. H = h(u) holds quantiles of
// uniform draws u, which are drawn once. Another sigma gives another kernel with the same draws. Inputs fall into
// groups, the blocks j of the paper, and each group has a sigma. An embedding is not changed once it is made.
type embedding struct {
	kernel kernel
	inputs int    // mapped inputs of a row
	group  []int  // of each input
	parts  []part // one for all inputs, or one for each channel
	width  int    // columns of all parts
	scale  float64
}

// A part is a set of columns that see the inputs from .. to-1.
type part struct {
	from, to  int
	at, count int       // its columns: at .. at+count-1
	h         []float64 // count x (to-from+1): H, then 2 pi b
	turned    []float64 // (to-from) x count: H'
}

func (p part) inputs() int { return p.to - p.from }

// smallest replaces smaller uniform draws, since the quantile of 0 is infinite.
const smallest = 0x1p-53

// productEmbedding draws one embedding of count columns over all groups of features. It draws u row by row, and then b.
// The kernel is the product of the groups' kernels.
func productEmbedding(draws *rng.RandomState, k kernel, sizes []int, count int, how rff.How) *embedding {
	e := newEmbedding(k, sizes, count)
	e.draw([]part{{to: e.inputs, count: count}}, how, draws.Float64)
	return e
}

// sumEmbedding draws an embedding of count columns for each group. It draws all u, and then all b. The kernel is the
// sum of the groups' kernels.
func sumEmbedding(draws *rng.RandomState, k kernel, sizes []int, count int, how rff.How) *embedding {
	e := newEmbedding(k, sizes, count)
	parts, at := make([]part, len(sizes)), 0
	for j, size := range sizes {
		size *= k.mapped()
		parts[j] = part{from: at, to: at + size, at: j * count, count: count}
		at += size
	}
	e.draw(parts, how, draws.Float64)
	return e
}

func newEmbedding(k kernel, sizes []int, count int) *embedding {
	e := &embedding{kernel: k, scale: math.Sqrt(2 / float64(count))}
	for g, size := range sizes {
		for range size * k.mapped() {
			e.group = append(e.group, g)
		}
	}
	e.inputs = len(e.group)
	return e
}

// draw appends parts. From uniform draws it makes the quantiles H of all parts, and then the phases 2 pi b of all
// parts.
func (e *embedding) draw(parts []part, how rff.How, uniform func() float64) {
	quantiles := func(row []float64) {
		for i := range row {
			row[i] = e.kernel.quantile(max(uniform(), smallest))
		}
	}
	for j := range parts {
		p := &parts[j]
		p.h = make([]float64, p.count*(p.inputs()+1))
		how.Place(p.h, p.count, p.inputs(), p.inputs()+1, quantiles, uniform)
	}
	for _, p := range parts {
		for k := range p.count {
			p.h[(k+1)*(p.inputs()+1)-1] = how.Phase(k, uniform)
		}
		e.append(p)
	}
}

// append adds a part whose h is set.
func (e *embedding) append(p part) {
	m := p.inputs()
	p.turned = make([]float64, m*p.count)
	for k := range p.count {
		for i := range m {
			p.turned[i*p.count+k] = p.h[k*(m+1)+i]
		}
	}
	e.parts = append(e.parts, p)
	e.width += p.count
}

// only returns the embedding of part j alone, of rows that have the inputs of this part alone.
func (e *embedding) only(j int) *embedding {
	p := e.parts[j]
	one := &embedding{kernel: e.kernel, inputs: p.inputs(), group: e.group[p.from:p.to], width: p.count, scale: e.scale}
	p.from, p.to, p.at = 0, p.inputs(), 0
	one.parts = []part{p}
	return one
}

// groups is the number of sigmas.
func (e *embedding) groups() int { return e.group[len(e.group)-1] + 1 }

// usual returns the sigmas at which learning starts. The methods that do not learn sigma keep them. The sigma of a
// group is factor times sqrt(2 / mean squared distance of two rows in the group), for the rows a of mapped inputs.
// Where a group does not vary, sigma is factor.
func (e *embedding) usual(a []float64, factor float64) []float64 {
	n := len(a) / e.inputs
	distance := make([]float64, e.groups())
	for i, g := range e.group {
		mean, spread := 0.0, 0.0
		for r := range n {
			mean += a[r*e.inputs+i] / float64(n)
		}
		for r := range n {
			v := a[r*e.inputs+i] - mean
			spread += float64(v * v)
		}
		distance[g] += 2 * spread / float64(max(1, n-1))
	}
	sigma := make([]float64, len(distance))
	for g, v := range distance {
		sigma[g] = factor
		if v > 0 {
			sigma[g] = factor * math.Sqrt(2/v)
		}
	}
	return sigma
}

// A work computes the embedding of some rows at a time, column by column: for h rows, column k of row i is element k h
// + i.
type work struct {
	*embedding
	h      int
	raw    []float64 // inputs x h, not scaled
	scaled []float64 // for each part its inputs times sigma, and a row of ones
	psi    []float64 // width x h
	sines  []float64 // width x h, if asked for: sqrt(2/D) times the sines of the same angles
}

// rowsAtOnce is how many rows are embedded at a time. The products of vmath keep this many rows in the cache.
const rowsAtOnce = 192

// cacheLine is how many inputs of a row are read together.
const cacheLine = 8

func (e *embedding) newWork(n int, sines bool) *work {
	h := min(n, rowsAtOnce)
	w := &work{embedding: e, raw: make([]float64, e.inputs*h), scaled: make([]float64, (e.inputs+len(e.parts))*h),
		psi: make([]float64, e.width*h)}
	if sines {
		w.sines = make([]float64, e.width*h)
	}
	return w
}

// rows is the largest number of rows that w has memory for.
func (w *work) rows() int { return len(w.psi) / w.width }

// workBytes is what newWork allocates.
func workBytes(inputs, parts, width, n int, sines bool) int64 {
	h, matrices := int64(min(n, rowsAtOnce)), int64(1)
	if sines {
		matrices = 2
	}
	return 8 * h * (int64(2*inputs+parts) + matrices*int64(width))
}

// embed computes psi of the rows a of mapped inputs, at most rowsAtOnce, and the sines if newWork made room for them.
func (w *work) embed(a, sigma []float64) {
	h := len(a) / w.inputs
	w.h = h
	for _, p := range w.parts {
		for from := p.from; from < p.to; from += cacheLine {
			to := min(from+cacheLine, p.to)
			for r := range h {
				for i, v := range a[r*w.inputs+from : r*w.inputs+to] {
					w.raw[(from+i)*h+r] = v
				}
			}
		}
	}
	for j, p := range w.parts {
		m := p.inputs()
		scaled := w.scaled[(p.from+j)*h : (p.to+j+1)*h]
		for i := range m {
			s := sigma[w.group[p.from+i]]
			for r, v := range w.raw[(p.from+i)*h : (p.from+i+1)*h] {
				scaled[i*h+r] = s * v
			}
		}
		for r := range h {
			scaled[m*h+r] = 1
		}
		vmath.MatMul(w.psi[p.at*h:(p.at+p.count)*h], p.h, p.count, m+1, scaled, h)
	}
	psi := w.psi[:w.width*h]
	if w.sines == nil {
		vmath.Cos(psi, psi)
	} else {
		sines := w.sines[:w.width*h]
		vmath.SinCos(sines, psi, psi)
		floats.Scale(w.scale, sines)
	}
	floats.Scale(w.scale, psi)
}

// addSlopes adds to gs the gradient in sigma of a function with the gradient m (width x h) in psi, at the embedded
// rows:
//
//   - sum over inputs i of group j and rows r of x_ri (H' (m o sines))_ir.
//
// It overwrites m and scratch, which has room for inputs x h.
func (w *work) addSlopes(gs, m, scratch []float64) {
	h := w.h
	floats.Mul(m, w.sines[:w.width*h])
	for _, p := range w.parts {
		vmath.MatMul(scratch[p.from*h:p.to*h], p.turned, p.inputs(), p.count, m[p.at*h:(p.at+p.count)*h], h)
	}
	for i, g := range w.group {
		gs[g] -= vmath.Dot(scratch[i*h:(i+1)*h], w.raw[i*h:(i+1)*h])
	}
}

// mapRows returns the mapped inputs of the rows x of d features. For the Gaussian kernel it returns x itself. The error
// names the first feature for which the kernel is not defined.
func (k kernel) mapRows(x []float64, d int) ([]float64, error) {
	if k.name == gaussian {
		return x, nil
	}
	out := make([]float64, 0, len(x)*k.mapped())
	for i, v := range x {
		if !k.allows(v) {
			return nil, fmt.Errorf("feature %d of row %d is %v: the kernel %s needs features %s; raise skew, shift "+
				"the data, or use a protocol that does not standardise",
				i%d, i/d, v, k.name, k.domain())
		}
		out = k.appendMapped(out, v)
	}
	return out, nil
}
