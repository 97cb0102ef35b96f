package externaltrees

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// stump is a model of one tree as LightGBM 4.7 writes it: 1 - 0.5 where the first of two features is at most 0.25, else 1 + 2.
const stump = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=OBJECTIVE
feature_names=a b
feature_infos=[-1:1] [-1:1]
tree_sizes=300

Tree=0
num_leaves=2
num_cat=0
split_feature=0
split_gain=1
threshold=0.25
decision_type=2
left_child=-1
right_child=-2
leaf_value=0.5 3
leaf_weight=1 1
leaf_count=30 30
internal_value=0
internal_weight=0
internal_count=60
is_linear=0
shrinkage=1


end of trees
`

func with(objective string) []byte { return []byte(strings.Replace(stump, "OBJECTIVE", objective, 1)) }

func TestScores(t *testing.T) {
	m := must.Get(Read(with("binary sigmoid:1"), 0))(t)
	scores, err := m.Scores(mat.NewDense(3, 2, []float64{0.25, 9, math.Nextafter(0.25, 1), 9, -4, 0}))
	if err != nil || scores[0] != 0.5 || scores[1] != 3 || scores[2] != 0.5 {
		t.Errorf("scores %v, error %v", scores, err)
	}
}

// Models that LightGBM 4.7 wrote give the raw scores that it gives (testdata/make.py), missing values included.
func TestLightGBMsScores(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/lightgbm.json"))(t)
	var golden struct {
		Cases []struct {
			Objective, Model string
			X                [][]*float64
			Scores           []float64
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil || len(golden.Cases) != 3 {
		t.Fatalf("%d cases, error %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		m := must.Get(Read([]byte(c.Model), 0))(t)
		x := matrixOf(c.X)
		scores, err := m.Scores(x)
		if err != nil || len(scores) != len(c.Scores) {
			t.Fatalf("%s: %d scores, error %v", c.Objective, len(scores), err)
		}
		for i, want := range c.Scores {
			if math.Abs(scores[i]-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Errorf("%s: score %d is %v, LightGBM's %v", c.Objective, i, scores[i], want)
			}
		}
	}
	must.Say(t, must.Err(Read([]byte(strings.Replace(stump, "is_linear=0", "is_linear=1", 1)), 0)), "linear")
}

// Models that XGBoost 3.2 wrote give the margins that it gives, which it sums in single precision (testdata/make_xgboost.py).
func TestXGBoostsScores(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/xgboost.json"))(t)
	var golden struct {
		Cases []struct {
			Objective, JSON string
			UBJ             []byte // the same model in the form that is refused
			X               [][]*float64
			Scores          []float64
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil || len(golden.Cases) != 6 {
		t.Fatalf("%d cases, error %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		x := matrixOf(c.X)
		m, err := Read([]byte(c.JSON), 0)
		if err != nil {
			t.Fatalf("%s: %v", c.Objective, err)
		}
		scores, err := m.Scores(x)
		if err != nil || len(scores) != len(c.Scores) {
			t.Fatalf("%s: %d scores, error %v", c.Objective, len(scores), err)
		}
		for i, want := range c.Scores {
			if math.Abs(scores[i]-want) > 1e-5*math.Max(1, math.Abs(want)) {
				t.Errorf("%s: score %d is %v, XGBoost's %v", c.Objective, i, scores[i], want)
			}
		}
	}
	text := golden.Cases[0].JSON
	for edit, want := range map[string]string{
		`"name":"gbtree"|"name":"dart"`:                                 `its booster is "dart"; only gbtree is read`,
		`"base_score":"[|"base_score":"[x`:                              "its base_score is",
		`"base_score":"[|"base_score":"[0.5,`:                           "2 numbers for 1 groups",
		`"num_feature":"3","num_target"|"num_feature":"1","num_target"`: "splits on feature",
		`"num_target":"1"|"num_target":"2"`:                             "it predicts 2 targets; only one is read",
		`"left_children":[1|"left_children":[0`:                         "a child of node 0 is the root or has two parents",
		`"left_children":[1|"left_children":[2`:                         "parents",
		`"categories_nodes":[]|"categories_nodes":[0]`:                  "it splits on categories",
		`"learner":|"lerner":`:                                          "it holds no booster",
		`{"learner"|{"learner" x`:                                       "it is no JSON file of XGBoost",
	} {
		old, now, _ := strings.Cut(edit, "|")
		if !strings.Contains(text, old) {
			t.Fatalf("the model has no %s", old)
		}
		must.Say(t, must.Err(Read([]byte(strings.Replace(text, old, now, 1)), 0)), want)
	}
	must.Say(t, must.Err(Read(golden.Cases[0].UBJ, 0)), "it is a UBJ file of XGBoost; write JSON instead")
}

// matrixOf is a matrix in which nil is missing.
func matrixOf(rows [][]*float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		for j, v := range row {
			if x.Set(i, j, math.NaN()); v != nil {
				x.Set(i, j, *v)
			}
		}
	}
	return x
}

// What a model cannot score is said by its features and its objective.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		objective string
		shape     registry.Shape
		want      string
	}{
		{"binary sigmoid:1", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ""},
		{"huber", registry.Shape{N: 1, D: 2, Task: registry.Regression}, ""},
		{"binary sigmoid:1", registry.Shape{N: 1, D: 3, Task: registry.Binary}, "the model has 2 features, the data set 3"},
		{"poisson", registry.Shape{N: 1, D: 2, Task: registry.Regression}, `the model's objective is "poisson", and the data set's task is regression`},
		{"regression sqrt", registry.Shape{N: 1, D: 2, Task: registry.Regression}, `the model's objective is "regression sqrt"`},
		{"multiclass", registry.Shape{N: 1, D: 2, Task: registry.Multiclass, Classes: 3}, "the model gives 1 scores a row, the data set needs 3"},
	} {
		m, err := Read(with(c.objective), 0)
		if err != nil {
			t.Fatal(err)
		}
		if err = m.Check(c.shape); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s for %+v: %v, want %q", c.objective, c.shape, err, c.want)
		}
	}
}

// FuzzRead: whatever a file holds, reading ends with a reason, or with a model that scores a row to its end.
func FuzzRead(f *testing.F) {
	f.Add(string(with("binary")))
	f.Add("tree\n")
	f.Add(strings.Replace(stump, "left_child=-1", "left_child=7", 1))
	f.Add(strings.Replace(stump, "leaf_value=0.5 3", "leaf_value=0.5", 1))
	f.Add(stump[:400])
	f.Add(deep)
	f.Add(xgStump)
	f.Add(strings.Replace(deep, "left_child=-1 -2", "left_child=-1 0", 1))
	f.Add(strings.NewReplacer("num_cat=0", "num_cat=1", "decision_type=2", "decision_type=1", "threshold=0.25", "threshold=0", "leaf_weight", "cat_boundaries=0 1\ncat_threshold=5\nleaf_weight").Replace(stump))
	f.Add("{L\x00\x00\x00\x00\x00\x00\x00\x07learner{}}")
	f.Add(`{"learner":{"gradient_booster":{"name":"gbtree","model":{"trees":[{"left_children":[-1]}],"tree_info":[0]}},"learner_model_param":{"num_feature":"2","base_score":"0.5"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read([]byte(text), 1<<20)
		if (m == nil) == (err == nil) {
			t.Fatalf("model %v, error %v", m, err)
		}
		if m == nil || m.features > 100 || m.groups > 100 {
			return
		}
		for _, v := range []float64{0, -3, 1e300, math.NaN()} {
			x := mat.NewDense(1, m.features, nil)
			for j := range m.features {
				x.Set(0, j, v)
			}
			scores, err := m.Scores(x)
			if err == nil && (len(scores) != m.groups || slices.ContainsFunc(scores, func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) })) {
				t.Fatalf("scores %v of %d groups", scores, m.groups)
			}
		}
	})
}
