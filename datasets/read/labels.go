package read

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// A target is the label column of all rows, as text.
type target struct {
	n      int
	at     func(i int) []byte
	errorf func(i int, format string, args ...any) error // about the label of row i
	files  string                                        // for errors that are about no single row
	hint   string                                        // see encodingHint
	number func(text []byte) (float64, bool)
	advice func(text []byte, otherwise string) string // see reader.advice
}

// missingMarks are the texts that stand for a missing value, in lower case. "none"
// and "-" are left out, since classes often have these names.
var missingMarks = []string{"?", "na", "n/a", "n.a.", "#na", "#n/a", "<na>", "nan", "null", "1.#ind", "1.#qnan"}

// IsMissingMark reports a text that usually stands for a missing value: an empty text or a mark. Upper and lower case count the
// same. A sign is ignored, since some programs write -nan.
func IsMissingMark(text []byte) bool {
	mark := strings.ToLower(string(bytes.TrimSpace(text)))
	return mark == "" || slices.Contains(missingMarks, strings.TrimLeft(mark, "+-"))
}

// isMissingLabel reports a text that stands for a missing label, unless the entry lists
// exactly this text as a label.
func (r reader) isMissingLabel(name string) bool {
	if !IsMissingMark([]byte(name)) && !r.isMark([]byte(name)) {
		return false
	}
	for _, list := range []catalogue.Texts{r.Negative, r.Positive, r.Classes} {
		if slices.Contains(catalogue.CanonicalLabels(list), name) {
			return false
		}
	}
	return true
}

// distinct codes the labels of all rows: row i has label names[codes[i]]; names
// are in order of appearance.
func (r reader) distinct(t target) (names []string, codes []int32, err error) {
	codes = make([]int32, t.n)
	byText := map[string]int32{}
	byName := map[string]int32{}
	for i := range codes {
		text := t.at(i)
		code, ok := byText[string(text)]
		if !ok {
			name := catalogue.CanonicalLabel(text)
			if r.isMissingLabel(name) {
				return nil, nil, t.errorf(i, "is no label, and every row needs one; fill it in, remove the row, or list it in negative, positive or classes if it is a class")
			}
			if memory := int64(labelBytes + len(text)); !r.fits(memory) {
				return nil, nil, r.refuse(memory, "choose another label", "%s: %d different labels up to here", t.files, len(names)+1)
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

// labelBytes estimates the memory of a label beside its text, in all lists of labels together.
const labelBytes = 256

// encode turns labels into numbers and returns the classes' names: for binary the
// names of -1 and +1, for regression none.
func (r reader) encode(t target) (y []float64, classes []string, err error) {
	const codeAndTarget = 4 + 8
	if memory := product(int64(t.n), codeAndTarget); !r.fits(memory) {
		return nil, nil, r.refuse(memory, "take fewer rows", "%s: %d labels", t.files, t.n)
	}
	if r.Task == registry.Regression {
		if y, err = t.numbers("regression"); err == nil {
			err = r.scaleTarget(y)
		}
		return y, nil, err
	}
	if r.PositiveFrom != nil {
		return r.encodeThreshold(t)
	}
	names, codes, err := r.distinct(t)
	if err != nil {
		return nil, nil, err
	}
	var value map[string]float64
	if r.Task == registry.Multiclass {
		value, classes, err = r.classValues(t, names)
	} else {
		value, classes, err = r.binaryValues(t, names)
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
					return nil, nil, t.errorf(i, "is a label that the set does not list; add it to negative, positive or classes%s", t.hint)
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

// numbers parses labels that must be numbers; needs says what needs them.
func (t target) numbers(needs string) ([]float64, error) {
	y := make([]float64, t.n)
	for i := range y {
		text := t.at(i)
		v, ok := t.number(text)
		switch {
		case ok:
		case IsMissingMark(text):
			return nil, t.errorf(i, "is no label, and every row needs one; fill it in or remove the row")
		default:
			return nil, t.errorf(i, "is not a finite number, which %s needs as target; %s", needs, t.advice(text, "repair the row or choose another label"))
		}
		y[i] = v
	}
	return y, nil
}

// scaleTarget maps the targets of all rows to target_range, in place. The map is linear. The smallest and the largest target
// become the ends of the range.
func (r reader) scaleTarget(y []float64) error {
	if r.TargetRange == nil {
		return nil
	}
	least, most := slices.Min(y), slices.Max(y)
	width := most - least
	if !(width > 0) || math.IsInf(width, 0) {
		return fmt.Errorf("%s: target_range cannot be applied to targets from %v to %v", r.Name, least, most)
	}
	low, high := r.TargetRange[0], r.TargetRange[1]
	for i, v := range y {
		y[i] = low + float64((high-low)*((v-least)/width))
	}
	return nil
}

func (r reader) encodeThreshold(t target) ([]float64, []string, error) {
	y, err := t.numbers("positive_from")
	if err != nil {
		return nil, nil, err
	}
	positives := 0
	for i, v := range y {
		if y[i] = -1; v >= *r.PositiveFrom {
			y[i] = 1
			positives++
		}
	}
	if positives == 0 || positives == len(y) {
		return nil, nil, fmt.Errorf("%s: %d of %d labels are at least positive_from = %v; both classes need rows", t.files, positives, len(y), *r.PositiveFrom)
	}
	return y, r.ClassNames(), nil
}

// binaryValues maps each label found to -1 or +1.
func (r reader) binaryValues(t target, found []string) (map[string]float64, []string, error) {
	found = slices.Clone(found)
	SortLabels(found)
	if len(found) < 2 {
		return nil, nil, fmt.Errorf("%s: every row has the label %q; two classes are needed", t.files, found[0])
	}
	if len(r.Positive) == 0 {
		if len(found) > 2 {
			return nil, nil, fmt.Errorf("%s: the label has %d values (%s); list the ones of class +1 as positive = [...], or set task = \"multiclass\" or \"regression\"", t.files, len(found), someLabels(found))
		}
		return map[string]float64{found[0]: -1, found[1]: 1}, found, nil
	}
	value := map[string]float64{}
	positive, negative := catalogue.CanonicalLabels(r.Positive), catalogue.CanonicalLabels(r.Negative)
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
	if err := errors.Join(t.absent("positive", positive, found), t.absent("negative", negative, found)); err != nil {
		return nil, nil, err
	}
	if counts[-1] == 0 {
		return nil, nil, fmt.Errorf("%s: positive = %s lists every label (%s), and class -1 has none left; correct the list", t.files, r.Positive, someLabels(found))
	}
	if negative == nil {
		negative = rest
	}
	return value, []string{strings.Join(negative, ","), strings.Join(positive, ",")}, nil
}

// absent is the error for labels of a list that no row has: a misspelt label would put rows into the other class.
func (t target) absent(key string, list, found []string) error {
	var absent []string
	for _, l := range list {
		if slices.Contains(found, l) {
			continue
		}
		text := shown(l)
		if meant := wording.Suggest(l, found); meant != nil {
			text += fmt.Sprintf(" (did you mean %q?)", meant[0])
		}
		absent = append(absent, text)
	}
	if absent == nil {
		return nil
	}
	return fmt.Errorf("%s: no row has the label %s that %s lists; the labels are %s; correct the list%s", t.files, strings.Join(absent, ", "), key, someLabels(found), t.hint)
}

// classValues maps each label found to its class index.
func (r reader) classValues(t target, found []string) (map[string]float64, []string, error) {
	found = slices.Clone(found)
	SortLabels(found)
	classes := catalogue.CanonicalLabels(r.Classes)
	if classes == nil {
		classes = found
	}
	if len(classes) < 2 {
		return nil, nil, fmt.Errorf("%s: the label has one value (%s); two classes or more are needed", t.files, someLabels(classes))
	}
	value := map[string]float64{}
	for k, l := range classes {
		value[l] = float64(k)
	}
	return value, classes, t.absent("classes", classes, found)
}

// classesByPosition labels the rows of a set without a label column.
func (r reader) classesByPosition(s *datasets.Set) error {
	n, _ := s.X.Dims()
	if n%r.RowsPerClass != 0 || n/r.RowsPerClass < 2 {
		return fmt.Errorf("%s: %d rows are not two or more classes of rows_per_class = %d", r.Name, n, r.RowsPerClass)
	}
	s.Y = make([]float64, n)
	for i := range s.Y {
		s.Y[i] = float64(i / r.RowsPerClass)
	}
	for k := range n / r.RowsPerClass {
		s.Labels = append(s.Labels, fmt.Sprint(k))
	}
	if r.Classes != nil {
		if len(r.Classes) != len(s.Labels) {
			return fmt.Errorf("%s: classes lists %d names for %d classes", r.Name, len(r.Classes), len(s.Labels))
		}
		s.Labels = r.Classes
	}
	return nil
}

// SortLabels sorts numbers by value, before any text, and text by its bytes.
func SortLabels(labels []string) {
	sort.Slice(labels, func(i, j int) bool {
		a, aIsNumber := wording.ParseDecimal([]byte(labels[i]))
		b, bIsNumber := wording.ParseDecimal([]byte(labels[j]))
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
