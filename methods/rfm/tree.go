package rfm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A treeModel is a trained tree. A tree without splits has one leaf.
type treeModel struct {
	D, Outputs  int
	Splits      []split // the root first, and each before those below it
	Leaves      []model // from left to right
	Temperature float64
}

// A split sends rows x with Direction'x <= Threshold to the left. A child is the place of a split, or -1 less the place
// of a leaf.
type split struct {
	Direction        []float64
	Threshold, Width float64
	Left, Right      int
}

const (
	keptWeight = 0.99 // of the leaves that score a row
	mostLeaves = 12   // that score a row
)

// A share is a row and the weight that a leaf has in the score of this row.
type share struct {
	row    int
	weight float64
}

// Score is line 8 of the algorithm.
func (m *treeModel) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := fitting.CheckScoring(x, m.D, m.Outputs, len(out)); err != nil {
		return err
	}
	rows := fitting.Rows(x)
	shares, weights := make([][]share, len(m.Leaves)), make([]float64, len(m.Leaves))
	err := fitting.Blocks(ctx, len(rows)/m.D, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.weigh(weights, rows[i*m.D:(i+1)*m.D])
			for leaf, w := range weights {
				if w > 0 {
					shares[leaf] = append(shares[leaf], share{i, w})
				}
			}
		}
	})
	if err != nil {
		return err
	}
	clear(out)
	for leaf, of := range shares {
		if len(of) == 0 {
			continue
		}
		part, scores := mat.NewDense(len(of), m.D, nil), make([]float64, len(of)*m.Outputs)
		for j, s := range of {
			part.SetRow(j, rows[s.row*m.D:(s.row+1)*m.D])
		}
		if err := m.Leaves[leaf].Score(ctx, part, scores); err != nil {
			return err
		}
		for j, s := range of {
			vmath.Axpy(s.weight, scores[j*m.Outputs:(j+1)*m.Outputs], out[s.row*m.Outputs:(s.row+1)*m.Outputs])
		}
	}
	return fitting.CheckFinite("score", out, m.Outputs)
}

// weigh sets weights to those of the leaves for the row x.
func (m *treeModel) weigh(weights, x []float64) {
	clear(weights)
	if len(m.Splits) == 0 {
		weights[0] = 1
		return
	}
	m.descend(weights, x, 0, 1)
	if m.Temperature == 0 {
		return
	}
	sum := 0.0
	for leaf, w := range weights {
		weights[leaf] = max(w, leastWeight)
		sum += weights[leaf]
	}
	order := fitting.Upto(len(weights))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	kept, reached := 0, 0.0
	for kept < min(mostLeaves, len(order)) && (kept == 0 || reached < keptWeight*sum) {
		reached += weights[order[kept]]
		kept++
	}
	for rank, leaf := range order {
		if rank < kept {
			weights[leaf] /= reached
		} else {
			weights[leaf] = 0
		}
	}
}

// leastWeight is exp(-50), which the published program takes for smaller weights.
const leastWeight = 1.9287498479639178e-22

// descend multiplies the weight that has come to a node by those of the paths below it.
func (m *treeModel) descend(weights, x []float64, node int, weight float64) {
	if node < 0 {
		weights[-1-node] = weight
		return
	}
	s := &m.Splits[node]
	beyond := vmath.Dot(s.Direction, x) - s.Threshold
	switch {
	case m.Temperature > 0:
		z := beyond / (m.Temperature * s.Width)
		m.descend(weights, x, s.Left, weight*vmath.Sigmoid(-z))
		m.descend(weights, x, s.Right, weight*vmath.Sigmoid(z))
	case beyond > 0:
		m.descend(weights, x, s.Right, weight)
	default:
		m.descend(weights, x, s.Left, weight)
	}
}

// Save implements registry.Saver.
func (m *treeModel) Save(w io.Writer) error {
	return fitting.Save(w, "tree of recursive feature machines", m)
}

func loadTree(r io.Reader) (registry.Model, error) {
	m, err := fitting.Load(r, "tree of recursive feature machines", (*treeModel).check)
	if err != nil {
		return nil, err
	}
	for i := range m.Leaves {
		m.Leaves[i].ready()
	}
	return m, nil
}

func (m *treeModel) check() error {
	if m.D < 1 || m.Outputs < 1 || len(m.Leaves) != len(m.Splits)+1 || !(m.Temperature >= 0) ||
		math.IsInf(m.Temperature, 0) {
		return fmt.Errorf("d=%d outputs=%d temperature=%v with %d splits and %d leaves", m.D, m.Outputs, m.Temperature,
			len(m.Splits), len(m.Leaves))
	}
	seen := map[int]bool{}
	for i, s := range m.Splits {
		for _, child := range []int{s.Left, s.Right} {
			if child < -len(m.Leaves) || child >= 0 && child <= i || child >= len(m.Splits) || seen[child] {
				return fmt.Errorf("split %d cannot have the child %d", i, child)
			}
			seen[child] = true
		}
		if len(s.Direction) != m.D || !(s.Width > 0) {
			return fmt.Errorf("split %d: %d features and the width %v", i, len(s.Direction), s.Width)
		}
	}
	for i := range m.Leaves {
		leaf := &m.Leaves[i]
		if leaf.D != m.D || leaf.Outputs != m.Outputs {
			return errors.New("a leaf of another size")
		}
		if err := leaf.check(); err != nil {
			return fmt.Errorf("leaf %d: %w", i, err)
		}
	}
	return nil
}
