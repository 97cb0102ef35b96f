package gbdt

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/dmitryikh/leaves"
	"github.com/kernelboosting/bench/registry"
)

func text(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, m.WriteText(&b, nil))
	return b.Bytes()
}

// A fitted is a model with the rows that it is for.
type fitted struct {
	m *Model
	s *sample
}

func trained(t testing.TB) map[string]fitted {
	t.Helper()
	out := map[string]fitted{}
	p, shallow := lightgbmDefaults, xgboostDefaults
	p.Rounds, shallow.Rounds, shallow.MaxDepth = 20, 20, 4
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		s := drawn(task, 400, 5, 3, 1)
		out[task.String()] = fitted{leafwise(t, s, p), s}
		out["XGBoost's trees, "+task.String()] = fitted{depthwise(t, s, shallow), s}
	}
	gaps := drawn(registry.Binary, 400, 5, 2, 2)
	for i := 0; i < len(gaps.x); i += 7 {
		gaps.x[i] = math.NaN()
	}
	out["missing values"] = fitted{leafwise(t, gaps, p), gaps}
	doubled := *gaps // other units, where the same rows go left
	doubled.x = slices.Clone(gaps.x)
	for i := range doubled.x {
		doubled.x[i] *= 2
	}
	double := func(_ int, v float64) float64 { return 2 * v }
	out["moved thresholds"] = fitted{leafwise(t, gaps, p).MapThresholds(double), &doubled}
	one := drawn(registry.Binary, 30, 2, 2, 3) // too few rows to split
	out["no split"] = fitted{leafwise(t, one, p), one}
	return out
}

// The oracle is the leaves package, which reads the text model and predicts by
// itself: the same bits, for every number of rounds.
func TestLeavesPredictsTheSame(t *testing.T) {
	for name, c := range trained(t) {
		t.Run(name, func(t *testing.T) {
			e := must.Get(leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(text(t, c.m))), false))(t)
			if e.NEstimators() != c.m.Rounds() || e.NFeatures() != c.s.d || e.NOutputGroups() != c.m.Outputs {
				t.Fatalf("leaves reads %d rounds, %d features, %d outputs; the model has %d, %d, %d",
					e.NEstimators(), e.NFeatures(), e.NOutputGroups(), c.m.Rounds(), c.s.d, c.m.Outputs)
			}
			got := make([]float64, c.s.n*c.m.Outputs)
			for rounds := 1; rounds <= c.m.Rounds(); rounds++ {
				must.Do(t, e.PredictDense(c.s.x, c.s.n, c.s.d, got, rounds, 1))
				for i, want := range scoresOf(c.m, c.s, rounds) {
					must.Be(t, got[i], want, "after", rounds, i)
				}
			}
		})
	}
}

// LightGBM itself reads the text and scores the same (1e-15: it adds trees in
// the same order, but the compiler may not).
func TestLightGBMReadsText(t *testing.T) {
	python(t)
	var runs []*peerRun
	var models []*Model
	for _, c := range trained(t) {
		path := filepath.Join(t.TempDir(), "model.txt")
		must.Do(t, os.WriteFile(path, text(t, c.m), 0o600))
		runs, models = append(runs, &peerRun{Library: "lightgbm", sample: c.s,
			Params: map[string]any{"n_estimators": 1}, Load: path}), append(models, c.m)
	}
	runPeers(t, runs)
	for i, r := range runs {
		if w := worst(readDoubles(t, r.Scores+".again"), scoresOf(models[i], r.sample,
			models[i].Rounds())); !(w <= 1e-15) {
			t.Errorf("LightGBM %s scores the %s model's rows differently by %.2g", r.version, r.Task, w)
		}
	}
}

func TestTextNames(t *testing.T) {
	m := &Model{Task: registry.Regression, Outputs: 1, Features: 4, infos: []string{"none", "none", "none", "none"},
		Trees: []*Tree{constantTree(0, 1)}}
	var b bytes.Buffer
	must.Do(t, m.WriteText(&b, []string{"age", "job=a, b", "age", ""}))
	must.Hold(t, b.String(), "feature_names=age job_a__b age_2 _3\n")
	must.Get(leaves.LGEnsembleFromReader(bufio.NewReader(&b), false))(t)
	if err := m.WriteText(&b, []string{"age"}); err == nil {
		t.Error("one name for four features is accepted")
	}
}

func TestTextRoundTrip(t *testing.T) {
	for name, c := range trained(t) {
		raw := text(t, c.m)
		back, err := ReadText(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		must.Be(t, bytes.Equal(text(t, back), raw), true, name)
		want := scoresOf(c.m, c.s, c.m.Rounds())
		for i, v := range scoresOf(back, c.s, back.Rounds()) {
			must.Be(t, v, want[i], name, i)
		}
	}
}

// Whatever the reader accepts can score a row.
func FuzzReadText(f *testing.F) {
	p := lightgbmDefaults
	p.Rounds = 2
	f.Add(text(f, leafwise(f, drawn(registry.Binary, 200, 3, 2, 1), p)))
	f.Add(text(f, leafwise(f, drawn(registry.Multiclass, 200, 3, 3, 1), p)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := ReadText(bytes.NewReader(raw))
		if err != nil || m.Features > 1000 || m.Outputs > 1000 {
			return
		}
		m.Add(make([]float64, m.Features), make([]float64, m.Outputs), 0, m.Rounds())
	})
}
