// Package learned says how well data was learned, and takes rows of it: for the suites that methods are checked with, here
// and in other processes.
package learned

import (
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

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
