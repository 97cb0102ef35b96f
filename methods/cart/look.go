package cart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// This file holds the importances of a CART model, and its tree as text.

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

// weigh sets rows and gain of each split. The gain is the impurity of the rows that come to the split, minus the
// impurities of both sides.
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
			side, next := 0, t.splits[s].left
			if !(row[t.splits[s].feature] < t.splits[s].threshold) {
				side, next = 1, t.splits[s].right
			}
			p := &sides[s][side]
			p.n++
			if t.task == registry.Regression {
				p.sum += y - centre
				p.sq += float64((y - centre) * (y - centre))
			} else {
				p.counts[int(target(t.task, y))]++
			}
			s, more = next, next != 0
		}
	}
	for s := range t.splits {
		whole := fresh()
		whole.add(&sides[s][0])
		whole.add(&sides[s][1])
		t.splits[s].rows = [2]int{int(sides[s][0].n), int(sides[s][1].n)}
		t.splits[s].gain = max(0, whole.value()-sides[s][0].value()-sides[s][1].value())
	}
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
