package conform

import (
	"math"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// easy returns n rows of d standardised-looking inputs whose target every sensible
// method can learn: classes lie around different centres along the first
// coordinate; a regression target is that coordinate, bent a little.
func easy(task registry.Task, n, d int) registry.Data {
	draws := rng.New(seed)
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
