package gbdt

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/kernelboosting/bench/registry"
)

// objectiveText is the loss as LightGBM's model files name it.
func (m *Model) objectiveText() string {
	switch m.Task {
	case registry.Multiclass:
		return fmt.Sprintf("multiclass num_class:%d", m.Outputs)
	case registry.Regression:
		return "regression"
	}
	return "binary sigmoid:1"
}

// textNames returns the features' names as the format can hold them. A character that separates words of the format, or
// that LightGBM or the leaves package refuses, becomes _. The number of the feature is added to a name that occurs
// before. Without names, the names are LightGBM's Column_0, Column_1, ...
func (m *Model) textNames(names []string) ([]string, error) {
	if names != nil && len(names) != m.Features {
		return nil, fmt.Errorf("gbdt: %d names for %d features", len(names), m.Features)
	}
	out, seen := make([]string, m.Features), map[string]bool{}
	for j := range out {
		out[j] = "Column_" + strconv.Itoa(j)
		if names != nil {
			out[j] = strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`=",:[]{}`, r) {
					return '_'
				}
				return r
			}, names[j])
		}
		for out[j] == "" || seen[out[j]] {
			out[j] += "_" + strconv.Itoa(j)
		}
		seen[out[j]] = true
	}
	return out, nil
}

// WriteText writes the model as a LightGBM text model, version 3, which LightGBM
// and the leaves package read. Numbers are written so that they are read back to
// the same bits. names are the features' names, or nil.
func (m *Model) WriteText(w io.Writer, names []string) error {
	names, err := m.textNames(names)
	if err != nil {
		return err
	}
	blocks, sizes := make([]string, len(m.Trees)), make([]string, len(m.Trees))
	for i, t := range m.Trees {
		blocks[i] = fmt.Sprintf("Tree=%d\n%s\n\n", i, t.text())
		sizes[i] = strconv.Itoa(len(blocks[i]))
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "tree\nversion=v3\nnum_class=%d\nnum_tree_per_iteration=%d\nlabel_index=0\nmax_feature_idx=%d\n",
		m.Outputs, m.Outputs, m.Features-1)
	fmt.Fprintf(b, "objective=%s\nfeature_names=%s\nfeature_infos=%s\ntree_sizes=%s\n\n", m.objectiveText(),
		strings.Join(names, " "), strings.Join(m.infos, " "), strings.Join(sizes, " "))
	for _, t := range blocks {
		b.WriteString(t)
	}
	b.WriteString("end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n")
	return b.Flush()
}

const (
	defaultLeftBit = 2 // of decision_type
	missingNaNBits = 2 << 2
)

func (t *Tree) text() string {
	decisions := make([]int32, len(t.Feature))
	for k := range decisions {
		if t.DefaultLeft[k] {
			decisions[k] |= defaultLeftBit
		}
		if t.MissingNaN[k] {
			decisions[k] |= missingNaNBits
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "num_leaves=%d\nnum_cat=0\n", t.Leaves())
	writeList(&b, "split_feature", t.Feature, integer)
	writeList(&b, "split_gain", t.Gain, func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) })
	writeList(&b, "threshold", t.Threshold, number)
	writeList(&b, "decision_type", decisions, integer)
	writeList(&b, "left_child", t.Left, integer)
	writeList(&b, "right_child", t.Right, integer)
	writeList(&b, "leaf_value", t.LeafValue, number)
	writeList(&b, "leaf_weight", t.LeafWeight, number)
	writeList(&b, "leaf_count", t.LeafCount, integer)
	writeList(&b, "internal_value", t.NodeValue, number)
	writeList(&b, "internal_weight", t.NodeWeight, number)
	writeList(&b, "internal_count", t.NodeCount, integer)
	fmt.Fprintf(&b, "is_linear=0\nshrinkage=%s\n", number(t.Shrinkage))
	return b.String()
}

func integer(v int32) string { return strconv.Itoa(int(v)) }

func writeList[T any](b *strings.Builder, key string, values []T, format func(T) string) {
	b.WriteString(key)
	b.WriteByte('=')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(format(v))
	}
	b.WriteByte('\n')
}
