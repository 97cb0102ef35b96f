package treefile

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

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
	m, err := Read(with("binary sigmoid:1"))
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Scores(mat.NewDense(3, 2, []float64{0.25, 9, math.Nextafter(0.25, 1), 9, -4, 0}))
	if err != nil || scores[0] != 0.5 || scores[1] != 3 || scores[2] != 0.5 {
		t.Errorf("scores %v, error %v", scores, err)
	}
}

// Models that LightGBM 4.7 wrote give the raw scores that it gives (testdata/make.py), missing values included.
func TestLightGBMsScores(t *testing.T) {
	raw, err := os.ReadFile("testdata/lightgbm.json")
	if err != nil {
		t.Fatal(err)
	}
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
		m, err := Read([]byte(c.Model))
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(len(c.X), len(c.X[0]), nil)
		for i, row := range c.X {
			for j, v := range row {
				if x.Set(i, j, math.NaN()); v != nil {
					x.Set(i, j, *v)
				}
			}
		}
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
	if _, err := Read([]byte(strings.Replace(stump, "is_linear=0", "is_linear=1", 1))); err == nil || !strings.Contains(err.Error(), "linear") {
		t.Errorf("linear leaves: %v", err)
	}
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
		{"multiclass num_class:3", registry.Shape{N: 1, D: 2, Task: registry.Multiclass, Classes: 3}, "the model gives 1 scores a row, the data set needs 3"},
	} {
		m, err := Read(with(c.objective))
		if err != nil {
			t.Fatal(err)
		}
		if err = m.Check(c.shape); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s for %+v: %v, want %q", c.objective, c.shape, err, c.want)
		}
	}
}

// FuzzRead: whatever a file holds, reading ends with a model or a reason.
func FuzzRead(f *testing.F) {
	f.Add(string(with("binary")))
	f.Add("tree\n")
	f.Add(strings.Replace(stump, "left_child=-1", "left_child=7", 1))
	f.Add(strings.Replace(stump, "leaf_value=0.5 3", "leaf_value=0.5", 1))
	f.Add(stump[:400])
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := Read([]byte(text)); (m == nil) == (err == nil) {
			t.Fatalf("model %v, error %v", m, err)
		}
	})
}
