package methods_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// TestFeaturesInBlocks: features that are computed again for each block of rows give the scores, bit for bit, of
// features that are held.
func TestFeaturesInBlocks(t *testing.T) {
	few, many := fitting.Few, fitting.Many
	defer func() { fitting.Few, fitting.Many = few, many }()
	for name, settings := range map[string][]string{
		"MFGA": {`{"features":9,"step":4,"sigma":2}`, `{"features":9,"step":4,"sigma":2,"lambda":0.1}`},
		"RKS":  {`{"features":20,"sigma":2}`, `{"features":20,"sigma":2,"lambda":0.1}`},
		"EERF": {`{"features":20,"sigma":2,"step":7}`}, "LKRF": {`{"features":20,"sigma":2}`},
		"GBRFF": {`{"rounds":2,"features":9}`}, "GBRFF-random": {`{"rounds":9,"features":9}`},
		"GFC": {`{"features":9}`}, "PBRFF": {`{"landmarks":13,"beta":1}`, `{"landmarks":13,"beta":2}`},
		"FALKON":          {`{"landmarks":40}`, `{"landmarks":40,"loss":"logistic"}`},
		"EIGENPRO":        {`{"landmarks":40,"epochs":1}`, `{"landmarks":40,"epochs":2}`},
		"RFRBoost":        {`{"features":30,"rounds":2}`, `{"features":30,"rounds":2,"lambda":0.1}`},
		"RFRBoost-greedy": {`{"features":30,"rounds":2}`},
	} {
		spec, raw := lookup(t, name), make([]json.RawMessage, len(settings))
		for i, s := range settings {
			raw[i] = json.RawMessage(s)
		}
		for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
			for i := 0; spec.Tasks&task != 0 && i < len(raw); i++ {
				if task == registry.Regression && name == "FALKON" && i > 0 {
					break // the logistic loss is for classes
				}
				data := given(waves(1001, 3), task)
				scores := func() (out [][]float64) {
					must.Do(t, spec.FitAll(t.Context(), registry.Env{Seed: 7}, data, raw[:i+1],
						func(_ int, m registry.Model) error {
							out = append(out, fits.Scores(t, m, data))
							return nil
						}))
					return out
				}
				fitting.Few, fitting.Many = few, many
				held := scores()
				fitting.Few, fitting.Many = 0, 0
				must.Be(t, slices.EqualFunc(scores(), held, slices.Equal), true, name, task, settings[i])
			}
		}
	}
}
