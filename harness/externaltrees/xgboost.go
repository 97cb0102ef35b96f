package externaltrees

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
)

// An xgboostFile is a JSON model file of XGBoost 1.0 and later. A field that is not here may be something that changes
// scores, and is refused.
type xgboostFile struct {
	Version []int `json:"version"`
	Learner struct {
		Attributes map[string]string `json:"attributes"`
		Names      []string          `json:"feature_names"`
		Types      []string          `json:"feature_types"`
		Objective  nameOf            `json:"objective"`
		Params     struct {
			BaseScore string  `json:"base_score"` // a number; from version 3.1 on a list with one number a group
			Features  string  `json:"num_feature"`
			Classes   string  `json:"num_class"`
			Targets   string  `json:"num_target"`
			Estimated ignored `json:"boost_from_average"`
		} `json:"learner_model_param"`
		Booster struct {
			Name  string   `json:"name"`
			Model booster  `json:"model"`
			Trees struct { // of dart
				Name  string  `json:"name"`
				Model booster `json:"model"`
			} `json:"gbtree"`
			Weights []number `json:"weight_drop"` // of each tree of dart
		} `json:"gradient_booster"`
	} `json:"learner"`
}

// A booster is trees, or the weights of a linear model.
type booster struct {
	Trees  []xgboostTree `json:"trees"`
	Groups []int         `json:"tree_info"` // the group of each tree
	Params struct {
		Parallel string  `json:"num_parallel_tree"`
		Trees    ignored `json:"num_trees"`
		Outputs  string  `json:"size_leaf_vector"`
	} `json:"gbtree_model_param"`
	Rounds     []int `json:"iteration_indptr"` // where the trees of each round begin, and the last end; since version 2
	Categories struct {
		Of []struct {
			Offsets []int     `json:"offsets"` // of words
			Values  []float64 `json:"values"`
			Type    ignored   `json:"type"`
		} `json:"enc"`
		Segments ignored `json:"feature_segments"`
		Sorted   ignored `json:"sorted_idx"`
	} `json:"cats"`
	Weights []number `json:"weights"` // of feature 0 in each group, of feature 1 in each group; last the constants
	Boosted ignored  `json:"boosted_rounds"`
}

// An xgboostTree has one element for each node, the root first; -1 is no child. The split condition of a leaf
// is its value.
type xgboostTree struct {
	Left        []int32  `json:"left_children"`
	Right       []int32  `json:"right_children"`
	Feature     []int32  `json:"split_indices"`
	Condition   []number `json:"split_conditions"`
	DefaultLeft []flag   `json:"default_left"`
	// The nodes that split on categories, and for each where those that go to the right begin in the list, and how many
	// they are.
	Nodes      []int   `json:"categories_nodes"`
	Begin      []int   `json:"categories_segments"`
	Count      []int   `json:"categories_sizes"`
	Categories []int32 `json:"categories"`
	Params     struct {
		Deleted  string  `json:"num_deleted"`
		Features ignored `json:"num_feature"`
		Nodes    ignored `json:"num_nodes"`
		Outputs  string  `json:"size_leaf_vector"`
	} `json:"tree_param"`
	Kinds   ignored `json:"split_type"`
	ID      ignored `json:"id"`
	Parents ignored `json:"parents"`
	Gains   ignored `json:"loss_changes"`
	Base    ignored `json:"base_weights"`
	Hessian ignored `json:"sum_hessian"`
	Vectors ignored `json:"leaf_weights"` // of trees with several outputs

	right map[int32][]int32 // by node
}

// ignored is a field that scores do not depend on.
type ignored struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (ignored) UnmarshalJSON([]byte) error { return nil }

// nameOf is the name of an object, whose other fields scores do not depend on.
type nameOf string

// UnmarshalJSON implements json.Unmarshaler.
func (n *nameOf) UnmarshalJSON(raw []byte) error {
	var o struct {
		Name string `json:"name"`
	}
	err := strictjson.UnmarshalOpen(raw, &o)
	*n = nameOf(o.Name)
	return err
}

// A number is in single precision. One that is not finite is the text NaN.
type number float32

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(raw []byte) error {
	if string(raw) == `"NaN"` {
		*n = number(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(string(raw), 32)
	*n = number(v)
	return err
}

// A flag is a value that some versions write as a number and others as true or false.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (b *flag) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	*b = flag(text == "true" || text == "1")
	if !slices.Contains([]string{"true", "false", "1", "0"}, text) {
		return fmt.Errorf("a flag is %s", text)
	}
	return nil
}

// textOrNaN finds strings, so that they are passed over, and the NaN that versions before 3 write for splits on
// categories.
var textOrNaN = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\bNaN\b`)

func readXGBoost(file []byte, memory int64) (*Model, error) {
	if len(file) > 1 && bytes.IndexByte([]byte("iUIlL$#"), file[1]) >= 0 {
		if err := limitBytes(perUBJ*int64(len(file)), memory); err != nil {
			return nil, err
		}
		var err error
		if file, err = jsonOfUBJ(file); err != nil {
			return nil, err
		}
	}
	if err := limitMemory(file, ",", "{", memory); err != nil {
		return nil, err
	}
	if bytes.Contains(file, []byte("NaN")) {
		file = textOrNaN.ReplaceAllFunc(file, func(part []byte) []byte {
			if part[0] == '"' {
				return part
			}
			return []byte(`"NaN"`)
		})
	}
	var f xgboostFile
	if err := strictjson.Unmarshal(file, &f); err != nil {
		return nil, otherKind(file, fmt.Errorf("it is no JSON file of XGBoost that is read here: %w", err))
	}
	if f.Learner.Booster.Name == "" {
		return nil, otherKind(file, errors.New("it holds no booster; write one with XGBoost's Booster.save_model"))
	}
	return f.model()
}

func (f *xgboostFile) model() (*Model, error) {
	l := &f.Learner
	objective, err := objectiveOf(string(l.Objective))
	if err != nil {
		return nil, err
	}
	features, err := strconv.Atoi(l.Params.Features)
	switch {
	case err != nil || features < 1 || features > math.MaxInt32:
		return nil, fmt.Errorf("its number of features is %q", l.Params.Features)
	case l.Params.Targets != "" && l.Params.Targets != "1":
		return nil, fmt.Errorf("it predicts %s targets; only one is read", l.Params.Targets)
	case len(l.Names) > 0 && len(l.Names) != features:
		return nil, fmt.Errorf("it has %d feature_names and %d features", len(l.Names), features)
	}
	groups, b := 1, &l.Booster.Model
	switch l.Booster.Name {
	case "gbtree", "gblinear":
	case "dart":
		b = &l.Booster.Trees.Model
	default:
		return nil, fmt.Errorf("its booster is %q; gbtree, dart and gblinear are read", l.Booster.Name)
	}
	if classes := l.Params.Classes; classes != "" {
		n, err := strconv.Atoi(classes)
		if most := len(b.Trees) + len(b.Weights); err != nil || n < 0 || n > max(1, most) {
			return nil, fmt.Errorf("its num_class is %q, and it has %d trees", classes, most)
		}
		groups = max(1, n)
	}
	base, err := f.baseMargins(objective, groups)
	if err != nil {
		return nil, err
	}
	m := &Model{objective: objective, names: l.Names, features: features, groups: groups}
	if objective.name == "binary:logitraw" {
		m.notes = append(m.notes, "its scores change the class at 0, while XGBClassifier.predict does so at 0.5")
	}
	if l.Booster.Name == "gblinear" {
		err = linear(m, b.Weights, base)
	} else {
		err = f.trees(m, b, base)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// baseMargins turns base_score into the constants added to the sum of the trees of each group. base_score has
// the unit of predictions, which for binary:logistic is a probability. Since version 3.2 XGBoost takes one for at least
// 1e-6 and at most 1 - 1e-6.
func (f *xgboostFile) baseMargins(o objective, groups int) ([]float32, error) {
	var out []float32
	text := f.Learner.Params.BaseScore
	for part := range strings.SplitSeq(strings.Trim(text, "[] "), ",") {
		v, ok := wording.ParseDecimal([]byte(strings.TrimSpace(part)))
		if !ok {
			return nil, fmt.Errorf("its base_score is %q", text)
		}
		if o.link == logit && slices.Compare(f.Version, []int{3, 2}) >= 0 {
			const least = float32(1e-6)
			v = min(max(v, float64(least)), float64(1-least))
		}
		margin := o.margin(v)
		if math.IsNaN(float64(margin)) || math.IsInf(float64(margin), 0) {
			return nil, fmt.Errorf("its base_score is %q, which no prediction of %s can be", text, o.name)
		}
		out = append(out, margin)
	}
	if len(out) == 1 {
		out = slices.Repeat(out, groups)
	}
	if len(out) != groups {
		return nil, fmt.Errorf("its base_score %q has %d numbers for %d groups", text, len(out), groups)
	}
	return out, nil
}

// linear makes a model of the weights of a linear booster, for which a missing value is 0.
func linear(m *Model, weights []number, base []float32) error {
	if len(weights) != (m.features+1)*m.groups {
		return fmt.Errorf("it has %d weights for %d features and %d groups", len(weights), m.features, m.groups)
	}
	if slices.ContainsFunc(weights, func(w number) bool { return w != w }) {
		return errors.New("some of its weights are no numbers")
	}
	if slices.ContainsFunc(base, func(b float32) bool { return b != base[0] }) {
		return errors.New("it is a linear booster with several base_score, of which XGBoost itself takes " +
			"the first for all classes; train it with base_score set")
	}
	m.predict = func(row, scores []float64) error {
		for g := range scores {
			sum := float32(weights[m.features*m.groups+g]) + base[g]
			for f, v := range row {
				if !math.IsNaN(v) {
					sum += float32(float32(v) * float32(weights[f*m.groups+g]))
				}
			}
			scores[g] = float64(sum)
		}
		return nil
	}
	return nil
}

// trees makes a model of the trees of a booster. Sums are in single precision and in the order of the file, as in
// XGBoost, so that they have its bits.
func (f *xgboostFile) trees(m *Model, b *booster, base []float32) error {
	weights := f.Learner.Booster.Weights
	if f.Learner.Booster.Name == "dart" && len(weights) != len(b.Trees) {
		return fmt.Errorf("it has %d weights for %d trees", len(weights), len(b.Trees))
	}
	if len(b.Trees) == 0 || len(b.Groups) != len(b.Trees) {
		return fmt.Errorf("it has %d trees and %d numbers of their groups", len(b.Trees), len(b.Groups))
	}
	for i := range b.Trees {
		if g := b.Groups[i]; g < 0 || g >= m.groups {
			return fmt.Errorf("tree %d is of group %d of %d", i, g, m.groups)
		}
		if err := b.Trees[i].check(m.features); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	used, err := f.used(m, b)
	if err != nil {
		return err
	}
	if err := f.ofCategories(m, b); err != nil {
		return err
	}
	m.predict = func(row, scores []float64) error {
		sums := slices.Clone(base)
		for i := range b.Trees[:used] {
			leaf := b.Trees[i].leaf(row)
			if weights != nil {
				leaf *= float32(weights[i])
			}
			sums[b.Groups[i]] += leaf
		}
		for g, sum := range sums {
			scores[g] = float64(sum)
		}
		return nil
	}
	return nil
}

// used returns the number of trees that count. Where training stopped early the rounds end with the best one, as in
// predictions of XGBClassifier and XGBRegressor.
func (f *xgboostFile) used(m *Model, b *booster) (int, error) {
	ends, said := b.Rounds, cmp.Or(b.Params.Parallel, f.parallel())
	if ends == nil {
		parallel, err := strconv.Atoi(cmp.Or(said, "1"))
		each := parallel * m.groups
		if err != nil || parallel < 1 || parallel > len(b.Trees) || len(b.Trees)%each != 0 {
			return 0, fmt.Errorf("it has %d trees, %d groups, and %q parallel trees",
				len(b.Trees), m.groups, said)
		}
		for n := 0; n <= len(b.Trees); n += each {
			ends = append(ends, n)
		}
	}
	rounds := len(ends) - 1
	if rounds < 1 || ends[0] != 0 || ends[rounds] != len(b.Trees) || !slices.IsSorted(ends) {
		return 0, fmt.Errorf("its iteration_indptr does not rise from 0 to the number of its trees, %d", len(b.Trees))
	}
	text, stopped := f.Learner.Attributes["best_iteration"]
	if !stopped {
		return len(b.Trees), nil
	}
	best, err := strconv.Atoi(text)
	if err != nil || best < 0 {
		return 0, fmt.Errorf("its best_iteration is %q", text)
	}
	if best+1 >= rounds {
		return len(b.Trees), nil
	}
	m.notes = append(m.notes, fmt.Sprintf("training stopped early: the first %d of its %d rounds count, as for "+
		"XGBClassifier and XGBRegressor; Booster.predict takes all of them by default", best+1, rounds))
	if b.Rounds == nil && said == "" {
		m.notes = append(m.notes, "it does not say num_parallel_tree, as of XGBoost before 1.4: it is taken for 1")
	}
	return ends[best+1], nil
}

var bestTrees = regexp.MustCompile(`"best_ntree_limit": (\d+)`)

// parallel returns the number of trees of a round and group that a file without num_parallel_tree says, before XGBoost
// 1.6: versions 1.4 and 1.5, and the classes for scikit-learn of 1.3, write how many trees of a group count.
func (f *xgboostFile) parallel() string {
	attributes := f.Learner.Attributes
	trees := attributes["best_ntree_limit"]
	if found := bestTrees.FindStringSubmatch(attributes["scikit_learn"]); trees == "" && found != nil {
		trees = found[1]
	}
	n, err := strconv.Atoi(trees)
	switch best, none := strconv.Atoi(attributes["best_iteration"]); {
	case none != nil || best < 0:
		return "" // every tree counts, or the file is refused
	case err != nil || n%(best+1) != 0:
		return trees
	default:
		return strconv.Itoa(n / (best + 1))
	}
}

// ofCategories finds the features that splits take for categories.
func (f *xgboostFile) ofCategories(m *Model, b *booster) error {
	for i, of := range b.Categories.Of {
		if len(of.Offsets) > 0 {
			return fmt.Errorf("its feature %d has categories of a data frame, words; train it on numbers", i)
		}
		for place, v := range of.Values {
			if v != float64(place) {
				return fmt.Errorf("its feature %d has "+ofFrame, i, fmt.Sprint(v), place)
			}
		}
	}
	for _, t := range b.Trees {
		for _, node := range t.Nodes {
			m.categories = append(m.categories, int(t.Feature[node]))
		}
	}
	slices.Sort(m.categories)
	if m.categories = slices.Compact(m.categories); m.categories != nil && b.Categories.Of == nil {
		m.notes = append(m.notes, "it splits on categories, which it knows by number: those of a data frame are "+
			"numbered 0, 1, 2 and so on in their order")
	}
	return nil
}

// check returns an error unless the walk reaches each node once and every split is on an existing feature.
func (t *xgboostTree) check(features int) error {
	n := len(t.Left)
	if t.Params.Outputs != "" && t.Params.Outputs != "0" && t.Params.Outputs != "1" {
		return fmt.Errorf("each leaf has %s outputs; train with multi_strategy one_output_per_tree", t.Params.Outputs)
	}
	if n == 0 || len(t.Right) != n || len(t.Feature) != n || len(t.Condition) != n || len(t.DefaultLeft) != n {
		return fmt.Errorf("its lists have %d, %d, %d, %d and %d nodes", n, len(t.Right), len(t.Feature),
			len(t.Condition), len(t.DefaultLeft))
	}
	deleted, err := strconv.Atoi(t.Params.Deleted)
	if t.Params.Deleted != "" && err != nil {
		return fmt.Errorf("its num_deleted is %q", t.Params.Deleted)
	}
	if err := t.readCategories(); err != nil {
		return err
	}
	for i, f := range t.Feature {
		l, r := t.Left[i], t.Right[i]
		if (l == -1) != (r == -1) || l != -1 && (f < 0 || int(f) >= features) {
			return fmt.Errorf("node %d has the children %d and %d and splits on feature %d of %d", i, l, r, f, features)
		}
		if _, isCategory := t.right[int32(i)]; math.IsNaN(float64(t.Condition[i])) && !isCategory {
			return fmt.Errorf("node %d has no number as its condition or value", i)
		}
	}
	return eachOnce(n, deleted, func(i int) ([2]int, bool) {
		return [2]int{int(t.Left[i]), int(t.Right[i])}, t.Left[i] != -1
	})
}

// readCategories finds the categories of each node that splits on them.
func (t *xgboostTree) readCategories() error {
	if len(t.Begin) != len(t.Nodes) || len(t.Count) != len(t.Nodes) {
		return fmt.Errorf("%d nodes split on categories, and there are %d and %d bounds of lists",
			len(t.Nodes), len(t.Begin), len(t.Count))
	}
	if len(t.Nodes) > 0 {
		t.right = map[int32][]int32{}
	}
	for i, node := range t.Nodes {
		from, count, n := t.Begin[i], t.Count[i], len(t.Categories)
		inner := node >= 0 && node < len(t.Left) && t.Left[node] != -1
		if !inner || from < 0 || count < 1 || from > n || count > n-from {
			return fmt.Errorf("node %d splits on %d categories from place %d of %d", node, count, from, n)
		}
		t.right[int32(node)] = t.Categories[from : from+count]
	}
	return nil
}

// leaf returns the value of the leaf that a row reaches. As in XGBoost, values are compared in single precision.
func (t *xgboostTree) leaf(row []float64) float32 {
	node := int32(0)
	for t.Left[node] != -1 {
		if t.goesLeft(node, float32(row[t.Feature[node]])) {
			node = t.Left[node]
		} else {
			node = t.Right[node]
		}
	}
	return float32(t.Condition[node])
}

func (t *xgboostTree) goesLeft(node int32, v float32) bool {
	const categories = 1 << 24 // numbers from here on, and below 0, are no categories
	if v != v {
		return bool(t.DefaultLeft[node])
	}
	if right, byCategory := t.right[node]; byCategory {
		return v < 0 || v >= categories || !slices.Contains(right, int32(v))
	}
	return v < float32(t.Condition[node])
}
