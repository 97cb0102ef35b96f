package externaltrees

import (
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"gonum.org/v1/gonum/mat"
)

// deep is stump with three leaves: node 0 has node 1 at its right.
var deep = strings.NewReplacer("num_leaves=2", "num_leaves=3", "split_feature=0", "split_feature=0 1", "threshold=0.25", "threshold=0.25 1",
	"decision_type=2", "decision_type=2 2", "left_child=-1", "left_child=-1 -2", "right_child=-2", "right_child=1 -3", "leaf_value=0.5 3", "leaf_value=0.5 3 4").
	Replace(stump)

// xgStump is a model of XGBoost of one tree.
const xgStump = `{"learner":{"objective":{"name":"binary:logistic"},"learner_model_param":{"base_score":"0.5","num_class":"0","num_feature":"2"},
"gradient_booster":{"name":"gbtree","model":{"tree_info":[0],"trees":[{"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_indices":[0,0,0],
"split_conditions":[0.0,-2.0,3.0],"default_left":[1,0,0]}]}}}}`

// What scoring would not survive, or would take for a number, is refused with its reason.
func TestHostileFiles(t *testing.T) {
	for _, good := range []string{deep, xgStump} {
		must.Get(Read([]byte(good), 1<<20))(t)
	}
	for _, c := range []struct{ text, edit, want string }{
		{deep, "left_child=-1 -2|left_child=-1 0", "tree 0: a child of node 1 is the root or has two parents"},
		{deep, "left_child=-1 -2|left_child=1 -2", "a child of node 0 is the root or has two parents"},
		{deep, "left_child=-1 -2|left_child=-1 7", "node 1 has a child that is not there"},
		{deep, "left_child=-1 -2|left_child=-1 -9", "node 1 has a child that is not there"},
		{deep, "right_child=1 -3|right_child=-2 1", "of its 5 nodes are reached from its root"},
		{deep, "leaf_value=0.5 3 4|leaf_value=nan inf 4", `leaf_value: "nan" is no value`},
		{deep, "leaf_value=0.5 3 4|leaf_value=0x1p3 1 4", `leaf_value: "0x1p3" is no value`},
		{deep, "leaf_value=0.5 3 4|leaf_value=1 1_0 4", `leaf_value: "1_0" is no value`},
		{deep, "leaf_value=0.5 3 4|leaf_value=1 4", `num_leaves is "3", and leaf_value has 2 values`},
		{deep, "num_leaves=3|num_leaves=2000000000", `num_leaves is "2000000000"`},
		{deep, "threshold=0.25 1|threshold=0.25 -Infinity", `threshold: "-Infinity" is no value`},
		{deep, "threshold=0.25 1|threshold=0.25", "threshold has 1 values, not 2"},
		{deep, "split_feature=0 1|split_feature=0 2", "node 1 splits on feature 2 of 2"},
		{deep, "decision_type=2 2|decision_type=2 14", "node 1 has the decision_type 14"},
		{deep, "decision_type=2 2|decision_type=2 1", "node 1 splits on list 1 of 0 lists of categories"},
		{deep, "num_cat=0|num_cat=1\ncat_boundaries=0 900000000\ncat_threshold=1", "cat_threshold has 1 values, not 900000000"},
		{deep, "num_cat=0|num_cat=2\ncat_boundaries=0 2 1\ncat_threshold=1", "cat_boundaries do not rise from 0"},
		{deep, "num_cat=0|num_cat=900000000", `num_cat is "900000000"`},
		{deep, "num_class=1\nnum_tree_per_iteration=1|num_class=1000000000\nnum_tree_per_iteration=1000000000", "it has 1 trees, 1 tree_sizes, and 1000000000 trees a round"},
		{deep, "num_class=1\n|num_class=2\n", "num_class=2 and num_tree_per_iteration=1"},
		{deep, "objective=OBJECTIVE|objective=multiclass num_class:3", "its objective is for 3 classes, and its num_class is 1"},
		{deep, "max_feature_idx=1|max_feature_idx=99999999999", "its max_feature_idx is"},
		{deep, "tree_sizes=300|tree_sizes=300 300", "it has 1 trees, 2 tree_sizes"},
		{deep, "end of trees|", "the file is incomplete"},
		{deep, "shrinkage=1|leaf_value=1 1 1", "leaf_value stands twice"},
		{deep, "Tree=0|Tree=1", "goes on with tree"},
		{xgStump, `"num_class":"0"|"num_class":"1000000000"`, `its num_class is "1000000000", and it has 1 trees`},
		{xgStump, `"num_class":"0"|"num_class":"0x3"`, `its num_class is "0x3"`},
		{xgStump, `"base_score":"0.5"|"base_score":"0x1p-1"`, `its base_score is "0x1p-1"`},
		{xgStump, `"num_feature":"2"|"num_feature":"4294967298"`, `its number of features is "4294967298"`},
		{xgStump, "[0.0,-2.0,3.0]|[0.0,-2.0,1e39]", "1e39"},
		{xgStump, `[1,-1,-1],"right_children":[2,-1,-1]|[-1,2,1],"right_children":[-1,0,0]`, "of its 3 nodes are reached from its root"},
		{xgStump, `[1,-1,-1]|[-1,-1,-1]`, "node 0 has the children -1 and 2"},
	} {
		old, now, _ := strings.Cut(c.edit, "|")
		if !strings.Contains(c.text, old) {
			t.Fatalf("the model has no %s", old)
		}
		if _, err := Read([]byte(strings.Replace(c.text, old, now, 1)), 1<<26); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", c.edit, err, c.want)
		}
	}
}

// Sums beyond what a number holds are an error of the row and no score.
func TestSumsAreFinite(t *testing.T) {
	m, err := Read([]byte(strings.NewReplacer("[0]", "[0,0]", `"trees":[{`, `"trees":[{"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[1],"default_left":[0]},{`).Replace(xgStump)), 0)
	if err != nil {
		t.Fatal(err)
	}
	must.Be(t, must.Get(m.Scores(mat.NewDense(1, 2, nil)))(t)[0], 4)
	m = must.Get(Read([]byte(strings.Replace(twoTrees, "LEAF", "1.7e308", 2)), 0))(t)
	must.Say(t, must.Err(m.Scores(mat.NewDense(1, 1, nil))), "for row 0 is +Inf")
}

// twoTrees is a model of one feature and two constant trees, as LightGBM writes them.
const twoTrees = "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\nobjective=regression\ntree_sizes=9 9\n\n" +
	"Tree=0\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nleaf_value=LEAF\n\n\nTree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=LEAF\n\n\nend of trees\n"

// Reading takes no more memory than is asked for beforehand, whatever a file holds most of, and is refused where it may not take that.
func TestReadingTakesNoMoreThanItMay(t *testing.T) {
	const n = 30_000
	many := func(part string) string { return strings.TrimSuffix(strings.Repeat(part, n), part[len(part)-1:]) }
	for name, file := range map[string]string{
		"empty trees":       `{"learner":{"gradient_booster":{"model":{"trees":[` + many("{},") + `]}}}}`,
		"numbers":           strings.NewReplacer("[0.0,", "["+many("0,")+",").Replace(xgStump),
		"small trees":       strings.NewReplacer(`"trees":[{`, `"trees":[`+many(`{"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[1],"default_left":[0]},`)+`,{`, "[0]", "["+many("0,")+",0]").Replace(xgStump),
		"trees of LightGBM": strings.Replace(twoTrees[:strings.Index(twoTrees, "Tree=1")], "LEAF", "1", 1) + strings.Repeat("Tree=1\n", n),
		"sizes of LightGBM": strings.Replace(deep, "tree_sizes=300", "tree_sizes="+many("9 "), 1),
		"lists of LightGBM": strings.Replace(deep, "leaf_value=0.5 3 4", "leaf_value="+many("1 "), 1),
	} {
		needs := int64(0)
		for needs = 1 << 20; ; needs *= 2 { // the smallest power of two that is admitted
			if _, err := Read([]byte(file), needs); err == nil || !strings.Contains(err.Error(), "raise --memory") {
				break
			}
		}
		if needs == 1<<20 {
			t.Errorf("%s: %d bytes are read within 1 MiB", name, len(file))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = Read([]byte(file), needs)
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > 2*needs { // garbage included
			t.Errorf("%s: reading %d bytes allocates %d bytes in all, and %d were allowed", name, len(file), took, needs)
		}
	}
}
