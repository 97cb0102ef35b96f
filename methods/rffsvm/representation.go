package rffsvm

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
)

// draws are the landmarks and the standard normal frequencies. They depend on no parameter but L and K.
type draws struct {
	x        []float64 // n x d training rows
	packed   *vmath.Packed
	y        []float64
	n, d     int
	l, k     int
	landmark []int     // L rows
	normal   []float64 // LK x d: frequency j of landmark l is row lK + j
}

// drawLandmarks has the order of the published program: first L row numbers with replacement, then for each landmark
// the K normals of the first feature, the K normals of the second feature, and so on.
func drawLandmarks(random *rng.RandomState, train registry.Data, l, k int) *draws {
	x := fitting.Rows(train.X)
	n, d := train.X.Dims()
	w := &draws{
		x: x, packed: vmath.Pack(x, n, d), y: train.Y, n: n, d: d, l: l, k: k,
		landmark: random.Choice(n, l), normal: make([]float64, l*k*d),
	}
	drawn := make([]float64, k*d)
	for at := range l {
		random.Norms(drawn)
		block := w.normal[at*k*d : (at+1)*k*d]
		for feature := range d {
			for j, v := range drawn[feature*k : (feature+1)*k] {
				block[j*d+feature] = v
			}
		}
	}
	return w
}

// A kernel is the draws at a kernel coefficient: the random features cos(omega_lj.(x - x_l)) of the
// Gaussian kernel exp(-gamma ||x-x'||^2), omega ~ N(0, 2 gamma I).
type kernel struct {
	*draws
	omega []float64 // LK x d
	phase []float64 // LK: omega_lj.x_l

	recent *recent // the cosines that the models of this kernel share when they score; nil for a single model
}

// scale returns the kernel of the draws for a kernel coefficient; gamma 0 means 1/d. The last kernel takes the memory
// of the draws and overwrites them.
func (w *draws) scale(gamma float64, last bool) *kernel {
	if gamma == 0 {
		gamma = 1 / float64(w.d)
	}
	k := &kernel{draws: w, omega: w.normal, phase: make([]float64, w.l*w.k)}
	if !last {
		k.omega = slices.Clone(w.normal)
	}
	floats.Scale(math.Sqrt(2*gamma), k.omega)
	for l, row := range w.landmark {
		x := w.x[row*w.d : (row+1)*w.d]
		vmath.MatVec(k.phase[l*w.k:(l+1)*w.k], k.frequencies(l), w.k, w.d, x)
	}
	return k
}

func (k *kernel) frequencies(l int) []float64 { return k.omega[l*k.k*k.d : (l+1)*k.k*k.d] }

// A representation maps x to the L features phi_l(x) = sum_j q_lj cos(omega_lj.(x - x_l)).
type representation struct {
	*kernel
	q   []float64 // LK
	phi []float64 // n x L: the features of the training set
}

// represent weighs the random features for each beta. With s_i = y_i y_l, the alignment
// loss of feature j at landmark l (Letarte et al., eq. 16) and its weight (eq. 11) are
//
//	loss_lj = 1/2 - (sum_i s_i cos(omega_lj.(x_i - x_l)) - 1) / (2 (n - 1)),
//	q_lj    = exp(-beta sqrt(n) loss_lj) / sum over k of exp(-beta sqrt(n) loss_lk).
//
// The 1 that is subtracted is the term of the landmark itself.
func (k *kernel) represent(ctx context.Context, betas []float64) ([]*representation, error) {
	out, parts := make([]*representation, len(betas)), make([][]float64, len(betas))
	for b := range out {
		out[b] = &representation{kernel: k, q: make([]float64, k.l*k.k), phi: make([]float64, k.l*k.n)}
		parts[b] = make([]float64, min(k.l, landmarksAtOnce)*k.n)
	}
	cosines, loss := make([]float64, k.k*k.n), make([]float64, k.k)
	for l, row := range k.landmark {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k.packed.Cosines(cosines, k.frequencies(l), k.phase[l*k.k:(l+1)*k.k])
		for j := range loss {
			aligned := k.y[row] * vmath.Dot(k.y, cosines[j*k.n:(j+1)*k.n])
			loss[j] = 0.5 - (aligned-1)/(2*float64(k.n-1))
		}
		for b, beta := range betas {
			q := out[b].q[l*k.k : (l+1)*k.k]
			floats.ScaleTo(q, -beta*math.Sqrt(float64(k.n)), loss)
			vmath.Softmax(q, q)
			at := l % landmarksAtOnce
			column := parts[b][at*k.n : (at+1)*k.n]
			clear(column)
			vmath.AddRows(column, cosines, k.n, fitting.Upto(k.k), q)
			if at++; at == landmarksAtOnce || l == k.l-1 {
				vmath.Transpose(out[b].phi[l+1-at:], k.l, parts[b], k.n, at, k.n)
			}
		}
	}
	return out, nil
}

// landmarksAtOnce is how many features of all rows are turned into columns at a time.
const landmarksAtOnce = 8
