package datasets

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// A target is the label column of all rows, as text.
type target struct {
	n      int
	at     func(i int) []byte
	errorf func(i int, format string, args ...any) error // about the label of row i
	files  string                                        // for errors that are about no single row
}

// canonicalLabel returns the form in which labels are compared: numbers in their
// shortest decimal form, so that "+1", "1" and "1.0" are equal, other text as it is.
func canonicalLabel(text []byte) string {
	if v, ok := number(text); ok {
		if v == 0 {
			v = 0 // -0 and 0 are one label
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.TrimSpace(string(text))
}

// distinct codes the labels of all rows: row i has label names[codes[i]]; names
// are in order of appearance.
func (t target) distinct() (names []string, codes []int32, err error) {
	codes = make([]int32, t.n)
	byText := map[string]int32{}
	byName := map[string]int32{}
	for i := range codes {
		text := t.at(i)
		code, ok := byText[string(text)]
		if !ok {
			name := canonicalLabel(text)
			if name == "" || name == "?" {
				return nil, nil, t.errorf(i, "is no label; every row needs one")
			}
			if code, ok = byName[name]; !ok {
				code = int32(len(names))
				byName[name] = code
				names = append(names, name)
			}
			byText[string(text)] = code
		}
		codes[i] = code
	}
	return names, codes, nil
}

// encode turns labels into numbers and returns the classes' names: for binary the
// names of -1 and +1, for regression none.
func (e *Entry) encode(t target) (y []float64, classes []string, err error) {
	if e.Task == registry.Regression {
		y, err = t.numbers()
		return y, nil, err
	}
	if e.PositiveFrom != nil {
		return e.encodeThreshold(t)
	}
	names, codes, err := t.distinct()
	if err != nil {
		return nil, nil, err
	}
	var value map[string]float64
	if e.Task == registry.Multiclass {
		value, classes, err = e.classValues(t, names)
	} else {
		value, classes, err = e.binaryValues(t, names)
	}
	if err != nil {
		return nil, nil, err
	}
	byCode := make([]float64, len(names))
	for code, name := range names {
		v, ok := value[name]
		if !ok {
			for i, c := range codes {
				if c == int32(code) {
					return nil, nil, t.errorf(i, "is a label that the set does not list; add it to negative, positive or classes")
				}
			}
		}
		byCode[code] = v
	}
	y = make([]float64, t.n)
	for i, c := range codes {
		y[i] = byCode[c]
	}
	return y, classes, nil
}

// numbers parses the labels of a regression set.
func (t target) numbers() ([]float64, error) {
	y := make([]float64, t.n)
	for i := range y {
		v, ok := number(t.at(i))
		if !ok {
			return nil, t.errorf(i, "is not a finite number, which regression needs as target; repair the row or choose another label")
		}
		y[i] = v
	}
	return y, nil
}

func (e *Entry) encodeThreshold(t target) ([]float64, []string, error) {
	y, err := t.numbers()
	if err != nil {
		return nil, nil, err
	}
	positives := 0
	for i, v := range y {
		if y[i] = -1; v >= *e.PositiveFrom {
			y[i] = 1
			positives++
		}
	}
	bound := strconv.FormatFloat(*e.PositiveFrom, 'g', -1, 64)
	if positives == 0 || positives == len(y) {
		return nil, nil, fmt.Errorf("%s: %d of %d labels are at least positive_from = %s; both classes need rows", t.files, positives, len(y), bound)
	}
	return y, []string{"< " + bound, ">= " + bound}, nil
}

// binaryValues maps each label found to -1 or +1.
func (e *Entry) binaryValues(t target, found []string) (map[string]float64, []string, error) {
	found = append([]string(nil), found...)
	sortLabels(found)
	if len(found) < 2 {
		return nil, nil, fmt.Errorf("%s: every row has the label %q; two classes are needed", t.files, found[0])
	}
	if len(e.Positive) == 0 {
		if len(found) > 2 {
			return nil, nil, fmt.Errorf("%s: the label has %d values (%s); list the ones of class +1 as positive = [...], or set task = \"multiclass\" or \"regression\"", t.files, len(found), someLabels(found))
		}
		return map[string]float64{found[0]: -1, found[1]: 1}, found, nil
	}
	value := map[string]float64{}
	positive, negative := canonicalLabels(e.Positive), canonicalLabels(e.Negative)
	for _, l := range positive {
		value[l] = 1
	}
	for _, l := range negative {
		value[l] = -1
	}
	var rest []string
	counts := map[float64]int{}
	for _, l := range found {
		if _, ok := value[l]; !ok && negative == nil {
			value[l] = -1
			rest = append(rest, l)
		}
		counts[value[l]]++
	}
	if negative == nil {
		negative = rest
	}
	if counts[1] == 0 || counts[-1] == 0 {
		return nil, nil, fmt.Errorf("%s: the labels (%s) are not of two classes with positive = %q; correct the list", t.files, someLabels(found), e.Positive)
	}
	return value, []string{strings.Join(negative, ","), strings.Join(positive, ",")}, nil
}

// classValues maps each label found to its class index.
func (e *Entry) classValues(t target, found []string) (map[string]float64, []string, error) {
	classes := canonicalLabels(e.Classes)
	if classes == nil {
		classes = append([]string(nil), found...)
		sortLabels(classes)
	}
	if len(classes) < 2 {
		return nil, nil, fmt.Errorf("%s: the label has one value (%s); two classes or more are needed", t.files, someLabels(classes))
	}
	value := map[string]float64{}
	for k, l := range classes {
		value[l] = float64(k)
	}
	present := map[string]bool{}
	for _, l := range found {
		present[l] = true
	}
	for _, l := range classes {
		if !present[l] {
			return nil, nil, fmt.Errorf("%s: no row has the label %q that classes lists; correct the list", t.files, l)
		}
	}
	return value, classes, nil
}

func canonicalLabels(list []string) []string {
	var out []string
	for _, l := range list {
		out = append(out, canonicalLabel([]byte(l)))
	}
	return out
}

// sortLabels sorts numbers by value, before any text, and text by its bytes.
func sortLabels(labels []string) {
	sort.Slice(labels, func(i, j int) bool {
		a, aIsNumber := number([]byte(labels[i]))
		b, bIsNumber := number([]byte(labels[j]))
		if aIsNumber != bIsNumber {
			return aIsNumber
		}
		if aIsNumber && a != b {
			return a < b
		}
		return labels[i] < labels[j]
	})
}

// someLabels lists up to eight labels for an error message.
func someLabels(labels []string) string {
	var out []string
	for i, l := range labels {
		if i == 8 {
			out = append(out, "...")
			break
		}
		out = append(out, shown(l))
	}
	return strings.Join(out, ", ")
}
