package gbdt

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// ReadText reads a LightGBM text model, version 3 or 4, of trees without categories and without linear leaves, with one
// of the losses that WriteText writes. Anything else is an error, and so is a tree in which some row would end in no
// leaf.
func ReadText(r io.Reader) (*Model, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	head, body, found := strings.Cut(string(raw), "\nTree=0\n")
	if !found {
		return nil, fmt.Errorf("gbdt: the text model has no tree")
	}
	trees, _, found := strings.Cut(body, "\nend of trees")
	if !found {
		return nil, fmt.Errorf("gbdt: the text model is cut short: it does not reach its end of trees")
	}
	m, err := readHead(head)
	if err != nil {
		return nil, err
	}
	for i, block := range splitTrees(trees) {
		t, err := readTree(fields(block), m.Features)
		if err != nil {
			return nil, fmt.Errorf("gbdt: tree %d of the text model: %w", i, err)
		}
		m.Trees = append(m.Trees, t)
	}
	if len(m.Trees)%m.Outputs != 0 {
		return nil, fmt.Errorf("gbdt: %d trees do not make rounds of %d", len(m.Trees), m.Outputs)
	}
	return m, nil
}

func splitTrees(body string) []string {
	var out []string
	for i := 1; ; i++ {
		block, rest, found := strings.Cut(body, fmt.Sprintf("\nTree=%d\n", i))
		out = append(out, block)
		if !found {
			return out
		}
		body = rest
	}
}

// fields returns the key=value lines of a section.
func fields(section string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(section) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		out[key] = value
	}
	return out
}

func readHead(head string) (*Model, error) {
	f := fields(head)
	if v := f["version"]; v != "v3" && v != "v4" {
		return nil, fmt.Errorf("gbdt: text model version %q is not v3 or v4", v)
	}
	if _, averaged := f["average_output"]; averaged {
		return nil, fmt.Errorf("gbdt: the text model averages its trees; only sums are read")
	}
	last, err := strconv.Atoi(f["max_feature_idx"])
	if err != nil || last < 0 || last >= math.MaxInt32 {
		return nil, fmt.Errorf("gbdt: max_feature_idx %q is not a feature", f["max_feature_idx"])
	}
	outputs, err := strconv.Atoi(f["num_tree_per_iteration"])
	if err != nil || outputs < 1 {
		return nil, fmt.Errorf("gbdt: num_tree_per_iteration %q is not a number of trees", f["num_tree_per_iteration"])
	}
	m := &Model{Features: last + 1, Outputs: outputs, infos: strings.Fields(f["feature_infos"])}
	if len(m.infos) != m.Features {
		return nil, fmt.Errorf("gbdt: feature_infos has %d entries for %d features", len(m.infos), m.Features)
	}
	for _, m.Task = range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if f["objective"] == m.objectiveText() && (m.Task == registry.Multiclass || outputs == 1) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("gbdt: objective %q is not one of binary, multiclass and regression", f["objective"])
}

// A listReader collects the first error of several lists.
type listReader struct {
	fields map[string]string
	err    error
}

func readList[T any](r *listReader, key string, n int, parse func(string) (T, error)) []T {
	words := strings.Fields(r.fields[key])
	if len(words) != n {
		if r.err == nil {
			r.err = fmt.Errorf("%s has %d values, not %d", key, len(words), n)
		}
		return make([]T, n)
	}
	out := make([]T, n)
	for i, w := range words {
		var err error
		if out[i], err = parse(w); err != nil && r.err == nil {
			r.err = fmt.Errorf("%s: %q is not a value", key, w)
		}
	}
	return out
}

func parseInt(s string) (int32, error) {
	v, err := strconv.ParseInt(s, 10, 32)
	return int32(v), err
}

func parseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && math.IsNaN(v) {
		err = fmt.Errorf("not a number")
	}
	return v, err
}

func parseSingle(s string) (float32, error) {
	v, err := strconv.ParseFloat(s, 32)
	return float32(v), err
}

func readTree(f map[string]string, features int) (*Tree, error) {
	leaves, err := strconv.Atoi(f["num_leaves"])
	if err != nil || leaves < 1 || leaves > len(f["leaf_value"])+1 {
		return nil, fmt.Errorf("num_leaves %q does not fit leaf_value", f["num_leaves"])
	}
	if linear := f["is_linear"]; f["num_cat"] != "0" || linear != "0" && linear != "" {
		return nil, fmt.Errorf("trees with categories (num_cat=%s) or linear leaves (is_linear=%s) are not read",
			f["num_cat"], linear)
	}
	r, n := &listReader{fields: f}, leaves-1
	t := &Tree{Shrinkage: 1, LeafValue: readList(r, "leaf_value", leaves, parseFloat)}
	if n > 0 {
		t.Feature = readList(r, "split_feature", n, parseInt)
		t.Gain = readList(r, "split_gain", n, parseSingle)
		t.Threshold = readList(r, "threshold", n, parseFloat)
		t.Left, t.Right = readList(r, "left_child", n, parseInt), readList(r, "right_child", n, parseInt)
		t.NodeValue, t.NodeWeight = readList(r, "internal_value", n, parseFloat),
			readList(r, "internal_weight", n, parseFloat)
		t.NodeCount = readList(r, "internal_count", n, parseInt)
		for _, d := range readList(r, "decision_type", n, parseInt) {
			if d&^(defaultLeftBit|missingNaNBits) != 0 && r.err == nil {
				r.err = fmt.Errorf("decision_type %d is not a numeric one with missing values None or NaN", d)
			}
			t.DefaultLeft, t.MissingNaN = append(t.DefaultLeft, d&defaultLeftBit != 0),
				append(t.MissingNaN, d&missingNaNBits != 0)
		}
	}
	t.LeafWeight, t.LeafCount = make([]float64, leaves), make([]int32, leaves)
	if n > 0 { // LightGBM gives a constant tree no weights
		t.LeafWeight, t.LeafCount = readList(r, "leaf_weight", leaves, parseFloat),
			readList(r, "leaf_count", leaves, parseInt)
	} else if c, err := parseInt(f["leaf_count"]); err == nil {
		t.LeafCount[0] = c
	}
	if s, err := parseFloat(f["shrinkage"]); err == nil {
		t.Shrinkage = s
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := t.check(features); err != nil {
		return nil, err
	}
	t.seal()
	return t, nil
}

// check makes sure that each inner node and leaf but the root is the child of one
// earlier node, so that every row ends in a leaf.
func (t *Tree) check(features int) error {
	n := len(t.Feature)
	seen := make([]bool, n+t.Leaves())
	for k := range n {
		if f := int(t.Feature[k]); f < 0 || f >= features {
			return fmt.Errorf("node %d splits feature %d of %d", k, f, features)
		}
		for _, c := range [2]int32{t.Left[k], t.Right[k]} {
			at := int(c)
			if c < 0 {
				at = n + int(^c)
			}
			if at >= len(seen) || c >= 0 && (at <= k || at >= n) || seen[at] {
				return fmt.Errorf("node %d has a child %d that is no later node or free leaf", k, c)
			}
			seen[at] = true
		}
	}
	return nil
}
