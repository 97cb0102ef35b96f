package catalogue

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
)

// ClassNames returns the names of the classes as far as the entry tells them without
// its files: of -1 and +1, or of 0..K-1. Nil means that the labels in the file are
// the names; datasets.Set.Labels has them.
func (e *Entry) ClassNames() []string {
	switch {
	case e.PositiveFrom != nil:
		bound := strconv.FormatFloat(*e.PositiveFrom, 'g', -1, 64)
		return []string{"< " + bound, ">= " + bound}
	case len(e.Positive) > 0 && len(e.Negative) > 0:
		return []string{strings.Join(CanonicalLabels(e.Negative), ","), strings.Join(CanonicalLabels(e.Positive), ",")}
	case len(e.Positive) > 0:
		positive := strings.Join(CanonicalLabels(e.Positive), ",")
		return []string{"not " + positive, positive}
	case e.RowsPerClass > 0 && e.Classes != nil:
		return slices.Clone(e.Classes)
	}
	return CanonicalLabels(e.Classes)
}

// CanonicalLabel returns the form in which labels are compared: numbers in their
// shortest decimal form, so that "+1", "1" and "1.0" are equal, other text as it is.
func CanonicalLabel(text []byte) string {
	if v, ok := wording.ParseDecimal(text); ok {
		if v == 0 {
			v = 0 // -0 and 0 are one label
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.TrimSpace(string(text))
}

// CanonicalLabels returns that form of each label of a list.
func CanonicalLabels(list Texts) []string {
	var out []string
	for _, l := range list {
		out = append(out, CanonicalLabel([]byte(l)))
	}
	return out
}
