package rfm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// XRFM declares a binary tree with a recursive feature machine in each leaf. A node with the rows D divides them at the
// median of their projections v'x. The direction v is the one in which a first machine changes most: the top
// eigenvector of its average gradient outer product G. So each leaf learns a metric of its own, and no matrix is larger
// than a leaf. The algorithm (Beaglehole, Holzmueller, Radhakrishnan and Belkin 2025; TreePartition, xRFM-fit and
// xRFM-predict of the paper):
//
//	1  TreePartition(D): if |D| <= max_leaf_size, D is a leaf; else
//	2      S = subset_size rows of D, or all if D has no more
//	3      alpha = (K + lambda_S I)^-1 Y on S with the Euclidean metric, lambda_S = 10^-3
//	4      G = sum over rows x of S and outputs f of grad f(x) grad f(x)'; v = its top eigenvector
//	5      b = the median of v'x over D, the lower one of two; w = their interquartile range
//	6      TreePartition(the half of D with the lower v'x), TreePartition(the other half)
//	7  each leaf: RFM with lambda and iterations on its rows
//	8  prediction, temperature = 0: that of the leaf to which x goes, left where v'x <= b
//	8' prediction, temperature > 0: with z = (v'x - b) / (temperature w), a row goes left with the weight
//	   1 / (1 + exp(z)). A leaf's weight is the product along its path. The largest weights that make up 0.99,
//	   of at most 12 leaves, are scaled to the sum 1, and weigh the predictions of their leaves.
//
// The published program (dmbeaglehole/xRFM) takes a validation set, sets aside up to a fifth of a leaf's training rows
// for it, and chooses there each leaf's number of iterations, and the temperature. Here both are parameters, which
// cross-validation chooses for all leaves, so there is no validation set and no row is set aside. Of the rows S the
// published program fits 95 %. Its max_leaf_size and subset_size, 60,000 and 50,000, are for the memory of a GPU. There
// is no stopping rule: each line is a closed form, and line 4 squares G until it has rank one.
func XRFM() registry.Spec {
	return tree(TreeParams{Iterations: 3, Lambda: 1e-1, Bandwidth: 10, MaxLeafSize: 3000, SubsetSize: 2000})
}

// TreeParams holds the parameters of XRFM.
type TreeParams struct {
	Iterations  int     `json:"iterations" range:"[0,)" means:"updates of each leaf's metric; 0 leaves the Euclidean one"`
	Lambda      float64 `json:"lambda" range:"(0,)" means:"penalty of the squared norm of the function of a leaf"`
	Bandwidth   float64 `json:"bandwidth" range:"(0,)" means:"distance at which the kernel is 1/e"`
	MaxLeafSize int     `json:"max_leaf_size" range:"[1,)" means:"the most training rows of a leaf"`
	SubsetSize  int     `json:"subset_size" range:"[1,)" means:"the most rows that the direction of a split is learned from"`
	Temperature float64 `json:"temperature" range:"[0,)" means:"width of a split, in interquartile ranges; 0 sends each row to one leaf"`
}

// splitLambda is lambda_S.
const splitLambda = 1e-3

func tree(defaults TreeParams) registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "XRFM", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth:  registry.Growth{Rows: 1.55, Features: 0.5, Outputs: 0.5, Points: 0.55},
		Source:  "Beaglehole, Holzmüller, Radhakrishnan and Belkin, 2025",
		Summary: "tree of kernel machines that learn their metrics, for large sets",
		Load:    fitting.NearLoad(loadTree),
	}, defaults, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -3, 0)},
		{Name: "iterations", Values: []any{0, 1, 3}},
		{Name: "temperature", Values: registry.Values(0, 0.1, 1)},
	}, fitting.NearPath(treePath), registry.Memory(treeMemory))
}

// partition returns the parameters on which the tree without its leaves depends.
func (p TreeParams) partition() TreeParams {
	return TreeParams{Bandwidth: p.Bandwidth, MaxLeafSize: p.MaxLeafSize, SubsetSize: p.SubsetSize}
}

// leaf returns p without the parameters that fits of the leaves share: the number of iterations, and the temperature.
func (p TreeParams) leaf() TreeParams {
	p.Iterations, p.Temperature = 0, 0
	return p
}

// leaves returns how many leaves n rows have at most, and the most rows in one.
func (p TreeParams) leaves(n int) (count, rows int) {
	count, rows = 1, n
	for rows > p.MaxLeafSize {
		count, rows = 2*count, (rows+1)/2
	}
	return count, rows
}

// largest returns the most rows of a machine.
func (p TreeParams) largest(n int) int {
	count, rows := p.leaves(n)
	if count > 1 {
		rows = max(rows, min(n, p.SubsetSize))
	}
	return rows
}

// treeMemory counts the largest machine, the garbage of the machine before without its matrix, and the models of the
// numbers of iterations up to p's, which a path holds together. Their rows are shared; rows under metrics are those of
// one model.
func treeMemory(s registry.Shape, p TreeParams) int64 {
	count, _ := p.leaves(s.N)
	n, d, models := int64(s.N), int64(s.D), int64(min(p.Iterations+1, 3))
	side := int64(p.largest(s.N))
	machine := held(int(side), s)
	if count > 1 {
		machine += machine - 8*side*side
	}
	return machine + 8*(n*(2*d+(1+models)*int64(s.Outputs())+6)+int64(count)*d*(models*d+2))
}

// treePath fits grid points. Those that differ in lambda alone share the tree, and those that differ in the number of
// iterations or in the temperature alone share the fits of the leaves, too.
func treePath(ctx context.Context, env registry.Env, train registry.Data, ps []TreeParams,
	yield func(int, registry.Model) error) error {
	for _, alike := range fitting.Groups(fitting.Upto(len(ps)), func(i int) TreeParams { return ps[i].partition() }) {
		g := newGrower(train, ps[alike[0]], drawSubset(env.Rand()))
		if _, err := g.grow(ctx, fitting.Upto(len(train.Y))); err != nil { // lines 1 to 6
			return fmt.Errorf("XRFM, a split: %w", err)
		}
		for _, group := range fitting.GroupsBy(alike, func(i int) TreeParams { return ps[i].leaf() },
			func(i int) int { return ps[i].Iterations }) {
			var iterations []int
			for _, i := range group {
				iterations = append(iterations, ps[i].Iterations)
			}
			machines, err := g.machines(ctx, ps[group[0]].Lambda, iterations) // line 7
			if err != nil {
				return fmt.Errorf("XRFM with lambda=%v, a leaf: %w", ps[group[0]].Lambda, err)
			}
			for at, i := range group {
				m := &treeModel{D: g.d, Outputs: len(g.ys), Splits: g.splits, Leaves: machines[ps[i].Iterations],
					Temperature: ps[i].Temperature}
				if err := yield(i, m); err != nil {
					return err
				}
				if at+1 < len(group) && ps[group[at+1]].Iterations != ps[i].Iterations {
					delete(machines, ps[i].Iterations) // with its rows under metrics
				}
			}
		}
	}
	return nil
}

// A grower grows a tree. Places are rows of the training set.
type grower struct {
	TreeParams
	d      int
	x      []float64
	ys     [][]float64
	mean   float64   // which is subtracted from the targets
	draw   drawer    // line 2
	k      []float64 // memory for the matrix of one machine after the other
	splits []split
	leaves [][]int // places of each leaf's rows
}

// A drawer returns numbers below n: at most `most` different ones.
type drawer func(n, most int) []int

// drawSubset draws with the generator r, unless there are few enough numbers to return them all.
func drawSubset(r *rng.RandomState) drawer {
	return func(n, most int) []int {
		if n <= most {
			return fitting.Upto(n)
		}
		return r.Permutation(n)[:most]
	}
}

func newGrower(train registry.Data, p TreeParams, draw drawer) *grower {
	ys, mean := fitting.Targets(train)
	side := p.largest(len(train.Y))
	return &grower{TreeParams: p, d: train.Shape().D, x: fitting.Rows(train.X), ys: ys, mean: mean, draw: draw,
		k: make([]float64, side*side)}
}

// machine returns the state of the algorithm of RFM for the rows at the places.
func (g *grower) machine(places []int) *fit {
	x, ys := make([]float64, 0, len(places)*g.d), make([][]float64, len(g.ys))
	for _, i := range places {
		x = append(x, g.x[i*g.d:(i+1)*g.d]...)
		for c := range ys {
			ys[c] = append(ys[c], g.ys[c][i])
		}
	}
	return newFit(x, g.d, ys, g.k)
}

// grow is TreePartition for the rows at the places, in ascending order. It returns the node as split.Left has it.
func (g *grower) grow(ctx context.Context, places []int) (int, error) {
	if len(places) <= g.MaxLeafSize {
		g.leaves = append(g.leaves, places)
		return -len(g.leaves), nil
	}
	at := len(g.splits)
	g.splits = append(g.splits, split{})
	v, err := g.direction(ctx, places)
	if err != nil {
		return 0, err
	}
	projections := make([]float64, len(places))
	for i, place := range places {
		projections[i] = vmath.Dot(v, g.x[place*g.d:(place+1)*g.d])
	}
	order := fitting.Upto(len(places))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(projections[a], projections[b]) })
	halves, half := [2][]int{}, (len(places)+1)/2
	for rank, i := range order {
		halves[rank/half] = append(halves[rank/half], places[i])
	}
	slices.Sort(projections)
	s := split{Direction: v, Threshold: projections[half-1],
		Width: max(leastWidth, quantile(projections, 0.75)-quantile(projections, 0.25))}
	for i, child := range []*int{&s.Left, &s.Right} {
		slices.Sort(halves[i])
		if *child, err = g.grow(ctx, halves[i]); err != nil {
			return 0, err
		}
	}
	g.splits[at] = s
	return at, nil
}

// leastWidth is the least interquartile range of a split.
const leastWidth = 1e-6

// quantile returns the q-quantile of sorted numbers, linear between two of them.
func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	i := int(place)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return math.FMA(place-float64(i), sorted[i+1]-sorted[i], sorted[i])
}

// direction is lines 2 to 4.
func (g *grower) direction(ctx context.Context, places []int) ([]float64, error) {
	subset := g.draw(len(places), g.SubsetSize)
	for i, at := range subset {
		subset[i] = places[at]
	}
	f := g.machine(subset)
	f.start(g.Bandwidth)
	if err := f.solve(ctx, splitLambda, true); err != nil {
		return nil, err
	}
	if err := f.learn(ctx); err != nil {
		return nil, err
	}
	return topEigenvector(ctx, f.metric, g.d)
}

// topEigenvector returns the eigenvector of the largest eigenvalue of a positive semidefinite matrix (d x d), with
// length 1. Its element of the largest size is positive. Squares of the matrix tend to rank one; of equal largest
// eigenvalues any vector will do. The vector of a matrix of zeros is the first axis.
func topEigenvector(ctx context.Context, matrix []float64, d int) ([]float64, error) {
	a, next := slices.Clone(matrix), make([]float64, d*d)
	for range 60 { // eigenvalues that differ by less than 1e-16 are equal
		trace := 0.0
		for j := range d {
			trace += a[j*d+j]
		}
		if !(trace > 0) {
			break
		}
		for i := range a {
			a[i] /= trace
		}
		if 1-vmath.Dot(a, a) < 1e-15 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vmath.MatMul(next, a, d, d, a, d)
		a, next = next, a
	}
	most := 0
	for j := range d {
		if a[j*d+j] > a[most*d+most] {
			most = j
		}
	}
	v := slices.Clone(a[most*d : (most+1)*d])
	length := math.Sqrt(vmath.Dot(v, v))
	if !(length > 0) {
		clear(v)
		v[0], length = 1, 1
	}
	for j := range v {
		v[j] /= length
	}
	return v, nil
}

// machines fits the leaves. It returns the machines of all leaves by their number of iterations.
func (g *grower) machines(ctx context.Context, lambda float64, iterations []int) (map[int][]model, error) {
	slices.Sort(iterations)
	iterations = slices.Compact(iterations)
	out := map[int][]model{}
	for _, places := range g.leaves {
		f := g.machine(places)
		err := f.follow(ctx, g.Bandwidth, lambda, iterations, func(at int) error {
			out[iterations[at]] = append(out[iterations[at]], *f.model(g.mean))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
