package cart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A grown is a tree with a value on both sides of every split, so that it can be cut at any depth. splits[0] is the
// root. A tree without splits is a leaf.
type grown struct {
	task     registry.Task
	features int
	outputs  int
	rows     int
	root     []float64
	splits   []split
}

// setRoot sets the value of the tree without splits.
func (t *grown) setRoot(train registry.Data) {
	if t.task == registry.Regression {
		t.root = []float64{mean(train.Y)}
		return
	}
	counts := make([]float64, classes(train.Shape()))
	for _, y := range train.Y {
		counts[int(target(t.task, y))]++
	}
	t.root = decision(t.task, counts, 0)
}

// count replaces the labels on the sides of splits by scores from the training rows that end there. count returns an
// error if the most frequent class of these rows is not the label that golearn stored for the side: the copied splits
// are then not the tree that golearn grew.
func (t *grown) count(train registry.Data) error {
	k := classes(train.Shape())
	counts := make([]float64, 2*k*len(t.splits)) // left classes, right classes
	for i, y := range train.Y {
		row, class := train.X.RawRowView(i), int(target(t.task, y))
		for s, more := 0, len(t.splits) > 0; more; {
			at, next := 2*k*s, t.splits[s].left
			if !(row[t.splits[s].feature] < t.splits[s].threshold) {
				at, next = at+k, t.splits[s].right
			}
			counts[at+class]++
			s, more = next, next != 0
		}
	}
	for s := range t.splits {
		for side, value := range []*[]float64{&t.splits[s].leftValue, &t.splits[s].rightValue} {
			at := counts[(2*s+side)*k : (2*s+side+1)*k]
			class := int((*value)[0])
			if !isMode(at, class) {
				return fmt.Errorf("golearn's CART says class %d for node %d, whose training rows are %v by class",
					class, s, at)
			}
			*value = decision(t.task, at, class)
		}
	}
	return nil
}

// cut returns the model of the tree's first depth levels (NoLimit: all), its
// nodes in preorder.
func (t *grown) cut(depth int) *model {
	m := &model{Task: t.task.String(), Features: t.features, Outputs: t.outputs}
	var add func(s, level int, leaf bool, value []float64) int32
	add = func(s, level int, leaf bool, value []float64) int32 {
		at := int32(len(m.Nodes))
		if leaf || level == depth {
			m.Nodes = append(m.Nodes, node{Feature: -1, Value: value})
			return at
		}
		f := &t.splits[s]
		m.Nodes = append(m.Nodes, node{Feature: int32(f.feature), Threshold: f.threshold})
		left := add(f.left, level+1, f.left == 0, f.leftValue)
		right := add(f.right, level+1, f.right == 0, f.rightValue)
		m.Nodes[at].Left, m.Nodes[at].Right = left, right
		return at
	}
	add(0, 0, len(t.splits) == 0, t.root)
	return m
}

// A model is a tree in preorder.
type model struct {
	Task     string
	Features int
	Outputs  int
	Nodes    []node
}

// A node sends a row left if its feature is below the threshold. Feature -1 marks a leaf. The value of a leaf is, over
// its training rows, (n+ - n-)/n for a binary problem, the share of each class, or the mean target. Rows
// and Gain are 0: earlier programs stored models with these fields.
type node struct {
	Feature   int32
	Threshold float64
	Left      int32
	Right     int32
	Value     []float64
	Rows      int
	Gain      float64
}

// Score implements registry.Model. A NaN is an error: it is neither below a
// threshold nor above.
func (m *model) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := fitting.CheckScoring(x, m.Features, m.Outputs, len(out)); err != nil {
		return err
	}
	n, _ := x.Dims()
	for i := range n {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		row := x.RawRowView(i)
		for j, v := range row {
			if math.IsNaN(v) {
				return fmt.Errorf("feature %d of row %d is NaN; CART scores numbers only", j, i)
			}
		}
		copy(out[i*m.Outputs:(i+1)*m.Outputs], m.leaf(row))
	}
	return nil
}

func (m *model) leaf(row []float64) []float64 {
	at := &m.Nodes[0]
	for at.Feature >= 0 {
		if row[at.Feature] < at.Threshold {
			at = &m.Nodes[at.Left]
		} else {
			at = &m.Nodes[at.Right]
		}
	}
	return at.Value
}

// Save implements registry.Saver.
func (m *model) Save(w io.Writer) error { return fitting.Save(w, "CART", m) }

func load(r io.Reader) (registry.Model, error) { return fitting.Load(r, "CART", (*model).check) }

// check makes sure that every row ends in a leaf with a value for each output. The children of a node come after the
// node, so that no path is endless.
func (m *model) check() error {
	task, err := registry.ParseTask(m.Task)
	switch {
	case err != nil:
		return err
	case m.Features < 1 || m.Outputs < 1 || task != registry.Multiclass && m.Outputs != 1:
		return fmt.Errorf("%d features and %d outputs do not fit a %s problem", m.Features, m.Outputs, task)
	case len(m.Nodes) == 0:
		return errors.New("the tree has no nodes")
	}
	for i, n := range m.Nodes {
		leaf := n.Feature == -1
		inside := func(c int32) bool { return int(c) > i && int(c) < len(m.Nodes) }
		switch {
		case leaf && len(n.Value) != m.Outputs:
			return fmt.Errorf("leaf %d has %d values, not %d", i, len(n.Value), m.Outputs)
		case !leaf && (n.Feature < 0 || int(n.Feature) >= m.Features):
			return fmt.Errorf("node %d splits feature %d of %d", i, n.Feature, m.Features)
		case !leaf && !(inside(n.Left) && inside(n.Right)):
			return fmt.Errorf("node %d has children %d and %d, not both after it and below %d", i, n.Left, n.Right,
				len(m.Nodes))
		}
	}
	return nil
}
