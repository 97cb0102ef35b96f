package read

import (
	"bytes"
	"cmp"
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

// A target is the label column of all rows: numbers, or codes of the labels.
type target struct {
	column int    // -1 if the table has none
	needs  string // what needs labels that are numbers; "" if they are classes
	files  string // for errors that are about no single row
	hint   string // see Table
	y      []float64
	way    way     // of y
	codes  []int32 // of each row: the number of its label in found
	found  []found // in order of appearance
	byText map[string]int32
	byName map[string]int32
}

// A found is a label, with the row where it comes first.
type found struct {
	name, text string
	table      *Table
	line       int
}

func (r reader) newTarget(tables []*Table) target {
	t := target{byText: map[string]int32{}, byName: map[string]int32{}}
	switch {
	case r.Task == registry.Regression:
		t.needs = "regression"
	case r.PositiveFrom != nil:
		t.needs = "positive_from"
	}
	var names []string
	for _, table := range tables {
		names, t.hint = append(names, table.File), cmp.Or(t.hint, table.Hint)
	}
	t.files = strings.Join(names, ", ")
	return t
}

// add reads the label of the next row.
func (t *target) add(r reader, table *Table, line int, text []byte) error {
	if t.needs != "" {
		v, kind, _ := r.style().Value(text)
		switch {
		case kind == Plain || kind.IsNumber() && !table.Sparse:
			t.y = append(t.y, v)
			return t.way.same(kind, table, line, t.column, text)
		case IsMissingMark(text):
			return table.Errorf(line, t.column, text, "is no label, and every row needs one; fill it in, remove "+
				"the row, or write drop_unlabelled = true")
		}
		return table.Errorf(line, t.column, text, "is not a finite number, which %s needs as target; %s",
			t.needs, r.advice(text, "repair the row or choose another label"))
	}
	code, known := t.byText[string(text)]
	if !known {
		var err error
		if code, err = t.label(r, table, line, text); err != nil {
			return err
		}
	}
	t.codes = append(t.codes, code)
	return nil
}

// label returns the code of a text that comes for the first time.
func (t *target) label(r reader, table *Table, line int, text []byte) (int32, error) {
	name := r.style().label(r.folded(text))
	if r.isMissingLabel(table, t.column, text) {
		return 0, table.Errorf(line, t.column, text, "is no label, and every row needs one; "+
			"fill it in, remove the row, write drop_unlabelled = true, or list it in negative, positive or classes if "+
			"it is a class")
	}
	if memory := int64(labelBytes + len(text)); !r.Fits(memory) {
		return 0, r.Refuse(memory, "choose another label", "%s: %d different labels up to here", t.files,
			len(t.found)+1)
	}
	code, known := t.byName[name]
	if !known {
		code = int32(len(t.found))
		t.byName[name] = code
		t.found = append(t.found, found{name, string(text), table, line})
	}
	t.byText[string(text)] = code
	return code, nil
}

// labelBytes estimates the memory of a label besides its text, in all lists of labels together.
const labelBytes = 256

// missingMarks are the texts that stand for a missing value, in lower case. "none"
// and "-" are left out, since classes often have these names.
var missingMarks = []string{"?", "na", "n/a", "n.a.", "#na", "#n/a", "<na>", "nan", "null", "1.#ind", "1.#qnan"}

// IsMissingMark reports a text that usually stands for a missing value: an empty text or a mark. Upper and lower case
// count the same. A sign is ignored, since some programs write -nan.
func IsMissingMark(text []byte) bool {
	mark := strings.ToLower(string(bytes.TrimSpace(text)))
	return mark == "" || slices.Contains(missingMarks, strings.TrimLeft(mark, "+-"))
}

// isMissingLabel reports a text that stands for a missing label, unless the file declares it as a level or the entry
// lists its name as a label.
func (r reader) isMissingLabel(t *Table, column int, text []byte) bool {
	name := r.style().label(r.folded(text))
	if !IsMissingMark([]byte(name)) && !r.isMark([]byte(name)) || t.declares(column, text) {
		return false
	}
	for _, list := range []catalogue.Texts{r.Negative, r.Positive, r.Classes} {
		if slices.Contains(r.style().labels(list), name) {
			return false
		}
	}
	return true
}

// label returns the name of a label: numbers are equal however they are written, other text is itself.
func (s Style) label(text []byte) string { return catalogue.CanonicalLabel(s.plain(text)) }

// labels returns the names of the labels of a list, nil of none.
func (s Style) labels(list []string) (names []string) {
	for _, l := range list {
		names = append(names, s.label([]byte(l)))
	}
	return names
}

// encode turns labels into numbers and returns the classes' names: for binary the
// names of -1 and +1, for regression none.
func (r reader) encode(t *target) (y []float64, classes []string, err error) {
	if r.Task == registry.Regression {
		return t.y, nil, r.scaleTarget(t.y)
	}
	if r.PositiveFrom != nil {
		return r.encodeThreshold(t)
	}
	var names []string
	for _, l := range t.found {
		names = append(names, l.name)
	}
	sortLabels(names)
	values := r.binaryValues
	if r.Task == registry.Multiclass {
		values = r.classValues
	}
	value, classes, err := values(t, names)
	if err != nil {
		return nil, nil, err
	}
	byCode := make([]float64, len(t.found))
	for code, l := range t.found {
		v, ok := value[l.name]
		if byCode[code] = v; !ok {
			return nil, nil, l.table.Errorf(l.line, t.column, []byte(l.text),
				"is a label that the set does not list; add it to negative, positive or classes%s", t.hint)
		}
	}
	y = make([]float64, len(t.codes))
	for i, code := range t.codes {
		y[i] = byCode[code]
	}
	return y, classes, nil
}

// scaleTarget maps the targets of all rows to target_range, in place. The map is linear. The smallest and the largest
// target become the ends of the range.
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

func (r reader) encodeThreshold(t *target) ([]float64, []string, error) {
	y := t.y
	positives := 0
	for i, v := range y {
		if y[i] = -1; v >= *r.PositiveFrom {
			y[i] = 1
			positives++
		}
	}
	if positives == 0 || positives == len(y) {
		return nil, nil, fmt.Errorf("%s: %d of %d labels are at least positive_from = %v; both classes need rows",
			t.files, positives, len(y), *r.PositiveFrom)
	}
	return y, r.ClassNames(), nil
}

// binaryValues maps each label found, sorted, to -1 or +1.
func (r reader) binaryValues(t *target, found []string) (map[string]float64, []string, error) {
	if len(found) < 2 {
		return nil, nil, fmt.Errorf("%s: every row has the label %q; two classes are needed", t.files,
			clip(found[0]))
	}
	if len(r.Positive) == 0 {
		if len(found) > 2 {
			return nil, nil, fmt.Errorf("%s: the label has %d values (%s); list the ones of class +1 as positive = "+
				"[...], or set task = \"multiclass\" or \"regression\"", t.files, len(found), someLabels(found))
		}
		return map[string]float64{found[0]: -1, found[1]: 1}, found, nil
	}
	value := map[string]float64{}
	positive, negative := r.style().labels(r.Positive), r.style().labels(r.Negative)
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
		return nil, nil, fmt.Errorf("%s: positive = %s lists every label (%s), and class -1 has none left; correct "+
			"the list", t.files, r.Positive, someLabels(found))
	}
	if negative == nil {
		negative = rest
	}
	return value, []string{strings.Join(negative, ","), strings.Join(positive, ",")}, nil
}

// absent is the error for labels of a list that no row has: a misspelt label would put rows into the other class.
func (t *target) absent(key string, list, found []string) error {
	var absent []string
	for _, l := range list {
		if slices.Contains(found, l) {
			continue
		}
		text := Shown(l)
		if meant := wording.Suggest(l, found); meant != nil {
			text += fmt.Sprintf(" (did you mean %q?)", clip(meant[0]))
		}
		absent = append(absent, text)
	}
	if absent == nil {
		return nil
	}
	return fmt.Errorf("%s: no row has the label %s that %s lists; the labels are %s; correct the list%s", t.files,
		strings.Join(absent, ", "), key, someLabels(found), t.hint)
}

// classValues maps each label found, sorted, to its class index.
func (r reader) classValues(t *target, found []string) (map[string]float64, []string, error) {
	classes := r.style().labels(r.Classes)
	if classes == nil {
		classes = found
	}
	if len(classes) < 2 {
		return nil, nil, fmt.Errorf("%s: the label has one value (%s); two classes or more are needed", t.files,
			someLabels(classes))
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

// sortLabels sorts numbers, with a unit or without, by value and before any text, and text by its bytes. A sign alone
// is the number -1 or 1.
func sortLabels(labels []string) {
	number := func(label string) (float64, bool) {
		if label == "-" || label == "+" {
			label += "1"
		}
		v, kind, _ := Style{}.Value([]byte(label))
		return v, kind.IsNumber()
	}
	sort.Slice(labels, func(i, j int) bool {
		a, aIsNumber := number(labels[i])
		b, bIsNumber := number(labels[j])
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
		out = append(out, Shown(l))
	}
	return strings.Join(out, ", ")
}
