package conform

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// Blocks checks what [registry.Blocks] declares: that blocks of features change what the method learns, that a block of
// one feature equals that feature outside of blocks, bit for bit, and that paths, saved models and estimates hold with
// blocks too. A method that does not declare blocks never sees any.
func Blocks(t *testing.T, spec registry.Spec) {
	if !spec.Blocks {
		t.Fatalf("%s does not declare registry.Blocks", spec.Name)
	}
	eachTask(t, spec, func(t *testing.T, s suite) { s.blocks(t) })
}

func (s suite) blocks(t *testing.T) {
	plain := easy(s.task, 60, 4)
	single, joined := plain, plain
	single.Blocks = []registry.Block{{Name: "one", From: 1, To: 2}, {Name: "other", From: 2, To: 3}}
	joined.Blocks = []registry.Block{{Name: "two", From: 0, To: 2}, {Name: "one", From: 3, To: 4}}
	settings := s.few(t, plain, 3)
	if !s.otherThan(t, plain, joined, settings) {
		t.Error("a block of two features changes no score of a few settings; then the method does not use blocks")
	}
	for _, raw := range settings {
		equal(t, "the model with blocks of one feature", score(t, s.fit(t, single, raw), single),
			score(t, s.fit(t, plain, raw), plain))
		s.blocksEstimated(t, joined.Shape(), raw)
	}
}

// otherThan reports whether d gives other models than plain, and checks that paths and saved models hold on d.
func (s suite) otherThan(t *testing.T, plain, d registry.Data, settings []json.RawMessage) (other bool) {
	t.Helper()
	alone := map[string][]float64{}
	must.Do(t, s.subject().Path(t.Context(), d, settings, alone))
	for _, raw := range settings {
		m := s.fit(t, d, raw)
		if _, saves := m.(registry.Saver); saves {
			must.Get(s.subject().Saved(m, d))(t)
		}
		other = other || !slices.Equal(alone[string(raw)], score(t, s.fit(t, plain, raw), plain))
	}
	return other
}

func (s suite) blocksEstimated(t *testing.T, sh registry.Shape, raw json.RawMessage) {
	t.Helper()
	memory := must.Get(s.spec.MemoryEstimate(sh, raw))(t)
	if memory <= 0 {
		t.Errorf("with blocks a fit is estimated at %d bytes", memory)
	}
}
