package harness

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"golang.org/x/sync/errgroup"
)

// simProtocol has grids that make a cell of every method short.
const simProtocol = `splits = 20
datasets = ["balance"]
[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = true
[methods]
BMKR         = { params = { rounds = 3 }, grid = [{ name = "c", values = [0.1, 1.0] }] }
GBRFF        = { params = { rounds = 4, features = 5, learning_rate = 0.1 }, grid = [
  { name = "beta", values = [1.0, 16.0] }] }
GBRFF-random = { params = { rounds = 4, features = 5, learning_rate = 0.1 }, grid = [
  { name = "beta", values = [1.0, 16.0] }] }
GBRFF1       = { params = { rounds = 20 }, grid = [{ name = "beta", values = [0.1, 10.0] }] }
GBRFF2       = { params = { rounds = 40 } }
GFC          = { params = { features = 3 } }
GMKL         = { grid = [{ name = "c", values = [0.1, 1.0] }] }
KRR-GD       = { params = { max_iter = 2 }, grid = [{ name = "lambda", values = [0.01, 1.0] }] }
LGBM         = { params = { rounds = 30, num_leaves = 7 }, grid = [{ name = "lambda", values = [0.0, 1.0] }] }
MKBOOST      = { params = { rounds = 3 }, grid = [{ name = "c", values = [0.01, 1.0] }] }
PBRFF        = { params = { landmarks = 10 }, grid = [{ name = "c", values = [0.1, 1.0] }] }
RF           = { params = { trees = 50 } }
XGB          = { params = { rounds = 30 }, grid = [{ name = "max_depth", values = [2, 4] }] }
`

// TestHonestMethodsAreNotAccused computes canaries of the project's own methods, which know no labels, on sets of the
// catalogue that are here and on made ones on which a careless test would accuse them, and counts small p:
//
//	BENCH_CANARIES=5 go test -timeout 0 -run TestHonestMethodsAreNotAccused -v ./harness
//
// with five seeds each. Without the variable it takes two cheap methods and the made sets.
func TestHonestMethodsAreNotAccused(t *testing.T) {
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	seeds, _ := strconv.Atoi(os.Getenv("BENCH_CANARIES"))
	all := seeds > 0
	p := must.Get(protocol.Parse("sim", []byte(simProtocol)))(t)
	h := &plan.Experiment{Protocol: p, Registry: methods.All(), Catalogue: catalogue.Builtin(), Data: simData()}
	entries := trickySets(t, h.Catalogue)
	longest := 0.05
	names := strings.Fields("RKS CART")
	if all {
		longest = 0.5
		names = nil
		for _, e := range h.Catalogue.All() {
			if _, err := h.Data.State(e); err == nil && !slices.Contains(entries, e) && e.Rows <= 5000 {
				entries = append(entries, e)
			}
		}
	}
	type outcome struct {
		cell runner.Cell
		p    float64
		sane bool
	}
	var results []outcome
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(2)
	cells := &runner.InProcess{Registry: h.Registry, Data: h.Data}
	skipped := 0
	for _, e := range entries {
		for _, spec := range h.Registry.All() {
			if spec.Tasks&e.Task == 0 || names != nil && !slices.Contains(names, spec.Name) {
				continue
			}
			todo := must.Get(h.Plan(t.Context(), plan.Request{Methods: []string{spec.Name}, Datasets: []string{e.Name},
				Splits: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[:max(1, seeds)]}, nil, nil))(t)
			planned := todo.Cells
			if planned[0].Seconds > longest {
				skipped++
				continue
			}
			for s, c := range planned {
				group.Go(func() error {
					honest, err1 := cells.Run(context.Background(), c.Spec)
					c.Spec.Canary = &runner.Canary{Seed: [32]byte{byte(s), 7}}
					run, err2 := cells.Run(context.Background(), c.Spec)
					if err1 != nil || err2 != nil || run.Status != result.OK || honest.Status != result.OK {
						t.Log(c.Cell, err1, err2, run.Error, honest.Error)
						return nil
					}
					mu.Lock()
					defer mu.Unlock()
					if run.Canary.P <= 1e-3 {
						t.Logf("%s: p = %.2g, better than a constant with the true labels: %v", c.Cell, run.Canary.P,
							better(run, honest))
					}
					results = append(results, outcome{c.Cell, run.Canary.P, better(run, honest)})
					return nil
				})
			}
		}
	}
	_ = group.Wait() // no job returns an error
	count := map[string]int{}
	slices.SortFunc(results, func(a, b outcome) int { return strings.Compare(a.cell.String(), b.cell.String()) })
	for _, r := range results {
		for _, level := range []float64{runner.CanaryLevel, 1e-3, 0.05} {
			if r.p <= level {
				count[fmt.Sprint(level)]++
				if r.sane {
					count[fmt.Sprint(level, " with the rule")]++
				}
			}
		}
		if r.p <= runner.CanaryLevel && r.sane {
			t.Errorf("%s is accused: p = %.2g", r.cell, r.p)
		}
	}
	t.Logf("%d canaries, %d pairs too long; %v", len(results), skipped, count)
}

// simData is where `bench data fetch` has put the sets, if it has.
func simData() catalogue.Directory {
	return catalogue.Directory{Root: cmp.Or(os.Getenv("BENCH_DATA"), testenv.Root())}
}

// better is the second half of the rule.
func better(c, honest result.Run) bool {
	if honest.Score.Correct != nil {
		return *honest.Score.Correct > c.Canary.Constant
	}
	return honest.Score.R2 != nil && *honest.Score.R2 > 0
}

// trickySets writes sets on which predictions of an honest learner are far from independent of each other, or wrong
// in a way that has a system.
func trickySets(t *testing.T, to *catalogue.Catalogue) []*catalogue.Entry {
	rng := rand.New(rand.NewPCG(1, 2))
	folder := t.TempDir()
	var out []*catalogue.Entry
	add := func(name string, task registry.Task, rows int, row func(i int) (x []float64, y float64)) {
		var b strings.Builder
		for i := range rows {
			x, y := row(i)
			for _, v := range x {
				fmt.Fprintf(&b, "%.6g,", v)
			}
			if task == registry.Regression {
				fmt.Fprintf(&b, "%.6g\n", y)
			} else {
				fmt.Fprintf(&b, "c%d\n", int(y))
			}
		}
		text := fmt.Sprintf("name = %q\ntask = %q\nfile = %q\nlabel = -1\n", name, task, name+".csv")
		if os.WriteFile(filepath.Join(folder, name+".csv"), []byte(b.String()), 0o644) != nil ||
			os.WriteFile(filepath.Join(folder, name+".toml"), []byte(text), 0o644) != nil {
			t.Fatal("cannot write")
		}
		e := must.Get(to.Add(filepath.Join(folder, name+".toml")))(t)
		out = append(out, e)
	}
	norms := func(n int, scale float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = scale * rng.NormFloat64()
		}
		return x
	}
	around := func(centre []float64, scale float64) []float64 {
		x := norms(len(centre), scale)
		for i := range x {
			x[i] += centre[i]
		}
		return x
	}
	for _, n := range []int{100, 1000} {
		add(fmt.Sprintf("noise%d", n), registry.Binary, n, func(i int) ([]float64, float64) {
			return norms(5, 1), float64(i % 2)
		})
		add(fmt.Sprintf("noise-rare%d", n), registry.Binary, n, func(i int) ([]float64, float64) {
			return norms(5, 1), float64(min(1, i%5))
		})
		add(fmt.Sprintf("noise-five%d", n), registry.Multiclass, n, func(i int) ([]float64, float64) {
			return norms(5, 1), float64(i % 5)
		})
		add(fmt.Sprintf("noise-value%d", n), registry.Regression, n, func(int) ([]float64, float64) {
			return norms(5, 1), rng.NormFloat64()
		})
		add(fmt.Sprintf("xor%d", n), registry.Binary, n, func(int) ([]float64, float64) {
			x := norms(2, 1)
			y := 0.0
			if x[0]*x[1] > 0 {
				y = 1
			}
			return x, y
		})
		// Ends and middle: what a line cannot tell apart.
		for _, middle := range []int{30, 40, 55} {
			add(fmt.Sprintf("middle%d-%d", middle, n), registry.Binary, n, func(i int) ([]float64, float64) {
				switch i = i % 100; {
				case i < middle:
					return around([]float64{0}, .1), 1
				case i < middle+(100-middle)*2/5:
					return around([]float64{-2}, .1), 0
				}
				return around([]float64{2}, .1), 0
			})
			add(fmt.Sprintf("row%d-%d", middle, n), registry.Multiclass, n, func(i int) ([]float64, float64) {
				switch i = i % 100; {
				case i < middle:
					return around([]float64{0}, .1), 1
				case i < middle+(100-middle)/2:
					return around([]float64{-2}, .1), 0
				}
				return around([]float64{2}, .1), 2
			})
		}
		add(fmt.Sprintf("parabola%d", n), registry.Regression, n, func(i int) ([]float64, float64) {
			x := rng.Float64()*3 - 1.3
			return []float64{x}, x * x
		})
		add(fmt.Sprintf("skewed%d", n), registry.Regression, n, func(i int) ([]float64, float64) {
			if i%10 == 0 {
				return []float64{-2 - rng.Float64()}, 100 + rng.NormFloat64()
			}
			x := 2 * rng.Float64()
			return []float64{x}, 5*x + rng.NormFloat64()
		})
		add(fmt.Sprintf("two-of-four%d", n), registry.Multiclass, n, func(i int) ([]float64, float64) {
			return around([]float64{float64(i % 4 / 2 * 8), 0}, 1), float64(i % 4)
		})
	}
	for _, size := range []int{2, 5, 10, 30} {
		for _, classes := range []int{2, 4} {
			var centre []float64
			var label float64
			add(fmt.Sprintf("clusters%d-%d", size, classes), map[bool]registry.Task{true: registry.Binary,
				false: registry.Multiclass}[classes == 2], 600, func(i int) ([]float64, float64) {
				if i%size == 0 {
					centre, label = norms(4, 10), float64(rng.IntN(classes))
				}
				return around(centre, 0.01), label
			})
		}
		var centre []float64
		var value float64
		add(fmt.Sprintf("clusters%d-value", size), registry.Regression, 600, func(i int) ([]float64, float64) {
			if i%size == 0 {
				centre, value = norms(4, 10), rng.ExpFloat64()
			}
			return around(centre, 0.01), value
		})
	}
	add("two-clusters", registry.Binary, 400, func(i int) ([]float64, float64) {
		return around([]float64{float64(i % 2 * 20), 0}, 1), float64(i % 2)
	})
	add("duplicates", registry.Binary, 600, func(i int) ([]float64, float64) {
		return []float64{float64(i % 20), float64(i % 20 * 7 % 20)}, float64(i % 20 * 3 % 7 % 2)
	})
	add("parity", registry.Binary, 512, func(i int) ([]float64, float64) {
		x, y := make([]float64, 9), 0
		for b := range x {
			x[b] = float64(i >> b & 1)
			y ^= i >> b & 1
		}
		return x, float64(y)
	})
	return out
}

// TestCheatsAreFound counts how often the canary of a method that knows labels is a finding, by how many rows are
// tested:
//
//	BENCH_CANARIES=40 go test -timeout 0 -run TestCheatsAreFound -v ./harness
//
// Each cheat answers what it knows, and the label of the nearest training row for others.
func TestCheatsAreFound(t *testing.T) {
	testenv.NotUnderRace(t)
	seeds, _ := strconv.Atoi(os.Getenv("BENCH_CANARIES"))
	names := strings.Fields("wine sonar heart iono pima german wine-multiclass vehicle-multiclass glass-multiclass " +
		"year-prediction")
	if seeds == 0 {
		seeds, names = 4, strings.Fields("two-moons swiss")
	}
	type cheat struct {
		name  string
		knows func(rng *rand.Rand, n int, earlier func() []int) map[int]bool // rows
		// it takes the label of the nearest row among those that it knows too
		near bool
	}
	share := func(p float64) func(*rand.Rand, int, func() []int) map[int]bool {
		return func(rng *rand.Rand, n int, _ func() []int) map[int]bool {
			known := map[int]bool{}
			for i := range n {
				known[i] = rng.Float64() < p
			}
			return known
		}
	}
	cells := func(k int) func(*rand.Rand, int, func() []int) map[int]bool {
		return func(_ *rand.Rand, _ int, earlier func() []int) map[int]bool {
			known := map[int]bool{}
			for range k {
				for _, row := range earlier() {
					known[row] = true
				}
			}
			return known
		}
	}
	all := []cheat{
		{"the file", share(1), false}, {"3/4 of it", share(.75), false}, {"half of it", share(.5), false},
		{"rows of 1 earlier split", cells(1), false}, {"of 3", cells(3), false}, {"cache of 1, nearest", cells(1),
			true}, {"honest", share(0), false},
	}
	p := must.Get(protocol.Parse("sim", []byte(simProtocol)))(t)
	data, sets := simData(), catalogue.Builtin()
	for _, name := range names {
		e := must.Get(sets.Lookup(name))(t)
		set, err := read.Load(t.Context(), data, e)
		if err != nil {
			t.Skip(err)
		}
		var line []string
		tested := 0
		for _, c := range all {
			found := 0
			for s := range seeds {
				number := uint32(s + 1)
				rng := rand.New(rand.NewPCG(uint64(s), 5))
				division := must.Get(p.Semantics.Splitter().Split(set, number))(t)
				tested = len(division.Test)
				other := number
				known := c.knows(rng, len(set.Y), func() []int {
					other += 1000
					d := must.Get(p.Semantics.Splitter().Split(set, other))(t)
					return d.Train
				})
				answers := func(y []float64) []float64 { return cheating(set, division, y, known, c.near) }
				y := make([]float64, len(division.Train))
				for i, row := range division.Train {
					y[i] = set.Y[row]
				}
				truth := make([]float64, tested)
				for i, row := range division.Test {
					truth[i] = set.Y[row]
				}
				right := runner.CanaryP(set.Task, set.Classes, truth, answers(runner.CanaryLabels(rng, set.Task, y,
					division.Folds)))
				if right <= runner.CanaryLevel && betterThanConstant(set, truth, answers(y)) {
					found++
				}
			}
			line = append(line, fmt.Sprintf("%s %d", c.name, found))
			switch {
			case c.name == "the file" && found < seeds && tested >= 50:
				t.Errorf("%s: the file is known and %d of %d canaries show it", name, found, seeds)
			case c.name == "honest" && found > 0:
				t.Errorf("%s: who knows nothing is found %d times", name, found)
			}
		}
		t.Logf("%s, %d test rows, found of %d: %s", name, tested, seeds, strings.Join(line, "; "))
	}
}

// cheating scores the test rows of a division: what is known of them, else the label of the nearest row of those with
// labels. The columns are compared in units of their spread.
func cheating(set *datasets.Set, d split.Split, y []float64, known map[int]bool, near bool) []float64 {
	labels := map[int]float64{}
	for i, row := range d.Train {
		labels[row] = y[i]
	}
	if near {
		for row := range known {
			labels[row] = set.Y[row]
		}
	}
	scale := datasets.FitStandardiser(set.X, d.Train)
	outputs := registry.Shape{Task: set.Task, Classes: set.Classes}.Outputs()
	scores := make([]float64, len(d.Test)*outputs)
	for i, row := range d.Test {
		least, answer := math.Inf(1), 0.0
		for other, label := range labels {
			sum := 0.0
			for j, v := range set.X.RawRowView(row) {
				z := (v - set.X.At(other, j)) / scale.Scale[j]
				sum += z * z
			}
			if sum < least {
				least, answer = sum, label
			}
		}
		if known[row] && !near {
			answer = set.Y[row]
		}
		if outputs > 1 {
			scores[i*outputs+int(answer)] = 1
		} else {
			scores[i] = answer
		}
	}
	return scores
}

func betterThanConstant(set *datasets.Set, truth, scores []float64) bool {
	if set.Task == registry.Regression {
		mean, off, spread := 0.0, 0.0, 0.0
		for _, v := range truth {
			mean += v / float64(len(truth))
		}
		for i, v := range truth {
			off += (scores[i] - v) * (scores[i] - v)
			spread += (v - mean) * (v - mean)
		}
		return off < spread
	}
	right := 0
	for i, v := range truth {
		switch {
		case set.Task == registry.Binary && scores[i]*v > 0:
			right++
		case set.Task == registry.Multiclass && scores[i*set.Classes+int(v)] == 1:
			right++
		}
	}
	return right > runner.Constant(set.Task, truth)
}
