package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

func (s suite) path(t *testing.T) {
	d := easy(s.task, 60, 4)
	most := 6
	if testenv.Thorough(t) {
		most = math.MaxInt
	}
	all := s.few(t, d, most)
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	alone := map[string][]float64{}
	for _, points := range [][]json.RawMessage{all, backwards, toydata.Spread(all, 3), {all[len(all)-1]}} {
		must.Do(t, s.subject().Path(context.Background(), d, points, alone))
	}
	stop := errors.New("stop")
	err := s.spec.FitAll(context.Background(), registry.Env{Seed: seed}, d, all, func(int, registry.Model) error {
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("a path whose caller stopped returned %v, not the caller's error", err)
	}
}

func (s suite) staged(t *testing.T) {
	d := easy(s.task, 60, 4)
	for _, raw := range s.few(t, d, 2) {
		m, ok := s.fit(t, d, raw).(registry.Stager)
		if !ok {
			t.Log("the model has no stages")
			return
		}
		at := must.Get(s.subject().Stages(context.Background(), m, d))(t)
		for _, round := range at {
			alone := stage(t, m, d, round)
			must.Do(t, m.ScoreStages(context.Background(), d.X, at, func(r int, scores []float64) error {
				if r == round {
					equal(t, "a stage among others", scores, alone)
				}
				return nil
			}))
		}
	}
}

func stage(t *testing.T, m registry.Stager, d registry.Data, round int) []float64 {
	t.Helper()
	var out []float64
	must.Do(t, m.ScoreStages(context.Background(), d.X, []int{round}, func(_ int, scores []float64) error {
		out = append(out, scores...)
		return nil
	}))
	return out
}

// Prefixes checks that a model's stages are the models of fewer rounds, bit for bit. rounds is the parameter for the
// number of rounds. The check holds for methods whose rounds draw their random numbers in order.
func Prefixes(t *testing.T, spec registry.Spec, rounds string) {
	eachTask(t, spec, func(t *testing.T, s suite) {
		d := easy(s.task, 60, 4)
		fit := func(n int) registry.Stager {
			m, ok := s.fit(t, d, json.RawMessage(fmt.Sprintf(`{%q: %d}`, rounds, n))).(registry.Stager)
			if !ok {
				t.Fatal("the model has no stages")
			}
			return m
		}
		whole := fit(9)
		for _, n := range []int{1, 2, 5} {
			equal(t, fmt.Sprintf("stage %d of %d", n, whole.Rounds()), stage(t, whole, d, min(n, whole.Rounds())),
				score(t, fit(n), d))
		}
	})
}

func (s suite) saveLoad(t *testing.T) {
	d := easy(s.task, 60, 4)
	for _, raw := range s.few(t, d, 2) {
		m, ok := s.fit(t, d, raw).(registry.Saver)
		if ok != (s.spec.Load != nil) {
			t.Fatalf("models can be saved: %v; the method can load them: %v", ok, s.spec.Load != nil)
		}
		if !ok {
			t.Log("the method has no saved form, and says so")
			return
		}
		file := must.Get(s.subject().Saved(m.(registry.Model), d))(t)
		var again bytes.Buffer
		if err := m.Save(&again); err != nil || !bytes.Equal(file, again.Bytes()) {
			t.Errorf("a model saved twice gives different bytes, error %v", err)
		}
		size := len(file)
		for _, n := range []int{0, 1, size / 2, size - 2} {
			if _, err := s.spec.LoadModel(bytes.NewReader(file[:n])); err == nil {
				t.Errorf("the first %d of a saved model's %d bytes are read without an error", n, size)
			}
		}
	}
}

func (s suite) estimates(t *testing.T) {
	small, large := easy(s.task, 40, 3).Shape(), easy(s.task, 400, 12).Shape()
	for _, raw := range s.few(t, easy(s.task, 40, 3), 2) {
		var bytes [2]int64
		var work [2]float64
		for i, sh := range []registry.Shape{small, large} {
			var err error
			if bytes[i], err = s.spec.MemoryEstimate(sh, raw); err != nil {
				t.Fatal(err)
			}
			if work[i], err = s.spec.Work(sh, []json.RawMessage{raw}); err != nil {
				t.Fatal(err)
			}
		}
		if bytes[0] < 0 || bytes[1] < bytes[0] {
			t.Errorf("memory estimates %v do not grow with the data", bytes)
		}
		if work[0] <= 0 || work[1] < work[0] {
			t.Errorf("the work %v does not grow with the data", work)
		}
	}
}
