package rfm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// small is XRFM with leaves so small that the suite's sets are split.
func small() registry.Spec {
	return tree(TreeParams{Iterations: 1, Lambda: 1e-1, Bandwidth: 10, MaxLeafSize: 25, SubsetSize: 20,
		Temperature: 0.1})
}

func TestSmallLeavesConform(t *testing.T) { conform.Run(t, small()) }

// TestTreeEqualsThePublishedProgram gives the tree the rows that the published program drew for its splits, and
// compares its scores with testdata/published_tree.json, which testdata/published_tree.py wrote. The tolerance is that
// of a machine by itself.
func TestTreeEqualsThePublishedProgram(t *testing.T) {
	type grown struct {
		fits.Problem
		Iterations, MaxLeafSize        int
		Lambda, Bandwidth, Temperature float64
		Subsets                        [][]int
	}
	fits.Each(t, "testdata/published_tree.json", 11, func(t *testing.T, c *grown) {
		splits := 0
		g := &grower{TreeParams: TreeParams{Bandwidth: c.Bandwidth, MaxLeafSize: c.MaxLeafSize}, d: c.D, x: c.X,
			ys: c.Targets()}
		g.draw = func(int, int) []int {
			splits++
			return slices.Clone(c.Subsets[splits-1])
		}
		must.Get(g.grow(t.Context(), fitting.Upto(c.N)))(t)
		machines := must.Get(g.machines(t.Context(), c.Lambda, []int{c.Iterations}))(t)
		c.Compare(t, &treeModel{D: c.D, Outputs: c.Outputs, Splits: g.splits, Leaves: machines[c.Iterations],
			Temperature: c.Temperature}, 1e-6)
		if splits == 0 || splits != len(c.Subsets) {
			t.Errorf("%d splits of %d", splits, len(c.Subsets))
		}
	})
}

// TestOneLeafIsRFM: a set that fits into a leaf gets the scores of RFM, bit for bit, at every temperature.
func TestOneLeafIsRFM(t *testing.T) {
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		data := toydata.Easy(task, 90, 4, 3)
		want := fits.FitAndScore(t, RFM(), 1, data, `{"iterations":2,"lambda":0.01}`)
		for _, temperature := range []float64{0, 0.5} {
			got := fits.FitAndScore(t, XRFM(), 1, data,
				fmt.Sprintf(`{"iterations":2,"lambda":0.01,"temperature":%v}`, temperature))
			must.Be(t, got, want, task, temperature)
		}
	}
}

// TestTopEigenvector compares with the definition, for matrices whose first axes are scaled by 1, close eigenvalues,
// equal ones, and none.
func TestTopEigenvector(t *testing.T) {
	h := math.Sqrt(0.5)
	for _, c := range []struct {
		name         string
		first, other float64 // eigenvalues of (h, h) and (h, -h)
	}{{"apart", 2, 0.5}, {"close", 1, 1 - 1e-9}, {"rank one", 3, 0}, {"tiny", 1e-200, 1e-201}} {
		matrix := []float64{(c.first + c.other) / 2, (c.first - c.other) / 2, (c.first - c.other) / 2,
			(c.first + c.other) / 2}
		v := must.Get(topEigenvector(t.Context(), matrix, 2))(t)
		must.Near(t, v[0], h, 1e-6, c.name, v)
		must.Near(t, v[1], h, 1e-6, c.name, v)
	}
	for _, matrix := range [][]float64{{0, 0, 0, 0}, {2, 0, 0, 2}} {
		v := must.Get(topEigenvector(t.Context(), matrix, 2))(t)
		must.Be(t, v, []float64{1, 0}, matrix)
	}
}

// TestLeavesOfOneSize: halves of halves, however many rows are equal, and the declared number of leaves.
func TestLeavesOfOneSize(t *testing.T) {
	data := toydata.Easy(registry.Binary, 203, 3, 1)
	for i := range 150 {
		data.X.SetRow(i, []float64{1, 2, 3})
	}
	p := TreeParams{Bandwidth: 10, MaxLeafSize: 20, SubsetSize: 50}
	g := newGrower(data, p, drawSubset(registry.Env{Seed: 1}.Rand()))
	places := make([]int, 203)
	for i := range places {
		places[i] = i
	}
	must.Get(g.grow(t.Context(), places))(t)
	count, rows := p.leaves(203)
	must.Be(t, len(g.leaves), count)
	must.Be(t, len(g.splits), count-1)
	all := slices.Concat(g.leaves...)
	slices.Sort(all)
	must.Be(t, all, places, "the leaves do not have each row once")
	for _, leaf := range g.leaves {
		if len(leaf) > rows || len(leaf) < rows-1 {
			t.Errorf("a leaf of %d rows, want %d or one less", len(leaf), rows)
		}
	}
}

// TestTreeFilesAreTrees: a model file whose splits share a child, so that paths multiply, is no tree.
func TestTreeFilesAreTrees(t *testing.T) {
	leaf := *newFit([]float64{1, 2}, 1, [][]float64{{1, -1}}, nil).model(0)
	m := &treeModel{D: 1, Outputs: 1}
	for i := range 60 {
		m.Splits = append(m.Splits, split{Direction: []float64{1}, Width: 1, Left: i + 1, Right: i + 1})
		m.Leaves = append(m.Leaves, leaf)
	}
	m.Splits[59].Left, m.Splits[59].Right, m.Leaves = -1, -2, append(m.Leaves, leaf)
	if err := m.check(); err == nil || err.Error() != "split 0 cannot have the child 1" {
		t.Error(err)
	}
}
