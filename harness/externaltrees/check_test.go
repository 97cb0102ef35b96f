package externaltrees

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
)

// deep is stump with three leaves: node 0 has node 1 at its right.
var deep = strings.NewReplacer("num_leaves=2", "num_leaves=3", "split_feature=0", "split_feature=0 1", "threshold=0.25",
	"threshold=0.25 1",
	"decision_type=2", "decision_type=2 2", "left_child=-1", "left_child=-1 -2", "right_child=-2", "right_child=1 -3",
	"leaf_value=0.5 3", "leaf_value=0.5 3 4").
	Replace(strings.Replace(stump, "OBJECTIVE", "binary", 1))

// xgStump is a model of XGBoost of one tree.
const xgStump = `{"learner":{"objective":{"name":"binary:logistic"},
"learner_model_param":{"base_score":"0.5","num_class":"0","num_feature":"2"},
"gradient_booster":{"name":"gbtree","model":{"tree_info":[0],"trees":[{
"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_indices":[0,0,0],
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
		{deep, "num_cat=0|num_cat=1\ncat_boundaries=0 900000000\ncat_threshold=1",
			"cat_threshold has 1 values, not 900000000"},
		{deep, "num_cat=0|num_cat=2\ncat_boundaries=0 2 1\ncat_threshold=1", "cat_boundaries do not rise from 0"},
		{deep, "num_cat=0|num_cat=900000000", `num_cat is "900000000"`},
		{deep, "num_class=1\nnum_tree_per_iteration=1|num_class=1000000000\nnum_tree_per_iteration=1000000000",
			"it has 1 trees, 1 tree_sizes, and 1000000000 trees a round"},
		{deep, "num_class=1\n|num_class=2\n", "num_class=2 and num_tree_per_iteration=1"},
		{deep, "objective=binary|objective=multiclass num_class:3",
			"its objective is for 3 classes, and its num_class is 1"},
		{deep, "max_feature_idx=1|max_feature_idx=99999999999", "its max_feature_idx is"},
		{deep, "tree_sizes=300|tree_sizes=300 300", "it has 1 trees, 2 tree_sizes"},
		{deep, "end of trees|", "the file is incomplete"},
		{deep, "shrinkage=1|leaf_value=1 1 1", "leaf_value occurs twice"},
		{deep, "Tree=0|Tree=1", "goes on with tree"},
		{deep, "shrinkage=1|shrunk=1", `it has the field "shrunk", which is not known here`},
		{deep, "label_index=0|init_score=3", `it has the field "init_score", which is not known here`},
		{deep, "feature_names=a b|feature_names=a", "it has 1 feature_names and 2 features"},
		{deep, "is_linear=0|is_linear=1", "linear models"},
		{deep, "end of trees|end of trees\npandas_categorical:[[\"u\"]]",
			`categories of a data frame, which it knows by their places ("u" is 0)`},
		{deep, "end of trees|end of trees\npandas_categorical:[[1", "its pandas_categorical: "},
		{xgStump, `"name":"gbtree"|"name":"gbforest"`, `its booster is "gbforest"; gbtree, dart and gblinear are read`},
		{xgStump, `"name":"gbtree"|"name":"dart"`, "it has 0 trees and 0 numbers of their groups"},
		{xgStump, `"name":"gbtree"|"name":"gblinear"`, "it has 0 weights for 2 features and 1 groups"},
		{xgStump, `"name":"gbtree",|"name":"gbtree","rounding":"up",`, "gradient_booster.rounding is not known here"},
		{xgStump, `binary:logistic|reg:mine`, `its objective "reg:mine" is not known here`},
		{xgStump, `"base_score":"0.5"|"base_score":"1"`,
			`its base_score is "1", which no prediction of binary:logistic can be`},
		{xgStump, `"base_score":"0.5"|"base_score":"[0.5,0.5]"`, "has 2 numbers for 1 groups"},
		{xgStump, `"num_feature":"2"|"num_feature":"2","num_target":"2"`, "it predicts 2 targets; only one is read"},
		{xgStump, `"learner":|"lerner":`, "the field lerner is not known here"},
		{xgStump, `}}}}|}}}} x`, "invalid character"},
		{xgStump, `"tree_info":[0]|"tree_info":[1]`, "tree 0 is of group 1 of 1"},
		{xgStump, `"tree_info":[0]|"tree_info":[0],"iteration_indptr":[0,2]`, "its iteration_indptr does not rise"},
		{xgStump, `"tree_info":[0]|"tree_info":[0],"gbtree_model_param":{"num_parallel_tree":"2"}`,
			`1 groups, and "2" parallel trees`},
		{xgStump, `{"learner":{|{"learner":{"attributes":{"best_iteration":"-1"},`, `its best_iteration is "-1"`},
		{xgStump, `{"learner":{|{"learner":{"feature_names":["a"],`, "it has 1 feature_names and 2 features"},
		{xgStump, `"default_left":[1,0,0]|"default_left":[1,0,0],"tree_param":{"size_leaf_vector":"3"}`,
			"each leaf has 3 outputs"},
		{xgStump, `"default_left":[1,0,0]|"default_left":[1,0,0],"tree_param":{"num_deleted":"1"}`,
			"3 of its 3 nodes are reached from its root"},
		{xgStump, `"default_left":[1,0,0]|"default_left":[1,0,0],"categories_nodes":[0]`,
			"1 nodes split on categories, and there are 0 and 0 bounds"},
		{xgStump,
			`"default|"categories_nodes":[1],"categories_segments":[0],"categories_sizes":[1],"categories":[0],` +
				`"default`,
			"node 1 splits on 1 categories from place 0 of 1"},
		{xgStump, "[0.0,-2.0,3.0]|[NaN,-2.0,3.0]", "node 0 has no number as its condition"},
		{xgStump, `"num_class":"0"|"num_class":"1000000000"`, `its num_class is "1000000000", and it has 1 trees`},
		{xgStump, `"num_class":"0"|"num_class":"0x3"`, `its num_class is "0x3"`},
		{xgStump, `"base_score":"0.5"|"base_score":"0x1p-1"`, `its base_score is "0x1p-1"`},
		{xgStump, `"num_feature":"2"|"num_feature":"4294967298"`, `its number of features is "4294967298"`},
		{xgStump, "[0.0,-2.0,3.0]|[0.0,-2.0,1e39]", "1e39"},
		{xgStump, `[1,-1,-1],"right_children":[2,-1,-1]|[-1,2,1],"right_children":[-1,0,0]`,
			"of its 3 nodes are reached from its root"},
		{xgStump, `[1,-1,-1]|[-1,-1,-1]`, "node 0 has the children -1 and 2"},
	} {
		old, now, _ := strings.Cut(c.edit, "|")
		if !strings.Contains(c.text, old) {
			t.Fatalf("the model has no %s", old)
		}
		if _, err := Read([]byte(strings.Replace(c.text, old, now, 1)), 1<<26); err == nil ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", c.edit, err, c.want)
		}
	}
}

// Sums beyond what a number holds are an error of the row and no score.
func TestSumsAreFinite(t *testing.T) {
	m, err := Read([]byte(strings.NewReplacer("[0]", "[0,0]", `"trees":[{`,
		`"trees":[{"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[1],`+
			`"default_left":[0]},{`).Replace(xgStump)), 0)
	must.Do(t, err)
	must.Be(t, must.Get(m.Scores(mat.NewDense(1, 2, nil)))(t)[0], 4)
	m = must.Get(Read([]byte(strings.Replace(twoTrees, "LEAF", "1.7e308", 2)), 0))(t)
	must.Say(t, must.Err(m.Scores(mat.NewDense(1, 1, nil))), "for row 0 is +Inf")
}

// twoTrees is a model of one feature and two constant trees, as LightGBM writes them.
const twoTrees = "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\nobjective=regression\n" +
	"tree_sizes=9 9\n\n" +
	"Tree=0\nnum_leaves=1\nnum_cat=0\nsplit_feature=\nleaf_value=LEAF\n\n\n" +
	"Tree=1\nnum_leaves=1\nnum_cat=0\nleaf_value=LEAF\n\n\nend of trees\n"

// Reading takes no more memory than is asked for beforehand, whatever a file holds most of, and is refused where it may
// not take that.
func TestReadingTakesNoMoreThanItMay(t *testing.T) {
	const n = 30_000
	many := func(part string) string { return strings.TrimSuffix(strings.Repeat(part, n), part[len(part)-1:]) }
	for name, file := range map[string]string{
		"empty trees": `{"learner":{"gradient_booster":{"model":{"trees":[` + many("{},") + `]}}}}`,
		"numbers":     strings.NewReplacer("[0.0,", "["+many("0,")+",").Replace(xgStump),
		"small trees": strings.NewReplacer(`"trees":[{`,
			`"trees":[`+many(`{"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[1],`+
				`"default_left":[0]},`)+`,{`, "[0]", "["+many("0,")+",0]").Replace(xgStump),
		"trees of LightGBM": strings.Replace(twoTrees[:strings.Index(twoTrees, "Tree=1")], "LEAF", "1", 1) +
			strings.Repeat("Tree=1\n", n),
		"sizes of LightGBM": strings.Replace(deep, "tree_sizes=300", "tree_sizes="+many("9 "), 1),
		"lists of UBJ": "{U\x07learner{U\x10gradient_booster{U\x05model{U\x05trees[{U\x10split_conditions[" +
			"$U#l\x00\x00\x75\x30" + strings.Repeat("\xff", n) + "}]}}}}",
		"names in UBJ":      "{U\x07learner{U\x0dfeature_names[" + strings.Repeat("SU\x01\x01", n) + "]}}",
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
			t.Errorf("%s: reading %d bytes allocates %d bytes in all, and %d were allowed", name, len(file), took,
				needs)
		}
	}
}

// ubjStump is xgStump as XGBoost writes UBJ, with a list of each kind.
var ubjStump = strings.NewReplacer("<", "L\x00\x00\x00\x00\x00\x00\x00", "#", "#L\x00\x00\x00\x00\x00\x00\x00\x03",
	"one", "\xff\xff\xff\xff").Replace(
	"{<\x07learner{<\x09objective{<\x04nameS<\x0fbinary:logistic}" +
		"<\x13learner_model_param{<\x0abase_scoreS<\x030.5<\x09num_classS<\x010<\x0bnum_featureS<\x012}" +
		"<\x10gradient_booster{<\x04nameS<\x06gbtree<\x05model{<\x09tree_info[i\x00]<\x05trees[" +
		"{<\x0dleft_children[$l#\x00\x00\x00\x01oneone<\x0eright_children[I\x00\x02i\xffLoneone]" +
		"<\x0dsplit_indices[$U#\x00\x00\x00<\x10split_conditions[$d#\x00\x00\x00\x00\xc0\x00\x00\x00\x40\x40\x00\x00" +
		"<\x0cdefault_left[TFF]<\x0bsum_hessian[D\x3f\xf0\x00\x00\x00\x00\x00\x00Z]}]}}}}")

// A file in UBJ is read as the same in JSON, and every other file that resembles it ends with a reason.
func TestUBJ(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{-1, 0, 0, 0, math.NaN(), 0})
	want := must.Get(must.Get(Read([]byte(xgStump), 0))(t).Scores(x))(t)
	got := must.Get(must.Get(Read([]byte(ubjStump), 0))(t).Scores(x))(t)
	must.Be(t, fmt.Sprint(got), fmt.Sprint(want))
	for n := 2; n < len(ubjStump); n++ {
		must.Say(t, must.Err(Read([]byte(ubjStump[:n]), 0)), "it is no")
	}
	for text, want := range map[string]string{
		"{U\x01a" + strings.Repeat("[", 200):                 "values contain each other more than 64 times",
		"{U\x01a[$Z#L\x7f\xff\xff\xff\xff\xff\xff\xff}":      `at byte 8 is a list of the type 'Z'`,
		"{U\x01a[$U#L\x7f\xff\xff\xff\xff\xff\xff\xff}":      "is a list of 9223372036854775807 values",
		"{U\x01a[$U\x01]}":                                   "is a list of the type 'U' without a number of values",
		"{U\x01aSl\xff\xff\xff\xff}":                         "the file ends too soon",
		"{U\x01aH}":                                          "has the type 'H'",
		ubjStump + "x":                                       "1 bytes follow its end",
		strings.Replace(ubjStump, "learner{", "learners", 1): "it is no",
	} {
		must.Say(t, must.Err(Read([]byte(text), 0)), want)
	}
}

// Files of other programs are refused by what they are, in one line that says what to do.
func TestOtherKinds(t *testing.T) {
	for text, want := range map[string]string{
		"\x80\x04\x95lightgbm":  "a pickle of Python",
		"x\x9cpacked":           "it is packed",
		"\x1f\x8b\x08":          "it is packed",
		"PK\x03\x04schema.json": "a ZIP archive",
		"CBM1\x00\x01":          "a model of CatBoost",
		`{"features_info":{"float_features":[]},"oblivious_trees":[]}`:        "a JSON file of CatBoost",
		`{"name":"tree","version":"v4","tree_info":[{"tree_structure":{}}]}`:  "LightGBM's dump_model",
		"<?xml version=\"1.0\"?>\n<PMML>":                                     "PMML",
		"\x08\x09\x12\x08skl2onnx":                                            "ONNX",
		"binf\x00\x00\x00?":                                                   "the binary form that XGBoost had",
		"\x00\x00\x00?\x04\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00gbtree": "the binary form that XGBoost had",
		"booster[0]:\n0:leaf=1":                                               "XGBoost's dump_model",
		"dear tree":                                                           "this is neither",
		"x,y\n1,2":                                                            "this is neither",
		"":                                                                    "this is neither",
		`{"a":1}`:                                                             "the field a is not known here",
		`{}`:                                                                  "it holds no booster",
	} {
		err := must.Err(Read([]byte(text), 0))
		must.Say(t, err, want)
		must.Lack(t, err.Error(), "\n")
	}
}
