// Package toydata makes data that is easy to learn, says how well it was learned, and takes rows of it: for the suites
// that methods are checked with, here and in other processes.
package toydata

import (
	"math"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// Easy returns n rows of d standardised-looking inputs whose target every sensible
// method can learn: classes lie around different centres along the first
// coordinate; a regression target is that coordinate, bent a little. from seeds
// the draws: another one gives other rows of the same kind.
func Easy(task registry.Task, n, d int, from uint32) registry.Data {
	draws := rng.New(from)
	data := registry.Data{Task: task, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	draws.Norms(data.X.RawMatrix().Data)
	for i := range n {
		x := data.X.RawRowView(i)
		switch task {
		case registry.Binary:
			data.Classes = 2
			data.Y[i] = float64(2*(i%2) - 1)
			x[0] = 0.3*x[0] + data.Y[i]
		case registry.Multiclass:
			data.Classes = 3
			data.Y[i] = float64(i % 3)
			x[0] = 0.2*x[0] + 1.2*(data.Y[i]-1)
		default:
			data.Y[i] = x[0] + 0.2*math.Sin(x[0])
		}
	}
	return data
}

// Rows returns the given rows of d.
func Rows(d registry.Data, which []int) registry.Data {
	_, p := d.X.Dims()
	out := d
	out.X, out.Y = mat.NewDense(len(which), p, nil), make([]float64, len(which))
	for i, r := range which {
		out.X.SetRow(i, d.X.RawRowView(r))
		out.Y[i] = d.Y[r]
	}
	return out
}

// Goodness is the accuracy of scores, or for regression R2, the share of the variance that they explain.
func Goodness(d registry.Data, scores []float64) float64 {
	n, right := len(d.Y), 0.0
	var mean, residual, total float64
	for _, y := range d.Y {
		mean += y / float64(n)
	}
	for i, y := range d.Y {
		switch d.Task {
		case registry.Binary:
			if (scores[i] >= 0) == (y > 0) {
				right++
			}
		case registry.Multiclass:
			best := 0
			for c := range d.Classes {
				if scores[i*d.Classes+c] > scores[i*d.Classes+best] {
					best = c
				}
			}
			if float64(best) == y {
				right++
			}
		default:
			residual += (scores[i] - y) * (scores[i] - y)
			total += (y - mean) * (y - mean)
		}
	}
	if d.Task == registry.Regression {
		return 1 - residual/total
	}
	return right / float64(n)
}
