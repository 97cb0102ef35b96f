package cart

import (
	"context"
	"fmt"
	"reflect"
	"runtime"

	"github.com/kernelboosting/bench/registry"
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
	"gonum.org/v1/gonum/mat"
)

// places bounds golearn's goroutines in this process, abandoned ones included.
var places = make(chan struct{}, runtime.GOMAXPROCS(0))

// growGolearn is the grower of CART-golearn: golearn grows the tree, and its splits are copied.
func growGolearn(ctx context.Context, env registry.Env, train registry.Data, criterion string,
	depth int) ([]split, error) {
	fit := regress
	if train.Task != registry.Regression {
		fit = classify(labels(classes(train.Shape())))
	}
	grid := gridOf(train)
	return interruptible(ctx, env, func() ([]split, error) { return fit(grid, criterion, depth) })
}

// interruptible runs f in a goroutine of its own and stops waiting for f when ctx is done (see the package comment). A
// panic of f becomes an error.
func interruptible(ctx context.Context, env registry.Env, f func() ([]split, error)) ([]split, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		env.Log.Warn("CART-golearn was cancelled while golearn's other fits, some maybe abandoned, held every place",
			"places", cap(places))
		return nil, ctx.Err()
	}
	type result struct {
		splits []split
		err    error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-places }()
		defer func() {
			if p := recover(); p != nil {
				done <- result{err: fmt.Errorf("golearn panicked: %v", p)}
			}
		}()
		var r result
		env.OnThread(func() { r.splits, r.err = f() })
		done <- r
	}()
	select {
	case r := <-done:
		return r.splits, r.err
	case <-ctx.Done():
		env.Log.Warn("CART-golearn was cancelled; golearn cannot be, and its goroutine runs on to its end")
		return nil, ctx.Err()
	}
}

// gridOf copies the sample to golearn's form: float attributes and, last, the class attribute. Mat64Instances keeps all
// attributes in one group. golearn's DenseInstances begins another group after 512 attributes. It then
// sorts the attributes with a comparison that is not a consistent order, so that columns could change places.
func gridOf(train registry.Data) base.FixedDataGrid {
	n, d := train.X.Dims()
	m := mat.NewDense(n, d+1, nil)
	for i := range n {
		row := m.RawRowView(i)
		copy(row, train.X.RawRowView(i))
		row[d] = target(train.Task, train.Y[i])
	}
	grid := base.InstancesFromMat64(n, d+1, m)
	if err := grid.AddClassAttribute(grid.AllAttributes()[d]); err != nil {
		panic(err) // the attribute is the grid's own
	}
	return grid
}

// target returns the number that golearn gets for y. Classes are 0..K-1. The binary label +1 is class 0, because
// golearn breaks ties for the lowest class, and a decision value of 0 counts as +1.
func target(task registry.Task, y float64) float64 {
	if task == registry.Binary {
		return (1 - y) / 2
	}
	return y
}

// classes returns K, the number of class codes that target gives.
func classes(sh registry.Shape) int {
	if sh.Task == registry.Binary {
		return 2
	}
	return sh.Classes
}

// labels returns 0..k-1 as golearn takes them.
func labels(k int) []int64 {
	out := make([]int64, k)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

// A split is one of golearn's nodes. left and right are the indices of the splits below this one, or 0 for a leaf.
// leftValue and rightValue are the predictions of a leaf on that side.
type split struct {
	feature               int
	threshold             float64
	left, right           int
	leftValue, rightValue []float64
}

// sliceOf makes a slice of a type that cannot be named: golearn exports the fields of its nodes but not their types.
func sliceOf[T any](x T) []T { return []T{x} }

func classify(labels []int64) func(base.FixedDataGrid, string, int) ([]split, error) {
	return func(grid base.FixedDataGrid, criterion string, depth int) ([]split, error) {
		t := trees.NewDecisionTreeClassifier(criterion, int64(depth), labels)
		if err := t.Fit(grid); err != nil || !isSplit(t.RootNode) {
			return nil, err
		}
		var out []split
		queue := sliceOf(t.RootNode)
		for i := 0; i < len(queue); i++ {
			n := queue[i]
			s := split{feature: int(n.Feature), threshold: n.Threshold,
				leftValue: []float64{float64(n.LeftLabel)}, rightValue: []float64{float64(n.RightLabel)}}
			if n.Left != nil {
				s.left, queue = len(queue), append(queue, n.Left)
			}
			if n.Right != nil {
				s.right, queue = len(queue), append(queue, n.Right)
			}
			out = append(out, s)
		}
		return out, nil
	}
}

func regress(grid base.FixedDataGrid, criterion string, depth int) ([]split, error) {
	t := trees.NewDecisionTreeRegressor(criterion, int64(depth))
	if err := t.Fit(grid); err != nil || !isSplit(t.RootNode) {
		return nil, err
	}
	var out []split
	queue := sliceOf(t.RootNode)
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		s := split{feature: int(n.Feature), threshold: n.Threshold,
			leftValue: []float64{n.LeftPred}, rightValue: []float64{n.RightPred}}
		if n.Left != nil {
			s.left, queue = len(queue), append(queue, n.Left)
		}
		if n.Right != nil {
			s.right, queue = len(queue), append(queue, n.Right)
		}
		out = append(out, s)
	}
	return out, nil
}

// isSplit reports whether golearn found a split for the root node. If golearn found none, it still keeps a node, with
// feature 0, threshold 0 and the prediction 0 on the right side. Only an unexported field tells such a node from a
// split.
func isSplit(root any) bool {
	return reflect.ValueOf(root).Elem().FieldByName("isNodeNeeded").Bool()
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

// isMode reports whether class is golearn's majority class: the first class with the largest count, or 0 if all counts
// are 0.
func isMode(counts []float64, class int) bool {
	best := 0
	for c, n := range counts {
		if n > counts[best] {
			best = c
		}
	}
	return best == class
}

// decision turns class counts into scores. If no training row went to a side, the class that golearn predicts gets the
// whole score. A side can be empty, since a threshold of golearn can round to its lower neighbour.
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
