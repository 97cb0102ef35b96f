package conform

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

// Blocks checks what [registry.Blocks] declares: that blocks of features change what the method learns, that a block of one
// feature equals that feature outside of blocks, bit for bit, and that paths, saved models and estimates hold with blocks
// too. A method that does not declare blocks never sees any.
func Blocks(t *testing.T, spec registry.Spec) {
	if !spec.Blocks {
		t.Fatalf("%s does not declare registry.Blocks", spec.Name)
	}
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if spec.Tasks&task != 0 {
			t.Run(task.String(), func(t *testing.T) { suite{spec: spec, task: task}.blocks(t) })
		}
	}
}

func (s suite) blocks(t *testing.T) {
	plain := easy(s.task, 60, 4)
	single, joined := plain, plain
	single.Blocks = []registry.Block{{Name: "one", From: 1, To: 2}, {Name: "other", From: 2, To: 3}}
	joined.Blocks = []registry.Block{{Name: "two", From: 0, To: 2}, {Name: "one", From: 3, To: 4}}
	settings := s.few(t, plain, 3)
	changed := false
	for i, raw := range settings {
		alone := score(t, s.fit(t, plain, raw), plain)
		equal(t, "the model with blocks of one feature", score(t, s.fit(t, single, raw), single), alone)
		m := s.fit(t, joined, raw)
		want := score(t, m, joined)
		changed = changed || !slices.Equal(want, alone)
		err := s.spec.FitAll(t.Context(), registry.Env{Seed: seed}, joined, settings, func(k int, m registry.Model) error {
			if k == i {
				equal(t, "the path's model with blocks", score(t, m, joined), want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.savedScores(t, "blocks", m, joined, want)
		s.blocksEstimated(t, joined.Shape(), raw)
	}
	if !changed {
		t.Error("a block of two features changes no score of a few settings; then the method does not use blocks")
	}
}

// savedScores checks that a model which can be saved scores the same when it is read back.
func (s suite) savedScores(t *testing.T, what string, m registry.Model, d registry.Data, want []float64) {
	t.Helper()
	saver, ok := m.(registry.Saver)
	if !ok {
		return
	}
	var file bytes.Buffer
	if err := saver.Save(&file); err != nil {
		t.Fatal(err)
	}
	back, err := s.spec.LoadModel(&file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the model with "+what+", read back,", score(t, back, d), want)
}

func (s suite) blocksEstimated(t *testing.T, sh registry.Shape, raw json.RawMessage) {
	t.Helper()
	memory, err := s.spec.MemoryEstimate(sh, raw)
	if err != nil {
		t.Fatal(err)
	}
	cost, err := s.spec.PathCostEstimate(sh, []json.RawMessage{raw})
	if err != nil {
		t.Fatal(err)
	}
	if memory <= 0 || cost <= 0 {
		t.Errorf("with blocks a fit is estimated at %d bytes and %v ns", memory, cost)
	}
}
