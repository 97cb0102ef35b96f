// Package conform is the suite that every method passes.
//
//	func TestConform(t *testing.T) { conform.Run(t, Spec()) }
//
// It asks of a method what the harness relies on: parameters that are checked,
// scores of the right shape that are never NaN, the same bits from the same
// seed whatever the number of workers, inputs left as they were, rows scored one
// by one as in a batch, an early answer to cancellation, an error or a model (never
// a panic) on awkward data, an error on data that is no training set, and, for each capability that the method declares,
// that it changes no result. It also asks that the method learns something.
//
// Beside it, [Prefixes] asks of a method whose models have stages that these are the models of
// fewer rounds.
//
// It does not ask whether the method is the one its paper describes; that is what
// the method's own oracle tests are for.
package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/cputime"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// seed is the suite's own: of the generated data and of the fits.
const seed = 7

// Run checks spec for each task it declares.
func Run(t *testing.T, spec registry.Spec) {
	t.Run("parameters", func(t *testing.T) { parameters(t, spec) })
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if spec.Tasks&task == 0 {
			continue
		}
		t.Run(task.String(), func(t *testing.T) {
			s := suite{spec: spec, task: task}
			t.Run("learns", s.learns)
			t.Run("shapes", s.shapes)
			t.Run("same bits", s.sameBits)
			t.Run("inputs unchanged", s.inputsUnchanged)
			t.Run("rows one by one", s.rowByRow)
			t.Run("cancellation", s.cancellation)
			t.Run("awkward data", s.awkward)
			t.Run("no training set", s.refusals)
			t.Run("path", s.path)
			t.Run("staged", s.staged)
			t.Run("save and load", s.saveLoad)
			t.Run("estimates", s.estimates)
		})
	}
}

type suite struct {
	spec registry.Spec
	task registry.Task
}

func parameters(t *testing.T, spec registry.Spec) {
	for _, sh := range []registry.Shape{
		{Task: registry.Binary, N: 50, D: 1, Classes: 2},
		{Task: registry.Binary, N: 1000, D: 60, Classes: 2},
	} {
		points, err := spec.Settings(sh, spec.DefaultGrid(), nil)
		if err != nil {
			t.Fatalf("grid for n=%d d=%d: %v", sh.N, sh.D, err)
		}
		seen := map[string]int{}
		for i, p := range points {
			if first, dup := seen[string(p)]; dup {
				t.Errorf("grid points %d and %d are both %s", first, i, p)
			}
			seen[string(p)] = i
		}
	}
	_, err := spec.Fit(context.Background(), registry.Env{Seed: seed}, easy(spec.Tasks&-spec.Tasks, 20, 2), json.RawMessage(`{"no_such_parameter":1}`))
	if err == nil {
		t.Error("an unknown parameter is accepted; misspelt ones would be ignored")
	}
}

func (s suite) settings(t *testing.T, d registry.Data) []json.RawMessage {
	t.Helper()
	points, err := s.spec.Settings(d.Shape(), s.spec.DefaultGrid(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

// few returns at most k settings, spread over the grid.
func (s suite) few(t *testing.T, d registry.Data, k int) []json.RawMessage {
	t.Helper()
	all := s.settings(t, d)
	if len(all) <= k {
		return all
	}
	out := make([]json.RawMessage, k)
	for i := range out {
		out[i] = all[i*(len(all)-1)/max(1, k-1)]
	}
	return out
}

func (s suite) fit(t *testing.T, env registry.Env, d registry.Data, raw json.RawMessage) registry.Model {
	t.Helper()
	m, err := s.spec.Fit(context.Background(), env, d, raw)
	if err != nil {
		t.Fatalf("fit with %s: %v", raw, err)
	}
	if m == nil {
		t.Fatalf("fit with %s gave neither a model nor an error", raw)
	}
	if _, trees := m.(registry.TreeModel); trees != s.spec.HasTrees() {
		t.Fatalf("the model is a registry.TreeModel: %t; that it is declared by registry.Trees: %t", trees, s.spec.HasTrees())
	}
	return m
}

func score(t *testing.T, m registry.Model, d registry.Data) []float64 {
	t.Helper()
	out := make([]float64, d.Shape().N*d.Shape().Outputs())
	for i := range out {
		out[i] = math.NaN() // a value the model forgets to write must show
	}
	if err := m.Score(context.Background(), d.X, out); err != nil {
		t.Fatalf("score: %v", err)
	}
	for i, v := range out {
		if math.IsNaN(v) {
			t.Fatalf("score %d of row %d is NaN or was not written", i%d.Shape().Outputs(), i/d.Shape().Outputs())
		}
	}
	return out
}

func (s suite) learns(t *testing.T) {
	d := easy(s.task, 120, 3)
	best := math.Inf(-1)
	for _, raw := range s.few(t, d, 9) {
		best = max(best, goodness(d, score(t, s.fit(t, registry.Env{Seed: seed}, d, raw), d)))
	}
	if best < 0.85 {
		t.Errorf("the best of a few settings reaches %.2f on its own easy training data (accuracy, or R2); 0.85 is asked", best)
	}
}

func (s suite) shapes(t *testing.T) {
	for _, dim := range [][2]int{{12, 1}, {30, 2}, {24, 40}} {
		d := easy(s.task, dim[0], dim[1])
		for _, raw := range s.few(t, d, 2) {
			m := s.fit(t, registry.Env{Seed: seed}, d, raw)
			score(t, m, d)
			score(t, m, rows(d, []int{0}))
		}
	}
}

func (s suite) sameBits(t *testing.T) {
	d := easy(s.task, 60, 4)
	for _, raw := range s.few(t, d, 2) {
		m := s.fit(t, registry.Env{Seed: seed, Workers: 1}, d, raw)
		want := score(t, m, d)
		equal(t, "a second fit", score(t, s.fit(t, registry.Env{Seed: seed, Workers: 1}, d, raw), d), want)
		equal(t, "a fit with 4 workers", score(t, s.fit(t, registry.Env{Seed: seed, Workers: 4}, d, raw), d), want)
		var wg sync.WaitGroup
		outs := make([][]float64, 4)
		for i := range outs {
			outs[i] = make([]float64, len(want))
			wg.Add(1)
			go func() {
				defer wg.Done()
				if err := m.Score(context.Background(), d.X, outs[i]); err != nil {
					t.Errorf("concurrent score: %v", err)
				}
			}()
		}
		wg.Wait()
		for _, out := range outs {
			equal(t, "a concurrent score", out, want)
		}
	}
}

func (s suite) inputsUnchanged(t *testing.T) {
	d := easy(s.task, 40, 3)
	x, y := mat.DenseCopyOf(d.X), append([]float64(nil), d.Y...)
	for _, raw := range s.few(t, d, 2) {
		score(t, s.fit(t, registry.Env{Seed: seed}, d, raw), d)
	}
	equal(t, "X after a fit and a score", d.X.RawMatrix().Data, x.RawMatrix().Data)
	equal(t, "Y after a fit and a score", d.Y, y)
}

func (s suite) rowByRow(t *testing.T) {
	d := easy(s.task, 50, 3)
	k := d.Shape().Outputs()
	for _, raw := range s.few(t, d, 2) {
		m := s.fit(t, registry.Env{Seed: seed}, d, raw)
		want := score(t, m, d)
		for i := range 50 {
			got := score(t, m, rows(d, []int{i}))
			for c, v := range got {
				if w := want[i*k+c]; math.Abs(v-w) > 1e-9*max(1, math.Abs(w)) {
					t.Fatalf("row %d alone scores %v and within a batch %v", i, v, w)
				}
			}
		}
	}
}

func (s suite) cancellation(t *testing.T) {
	d := easy(s.task, 400, 10)
	for _, raw := range s.few(t, d, 1) {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.spec.Fit(gone, registry.Env{Seed: seed}, d, raw); !errors.Is(err, context.Canceled) {
			t.Errorf("a fit under a cancelled context returned %v, not the context's error", err)
		}
		soon, cancel := context.WithCancel(context.Background())
		defer cancel()
		var end atomic.Value
		timer := time.AfterFunc(10*time.Millisecond, func() {
			end.Store(cputime.Process())
			cancel()
		})
		_, err := s.spec.Fit(soon, registry.Env{Seed: seed}, d, raw)
		timer.Stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("a fit that was cancelled returned %v, not the context's error", err)
		}
		// Processor time, since machines are busy; and a wide bound, since others may use this
		// process. A method that never looks at its context exceeds it on real data.
		if from, cancelled := end.Load().(float64); cancelled && cputime.Process()-from > 5 {
			t.Errorf("a fit went on for %.1f s of processor time after it was cancelled", cputime.Process()-from)
		}
	}
}

// awkward data gives a model or an error; a panic fails the test by itself.
func (s suite) awkward(t *testing.T) {
	constant := easy(s.task, 40, 3)
	for i := range 40 {
		constant.X.Set(i, 1, 0)
	}
	twins := easy(s.task, 40, 2)
	for i := 1; i < 40; i += 2 {
		twins.X.SetRow(i, twins.X.RawRowView(i-1))
	}
	zero := easy(s.task, 40, 2)
	zero.X.Zero()
	single, other := easy(s.task, 40, 2), easy(s.task, 40, 2)
	for i := range single.Y {
		single.Y[i], other.Y[i] = single.Y[0], other.Y[1]
	}
	empty := easy(s.task, 40, 2) // the last class has no row
	for i, y := range empty.Y {
		empty.Y[i] = min(y, 1)
	}
	for _, c := range []struct {
		name string
		data registry.Data
		must bool // a model is asked for
	}{
		{"constant column", constant, true}, {"equal rows, different targets", twins, true},
		{"all inputs zero", zero, false}, {"one class, or a constant target", single, false}, {"the other class alone", other, false},
		{"a class without rows", empty, false},
		{"one row", rows(easy(s.task, 40, 2), []int{1}), false}, {"two rows", easy(s.task, 2, 2), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, raw := range s.few(t, c.data, 2) {
				m, err := s.spec.Fit(context.Background(), registry.Env{Seed: seed}, c.data, raw)
				switch {
				case err == nil:
					score(t, m, c.data)
				case c.must:
					t.Errorf("fit with %s: %v", raw, err)
				}
			}
		})
	}
}

// refusals: data that is no training set gives an error, of a single fit and of a grid's.
func (s suite) refusals(t *testing.T) {
	wrong := map[registry.Task][]float64{
		registry.Binary:     {0, 2, math.NaN(), math.Inf(-1)},
		registry.Multiclass: {-1, 3, 0.5, math.NaN(), math.Inf(1)},
		registry.Regression: {math.NaN(), math.Inf(1)},
	}
	changes := map[string]func(d *registry.Data){
		"too few targets":   func(d *registry.Data) { d.Y = d.Y[:len(d.Y)-1] },
		"too many targets":  func(d *registry.Data) { d.Y = append(d.Y, d.Y[0]) },
		"no targets":        func(d *registry.Data) { d.Y = nil },
		"no rows":           func(d *registry.Data) { d.X, d.Y = new(mat.Dense), nil },
		"no matrix":         func(d *registry.Data) { d.X = nil },
		"NaN in a feature":  func(d *registry.Data) { d.X.Set(3, 1, math.NaN()) },
		"+Inf in a feature": func(d *registry.Data) { d.X.Set(0, 0, math.Inf(1)) },
		"-Inf in a feature": func(d *registry.Data) { d.X.Set(11, 1, math.Inf(-1)) },
		"another task":      func(d *registry.Data) { d.Task = 0 },
	}
	for _, y := range wrong[s.task] {
		changes[fmt.Sprintf("target %v", y)] = func(d *registry.Data) { d.Y[5] = y }
	}
	for name, change := range changes {
		d := easy(s.task, 12, 2)
		raws := s.few(t, d, 2)
		change(&d)
		if m, err := s.spec.Fit(context.Background(), registry.Env{Seed: seed}, d, raws[0]); err == nil {
			t.Errorf("%s: a fit gives the model %v and no error", name, m)
		}
		err := s.spec.FitAll(context.Background(), registry.Env{Seed: seed}, d, raws, func(int, registry.Model) error { return nil })
		if err == nil {
			t.Errorf("%s: fits of a grid give no error", name)
		}
	}
}

func (s suite) path(t *testing.T) {
	if !s.spec.HasPath() {
		t.Skip("the method declares no path")
	}
	d := easy(s.task, 60, 4)
	all := s.settings(t, d)
	backwards := make([]json.RawMessage, len(all))
	for i, raw := range all {
		backwards[len(all)-1-i] = raw
	}
	alone := map[string][]float64{} // scores of single fits
	for _, raw := range all {
		alone[string(raw)] = score(t, s.fit(t, registry.Env{Seed: seed}, d, raw), d)
	}
	for _, settings := range [][]json.RawMessage{all, backwards, s.few(t, d, 3), {all[len(all)-1]}} {
		seen := make([]bool, len(settings))
		err := s.spec.FitAll(context.Background(), registry.Env{Seed: seed}, d, settings, func(i int, m registry.Model) error {
			if seen[i] {
				t.Errorf("setting %d was given twice", i)
			}
			seen[i] = true
			equal(t, "the path's model of "+string(settings[i]), score(t, m, d), alone[string(settings[i])])
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, ok := range seen {
			if !ok {
				t.Errorf("setting %d was not given", i)
			}
		}
	}
	stop := errors.New("stop")
	err := s.spec.FitAll(context.Background(), registry.Env{Seed: seed}, d, all, func(int, registry.Model) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("a path whose caller stopped returned %v, not the caller's error", err)
	}
}

func (s suite) staged(t *testing.T) {
	d := easy(s.task, 60, 4)
	for _, raw := range s.few(t, d, 2) {
		m, ok := s.fit(t, registry.Env{Seed: seed}, d, raw).(registry.Stager)
		if !ok {
			t.Skip("the model has no stages")
		}
		last := m.Rounds()
		at := []int{1, (last + 1) / 2, last}
		var got []int
		var final []float64
		err := m.ScoreStages(context.Background(), d.X, at, func(round int, scores []float64) error {
			got = append(got, round)
			final = append(final[:0], scores...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(at) {
			t.Fatalf("asked for stages %v, given %v", at, got)
		}
		for i := range at {
			if got[i] != at[i] {
				t.Fatalf("asked for stages %v, given %v", at, got)
			}
		}
		equal(t, "the last stage", final, score(t, m, d))
		for _, round := range at {
			alone := stage(t, m, d, round)
			err := m.ScoreStages(context.Background(), d.X, at, func(r int, scores []float64) error {
				if r == round {
					equal(t, "a stage among others", scores, alone)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// stage returns the scores after a round.
func stage(t *testing.T, m registry.Stager, d registry.Data, round int) []float64 {
	t.Helper()
	var out []float64
	if err := m.ScoreStages(context.Background(), d.X, []int{round}, func(_ int, scores []float64) error {
		out = append(out, scores...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Prefixes checks that a model's stages are the models of fewer rounds, bit for bit: rounds
// names the parameter that says how many. It holds where a round draws its random numbers
// after those before it.
func Prefixes(t *testing.T, spec registry.Spec, rounds string) {
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if spec.Tasks&task == 0 {
			continue
		}
		t.Run(task.String(), func(t *testing.T) {
			s := suite{spec: spec, task: task}
			d := easy(task, 60, 4)
			fit := func(n int) registry.Stager {
				m, ok := s.fit(t, registry.Env{Seed: seed}, d, json.RawMessage(fmt.Sprintf(`{%q: %d}`, rounds, n))).(registry.Stager)
				if !ok {
					t.Fatal("the model has no stages")
				}
				return m
			}
			whole := fit(9)
			for _, n := range []int{1, 2, 5} {
				equal(t, fmt.Sprintf("stage %d of %d", n, whole.Rounds()), stage(t, whole, d, min(n, whole.Rounds())), score(t, fit(n), d))
			}
		})
	}
}

func (s suite) saveLoad(t *testing.T) {
	d := easy(s.task, 60, 4)
	for _, raw := range s.few(t, d, 2) {
		m, ok := s.fit(t, registry.Env{Seed: seed}, d, raw).(registry.Saver)
		if ok != s.spec.HasLoad() {
			t.Fatalf("models can be saved: %v; the method can load them: %v", ok, s.spec.HasLoad())
		}
		if !ok {
			t.Skip("the method has no saved form")
		}
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := m.Save(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Error("a model saved twice gives different bytes")
		}
		size := file.Len()
		back, err := s.spec.LoadModel(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the model read back", score(t, back, d), score(t, m, d))
		for _, n := range []int{0, 1, size / 2, size - 2} {
			if _, err := s.spec.LoadModel(bytes.NewReader(file.Bytes()[:n])); err == nil {
				t.Errorf("the first %d of a saved model's %d bytes are read without an error", n, size)
			}
		}
	}
}

func (s suite) estimates(t *testing.T) {
	small, large := easy(s.task, 40, 3).Shape(), easy(s.task, 400, 12).Shape()
	for _, raw := range s.few(t, easy(s.task, 40, 3), 2) {
		var bytes [2]int64
		var cost [2]float64
		for i, sh := range []registry.Shape{small, large} {
			var err error
			if bytes[i], err = s.spec.MemoryEstimate(sh, raw); err != nil {
				t.Fatal(err)
			}
			if cost[i], err = s.spec.CostEstimate(sh, raw); err != nil {
				t.Fatal(err)
			}
		}
		if bytes[0] < 0 || bytes[1] < bytes[0] {
			t.Errorf("memory estimates %v do not grow with the data", bytes)
		}
		if cost[0] <= 0 || cost[1] < cost[0] {
			t.Errorf("cost estimates %v do not grow with the data", cost)
		}
	}
}

func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d values, not %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s differs at %d: %v, not %v", what, i, got[i], want[i])
		}
	}
}
