package read

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"gonum.org/v1/gonum/mat"
)

// MaxLevels bounds the levels of one categorical column; a column with more is
// an identifier rather than a category.
const MaxLevels = 1000

// readTables reads files joined by rows.
func (r reader) readTables(ctx context.Context, s *datasets.Set, contents []content) (target, error) {
	var tables []*table
	labels, first, err := r.joined(ctx, s, contents, func(c content) (int, string, error) {
		t, err := r.parse(c)
		if err != nil {
			return 0, "", err
		}
		tables = append(tables, t)
		return t.Rows(), t.hint, nil
	})
	if err != nil {
		return labels, err
	}
	if err := checkSameColumns(tables); err != nil {
		return labels, err
	}
	p, err := r.plan(tables)
	if err != nil {
		return labels, err
	}
	if s.X, err = r.matrix(labels.n, p.width, "drop columns or take fewer rows", p.wide(tables[0])); err != nil {
		return labels, err
	}
	for k, t := range tables {
		if err := ctx.Err(); err != nil {
			return labels, err
		}
		if err := r.fill(s.X, first[k], t, &p); err != nil {
			return labels, err
		}
	}
	s.Features = p.features(tables[0])
	labels.at = func(i int) []byte {
		k, i := first.locate(i)
		return tables[k].Text(i, p.label)
	}
	labels.errorf = func(i int, format string, args ...any) error {
		k, i := first.locate(i)
		return tables[k].errorf(i, p.label, format, args...)
	}
	return labels, nil
}

func (r reader) parse(c content) (*table, error) {
	switch r.Format {
	case catalogue.ARFF:
		return parseARFF(c.name, c.data, r.budget)
	case catalogue.Parquet:
		return parseParquet(c.name, c.data, r.budget)
	}
	separator := byte(blankSeparator)
	if r.Format != catalogue.Blank {
		separator = r.Separator[0]
	}
	byRow := len(r.Categorical) == 0 // the levels of categories are read column by column
	return parseCSV(c.name, c.data, separator, *r.Header, r.Columns, byRow, r.budget)
}

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
func (r reader) plan(tables []*table) (plan, error) {
	t := tables[0]
	used := make([]string, t.Columns())
	p := plan{label: -1}
	if r.Label != nil {
		var err error
		if p.label, err = t.resolve(*r.Label); err != nil {
			return p, fmt.Errorf("%w (label = %s)", err, r.Label)
		}
		used[p.label] = "label"
	}
	if err := t.claim(used, r.Drop, "drop"); err != nil {
		return p, err
	}
	if err := t.claim(used, r.Categorical, "categorical"); err != nil {
		return p, err
	}
	for j, as := range used {
		if as == "" && t.Nominal(j) {
			as = "categorical"
		}
		switch as {
		case "":
			p.numeric = append(p.numeric, j)
		case "categorical":
			p.coded = append(p.coded, codedColumn{column: j})
		}
	}
	return p, r.planLevels(&p, tables)
}

// claim notes in used, at the place of each column of list, what the column is used as.
// It is an error if a column is used twice.
func (t *table) claim(used []string, list catalogue.ColumnList, as string) error {
	for _, c := range list {
		if c.All {
			for j := range used {
				if used[j] == "" {
					used[j] = as
				}
			}
			continue
		}
		first, last, err := t.resolveRange(c)
		if err != nil {
			return fmt.Errorf("%w (%s = %s)", err, as, c)
		}
		for j := first; j <= last; j++ {
			if used[j] != "" {
				return fmt.Errorf("%s: column %s is both %s and %s; list it once", t.file, t.columnName(j), used[j], as)
			}
			used[j] = as
		}
	}
	return nil
}

// planLevels finds the levels of the categorical columns and counts the matrix's
// columns.
func (r reader) planLevels(p *plan, tables []*table) error {
	p.width = len(p.numeric)
	for i := range p.coded {
		c := &p.coded[i]
		levels, err := r.levels(tables, c.column)
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

// levels returns the sorted levels of column j: the declared levels, or the levels that
// occur in the rows.
func (r reader) levels(tables []*table, j int) ([]string, error) {
	set := map[string]bool{}
	for _, t := range tables {
		if t.Nominal(j) {
			for level := range t.levels[j] {
				set[level] = true
			}
		}
		for i := range t.lines {
			text := t.Text(i, j)
			if set[string(text)] {
				continue
			}
			marked := r.isMark(text)
			switch {
			case marked && r.MissingAs == "zero":
				continue
			case marked:
				text = []byte(r.Missing[0])
				if set[r.Missing[0]] {
					continue
				}
			}
			if !marked && t.isMissing(i, j) {
				return nil, t.errorf(i, j, "is missing; say what becomes of it with missing_as = \"level\" or \"zero\"")
			}
			if len(set) == MaxLevels {
				return nil, t.errorf(i, j, "is level %d of a categorical column; drop the column if it is an identifier", MaxLevels+1)
			}
			if memory := int64(levelBytes + len(text)); !r.fits(memory) {
				return nil, r.refuse(memory, "drop columns", "%s: the levels of the categorical columns up to column %s", t.file, t.columnName(j))
			}
			set[string(text)] = true
		}
	}
	return slices.Sorted(maps.Keys(set)), nil
}

// wide says for an error how wide the matrix of t's columns is, and why.
func (p *plan) wide(t *table) string {
	text := fmt.Sprintf("%s: the columns give %d features", t.file, p.width)
	most := 1
	for _, c := range p.coded {
		if len(c.levels) > most {
			most = len(c.levels)
			text = fmt.Sprintf("%s: the columns give %d features, %d of them the levels of column %s", t.file, p.width, most, t.columnName(c.column))
		}
	}
	return text
}

// Nominal reports whether an ARFF file declares the levels of column j.
func (t *table) Nominal(j int) bool { return t.levels != nil && t.levels[j] != nil }

// isMissing reports an empty value, or the missing mark of an ARFF file.
func (t *table) isMissing(i, j int) bool {
	text := t.Text(i, j)
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
func (r reader) fill(x *mat.Dense, first int, t *table, p *plan) error {
	numbers := r.numeric()
	for i := range t.lines {
		row := x.RawRowView(first + i)
		for k, j := range p.numeric {
			v, ok := numbers.value(t.Text(i, j))
			if !ok {
				return r.notNumber(t, i, j)
			}
			row[k] = v
		}
		for _, c := range p.coded {
			l, ok := c.levels[string(t.Text(i, c.column))]
			if !ok && len(r.Missing) > 1 && r.isMark(t.Text(i, c.column)) { // all marks are one level, named after the first
				l, ok = c.levels[r.Missing[0]]
			}
			if ok {
				row[c.offset+l] = 1
			}
		}
	}
	return nil
}

// checkSameColumns compares the columns of files that are joined by rows.
func checkSameColumns(tables []*table) error {
	a := tables[0]
	for _, b := range tables[1:] {
		if a.Columns() != b.Columns() {
			return fmt.Errorf("%s: the file has %d columns and %s has %d; they must agree", b.file, b.Columns(), a.file, a.Columns())
		}
		for j := range a.names {
			if a.names[j] != b.names[j] {
				return fmt.Errorf("%s: column %s is named %q in %s; the two files must have the same columns in the same order", b.file, b.columnName(j), a.names[j], a.file)
			}
		}
	}
	return nil
}

// featureBytes estimates the name of a feature.
const featureBytes = 48

// matrix allocates n x d zeros within the budget; wide says in an error what made
// the matrix as wide as it is.
func (b *budget) matrix(n, d int, advice, wide string) (*mat.Dense, error) {
	memory := plus(product(int64(n), int64(d), 8), product(int64(d), featureBytes))
	if !b.fits(memory) {
		return nil, b.refuse(memory, advice, "%s; %d rows of them", wide, n)
	}
	return mat.NewDense(n, d, nil), nil
}
