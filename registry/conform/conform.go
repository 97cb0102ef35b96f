// Package conform is the suite that every method passes.
//
//	func TestConform(t *testing.T) { conform.Run(t, Spec()) }
//
// It asks of a method what the harness relies on:
//
//   - a summary, and parameters that are checked;
//   - finite scores of the right shape, which are the same for a row alone and in a batch;
//   - the same bits from the same seed, whatever the number of workers, and inputs left as they were;
//   - an early answer to cancellation;
//   - no panic: fitting awkward data returns a model or an error, and fitting data that cannot be learned from, such as
//     a set without rows, returns an error;
//   - for each capability that the method declares, the same results with and without it;
//   - that the method learns something.
//
// Checks of the declared memory and time, and of how soon a method notices a cancelled context on large data, need
// suitable data. So these checks are options: [Memory], [Cost] and [Late].
//
// [Units] checks that predictions have the unit of the targets, and [Far] that columns far from zero do not spoil
// them in silence.
//
// [Prefixes] checks that the stages of a model are the models of fewer rounds.
//
// The suite does not ask whether the method is the one that its paper describes; the method's own oracle tests do.
package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// seed is the suite's own: of the generated data and of the fits.
const seed = 7

// easy is data that every sensible method can learn.
func easy(task registry.Task, n, d int) registry.Data { return toydata.Easy(task, n, d, seed) }

// Run checks spec for each task it declares, and the options. What spec does not declare has no test.
func Run(t *testing.T, spec registry.Spec, opts ...Option) {
	t.Run("parameters", func(t *testing.T) { parameters(t, spec) })
	eachTask(t, spec, func(t *testing.T, s suite) {
		t.Run("learns", s.learns)
		t.Run("shapes", s.shapes)
		t.Run("same bits", s.sameBits)
		t.Run("inputs unchanged", s.inputsUnchanged)
		t.Run("rows one by one", s.rowByRow)
		t.Run("cancellation", s.cancellation)
		t.Run("awkward data", s.awkward)
		t.Run("no training set", s.refusals)
		t.Run("staged", s.staged)
		t.Run("save and load", s.saveLoad)
		t.Run("estimates", s.estimates)
		if spec.HasPath() {
			t.Run("path", s.path)
		}
		if spec.Load != nil {
			t.Run("loads what is broken", s.loadBroken)
			t.Run("rows of others", s.scoreRefusals)
		}
		if spec.Gaps {
			t.Run("gaps", s.gaps)
		}
	})
	for _, o := range opts {
		t.Run(o.name, func(t *testing.T) { o.Check(t, spec) })
	}
}

type suite struct {
	spec registry.Spec
	task registry.Task
}

// eachTask runs checks for each task that a method declares.
func eachTask(t *testing.T, spec registry.Spec, run func(t *testing.T, s suite)) {
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if spec.Tasks&task != 0 {
			t.Run(task.String(), func(t *testing.T) { run(t, suite{spec: spec, task: task}) })
		}
	}
}

func parameters(t *testing.T, spec registry.Spec) {
	if spec.Summary == "" {
		t.Errorf("method %s has no Summary: set registry.Spec.Summary, the line that listings show", spec.Name)
	}
	first := suite{spec: spec, task: spec.Tasks & -spec.Tasks}
	for _, dims := range [][2]int{{50, 1}, {1000, 60}} {
		first.few(t, easy(first.task, dims[0], dims[1]), 1)
	}
	d := easy(first.task, 20, 2)
	_, err := spec.Fit(context.Background(), registry.Env{Seed: seed}, d, json.RawMessage(`{"no_such_parameter":1}`))
	if err == nil {
		t.Error("an unknown parameter is accepted; misspelt ones would be ignored")
	}
}

// few returns at most k grid points, spread over the grid.
func (s suite) few(t *testing.T, d registry.Data, k int) []json.RawMessage {
	t.Helper()
	points := must.Get(s.subject().Points(d, k))(t)
	return points
}

func (s suite) subject() toydata.Subject {
	return toydata.Subject{Spec: s.spec, Seed: seed, Fit: s.tryFit, Score: tryScore}
}

func (s suite) fit(t *testing.T, d registry.Data, raw json.RawMessage) registry.Model {
	t.Helper()
	m := must.Get(s.tryFit(d, raw))(t)
	return m
}

func (s suite) tryFit(d registry.Data, raw json.RawMessage) (registry.Model, error) {
	m, err := s.spec.Fit(context.Background(), registry.Env{Seed: seed}, d, raw)
	if err != nil {
		return nil, fmt.Errorf("fit with %s: %w", raw, err)
	}
	if m == nil {
		return nil, fmt.Errorf("fit with %s gave neither a model nor an error", raw)
	}
	if _, is := m.(registry.LightGBMWriter); is != s.spec.LightGBM {
		return nil, fmt.Errorf("the model is a registry.LightGBMWriter: %t; Spec.LightGBM declares it: %t", is,
			s.spec.LightGBM)
	}
	return m, nil
}

func score(t *testing.T, m registry.Model, d registry.Data) []float64 {
	t.Helper()
	out := must.Get(tryScore(m, d))(t)
	return out
}

func tryScore(m registry.Model, d registry.Data) ([]float64, error) {
	k := d.Shape().Outputs()
	out := unwritten(d.Shape().N * k)
	if err := m.Score(context.Background(), d.X, out); err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	for i, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("score %d of row %d is %v, or was not written if NaN: scores must be finite", i%k,
				i/k, v)
		}
	}
	return out, nil
}

// unwritten returns scores that are NaN, so that one the model forgets to write shows.
func unwritten(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// learned is the accuracy, or R2, that a method reaches on its own easy training data.
const learned = 0.85

func (s suite) learns(t *testing.T) {
	d := easy(s.task, 120, 3)
	best := must.Get(s.subject().Best(d, d, s.few(t, d, 9)))(t)
	if best < learned {
		t.Errorf("the best of a few settings reaches %.2f on its own easy training data (accuracy, or R2); %v is asked",
			best, learned)
	}
}

func (s suite) shapes(t *testing.T) {
	for _, dim := range [][2]int{{12, 1}, {30, 2}, {24, 40}} {
		d := easy(s.task, dim[0], dim[1])
		for _, raw := range s.few(t, d, 2) {
			m := s.fit(t, d, raw)
			score(t, m, d)
			score(t, m, toydata.Rows(d, []int{0}))
		}
	}
}

func (s suite) sameBits(t *testing.T) {
	d := easy(s.task, 60, 4)
	for _, raw := range s.few(t, d, 2) {
		m := s.fit(t, d, raw)
		want := score(t, m, d)
		equal(t, "a second fit", score(t, s.fit(t, d, raw), d), want)
		var wg sync.WaitGroup
		outs := make([][]float64, 4)
		for i := range outs {
			outs[i] = unwritten(len(want))
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
		score(t, s.fit(t, d, raw), d)
	}
	equal(t, "X after a fit and a score", d.X.RawMatrix().Data, x.RawMatrix().Data)
	equal(t, "Y after a fit and a score", d.Y, y)
}

func (s suite) rowByRow(t *testing.T) {
	d := easy(s.task, 50, 3)
	for _, raw := range s.few(t, d, 2) {
		must.Do(t, s.subject().OneByOne(s.fit(t, d, raw), d, 50, 1e-9))
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
			end.Store(processes.CPUTime())
			cancel()
		})
		_, err := s.spec.Fit(soon, registry.Env{Seed: seed}, d, raw)
		timer.Stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("a fit that was cancelled returned %v, not the context's error", err)
		}
		// The bound is processor time, since machines are busy. It is wide, since other code may use this process.
		// A method that never looks at its context exceeds it on real data.
		if from, cancelled := end.Load().(float64); cancelled && processes.CPUTime()-from > 5 {
			t.Errorf("a fit went on for %.1f s of processor time after it was cancelled", processes.CPUTime()-from)
		}
	}
}

func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	must.Do(t, toydata.Equal(what, got, want))
}
