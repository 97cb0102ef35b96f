package datasets

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// maxLevels bounds the levels of one categorical column; a column with more is
// an identifier rather than a category.
const maxLevels = 1000

// A plan says which columns of a table become which columns of the matrix.
type plan struct {
	label   int // -1 if the table has none
	numeric []int
	coded   []codedColumn
	width   int
}

// A codedColumn is a categorical column: level l of it is column offset + l.
type codedColumn struct {
	column int
	offset int
	levels map[string]int
}

// plan resolves the entry's columns in the tables, which have the same columns.
func (e *Entry) plan(tables []*table) (plan, error) {
	t := tables[0]
	used := make([]string, t.columns())
	p := plan{label: -1}
	claim := func(c Column, as string) (int, error) {
		j, err := t.resolve(c)
		if err != nil {
			return 0, fmt.Errorf("%w (%s = %s)", err, as, c)
		}
		if used[j] != "" {
			return 0, fmt.Errorf("%s: column %s is both %s and %s; list it once", t.file, t.columnName(j), used[j], as)
		}
		used[j] = as
		return j, nil
	}
	var err error
	if e.Label != nil {
		if p.label, err = claim(*e.Label, "label"); err != nil {
			return p, err
		}
	}
	for _, c := range e.Drop {
		if _, err := claim(c, "drop"); err != nil {
			return p, err
		}
	}
	for _, c := range e.Categorical {
		if _, err := claim(c, "categorical"); err != nil {
			return p, err
		}
	}
	for j, as := range used {
		if as == "" && t.nominal(j) {
			as = "categorical"
		}
		switch as {
		case "":
			p.numeric = append(p.numeric, j)
		case "categorical":
			p.coded = append(p.coded, codedColumn{column: j})
		}
	}
	return p, e.planLevels(&p, tables)
}

// planLevels finds the levels of the categorical columns and counts the matrix's
// columns.
func (e *Entry) planLevels(p *plan, tables []*table) error {
	p.width = len(p.numeric)
	for i := range p.coded {
		c := &p.coded[i]
		levels, err := e.levels(tables, c.column)
		if err != nil {
			return err
		}
		c.offset, c.levels = p.width, make(map[string]int, len(levels))
		for l, level := range levels {
			c.levels[level] = l
		}
		p.width += len(levels)
	}
	if p.width == 0 {
		return fmt.Errorf("%s: no column is left as input; check label and drop", tables[0].file)
	}
	return nil
}

// levels returns the levels of column j, sorted: the declared ones, or those that
// occur in any row.
func (e *Entry) levels(tables []*table, j int) ([]string, error) {
	set := map[string]bool{}
	for _, t := range tables {
		if t.nominal(j) {
			for _, level := range t.levels[j] {
				set[level] = true
			}
		}
		for i := range t.lines {
			text := t.cell(i, j)
			if set[string(text)] {
				continue
			}
			marked := e.MissingAs != "" && string(text) == e.Missing
			if marked && e.MissingAs == "zero" {
				continue
			}
			if !marked && t.isMissing(i, j) {
				return nil, t.errorf(i, j, "is missing; say what becomes of it with missing_as = \"level\" or \"zero\"")
			}
			if len(set) == maxLevels {
				return nil, t.errorf(i, j, "is level %d of a categorical column; drop the column if it is an identifier", maxLevels+1)
			}
			set[string(text)] = true
		}
	}
	out := make([]string, 0, len(set))
	for level := range set {
		out = append(out, level)
	}
	sort.Strings(out)
	return out, nil
}

// nominal reports whether an ARFF file declares the levels of column j.
func (t *table) nominal(j int) bool { return t.levels != nil && t.levels[j] != nil }

// isMissing reports an empty value, or the missing mark of an ARFF file.
func (t *table) isMissing(i, j int) bool {
	text := t.cell(i, j)
	return len(text) == 0 || t.levels != nil && string(text) == "?"
}

// features names the columns of the matrix.
func (p *plan) features(t *table) []string {
	out := make([]string, p.width)
	for k, j := range p.numeric {
		out[k] = t.featureName(j)
	}
	for _, c := range p.coded {
		for level, l := range c.levels {
			out[c.offset+l] = t.featureName(c.column) + "=" + level
		}
	}
	return out
}

func (t *table) featureName(j int) string {
	if t.names[j] == "" {
		return fmt.Sprintf("c%d", j)
	}
	return t.names[j]
}

// fill writes the inputs of every row of t into x from row first on.
func (e *Entry) fill(x *mat.Dense, first int, t *table, p *plan) error {
	for i := range t.lines {
		row := x.RawRowView(first + i)
		for k, j := range p.numeric {
			v, ok := number(t.cell(i, j))
			if !ok {
				return e.notNumber(t, i, j)
			}
			row[k] = v
		}
		for _, c := range p.coded {
			if l, ok := c.levels[string(t.cell(i, c.column))]; ok {
				row[c.offset+l] = 1
			}
		}
	}
	return nil
}

// notNumber explains the value at (i, j), which should have been a number.
func (e *Entry) notNumber(t *table, i, j int) error {
	text := strings.ToLower(strings.TrimLeft(string(t.cell(i, j)), "+-"))
	switch {
	case t.isMissing(i, j) || e.Missing != "" && text == strings.ToLower(e.Missing):
		return t.errorf(i, j, "is missing, and a numeric input needs a value in every row; fill it in, remove the row, or list the column in drop or categorical")
	case slices.Contains([]string{"nan", "inf", "infinity", "na", "null"}, text):
		return t.errorf(i, j, "is not a finite number; fill it in, remove the row, or list the column in drop")
	case i == 0 && t.levels == nil && !*e.Header && e.Columns == nil:
		return t.errorf(i, j, "is not a number; set header = true if the line names the columns, or list the column in categorical or drop")
	}
	return t.errorf(i, j, "is not a finite number; repair it, or list the column in categorical or drop")
}

// checkSameColumns compares the columns of files that are joined by rows.
func checkSameColumns(tables []*table) error {
	a := tables[0]
	for _, b := range tables[1:] {
		if a.columns() != b.columns() {
			return fmt.Errorf("%s: the file has %d columns and %s has %d; they must agree", b.file, b.columns(), a.file, a.columns())
		}
		for j := range a.names {
			if a.names[j] != b.names[j] {
				return fmt.Errorf("%s: column %s is named %q in %s; the two files must have the same columns in the same order", b.file, b.columnName(j), a.names[j], a.file)
			}
		}
	}
	return nil
}

// newMatrix allocates n x d zeros, within bounds.
func newMatrix(file string, n, d, limit int) (*mat.Dense, error) {
	if d == 0 {
		return nil, fmt.Errorf("%s: no row has any input", file)
	}
	if n > limit/d {
		return nil, fmt.Errorf("%s: %d rows x %d features are more than %d numbers; the set is too large to be held densely", file, n, d, limit)
	}
	return mat.NewDense(n, d, nil), nil
}
