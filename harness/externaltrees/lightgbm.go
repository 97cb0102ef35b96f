package externaltrees

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dmitryikh/leaves"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
)

// readLightGBM reads a text file of LightGBM. Package leaves does not check its input, so it is given only checked
// text.
func readLightGBM(text []byte) (*Model, error) {
	f := &lightgbmFile{head: section{}}
	if err := f.scan(string(text)); err != nil {
		return nil, err
	}
	head, err := f.checkedHead()
	if err != nil {
		return nil, err
	}
	ensemble, err := leaves.LGEnsembleFromReader(bufio.NewReader(bytes.NewReader(append(head, f.trees.Bytes()...))),
		false)
	if err != nil {
		return nil, fmt.Errorf("its trees cannot be read: %w", err)
	}
	objective, err := objectiveOf(f.head["objective"])
	if err != nil {
		return nil, err
	}
	names := strings.Fields(f.head["feature_names"])
	if len(names) > 0 && len(names) != f.features {
		return nil, fmt.Errorf("it has %d feature_names and %d features", len(names), f.features)
	}
	predict := func(row, scores []float64) error {
		for i, v := range row {
			if math.Abs(v) <= zero {
				row[i] = 0
			}
		}
		return ensemble.Predict(row, 0, scores)
	}
	slices.Sort(f.categories)
	return &Model{objective: objective, names: names, features: f.features, groups: f.groups,
		categories: slices.Compact(f.categories), predict: predict}, nil
}

// zero is the largest value that LightGBM takes for 0.
const zero = float64(float32(1e-35))

// These are the keys of a head and of a tree. Another key may be something that changes predictions.
var (
	keysOfHead = strings.Fields(`tree version num_class num_tree_per_iteration label_index max_feature_idx objective
		average_output feature_names monotone_constraints feature_infos tree_sizes`)
	keysOfTree = strings.Fields(`num_leaves num_cat split_feature split_gain threshold decision_type left_child
		right_child leaf_value leaf_weight leaf_count internal_value internal_weight internal_count
		cat_boundaries cat_threshold is_linear shrinkage`)
)

// unknown returns an error if a section has a key that is not among those given.
func (s section) unknown(keys []string) error {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if !slices.Contains(keys, key) {
			return fmt.Errorf("it has the field %q, which is not known here", key)
		}
	}
	return nil
}

// A section is the lines key=value up to the next tree.
type section map[string]string

// A lightgbmFile is what has been read of a file, tree by tree.
type lightgbmFile struct {
	head             section
	features, groups int
	count            int          // the number of trees
	trees            bytes.Buffer // the text of checked trees
	categories       []int        // features that splits take for categories
}

func (f *lightgbmFile) scan(text string) error {
	current, ended := f.head, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, "=")
		switch {
		case line == "end of trees":
			ended = true
		case key == "Tree":
			if value != strconv.Itoa(f.count) {
				return fmt.Errorf("after %d trees it goes on with tree %q", f.count, value)
			}
		case line == "":
			continue
		default:
			if _, twice := current[key]; twice {
				return fmt.Errorf("%s occurs twice before tree %d", key, f.count)
			}
			current[key] = value
			continue
		}
		if err := f.close(current); err != nil {
			return err
		}
		if ended {
			return ofPandas(text)
		}
		current = section{}
		f.count++
	}
	return errors.New("the file is incomplete: the line `end of trees` is missing")
}

// ofFrame says of a category and its number why a model cannot be used.
const ofFrame = "categories of a data frame, which it knows by their places (%.40q is %d); train it on these numbers"

// ofPandas returns an error if the model was trained on categories of pandas other than 0, 1, 2 and so on: it knows
// each by its place in a list at the file's end, and not by its value.
func ofPandas(text string) error {
	_, list, _ := strings.Cut(text, "\npandas_categorical:")
	list, _, _ = strings.Cut(list, "\n")
	var columns [][]any
	if list = strings.TrimSpace(list); list == "" || list == "null" {
		return nil
	}
	if err := strictjson.Unmarshal([]byte(list), &columns); err != nil {
		return fmt.Errorf("its pandas_categorical: %w", err)
	}
	for _, values := range columns {
		for i, v := range values {
			if v != float64(i) {
				return fmt.Errorf("it was trained on "+ofFrame, fmt.Sprint(v), i)
			}
		}
	}
	return nil
}

// close takes a section that has ended: the head or a tree.
func (f *lightgbmFile) close(s section) error {
	if f.count == 0 {
		if err := s.unknown(keysOfHead); err != nil {
			return err
		}
		return f.shape()
	}
	if err := f.writeTree(s); err != nil {
		return fmt.Errorf("tree %d: %w", f.count-1, err)
	}
	return nil
}

func (f *lightgbmFile) shape() error {
	last, err := strconv.Atoi(f.head["max_feature_idx"])
	if err != nil || last < 0 || last >= math.MaxInt32 {
		return fmt.Errorf("its max_feature_idx is %q", f.head["max_feature_idx"])
	}
	f.features = last + 1
	f.groups, err = strconv.Atoi(f.head["num_tree_per_iteration"])
	if err != nil || f.groups < 1 || f.head["num_class"] != f.head["num_tree_per_iteration"] {
		return fmt.Errorf("it has num_class=%s and num_tree_per_iteration=%s; they must be the same number",
			f.head["num_class"], f.head["num_tree_per_iteration"])
	}
	for word := range strings.FieldsSeq(f.head["objective"]) {
		if n, found := strings.CutPrefix(word, "num_class:"); found && n != f.head["num_class"] {
			return fmt.Errorf("its objective is for %s classes, and its num_class is %d", n, f.groups)
		}
	}
	return nil
}

// checkedHead returns the head in the form that leaves reads. Version 4 is version 3 with fields for linear
// leaves.
func (f *lightgbmFile) checkedHead() ([]byte, error) {
	if v := f.head["version"]; !slices.Contains([]string{"v2", "v3", "v4"}, v) {
		return nil, fmt.Errorf("its version is %q; v2, v3 and v4 are read", v)
	}
	sizes := len(strings.Fields(f.head["tree_sizes"]))
	if f.count == 0 || sizes != f.count || f.count%f.groups != 0 {
		return nil, fmt.Errorf("it has %d trees, %d tree_sizes, and %d trees a round", f.count, sizes, f.groups)
	}
	averaged := ""
	if _, said := f.head["average_output"]; said {
		averaged = "average_output\n"
	}
	return fmt.Appendf(nil,
		"tree\nversion=v3\nnum_class=%d\nnum_tree_per_iteration=%[1]d\nmax_feature_idx=%d\n%stree_sizes=0%s\n\n",
		f.groups, f.features-1, averaged, strings.Repeat(" 0", f.count-1)), nil
}

// lists reads lists of values and keeps the first error.
type lists struct {
	of  section
	err error
}

func (l *lists) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// list reads n values. parse reads one value and reports whether it is valid. After an error list returns
// zeros.
func list[T any](l *lists, key string, n int, parse func(string) (T, bool)) []T {
	out := make([]T, 0, n)
	for word := range strings.FieldsSeq(l.of[key]) {
		v, ok := parse(word)
		if !ok {
			l.fail("%s: %q is no value", key, word)
		}
		out = append(out, v)
	}
	if len(out) != n {
		l.fail("%s has %d values, not %d", key, len(out), n)
		return make([]T, n)
	}
	return out
}

func whole(word string) (int, bool) {
	v, err := strconv.ParseInt(word, 10, 32)
	return int(v), err == nil
}

func bits(word string) (uint32, bool) {
	v, err := strconv.ParseUint(word, 10, 32)
	return uint32(v), err == nil
}

func real(word string) (float64, bool) { return wording.ParseDecimal([]byte(word)) }

// threshold reads a number or inf, which LightGBM writes where all values go to the left and missing ones to the right.
func threshold(word string) (float64, bool) {
	if word == "inf" {
		return math.Inf(1), true
	}
	return real(word)
}

// These are the bits of a decision type.
const (
	byCategory = 1
	// Missing values may go left, and any value may count as missing: none, zero, NaN.
	anyDecision  = 1<<4 - 1
	missingShift = 2
	missingIsNaN = 2 << missingShift
)

// writeTree writes the fields of a tree that leaves reads. The walk must reach every node and every leaf
// once, and every number must be finite, but for thresholds.
func (f *lightgbmFile) writeTree(s section) error {
	out, l := &f.trees, &lists{of: s}
	n := len(strings.Fields(s["leaf_value"]))
	if s["num_leaves"] != strconv.Itoa(n) || n == 0 {
		return fmt.Errorf("num_leaves is %q, and leaf_value has %d values", s["num_leaves"], n)
	}
	if linear := s["is_linear"]; linear != "" && linear != "0" {
		return errors.New("its leaves hold linear models, which are not read; train with linear_tree off")
	}
	if err := s.unknown(keysOfTree); err != nil {
		return err
	}
	list(l, "leaf_value", n, real)
	if l.err == nil && n > 1 {
		f.checkSplits(s, l, n-1)
	}
	if l.err != nil {
		return l.err
	}
	for _, key := range []string{"num_leaves", "num_cat", "split_feature", "threshold", "decision_type", "left_child",
		"right_child", "leaf_value", "cat_boundaries", "cat_threshold"} {
		fmt.Fprintf(out, "%s=", key)
		between := ""
		for word := range strings.FieldsSeq(s[key]) {
			out.WriteString(between)
			out.WriteString(word)
			between = " "
		}
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
	return nil
}

// checkSplits checks the splits of a tree with n inner nodes. LightGBM sends a missing category to the right whatever
// the decision type says; leaves does so where that says that NaN is missing.
func (f *lightgbmFile) checkSplits(s section, l *lists, n int) {
	left, right := list(l, "left_child", n, whole), list(l, "right_child", n, whole)
	thresholds, decisions := list(l, "threshold", n, threshold), list(l, "decision_type", n, bits)
	features := list(l, "split_feature", n, whole)
	for i, on := range features {
		if on < 0 || on >= f.features {
			l.fail("node %d splits on feature %d of %d", i, on, f.features)
		}
	}
	categories := s.categories(l)
	for i, d := range decisions {
		if d > anyDecision || d>>missingShift == 3 {
			l.fail("node %d has the decision_type %d", i, d)
		}
		if at := thresholds[i]; d&byCategory != 0 && (at < 0 || at >= float64(categories) || at != math.Trunc(at)) {
			l.fail("node %d splits on list %v of %d lists of categories", i, at, categories)
		}
		if d&byCategory != 0 {
			decisions[i] = byCategory | missingIsNaN
			f.categories = append(f.categories, features[i])
		}
	}
	s["decision_type"] = strings.Trim(fmt.Sprint(decisions), "[]")
	if l.err != nil {
		return
	}
	node := func(child int) int { // leaf numbers follow the numbers of the inner nodes
		if child < 0 {
			return n + ^child
		}
		return child
	}
	l.err = eachOnce(2*n+1, 0, func(i int) ([2]int, bool) {
		if i >= n {
			return [2]int{}, false
		}
		return [2]int{node(left[i]), node(right[i])}, true
	})
}

// categories returns the number of lists of categories. Each list is the bits from one boundary to the next.
func (s section) categories(l *lists) int {
	count, ok := whole(s["num_cat"])
	if !ok || count < 0 || count > len(s["cat_boundaries"]) {
		l.fail("num_cat is %q, which does not fit cat_boundaries", s["num_cat"])
		return 0
	}
	if count == 0 {
		return 0
	}
	boundaries := list(l, "cat_boundaries", count+1, whole)
	list(l, "cat_threshold", max(0, boundaries[count]), bits)
	if boundaries[0] != 0 || !slices.IsSorted(boundaries) {
		l.fail("cat_boundaries do not rise from 0")
	}
	return count
}
