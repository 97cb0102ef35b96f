package cart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/saved"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A grown is a tree with a value on both sides of every split, so that it can be cut at any depth. splits[0] is the root. A
// tree without splits is a leaf.
type grown struct {
	task     registry.Task
	features int
	outputs  int
	rows     int
	root     []float64
	splits   []split
}

// newGrown returns the tree without splits.
func newGrown(train registry.Data) *grown {
	sh := train.Shape()
	t := &grown{task: train.Task, features: sh.D, outputs: sh.Outputs(), rows: sh.N}
	if t.task == registry.Regression {
		t.root = []float64{mean(train.Y)}
		return t
	}
	counts := make([]float64, classes(sh))
	for _, y := range train.Y {
		counts[int(target(t.task, y))]++
	}
	t.root = decision(t.task, counts, 0)
	return t
}

func constant(y []float64) bool {
	for _, v := range y {
		if v != y[0] {
			return false
		}
	}
	return true
}

func mean(y []float64) float64 {
	if constant(y) {
		return y[0] // the mean of equal targets, without the rounding of a sum
	}
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}

// decision turns class counts into scores. If no training row went to a side, the class of this side gets the whole score. A side
// can be empty, since a threshold can round to its lower neighbour.
func decision(task registry.Task, counts []float64, class int) []float64 {
	total := 0.0
	for _, c := range counts {
		total += c
	}
	if total == 0 {
		counts, total = make([]float64, len(counts)), 1
		counts[class] = 1
	}
	if task == registry.Binary {
		return []float64{(counts[0] - counts[1]) / total}
	}
	out := make([]float64, len(counts))
	for i, c := range counts {
		out[i] = c / total
	}
	return out
}

// nodeImpurity computes n times the criterion of n training rows, from their class counts. For mse this is the sum of
// squared deviations from the mean.
type nodeImpurity struct {
	criterion  string
	counts     []float64 // by class
	n, sum, sq float64   // number, sum and squares of targets, minus the mean of all targets
}

func (p *nodeImpurity) add(q *nodeImpurity) {
	for c, n := range q.counts {
		p.counts[c] += n
	}
	p.n, p.sum, p.sq = p.n+q.n, p.sum+q.sum, p.sq+q.sq
}

func (p *nodeImpurity) value() float64 {
	if p.n == 0 {
		return 0
	}
	switch p.criterion {
	case "gini":
		squares := 0.0
		for _, c := range p.counts {
			squares += float64(c * c)
		}
		return p.n - squares/p.n
	case "entropy": // in bits, as in golearn
		sum := 0.0
		for _, c := range p.counts {
			if c > 0 {
				sum -= float64(c * vmath.Log2Scalar(c/p.n))
			}
		}
		return sum
	}
	return p.sq - float64(p.sum*p.sum)/p.n
}

// weigh sets the rows and the gain of each split, and for classes the values of its leaves, from the training rows that come to it.
// The gain is the impurity of these rows, minus the impurities of both sides.
func (t *grown) weigh(train registry.Data, criterion string) {
	sides := make([][2]nodeImpurity, len(t.splits))
	fresh := func() nodeImpurity {
		p := nodeImpurity{criterion: criterion}
		if t.task != registry.Regression {
			p.counts = make([]float64, classes(train.Shape()))
		}
		return p
	}
	for s := range sides {
		sides[s] = [2]nodeImpurity{fresh(), fresh()}
	}
	centre := 0.0
	if t.task == registry.Regression {
		centre = mean(train.Y)
	}
	for i, y := range train.Y {
		row := train.X.RawRowView(i)
		for s, more := 0, len(t.splits) > 0; more; {
			side := 0
			if !(row[t.splits[s].feature] < t.splits[s].threshold) {
				side = 1
			}
			p := &sides[s][side]
			p.n++
			if t.task == registry.Regression {
				p.sum += y - centre
				p.sq += float64((y - centre) * (y - centre))
			} else {
				p.counts[int(target(t.task, y))]++
			}
			s = t.splits[s].child[side]
			more = s != 0
		}
	}
	for i := range t.splits {
		s, whole := &t.splits[i], fresh()
		for side := range sides[i] {
			p := &sides[i][side]
			whole.add(p)
			s.rows[side] = int(p.n)
			if t.task != registry.Regression {
				s.value[side] = decision(t.task, p.counts, int(s.value[side][0]))
			}
		}
		s.gain = max(0, whole.value()-sides[i][0].value()-sides[i][1].value())
	}
}

// cut returns the model of the tree's first depth levels (NoLimit: all), its
// nodes in preorder.
func (t *grown) cut(depth int) *model {
	m := &model{Task: t.task.String(), Features: t.features, Outputs: t.outputs}
	var add func(s, level, rows int, leaf bool, value []float64) int32
	add = func(s, level, rows int, leaf bool, value []float64) int32 {
		at := int32(len(m.Nodes))
		if leaf || level == depth {
			m.Nodes = append(m.Nodes, node{Feature: -1, Value: value, Rows: rows})
			return at
		}
		f := &t.splits[s]
		m.Nodes = append(m.Nodes, node{Feature: int32(f.feature), Threshold: f.threshold, Rows: rows, Gain: f.gain})
		left := add(f.child[0], level+1, f.rows[0], f.child[0] == 0, f.value[0])
		right := add(f.child[1], level+1, f.rows[1], f.child[1] == 0, f.value[1])
		m.Nodes[at].Left, m.Nodes[at].Right = left, right
		return at
	}
	add(0, 0, t.rows, len(t.splits) == 0, t.root)
	return m
}

// A model is a tree in preorder.
type model struct {
	Task     string
	Features int
	Outputs  int
	Nodes    []node
}

// A node sends a row left if its feature is below the threshold. Feature -1 marks a leaf. The value of a leaf is, over its
// training rows, (n+ - n-)/n for a binary problem, the share of each class, or the mean target. Rows is the number of training
// rows that came to the node. Gain is the amount by which the node's split lowers the impurity of these rows (see weigh).
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

// TreeCount is 1.
func (m *model) TreeCount() int { return 1 }

// Importance returns, for each feature, how many splits use it and the sum of their gains (see weigh).
func (m *model) Importance() (splits []int, gain []float64) {
	splits, gain = make([]int, m.Features), make([]float64, m.Features)
	for _, n := range m.Nodes {
		if n.Feature >= 0 {
			splits[n.Feature]++
			gain[n.Feature] += n.Gain
		}
	}
	return splits, gain
}

// MapThresholds implements registry.TreeModel. A split of CART is x < v, which is the same as x <= the double before v.
func (m *model) MapThresholds(at func(feature int, v float64) float64) registry.TreeModel {
	out := *m
	out.Nodes = slices.Clone(m.Nodes)
	for i := range out.Nodes {
		if n := &out.Nodes[i]; n.Feature >= 0 {
			n.Threshold = math.Nextafter(at(int(n.Feature), math.Nextafter(n.Threshold, math.Inf(-1))), math.Inf(1))
		}
	}
	return &out
}

// Dump implements registry.TreeModel for tree 0.
func (m *model) Dump(t int, names []string) (string, error) {
	return fitting.DumpTree("CART", t, 1, m.Features, names, func(at int, name func(int32) string) fitting.TreeNode {
		n := &m.Nodes[at]
		if n.Feature < 0 {
			return fitting.TreeNode{Text: "value " + shortList(n.Value), Rows: n.Rows}
		}
		return fitting.TreeNode{Text: fmt.Sprintf("%s < %.6g", name(n.Feature), n.Threshold), Rows: n.Rows, Inner: true,
			Gain: n.Gain, Yes: int(n.Left), No: int(n.Right)}
	})
}

func shortList(v []float64) string {
	words := make([]string, len(v))
	for i, x := range v {
		words[i] = fmt.Sprintf("%.6g", x)
	}
	return strings.Join(words, " ")
}

// Save implements registry.Saver.
func (m *model) Save(w io.Writer) error { return saved.Write(w, "CART", m) }

func load(r io.Reader) (registry.Model, error) { return saved.Read(r, "CART", (*model).check) }

// check makes sure that every row ends in a leaf with a value for each output. The children of a node come after the node,
// so that no path is endless.
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
			return fmt.Errorf("node %d has children %d and %d, not both after it and below %d", i, n.Left, n.Right, len(m.Nodes))
		}
	}
	return nil
}
