package externaltrees

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// stump is a model of one tree as LightGBM 4.7 writes it: 1 - 0.5 where the first of two features is at most 0.25, else
// 1 + 2.
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
func TestMatch(t *testing.T) {
	ab, abc := []string{"a", "b"}, []string{"a", "b", "c"}
	for _, c := range []struct {
		objective string
		shape     registry.Shape
		columns   []string
		edit      string // of the model
		note      string
		want      string // the error
	}{
		{"binary sigmoid:1", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "", "", ""},
		{"huber", registry.Shape{N: 1, D: 2, Task: registry.Regression}, ab, "", "", ""},
		{"poisson", registry.Shape{N: 1, D: 2, Task: registry.Regression}, ab, "", "", ""},
		{"binary sigmoid:1", registry.Shape{N: 1, D: 3, Task: registry.Binary}, abc, "=a b|=c a",
			"its 2 features are found among the 3 columns by name", ""},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "=a b|=b a", "another order", ""},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "=a b|=a d", "",
			`its feature 1 is called "d", and no column of the data set is: they are a, b`},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, []string{"b", "b"}, "=a b|=b a", "",
			`its feature 0 is called "b", and 2 columns are`},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, []string{"a=1", "a 2"}, "=a b|=a_2 a_1",
			"another order", ""},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "=a b|=Column_0 Column_1",
			"no names of features: its first one is taken for the first column", ""},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "=a b|=0 1", "no names of features", ""},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "=a b|=1 0", "",
			`its feature 0 is called "1"`},
		{"binary", registry.Shape{N: 1, D: 2, Task: registry.Binary}, []string{"f1", "f0"}, "=a b|=f0 f1",
			"another order", ""},
		{"binary", registry.Shape{N: 1, D: 3, Task: registry.Binary}, abc, "=a b|=f0 f1", "",
			"the model has 2 features, the data set 3"},
		{"poisson", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "", "",
			`the model's objective is "poisson", and the data set's task is binary`},
		{"regression sqrt", registry.Shape{N: 1, D: 2, Task: registry.Binary}, ab, "", "",
			`the model's objective is "regression"`},
		{"multiclass", registry.Shape{N: 1, D: 2, Task: registry.Multiclass, Classes: 3}, ab, "", "",
			"the model gives 1 scores a row, the data set needs 3"},
	} {
		old, now, _ := strings.Cut(c.edit, "|")
		m := must.Get(Read([]byte(strings.Replace(string(with(c.objective)), old, now, 1)), 0))(t)
		notes, err := m.Match(c.shape, c.columns)
		said := strings.Join(notes, "")
		if c.want != "" {
			must.Say(t, err, c.want)
		} else if err != nil || said != "" && c.note == "" || !strings.Contains(said, c.note) {
			t.Errorf("%s %s: notes %q, error %v, want %q", c.objective, c.edit, notes, err, c.note)
		}
	}
	for objective, want := range map[string]string{
		"":                     "it says no objective",
		"lambdarank":           `its objective "lambdarank" orders rows`,
		"cross_entropy_lambda": `its objective "cross_entropy_lambda" is not known here`,
		"regression cube":      `has the setting "cube"`,
	} {
		must.Say(t, must.Err(Read(with(objective), 0)), want)
	}
}

// Rows are those of the columns that the names say.
func TestScoresByName(t *testing.T) {
	m := must.Get(Read([]byte(strings.Replace(string(with("binary")), "=a b", "=c a", 1)), 0))(t)
	must.Get(m.Match(registry.Shape{N: 2, D: 3, Task: registry.Binary}, []string{"a", "b", "c"}))(t)
	must.Be(t, fmt.Sprint(must.Get(m.Scores(mat.NewDense(2, 3, []float64{9, 9, 0, 0, 0, 9})))(t)), "[0.5 3]")
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
	f.Add(strings.NewReplacer("num_cat=0", "num_cat=1", "decision_type=2", "decision_type=1", "threshold=0.25",
		"threshold=0", "leaf_weight", "cat_boundaries=0 1\ncat_threshold=5\nleaf_weight").Replace(stump))
	f.Add("{L\x00\x00\x00\x00\x00\x00\x00\x07learner{}}")
	f.Add("{U\x07learner{U\x01a[$d#U\x02\x00\x00\x00\x00\x7f\xc0\x00\x00U\x01b[SU\x01x]}}")
	f.Add(strings.Replace(xgStump, "0.0,", "NaN,", 1))
	f.Add(`{"learner":{"gradient_booster":{"name":"gbtree","model":{"trees":[{"left_children":[-1]}],` +
		`"tree_info":[0]}},"learner_model_param":{"num_feature":"2","base_score":"0.5"}}}`)
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
			if err == nil && (len(scores) != m.groups || slices.ContainsFunc(scores, func(s float64) bool {
				return math.IsNaN(s) || math.IsInf(s, 0)
			})) {
				t.Fatalf("scores %v of %d groups", scores, m.groups)
			}
		}
	})
}

// scoreOf is the score of a row of zeros, which goes right: 3 by each tree.
func scoreOf(t *testing.T, file string) float64 {
	t.Helper()
	m := must.Get(Read([]byte(file), 1<<20))(t)
	return must.Get(m.Scores(mat.NewDense(1, 2, nil)))(t)[0]
}

// TestRoundsWithoutParallelTrees: XGBoost 1.3 to 1.5 do not say how many trees a round has. Of 12 trees these versions
// use 6, 12 and 9 (margins of files of 1.3.3, 1.4.2 and 1.5.2, trained with num_parallel_tree of 3).
func TestRoundsWithoutParallelTrees(t *testing.T) {
	tree := xgStump[strings.Index(xgStump, `{
"left_children"`) : len(xgStump)-len("]}}}}")]
	file := strings.NewReplacer(`"tree_info":[0]`, `"tree_info":[0`+strings.Repeat(",0", 11)+`]`,
		tree, tree+strings.Repeat(","+tree, 11)).Replace(xgStump)
	for attributes, trees := range map[string]float64{
		`"best_iteration":"1","best_ntree_limit":"6"`: 6, `"best_iteration":"3","best_ntree_limit":"12"`: 12,
		`"best_iteration":"2","scikit_learn":"{\"best_ntree_limit\": 9}"`: 9, `"best_iteration":"2"`: 3, `"a":"b"`: 12,
	} {
		text := strings.Replace(file, `{"learner":{`, `{"learner":{"attributes":{`+attributes+`},`, 1)
		must.Be(t, scoreOf(t, text), 3*trees, attributes)
	}
}

// TestExtremeBaseScore: margins of XGBoost 3.2.0 and 3.1.1 of models without trees that change them.
func TestExtremeBaseScore(t *testing.T) {
	for _, c := range []struct {
		version, base string
		margin        float64
	}{
		{"3,2,0", "0E0", -13.81551}, {"3,2,0", "1E-7", -13.81551}, {"3,2,0", "9.999999E-1", 13.74516},
		{"3,2,0", "1E0", 13.74516}, {"3,1,1", "1E-7", -16.118095}, {"3,2,0", "5E-1", 0},
	} {
		text := strings.NewReplacer(`{"learner"`, `{"version":[`+c.version+`],"learner"`, `"0.5"`, `"[`+c.base+`]"`).
			Replace(xgStump)
		must.Near(t, scoreOf(t, text)-3, c.margin, 2e-5, c.version, c.base)
	}
}
