package classic

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// KNN declares the k nearest neighbours (Cover and Hart 1967). The score of a row is a mean over the k nearest training
// rows in the Euclidean distance: of their labels, of the indicators of their classes, or of their targets. Of training
// rows at the same distance the first ones count. If there are fewer than k training rows, all count.
//
// Squared distances are computed as |a|^2 + |b|^2 - 2 a.b, so the order of nearly equal distances depends on rounding.
func KNN() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "KNN", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth:  registry.Growth{Rows: 1.6, Features: 0.15, Points: 1},
		Source:  "Cover and Hart 1967",
		Summary: "k nearest neighbours in the Euclidean distance",
		Load: fitting.NearLoad(func(r io.Reader) (registry.Model, error) {
			return fitting.Load(r, "neighbours", (*neighbours).check)
		}),
		Probability: func(score float64) float64 { return (score + 1) / 2 },
	}, KNNParams{Neighbours: 5}, registry.Grid{
		{Name: "neighbours", Values: registry.Values(1, 3, 5, 7, 11, 15, 25, 51)},
	}, fitting.NearFit(fitKNN), registry.Memory(knnMemory))
}

// KNNParams holds the parameter of KNN.
type KNNParams struct {
	Neighbours int `json:"neighbours" range:"[1,)" means:"training rows that decide; of equally near ones the first"`
}

func knnMemory(s registry.Shape, p KNNParams) int64 {
	n, d := int64(s.N), int64(s.D)
	return 8*(n*(d+2)+int64(rowsAtOnce(s.N))*n) + int64(vmath.PackedBytes(s.N, s.D)) +
		16*int64(min(p.Neighbours, s.N)) + 64<<10
}

const (
	mostProducts = 1 << 20 // inner products that scoring keeps, unless fewestRows rows have more
	fewestRows   = 8       // rows that are scored at a time at least
)

// rowsAtOnce is how many rows are scored at a time against n training rows. The products are garbage after each model
// of a grid, and the collector may find them only after the next model has made its own. So two models' products may be
// there at once, and they have to be few compared with the data.
func rowsAtOnce(n int) int { return min(blockRows, max(fewestRows, mostProducts/n)) }

// neighbours is the model: the training rows.
type neighbours struct {
	K, D, Outputs int
	X             []float64 // n x D
	Y             []float64 // labels, classes or targets
	Classes       bool      // Y holds classes, of which there are Outputs
}

func fitKNN(_ context.Context, _ registry.Env, train registry.Data, p KNNParams) (registry.Model, error) {
	sh := train.Shape()
	if err := fitting.CheckFinite("squared length", squaresOf(fitting.Rows(train.X), sh.D), 1); err != nil {
		return nil, fmt.Errorf("KNN: %w", err)
	}
	return &neighbours{K: min(p.Neighbours, sh.N), D: sh.D, Outputs: sh.Outputs(),
		X: slices.Clone(fitting.Rows(train.X)), Y: slices.Clone(train.Y),
		Classes: train.Task == registry.Multiclass}, nil
}

// Score implements registry.Model.
func (m *neighbours) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return m.score(ctx, x, out, rowsAtOnce(len(m.Y)))
}

// score scores blocks of the given number of rows. The scores do not depend on this number.
func (m *neighbours) score(ctx context.Context, x *mat.Dense, out []float64, block int) error {
	if err := fitting.CheckScoring(x, m.D, m.Outputs, len(out)); err != nil {
		return err
	}
	n := len(m.Y)
	rows := fitting.Rows(x)
	own, squares := squaresOf(rows, m.D), squaresOf(m.X, m.D)
	if err := fitting.CheckFinite("squared length", own, 1); err != nil {
		return err
	}
	dots := make([]float64, block*n)
	near := nearest{distance: make([]float64, 0, m.K), row: make([]int, 0, m.K)}
	return fitting.Blocks(ctx, len(own), block, func(lo, hi int) {
		vmath.MatMulT(dots[:(hi-lo)*n], rows[lo*m.D:hi*m.D], hi-lo, m.D, m.X, n)
		for i := lo; i < hi; i++ {
			near.search(own[i], squares, dots[(i-lo)*n:(i-lo+1)*n])
			m.vote(near.row, out[i*m.Outputs:(i+1)*m.Outputs])
		}
	})
}

// vote writes the mean over the given training rows.
func (m *neighbours) vote(rows []int, out []float64) {
	clear(out)
	for _, row := range rows {
		if m.Classes {
			out[int(m.Y[row])]++
		} else {
			out[0] += m.Y[row]
		}
	}
	for c := range out {
		out[c] /= float64(len(rows))
	}
}

// squaresOf returns the squared length of each row.
func squaresOf(x []float64, d int) []float64 {
	out := make([]float64, len(x)/d)
	for i := range out {
		for _, v := range x[i*d : (i+1)*d] {
			out[i] = math.FMA(v, v, out[i])
		}
	}
	return out
}

// nearest is the list of the nearest training rows of one row, ascending by distance and then by row.
type nearest struct {
	distance []float64
	row      []int
}

// search fills the list from inner products.
func (s *nearest) search(square float64, squares, dots []float64) {
	s.distance, s.row = s.distance[:0], s.row[:0]
	farthest := math.Inf(1)
	for j, dot := range dots {
		distance := square + squares[j] - 2*dot
		full := len(s.row) == cap(s.row)
		if full && !(distance < farthest) {
			continue
		}
		if full {
			s.distance, s.row = s.distance[:len(s.row)-1], s.row[:len(s.row)-1]
		}
		at := len(s.row)
		for at > 0 && s.distance[at-1] > distance {
			at--
		}
		s.distance, s.row = slices.Insert(s.distance, at, distance), slices.Insert(s.row, at, j)
		farthest = s.distance[len(s.distance)-1]
	}
}

// Save implements registry.Saver.
func (m *neighbours) Save(w io.Writer) error { return fitting.Save(w, "neighbours", m) }

func (m *neighbours) check() error {
	n := len(m.Y)
	switch {
	case m.D < 1 || n < 1 || m.K < 1 || m.K > n || len(m.X) != n*m.D:
		return fmt.Errorf("%d neighbours of %d rows with %d numbers of %d features", m.K, n, len(m.X), m.D)
	case m.Outputs < 1 || m.Outputs > 1 && !m.Classes:
		return fmt.Errorf("%d outputs", m.Outputs)
	}
	for i, y := range m.Y {
		if m.Classes && !(y >= 0 && y < float64(m.Outputs) && y == math.Trunc(y)) {
			return fmt.Errorf("row %d has class %v of %d", i, y, m.Outputs)
		}
	}
	return nil
}
