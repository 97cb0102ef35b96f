package gbdt

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

var xgboostDefaults = DepthwiseParams{Rounds: 100, LearningRate: 0.3, MaxDepth: 6, MinHessian: 1, L2: 1}

func (p DepthwiseParams) python() map[string]any {
	return map[string]any{"n_estimators": p.Rounds, "learning_rate": p.LearningRate, "max_depth": p.MaxDepth,
		"min_child_weight": p.MinHessian, "reg_lambda": p.L2}
}

func depthwise(t testing.TB, s *sample, p DepthwiseParams) *Model {
	t.Helper()
	sorted := must.Get(NewSorted(t.Context(), s.x, s.n, s.d))(t)
	m := must.Get(Depthwise(t.Context(), sorted, s.target(), p))(t)
	return m
}

// xgboostTree is a tree of XGBoost's JSON model.
type xgboostTree struct {
	Left       []int     `json:"left_children"`
	Right      []int     `json:"right_children"`
	Feature    []int     `json:"split_indices"`
	Conditions []float32 `json:"split_conditions"`
	Default    []int     `json:"default_left"`
}

func (r *peerRun) xgboostTrees(t testing.TB) []xgboostTree {
	t.Helper()
	raw := must.Get(os.ReadFile(r.Model))(t)
	var file struct {
		Learner struct {
			Booster struct {
				Model struct {
					Trees []xgboostTree `json:"trees"`
				} `json:"model"`
			} `json:"gradient_booster"`
		} `json:"learner"`
	}
	must.Do(t, json.Unmarshal(raw, &file))
	return file.Learner.Booster.Model.Trees
}

// xgboostDifference names the first place where trees split differently, or "".
func xgboostDifference(m *Model, want []xgboostTree) string {
	if len(m.Trees) != len(want) {
		return fmt.Sprintf("%d trees, not %d", len(m.Trees), len(want))
	}
	for i, w := range want {
		t := m.Trees[i]
		var walk func(at int32, node int) string
		walk = func(at int32, node int) string {
			leaf := len(t.Feature) == 0 || at < 0
			if leaf != (w.Left[node] < 0) {
				return fmt.Sprintf("tree %d, node %d: leaf %v, not %v", i, node, leaf, !leaf)
			}
			if leaf {
				return ""
			}
			if int(t.Feature[at]) != w.Feature[node] || t.Threshold[at] != below(w.Conditions[node]) ||
				t.DefaultLeft[at] != (w.Default[node] == 1) {
				return fmt.Sprintf("tree %d, node %d: feature %d <= %v (gain %v, %d rows, default left %v), not %d < "+
					"%v (%d)", i, node,
					t.Feature[at], t.Threshold[at], t.Gain[at], t.NodeCount[at], t.DefaultLeft[at], w.Feature[node],
					w.Conditions[node], w.Default[node])
			}
			if d := walk(t.Left[at], w.Left[node]); d != "" {
				return d
			}
			return walk(t.Right[at], w.Right[node])
		}
		if d := walk(0, 0); d != "" {
			return d
		}
	}
	return ""
}

// The peer is XGBoost itself with tree_method exact: raw scores to 1e-5 relative.
func TestXGBoost(t *testing.T) {
	python(t)
	var runs []*peerRun
	var params []DepthwiseParams
	add := func(s *sample, rounds, depth int, rate float64) {
		p := xgboostDefaults
		p.Rounds, p.MaxDepth, p.LearningRate = rounds, depth, rate
		runs, params = append(runs, &peerRun{Library: "xgboost", sample: s, Params: p.python()}), append(params, p)
	}
	for i, name := range small(t) {
		s := catalogued(t, name)
		for j, rate := range []float64{1, 0.3, 0.01} {
			for k, depth := range []int{1, 3, 5} {
				if !testenv.Thorough(t) || (i+j+k)%3 == 0 { // of eighteen sets each has three of the nine pairs
					add(s, 100, depth, rate)
				}
			}
		}
		add(s, 200, 5, 1) // where the 2019 grid is most sensitive to the last bit
		add(s, 100, xgboostDefaults.MaxDepth, xgboostDefaults.LearningRate)
	}
	if testenv.Thorough(t) {
		for _, name := range largeSets {
			s := catalogued(t, name)
			add(s, 100, 5, 1)
			add(s, 50, xgboostDefaults.MaxDepth, xgboostDefaults.LearningRate)
		}
	}
	// Far from 0, sums in single precision keep little of each tree.
	far := drawn(registry.Regression, 2000, 5, 0, 3)
	for i := range far.y {
		far.y[i] += 1e6
	}
	far.name = "far"
	add(far, 100, xgboostDefaults.MaxDepth, xgboostDefaults.LearningRate)
	own := &peerRun{Library: "xgboost", sample: catalogued(t, "pima"), Params: map[string]any{}} // its own defaults
	runs, params = append(runs, own), append(params, xgboostDefaults)
	sameAsXGBoost(t, runs, params)
}

// sameAsXGBoost trains the library, and compares each split and default direction, and the raw scores of the training
// rows and of other ones.
func sameAsXGBoost(t *testing.T, runs []*peerRun, params []DepthwiseParams) {
	t.Helper()
	runPeers(t, runs)
	for i, r := range runs {
		t.Run(fmt.Sprintf("%s/%d rounds depth %d rate %v", r.sample.name, params[i].Rounds, params[i].MaxDepth,
			params[i].LearningRate), func(t *testing.T) {
			m := depthwise(t, r.sample, params[i])
			must.Be(t, xgboostDifference(m, r.xgboostTrees(t)), "", r.version)
			r.compareScores(t, m, m.AddSingle, 1e-5)
		})
	}
}

// A model scores as training saw it, however far the targets are from 0.
func TestSingleSums(t *testing.T) {
	s := drawn(registry.Regression, 500, 5, 0, 3)
	for _, offset := range []float64{0, 1e3, 1e6, 1e7} {
		moved := *s
		moved.y = slices.Clone(s.y)
		floats.AddConst(offset, moved.y)
		m := depthwise(t, &moved, xgboostDefaults)
		fit := stat.RSquaredFrom(scoresBy(m.AddSingle, m, &moved, m.Rounds()), moved.y, nil)
		if want := 0.95 - 5e-8*offset; !(fit > want) { // at 1e7 single precision knows whole numbers
			t.Errorf("targets around %g: R2 of the training rows is %v, at least %v expected", offset, fit, want)
		}
	}
}

func TestLeavesThatAreNotFinite(t *testing.T) {
	s := drawn(registry.Regression, 50, 2, 0, 3)
	sorted := must.Get(NewSorted(t.Context(), s.x, s.n, s.d))(t)
	p := xgboostDefaults
	p.LearningRate = 1e6
	must.Say(t, must.Err(Depthwise(t.Context(), sorted, s.target(), p)), "is not finite")
}

func TestBelowIsTheSingleComparison(t *testing.T) {
	for _, c := range []float32{0, 1, -1, 0.1, 3e38, -3e38, 1e-45, math.MaxFloat32, math.Nextafter32(1, 2)} {
		b := below(c)
		if !(float32(b) < c) || float32(math.Nextafter(b, math.Inf(1))) < c {
			t.Errorf("below(%v) = %v is not the largest double that rounds below it", c, b)
		}
	}
}
