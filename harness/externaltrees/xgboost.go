package externaltrees

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry/elementary"
)

// An xgboostFile is the part of a JSON model file of XGBoost 1.0 and later that scores depend on.
type xgboostFile struct {
	Learner struct {
		Attributes map[string]string `json:"attributes"`
		Objective  struct {
			Name string `json:"name"`
		} `json:"objective"`
		Params struct {
			BaseScore string `json:"base_score"` // a number; from version 3.1 on a list with one number a group
			Features  string `json:"num_feature"`
			Classes   string `json:"num_class"`
			Targets   string `json:"num_target"`
		} `json:"learner_model_param"`
		Booster struct {
			Name  string `json:"name"`
			Model struct {
				Trees  []xgboostTree `json:"trees"`
				Groups []int         `json:"tree_info"` // the group of each tree
			} `json:"model"`
		} `json:"gradient_booster"`
	} `json:"learner"`
}

// An xgboostTree has one element for each node, the root first; -1 is no child. The split condition of a leaf
// is its value.
type xgboostTree struct {
	Left        []int32   `json:"left_children"`
	Right       []int32   `json:"right_children"`
	Feature     []int32   `json:"split_indices"`
	Condition   []float32 `json:"split_conditions"`
	DefaultLeft []flag    `json:"default_left"`
	Categorical []int32   `json:"categories_nodes"`
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

func readXGBoost(file []byte, memory int64) (*Model, error) {
	if len(file) > 1 && file[1] != '"' && bytes.IndexByte([]byte(" \t\r\n}"), file[1]) < 0 {
		return nil, errors.New(`it is a UBJ file of XGBoost; write JSON instead: booster.save_model("model.json")`)
	}
	if err := admit(file, ",", "{", memory); err != nil {
		return nil, err
	}
	var f xgboostFile
	if err := strictjson.UnmarshalOpen(file, &f); err != nil {
		return nil, fmt.Errorf("it is no JSON file of XGBoost: %w", err)
	}
	return f.model()
}

func (f *xgboostFile) model() (*Model, error) {
	l := &f.Learner
	features, err := strconv.Atoi(l.Params.Features)
	switch {
	case l.Booster.Name == "":
		return nil, errors.New("it holds no booster; write one with XGBoost's Booster.save_model or XGBClassifier.save_model")
	case l.Booster.Name != "gbtree":
		return nil, fmt.Errorf("its booster is %q; only gbtree is read", l.Booster.Name)
	case err != nil || features < 1 || features > math.MaxInt32:
		return nil, fmt.Errorf("its number of features is %q", l.Params.Features)
	case l.Params.Targets != "" && l.Params.Targets != "1":
		return nil, fmt.Errorf("it predicts %s targets; only one is read", l.Params.Targets)
	}
	groups := 1
	if classes := l.Params.Classes; classes != "" {
		n, err := strconv.Atoi(classes)
		if most := len(l.Booster.Model.Trees); err != nil || n < 0 || n > max(1, most) {
			return nil, fmt.Errorf("its num_class is %q, and it has %d trees", classes, most)
		}
		groups = max(1, n)
	}
	margin, err := baseMargins(l.Params.BaseScore, l.Objective.Name, groups)
	if err != nil {
		return nil, err
	}
	trees, err := f.byRound(groups)
	if err != nil {
		return nil, err
	}
	for i, t := range trees {
		if err := t.check(features); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
	}
	predict := func(row, scores []float64) error {
		copy(scores, margin)
		for i, t := range trees {
			scores[i%groups] += float64(t.leaf(row))
		}
		return nil
	}
	return &Model{l.Objective.Name, features, groups, predict}, nil
}

// baseMargins turns base_score into the constants added to the sum of the trees of each group. base_score has
// the unit of predictions, which for binary:logistic is a probability.
func baseMargins(text, objective string, groups int) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(strings.Trim(text, "[] "), ",") {
		v, ok := wording.ParseDecimal([]byte(strings.TrimSpace(part)))
		if !ok {
			return nil, fmt.Errorf("its base_score is %q", text)
		}
		if objective == "binary:logistic" {
			if !(v > 0 && v < 1) {
				return nil, fmt.Errorf("its base_score is %q, which is no probability", text)
			}
			v = elementary.Log(v / (1 - v))
		}
		out = append(out, v)
	}
	if len(out) == 1 {
		out = slices.Repeat(out, groups)
	}
	if len(out) != groups {
		return nil, fmt.Errorf("its base_score %q has %d numbers for %d groups", text, len(out), groups)
	}
	return out, nil
}

// byRound returns the trees by round, one of each group in turn. Where training stopped early the rounds end
// with the best one, as in predictions of XGBClassifier and XGBRegressor.
func (f *xgboostFile) byRound(groups int) ([]xgboostTree, error) {
	m := &f.Learner.Booster.Model
	if len(m.Trees) == 0 || len(m.Groups) != len(m.Trees) || len(m.Trees)%groups != 0 {
		return nil, fmt.Errorf("it has %d trees, %d numbers of their groups, and %d groups", len(m.Trees), len(m.Groups), groups)
	}
	of := make([][]xgboostTree, groups)
	for i, g := range m.Groups {
		if g < 0 || g >= groups {
			return nil, fmt.Errorf("tree %d is of group %d of %d", i, g, groups)
		}
		of[g] = append(of[g], m.Trees[i])
	}
	rounds := len(m.Trees) / groups
	for g := range of {
		if len(of[g]) != rounds {
			return nil, fmt.Errorf("group %d has %d trees of %d", g, len(of[g]), len(m.Trees))
		}
	}
	if text, stopped := f.Learner.Attributes["best_iteration"]; stopped {
		best, err := strconv.Atoi(text)
		if err != nil || best < 0 {
			return nil, fmt.Errorf("its best_iteration is %q", text)
		}
		if best < rounds {
			rounds = best + 1
		}
	}
	var out []xgboostTree
	for round := range rounds {
		for g := range of {
			out = append(out, of[g][round])
		}
	}
	return out, nil
}

// check returns an error unless the walk reaches each node once and every split is on an existing feature.
func (t *xgboostTree) check(features int) error {
	n := len(t.Left)
	if n == 0 || len(t.Right) != n || len(t.Feature) != n || len(t.Condition) != n || len(t.DefaultLeft) != n {
		return fmt.Errorf("its lists have %d, %d, %d, %d and %d nodes", n, len(t.Right), len(t.Feature), len(t.Condition), len(t.DefaultLeft))
	}
	if len(t.Categorical) > 0 {
		return errors.New("it splits on categories, which are not read; train on numbers")
	}
	for i, f := range t.Feature {
		if l, r := t.Left[i], t.Right[i]; (l == -1) != (r == -1) || l != -1 && (f < 0 || int(f) >= features) {
			return fmt.Errorf("node %d has the children %d and %d and splits on feature %d of %d", i, l, r, f, features)
		}
	}
	return eachOnce(n, func(i int) ([2]int, bool) { return [2]int{int(t.Left[i]), int(t.Right[i])}, t.Left[i] != -1 })
}

// leaf returns the value of the leaf that a row reaches. As in XGBoost, values are compared in single precision.
func (t *xgboostTree) leaf(row []float64) float32 {
	node := int32(0)
	for t.Left[node] != -1 {
		v := float32(row[t.Feature[node]])
		if v < t.Condition[node] || v != v && bool(t.DefaultLeft[node]) {
			node = t.Left[node]
		} else {
			node = t.Right[node]
		}
	}
	return t.Condition[node]
}
