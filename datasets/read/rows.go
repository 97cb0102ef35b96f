package read

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"gonum.org/v1/gonum/mat"
)

// Rows reads rows of a CSV file. The columns of the result are features, in the units of the file. The first line that
// is no comment names the columns, in any order, and tells what separates them. A column that belongs to no
// feature is ignored. A feature "job=admin" is 1 where the column job is admin and 0 elsewhere, unless a column has
// the feature's own name. A file without names has one column for each feature, in order. A missing number is empty or
// a mark such as NA or ?. dates are the features with days, of which
// each comes with two more of one column of dates, which needs a name. With gaps it becomes NaN, and without gaps it
// is an error. like is the set that the model was trained on, or nil; its separator, notation of numbers and marks of
// missing values are accepted, too. memory is the bytes that reading may take.
func Rows(path string, features []string, dates []int, gaps bool, like *catalogue.Entry, memory int64) (*mat.Dense,
	error) {
	b := &Budget{Limit: memory}
	data, err := contents(path, memory)
	if err != nil {
		return nil, err
	}
	known := slices.Clone(features)
	for _, day := range dates {
		known[day] = strings.TrimSuffix(known[day], DateParts[0])
	}
	file := File{Name: path, Data: data, Budget: b}
	numbers := lineFormat(&file, known, gaps, like)
	header := file.Header
	if !header && dates != nil {
		return nil, fmt.Errorf("%s: the first line names none of the columns; column %q of dates is found by its name",
			path, known[dates[0]])
	}
	if !header {
		file.Columns = features
	}
	wrap := func(err error) error {
		if header {
			return err
		}
		return fmt.Errorf("%w; the first line names none of the features (%s), so a column for each is expected", err,
			someLabels(features))
	}
	t, err := CSV.Read(file)
	if err != nil {
		return nil, wrap(err)
	}
	from, err := sources(t, features, dates)
	if err != nil {
		return nil, err
	}
	x, err := newMatrix(b, max(1, t.MaxRows), len(features), "score fewer rows at a time",
		fmt.Sprintf("%s: %d features of the model", path, len(features)))
	if err != nil {
		return nil, err
	}
	n, ways := 0, make([]way, t.Width)
	for row, err := range t.Rows {
		if err != nil {
			return nil, wrap(err)
		}
		to := x.RawRowView(n)
		for j, f := range from {
			if to[j], err = f.value(t, row, &numbers, ways); err != nil {
				return nil, err
			}
		}
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: the file has no data rows", path)
	}
	return x.Slice(0, n, 0, len(features)).(*mat.Dense), nil
}

// lineFormat finds out what separates the columns of a file and whether its first line names any of the columns known,
// and returns how its numbers are read.
func lineFormat(file *File, known []string, gaps bool, like *catalogue.Entry) numeric {
	own := catalogue.Entry{}
	if like != nil {
		own = *like
	}
	if own.Impute = ""; gaps {
		own.Impute = datasets.None
	}
	separators := ",\t;|"
	if lower := strings.ToLower(file.Name); strings.HasSuffix(lower, ".tsv") || strings.HasSuffix(lower, ".tab") {
		separators = "\t,;|"
	}
	file.Separator = separators[:1]
	if len(own.Separator) == 1 {
		separators = own.Separator + separators
	}
	for _, separator := range []byte(separators) {
		if !file.Header && headerNames(file.Data, separator, known) {
			file.Header, file.Separator = true, string(separator)
		}
	}
	if file.Separator != own.Separator {
		own.Decimal, own.Thousands = "", "" // a file with another separator has no decimal comma
	}
	return reader{&own, file.Budget}.numeric()
}

// headerNames reports whether the first line behind the comments of a file holds the name of a feature.
func headerNames(data []byte, separator byte, features []string) bool {
	known := map[string]bool{}
	for _, f := range features {
		known[f] = true
		for i, r := range f {
			known[f[:i]] = known[f[:i]] || r == '='
		}
	}
	sample := data[:min(sniffed, len(data))]
	t, err := CSV.Read(File{Data: bytes.Clone(sample), Budget: &Budget{Limit: math.MaxInt64},
		Options: Options{Separator: string(separator), Header: true, Ragged: true}})
	if err != nil { // the parser reports what is wrong with the line
		return len(bytes.TrimSpace(sample)) > 0
	}
	return slices.ContainsFunc(t.Names, func(name string) bool { return known[name] })
}

// A featureSource says where a table has the values of a feature.
type featureSource struct {
	column int
	part   int             // of a date: 1 plus the place in Date; else 0
	levels map[string]bool // of a categorical column; nil for a number
	level  string
}

func sources(t *Table, features []string, dates []int) ([]featureSource, error) {
	at, twice := map[string]int{}, map[string]bool{}
	for j, n := range t.Names {
		_, twice[n] = at[n]
		at[n] = j
	}
	levels := map[string]map[string]bool{} // of each categorical column
	coded := maps.Clone(at)                // the columns that may be categorical: those that are no feature themselves
	for _, f := range features {
		delete(coded, f)
	}
	for _, f := range features {
		_, whole := at[f]
		if column, level, ok := levelOf(f, coded); ok && !whole {
			if levels[column] == nil {
				levels[column] = map[string]bool{}
			}
			levels[column][level] = true
		}
	}
	out := make([]featureSource, len(features))
	part, parts := map[int]int{}, DateParts
	for _, day := range dates {
		for k := range parts {
			part[day+k] = k + 1
		}
	}
	for i, f := range features {
		if k := part[i]; k > 0 {
			column := strings.TrimSuffix(f, parts[k-1])
			j, ok := at[column]
			if out[i] = (featureSource{column: j, part: k}); !ok {
				return nil, lacks(t, column)
			}
			continue
		}
		column, level, is := levelOf(f, coded)
		if j, ok := at[f]; ok {
			out[i] = featureSource{column: j}
		} else if j, ok := at[column]; ok && is {
			out[i] = featureSource{column: j, levels: levels[column], level: level}
		} else {
			return nil, lacks(t, column)
		}
	}
	for _, f := range out {
		if name := t.Names[f.column]; twice[name] {
			return nil, fmt.Errorf("%s: the model needs the column %q, and two have the name; rename or remove one",
				t.File, name)
		}
	}
	return out, nil
}

// levelOf divides the name of a feature, COLUMN=LEVEL, at the last equals sign before which is the name of one of the
// columns; at the first equals sign if there is none.
func levelOf(feature string, columns map[string]int) (column, level string, coded bool) {
	for i := len(feature) - 1; i > 0; i-- {
		if _, is := columns[feature[:i]]; is && feature[i] == '=' {
			return feature[:i], feature[i+1:], true
		}
	}
	return strings.Cut(feature, "=")
}

func lacks(t *Table, column string) error {
	return fmt.Errorf("%s: no column is named %q, which the model needs; the columns are %s", t.File, column,
		t.SomeNames())
}

func (f featureSource) value(t *Table, row Row, numbers *numeric, ways []way) (float64, error) {
	text := t.Cell(row, f.column)
	if f.part > 0 {
		d, kind, ok := numbers.date(text)
		switch {
		case !ok && numbers.Impute != "" && IsMissingMark(text):
			return math.NaN(), nil
		case !ok:
			return 0, t.Errorf(row.Line, f.column, text, "is no date that is read; write it as 2020-12-31")
		}
		return d[f.part-1], ways[f.column].same(kind, t, row.Line, f.column, text)
	}
	if f.levels == nil {
		v, kind, ok := numbers.value(text)
		switch {
		case !ok && numbers.Impute != "" && IsMissingMark(text):
			return math.NaN(), nil
		case !ok:
			return 0, t.Errorf(row.Line, f.column, text, "is not a finite number, which the model needs")
		}
		return v, ways[f.column].same(kind, t, row.Line, f.column, text)
	}
	level := string(numbers.folded(text))
	if !f.levels[level] && numbers.isMark(text) { // all marks are one level, named after the first, or none
		if level = numbers.Missing[0]; numbers.MissingAs == "zero" {
			return 0, nil
		}
	}
	if !f.levels[level] {
		return 0, t.Errorf(row.Line, f.column, text, "is no level that the model knows")
	}
	if level == f.level {
		return 1, nil
	}
	return 0, nil
}
