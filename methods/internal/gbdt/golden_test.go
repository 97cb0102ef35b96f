package gbdt

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
)

var update = flag.Bool("update", false, "train the real libraries again and write testdata/*.json")

// golden holds what the real libraries did with samples that drawn makes, so that
// agreement is tested where they are not installed.
type golden struct {
	Library string       `json:"library"`
	Version string       `json:"version"`
	Command string       `json:"command"`
	Cases   []goldenCase `json:"cases"`
}

type goldenCase struct {
	Task    string         `json:"task"`
	N       int            `json:"n"`
	D       int            `json:"d"`
	Classes int            `json:"classes"`
	Gaps    float64        `json:"gaps,omitempty"` // share of the values that are missing
	Params  map[string]any `json:"params"`
	// by tree: feature and threshold, LightGBM's in the order they are made, XGBoost's by node
	Splits [][][2]float64 `json:"splits"`
	Scores []float64      `json:"scores"` // raw, of the first rows
}

const goldenSeed, goldenRows = 11, 12

func (c *goldenCase) sample(t testing.TB) *sample {
	t.Helper()
	task := must.Get(registry.ParseTask(c.Task))(t)
	s := drawn(task, c.N, c.D, c.Classes, goldenSeed)
	if c.Gaps > 0 {
		s = gapped(s, c.Gaps)
	}
	return s
}

func (c *goldenCase) number(name string) float64 { return c.Params[name].(float64) }

func goldenCases() []goldenCase {
	var out []goldenCase
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		out = append(out, goldenCase{Task: task.String(), N: 500, D: 5,
			Classes: map[registry.Task]int{registry.Binary: 2, registry.Multiclass: 3}[task]})
	}
	gaps := out[0]
	gaps.Gaps = 0.1
	return append(out, gaps)
}

func readGolden(t *testing.T, name string) golden {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
	var g golden
	must.Do(t, json.Unmarshal(raw, &g))
	return g
}

// updateGolden trains a library on the cases and writes its file.
func updateGolden(t *testing.T, name, library string, params map[string]any, splits func(*peerRun) [][][2]float64) {
	t.Helper()
	g := golden{Library: library, Command: "BENCH_PEERS=python go test ./methods/internal/gbdt -run Golden -update",
		Cases: goldenCases()}
	var runs []*peerRun
	for i := range g.Cases {
		g.Cases[i].Params = params
		runs = append(runs, &peerRun{Library: library, sample: g.Cases[i].sample(t), Params: params})
	}
	runPeers(t, runs)
	for i, r := range runs {
		c := &g.Cases[i]
		outputs := max(1, c.Classes)
		if c.Task == "binary" {
			outputs = 1
		}
		c.Splits, c.Scores = splits(r), readDoubles(t, r.Scores)[:goldenRows*outputs]
		g.Version = r.version
	}
	raw := must.Get(json.Marshal(g))(t)
	must.Do(t, os.WriteFile(filepath.Join("testdata", name), append(raw, '\n'), 0o644))
}

// splitsOf lists a model's splits by tree, in the order of their nodes.
func splitsOf(m *Model) [][][2]float64 {
	out := make([][][2]float64, len(m.Trees))
	for i, t := range m.Trees {
		out[i] = [][2]float64{}
		for k, f := range t.Feature {
			out[i] = append(out[i], [2]float64{float64(f), t.Threshold[k]})
		}
	}
	return out
}

func (c *goldenCase) compare(t *testing.T, g *golden, m *Model, s *sample, tolerance float64) {
	t.Helper()
	got := splitsOf(m)
	if a, b := fmt.Sprint(got), fmt.Sprint(c.Splits); a != b {
		for i := range c.Splits {
			if i >= len(got) || fmt.Sprint(got[i]) != fmt.Sprint(c.Splits[i]) {
				t.Fatalf("%s: tree %d splits differently from %s %s", c.Task, i, g.Library, g.Version)
			}
		}
		t.Fatalf("%s: %d trees, %s %s has %d", c.Task, len(got), g.Library, g.Version, len(c.Splits))
	}
	if w := worst(scoresOf(m, s.head(goldenRows), m.Rounds()), c.Scores); !(w <= tolerance) {
		t.Errorf("%s: raw scores differ from %s %s by %.2g", c.Task, g.Library, g.Version, w)
	}
}

func TestGoldenLightGBM(t *testing.T) {
	if *update {
		p := lightgbmDefaults
		p.Rounds, p.L2, p.MaxDepth = 10, 0.125, 4
		updateGolden(t, "lightgbm.json", "lightgbm", p.python(),
			func(r *peerRun) [][][2]float64 { return splitsOf(r.lightgbmModel(t)) })
	}
	g := readGolden(t, "lightgbm.json")
	for _, c := range g.Cases {
		s := c.sample(t)
		m := leafwise(t, s, LeafwiseParams{Rounds: int(c.number("n_estimators")),
			LearningRate: c.number("learning_rate"),
			NumLeaves:    int(c.number("num_leaves")), MaxDepth: int(c.number("max_depth")),
			MinData:    int(c.number("min_child_samples")),
			MinHessian: c.number("min_child_weight"), L2: c.number("reg_lambda")})
		c.compare(t, &g, m, s, 1e-9)
	}
}

func TestGoldenXGBoost(t *testing.T) {
	if *update {
		p := xgboostDefaults
		p.Rounds, p.MaxDepth = 10, 3
		updateGolden(t, "xgboost.json", "xgboost", p.python(), func(r *peerRun) [][][2]float64 {
			var out [][][2]float64
			for _, w := range r.xgboostTrees(t) {
				splits := [][2]float64{}
				for node, left := range w.Left { // numbered level by level, as ours
					if left >= 0 {
						splits = append(splits, [2]float64{float64(w.Feature[node]), below(w.Conditions[node])})
					}
				}
				out = append(out, splits)
			}
			return out
		})
	}
	g := readGolden(t, "xgboost.json")
	for _, c := range g.Cases {
		s := c.sample(t)
		m := depthwise(t, s, DepthwiseParams{Rounds: int(c.number("n_estimators")),
			LearningRate: c.number("learning_rate"),
			MaxDepth:     int(c.number("max_depth")), MinHessian: c.number("min_child_weight"),
			L2: c.number("reg_lambda")})
		c.compare(t, &g, m, s, 1e-5)
	}
}
