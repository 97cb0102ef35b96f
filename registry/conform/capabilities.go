package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

func (s suite) path(t *testing.T) {
	if !s.spec.HasPath() {
		t.Skip("the method declares no path")
	}
	d := easy(s.task, 60, 4)
	all := s.settings(t, d)
	if !testenv.Thorough() {
		all = spread(all, 6)
	}
	backwards := make([]json.RawMessage, len(all))
	for i, raw := range all {
		backwards[len(all)-1-i] = raw
	}
	alone := map[string][]float64{} // scores of single fits
	for _, raw := range all {
		alone[string(raw)] = score(t, s.fit(t, registry.Env{Seed: seed}, d, raw), d)
	}
	for _, settings := range [][]json.RawMessage{all, backwards, spread(all, 3), {all[len(all)-1]}} {
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
		if ok != (s.spec.Load != nil) {
			t.Fatalf("models can be saved: %v; the method can load them: %v", ok, s.spec.Load != nil)
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
