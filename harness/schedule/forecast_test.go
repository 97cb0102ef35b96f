package schedule

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// laws are how times of methods grow with n rows and d features, in nanoseconds.
var laws = map[string]func(n, d float64) float64{
	"n":       func(n, _ float64) float64 { return 4e5 * n },
	"n log n": func(n, _ float64) float64 { return 8e4 * n * math.Log(n) },
	"n d":     func(n, d float64) float64 { return 2e4 * n * d },
	"n^2":     func(n, _ float64) float64 { return 900 * n * n },
	"n^2 d":   func(n, d float64) float64 { return 60 * n * n * d },
}

// shapes are the training parts of the 15 sets of Table 2, without those of two that are three times as large as all
// others.
var shapes = map[string][2]int{
	"australian": {483, 14}, "balance": {437, 4}, "bupa": {241, 6}, "german": {700, 23}, "heart": {189, 13},
	"iono": {245, 34}, "newthyroid": {150, 5},
	"pima": {537, 8}, "sonar": {145, 60}, "spambase": {3217, 57}, "splice": {2222, 60}, "vehicle": {592, 18},
	"wdbc": {398, 30}, "wine": {124, 13},
}

// A virtualRun is a run of methods that declare no cost, in virtual time.
type virtualRun struct {
	forecast    *plan.Forecast
	s           *state
	now         time.Time
	takes, ends map[*plan.Cell]time.Duration // ends: of running cells, since the start
	left        map[*plan.Cell]bool
	draw        *rand.Rand

	load        *load                  // nil for none
	needs, uses map[*plan.Cell]float64 // seconds without load; processor time as a multiple of these
}

// newVirtualRun draws how long each cell takes: its law, by a factor of the machine that is the same for a method, by
// one of the method on the set, whose logarithm has a standard deviation of 0.3, and by one of each cell with 0.1.
func newVirtualRun(seed uint64, splits, jobs int) *virtualRun {
	v := &virtualRun{forecast: plan.NewForecast(nil), now: time.Unix(0, 0), takes: map[*plan.Cell]time.Duration{},
		ends: map[*plan.Cell]time.Duration{},
		left: map[*plan.Cell]bool{}, draw: rand.New(rand.NewPCG(seed, 26))}
	var cells []*plan.Cell
	for _, method := range slices.Sorted(maps.Keys(laws)) {
		slow := math.Exp(v.draw.NormFloat64())
		for _, set := range slices.Sorted(maps.Keys(shapes)) {
			n, d := shapes[set][0], shapes[set][1]
			own := slow * math.Exp(0.3*v.draw.NormFloat64())
			for split := range splits {
				c := &plan.Cell{Cell: runner.Cell{Method: method, Dataset: set, Split: split + 1}, Early: split == 0,
					Work: float64(n * d)}
				c.Spec = runner.CellSpec{Cell: c.Cell, Key: fmt.Sprint(c.Cell),
					Shape: registry.Shape{N: n, D: d}}
				v.takes[c] = time.Duration(25 * own * laws[method](float64(n),
					float64(d)) * math.Exp(0.1*v.draw.NormFloat64()))
				v.left[c] = true
				cells = append(cells, c)
			}
		}
	}
	v.s = newState(Options{Jobs: jobs, Forecast: v.forecast}, cells, v.now)
	return v
}

// step hands an event to the scheduler and starts what it starts.
func (v *virtualRun) step(e event) {
	for _, a := range v.s.step(v.now, e) {
		if a, is := a.(start); is {
			delete(v.left, a.cell)
			if v.load != nil {
				started := v.now.Sub(time.Unix(0, 0)).Seconds()
				v.takes[a.cell] = time.Duration(1e9 * v.load.wall(started, v.needs[a.cell]))
			}
			v.ends[a.cell] = v.now.Sub(time.Unix(0, 0)) + v.takes[a.cell]
		}
	}
}

// next returns the running cell that ends first, when it ends; nil when none is running.
func (v *virtualRun) next() *plan.Cell {
	var first *plan.Cell
	for c, at := range v.ends {
		if first == nil || at < v.ends[first] || at == v.ends[first] && c.Spec.Key < first.Spec.Key {
			first = c
		}
	}
	if first != nil {
		v.now = time.Unix(0, 0).Add(v.ends[first])
		delete(v.ends, first)
	}
	return first
}

// remaining is what the progress line says is left.
func (v *virtualRun) remaining(jobs int) float64 {
	var cells []*plan.Cell
	for c := range v.left {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b *plan.Cell) int { return a.Split - b.Split })
	var running []plan.RunningCell
	for c, at := range v.ends {
		running = append(running, plan.RunningCell{Cell: c, For: v.now.Sub(time.Unix(0, 0)) - (at - v.takes[c])})
	}
	return v.forecast.Wall(cells, running, jobs)
}

// TestPredictionsOfPlugins: of methods that do not say how their time grows, and whose times follow other laws than the
// one that is assumed, the time left is right within a factor of 2 once every method has run one split of every set.
func TestPredictionsOfPlugins(t *testing.T) {
	testenv.NotUnderRace(t)
	const runs, splits, jobs = 10, 5, 2
	for seed := range uint64(runs) {
		v := newVirtualRun(seed, splits, jobs)
		early, left, at := 0, 0.0, v.now
		v.step(nil)
		for c := v.next(); c != nil; c = v.next() {
			v.step(ended{cell: c, run: result.Run{Status: result.OK, SearchSeconds: v.takes[c].Seconds()}})
			if c.Early {
				if early++; early == len(laws)*len(shapes) {
					left, at = v.remaining(jobs), v.now
				}
			}
		}
		if took := v.now.Sub(at).Seconds(); !v.s.done() || !(left > took/2 && left < 2*took) {
			t.Errorf("run %d: %.1f s are said to be left after one split of everything, and it is %.1f", seed, left,
				took)
		}
	}
}
