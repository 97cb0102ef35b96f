package read

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// MaxLevels bounds the levels of one categorical column; a column with more is
// an identifier rather than a category.
const MaxLevels = 1000

// columns are the columns of all files that are joined by rows, as far as they are read. A number goes to its place at
// once, and a category becomes a code.
type columns struct {
	reader
	table      *Table // the widest one
	numeric    []int  // the column of each numeric feature; a column of dates has three features
	dated      []bool // of each column, whether it holds dates
	days       []int  // the features with days
	place      []int  // of each column its first place in numeric, -1 for other columns
	coded      []codedColumn
	categories []registry.Block // see datasets.Set; matrix makes them
	numbers    []float64        // row by row, of the numeric columns
	parse      numeric
	ways       []way // of each numeric feature, the first of three for dates
	labels     target
	group      *codedColumn // nil for none; its levels are the groups
	n          int          // rows
	unlabelled int          // rows that are left out, since they have no label
}

type codedColumn struct {
	column int
	names  []string         // of the levels, in order of appearance
	code   map[string]int32 // of a text: the number of its level in names, or zero
	codes  []int32          // of each row
}

// zero is the code of a missing value of a categorical column. The features of all levels of the column are 0 for it.
const zero = -1

// columnBytes estimates what a column takes in all lists of columns, with the name of its feature.
const columnBytes = 80

// newColumns resolves the entry's columns in the tables, which have the same columns, and takes the memory of the
// numbers.
func (r reader) newColumns(tables []*Table) (*columns, error) {
	t := slices.MaxFunc(tables, func(a, b *Table) int { return a.Width - b.Width })
	if r.FileFormat().Sparse && r.Features >= t.Width {
		t.Width, t.WhyWide = r.Features+1, fmt.Sprintf("%s: features = %d makes the set so wide", r.Name, r.Features)
	}
	c := &columns{reader: r, table: t, parse: r.numeric(), labels: r.newTarget(tables)}
	rows := 0
	for _, t := range tables {
		rows += t.MaxRows
	}
	width := int64(t.Width)
	if memory := Product(width, columnBytes); !r.Fits(memory) {
		return nil, c.tooWide(Sum(memory, Product(int64(rows), width, 8)), t.Width, rows)
	}
	if err := c.assign(t, tables); err != nil {
		return nil, err
	}
	labelBytes := 12 // a code and a number
	if c.group != nil {
		labelBytes += 4
	}
	if memory := Product(int64(rows), int64(8*len(c.numeric)+4*len(c.coded)+labelBytes)); !r.Fits(memory) {
		return nil, c.tooWide(memory, len(c.numeric)+len(c.coded), rows)
	}
	c.numbers, c.ways = make([]float64, 0, rows*len(c.numeric)), make([]way, len(c.numeric))
	for i := range c.coded {
		c.coded[i].codes = make([]int32, 0, rows)
	}
	if c.group != nil {
		c.group.codes = make([]int32, 0, rows)
	}
	if c.labels.needs != "" {
		c.labels.y = make([]float64, 0, rows)
	} else {
		c.labels.codes = make([]int32, 0, rows)
	}
	return c, nil
}

// tooWide refuses rows of so many columns.
func (c *columns) tooWide(memory int64, width, rows int) error {
	if c.table.WhyWide != "" {
		return c.Refuse(memory, "correct it or leave rare features out", "%s; %d rows of them", c.table.WhyWide, rows)
	}
	return c.Refuse(memory, "take fewer rows or columns", "%s: %d rows of %d columns", c.table.File, rows, width)
}

func (c *columns) assign(t *Table, tables []*Table) error {
	used := make([]string, t.Width)
	label, err := -1, error(nil)
	switch {
	case c.FileFormat().Sparse:
		label = 0
	case c.Label != nil:
		if label, err = resolve(t, *c.Label); err != nil {
			return fmt.Errorf("%w (label = %s)", err, c.Label)
		}
	}
	if label >= 0 {
		used[label] = "label"
	}
	c.labels.column = label
	if c.Group != nil {
		if err := claim(t, used, catalogue.ColumnList{*c.Group}, "group"); err != nil {
			return err
		}
		c.group = &codedColumn{column: slices.Index(used, "group"), code: map[string]int32{}}
	}
	if err := claim(t, used, c.Drop, "drop"); err != nil {
		return err
	}
	if err := claim(t, used, c.Dates, "dates"); err != nil {
		return err
	}
	if err := claim(t, used, c.Categorical, "categorical"); err != nil {
		return err
	}
	c.place, c.dated = make([]int, t.Width), make([]bool, t.Width)
	for j, as := range used {
		c.place[j] = -1
		switch {
		case as == "dates":
			c.place[j], c.dated[j], c.days = len(c.numeric), true, append(c.days, len(c.numeric))
			c.numeric = append(c.numeric, j, j, j)
		case as == "categorical", as == "" && t.Nominal(j):
			c.coded = append(c.coded, c.newCodedColumn(j, tables))
		case as == "":
			c.place[j] = len(c.numeric)
			c.numeric = append(c.numeric, j)
		}
	}
	if len(c.numeric)+len(c.coded) == 0 {
		if c.FileFormat().Sparse {
			return fmt.Errorf("%s: no row has any input", t.File)
		}
		return fmt.Errorf("%s: no column is left as input; check label and drop", t.File)
	}
	return nil
}

func (c *columns) add(t *Table, row Row) error {
	if n := len(row.Cells); row.At == nil && n != t.Width { // of a format that does not check this itself
		return fmt.Errorf("%s:%d: the row has %d values and the file has %d columns; repair the row", t.File, row.Line,
			n, t.Width)
	}
	if j := c.labels.column; c.DropUnlabelled && j >= 0 && c.isMissingLabel(t, j, t.Cell(row, j)) {
		c.unlabelled++
		return nil
	}
	start := len(c.numbers)
	c.numbers = append(c.numbers, make([]float64, len(c.numeric))...)
	for i, text := range row.Cells {
		j := row.Column(i)
		k := c.place[j]
		if k < 0 {
			continue
		}
		var kind Kind
		var ok bool
		if c.dated[j] {
			var date Date
			date, kind, ok = c.parse.date(text)
			copy(c.numbers[start+k:], date[:])
		} else {
			c.numbers[start+k], kind, ok = c.parse.value(text)
		}
		if !ok || t.Sparse && kind > Plain {
			return c.notNumber(t, row, j)
		}
		if kind != c.ways[k].kind {
			if err := c.ways[k].same(kind, t, row.Line, j, text); err != nil {
				return err
			}
		}
	}
	for i := range c.coded {
		column := &c.coded[i]
		text := t.Cell(row, column.column)
		code, known := column.code[string(text)]
		if !known {
			var err error
			if code, err = c.level(column, t, row, text); err != nil {
				return err
			}
		}
		column.codes = append(column.codes, code)
	}
	if c.group != nil {
		if err := c.addGroup(t, row); err != nil {
			return err
		}
	}
	c.n++
	if c.labels.column < 0 {
		return nil
	}
	return c.labels.add(c.reader, t, row.Line, t.Cell(row, c.labels.column))
}

// level returns the code of a text that comes for the first time.
func (c *columns) level(column *codedColumn, t *Table, row Row, text []byte) (int32, error) {
	name, folded := string(text), string(c.folded(text))
	besideMark := c.isMissing(text) && t.declares(column.column, []byte(c.FileFormat().Missing))
	switch marked := c.isMark(text) || besideMark && c.MissingAs != ""; {
	case marked && c.MissingAs == "zero":
		column.code[name] = zero
		return zero, nil
	case marked: // all marks are one level, named after the first if the file has no level of the name
		if name := c.Missing[0]; !t.declares(column.column, []byte(name)) {
			folded = name
		}
		column.code[name] = column.add(folded)
		return column.code[name], nil
	case c.isMissing(text):
		return 0, t.Errorf(row.Line, column.column, text, "is missing; say what becomes of it with missing_as = "+
			"\"level\" or \"zero\"")
	}
	if code, known := column.code[folded]; known {
		column.code[name] = code
		return code, nil
	}
	if len(column.names) >= MaxLevels && !t.Nominal(column.column) {
		return 0, t.Errorf(row.Line, column.column, text, "is level %d of a categorical column; drop the column if "+
			"it is an identifier", MaxLevels+1)
	}
	if memory := int64(levelBytes + len(name)); !c.Fits(memory) {
		return 0, c.Refuse(memory, "drop columns", "%s: the levels of the categorical columns up to column %s", t.File,
			t.Column(column.column))
	}
	column.code[name] = column.add(folded)
	return column.code[name], nil
}

// addGroup reads the group of the next row. Groups are compared as labels are, and numbers as the set writes them.
func (c *columns) addGroup(t *Table, row Row) error {
	text := t.Cell(row, c.group.column)
	if at := bytes.LastIndex(text, []byte(c.GroupUntil)); c.GroupUntil != "" && at >= 0 {
		text = text[:at]
	}
	code, known := c.group.code[string(text)]
	if !known {
		name := c.style().label(c.folded(text))
		if IsMissingMark([]byte(name)) || c.isMark([]byte(name)) {
			return t.Errorf(row.Line, c.group.column, text, "is no group, and every row needs one; "+
				"fill it in with a value of its own if the row belongs to no other, or remove the row")
		}
		if memory := int64(levelBytes + len(text)); !c.Fits(memory) {
			return c.Refuse(memory, "choose another group", "%s: %d groups up to here", t.File, len(c.group.names))
		}
		code = c.group.add(name)
		c.group.code[string(text)] = code
	}
	c.group.codes = append(c.group.codes, code)
	return nil
}

// groups returns the groups of all rows. It returns nil and a note if every row is a group of its own.
func (c *columns) groups() (*datasets.Groups, []string, error) {
	if c.group == nil {
		return nil, nil, nil
	}
	name, n := featureName(c.table, c.group.column), len(c.group.names)
	switch {
	case n == 1:
		return nil, nil, fmt.Errorf("%s: every row has the group %s; splits need two groups or more, so choose "+
			"another column", c.table.File, Shown(c.group.names[0]))
	case n == c.n:
		return nil, []string{fmt.Sprintf("every row has a group of its own in column %s, so that the set is divided "+
			"as one without groups", Shown(name))}, nil
	}
	return &datasets.Groups{Column: name, Of: c.group.codes, Names: c.group.names}, nil, nil
}

// levelBytes estimates what a level takes besides its text.
const levelBytes = 256

// newCodedColumn begins column j with the levels that files declare.
func (r reader) newCodedColumn(j int, tables []*Table) codedColumn {
	c := codedColumn{column: j, code: map[string]int32{}}
	for _, t := range tables {
		if t.Nominal(j) {
			for level := range t.Levels[j] {
				c.add(string(r.folded([]byte(level))))
			}
		}
	}
	return c
}

// add returns the code of a level, which may be a new one.
func (c *codedColumn) add(level string) int32 {
	if code, known := c.code[level]; known {
		return code
	}
	code := int32(len(c.names))
	c.code[level], c.names = code, append(c.names, level)
	return code
}

// matrix returns the inputs and their names: the numeric columns come first. The levels of a column are sorted.
func (c *columns) matrix() (*mat.Dense, []string, error) {
	t, from := c.table, len(c.numeric)
	features := make([]string, 0, from)
	for i, j := range c.numeric {
		name := featureName(t, j)
		if c.dated[j] {
			name += DateParts[i-c.place[j]]
		}
		features = append(features, name)
	}
	if len(c.coded) == 0 {
		return mat.NewDense(c.n, from, c.numbers[:c.n*from]), features, nil
	}
	most, wide := 1, ""
	for _, column := range c.coded {
		levels := slices.Sorted(slices.Values(column.names))
		for _, level := range levels {
			features = append(features, featureName(t, column.column)+"="+level)
		}
		if len(levels) > most {
			most, wide = len(levels), fmt.Sprintf(", %d of them the levels of column %s", len(levels),
				t.Column(column.column))
		}
	}
	x, err := newMatrix(c.Budget, c.n, len(features), "drop columns or take fewer rows",
		fmt.Sprintf("%s: the columns give %d features%s", t.File, len(features), wide))
	if err != nil {
		return nil, nil, err
	}
	for i := range c.n {
		copy(x.RawRowView(i), c.numbers[i*from:(i+1)*from])
	}
	for _, column := range c.coded {
		c.categories = append(c.categories, registry.Block{Name: featureName(t, column.column), From: from,
			To: from + len(column.names)})
		at := make([]int, len(column.names)) // of each level: its column of the matrix
		for place, level := range slices.Sorted(slices.Values(column.names)) {
			at[column.code[level]] = from + place
		}
		for i, code := range column.codes {
			if code != zero {
				x.Set(i, at[code], 1)
			}
		}
		from += len(at)
	}
	return x, features, nil
}

// newMatrix allocates n x d zeros within the budget; wide says in an error what made
// the matrix as wide as it is.
func newMatrix(b *Budget, n, d int, advice, wide string) (*mat.Dense, error) {
	if memory := Product(int64(n), int64(d), 8); !b.Fits(memory) {
		return nil, b.Refuse(memory, advice, "%s; %d rows of them", wide, n)
	}
	return mat.NewDense(n, d, nil), nil
}

func featureName(t *Table, j int) string {
	switch name := t.Name(j); {
	case name != "":
		return name
	case t.Sparse:
		return fmt.Sprintf("f%d", j)
	}
	return fmt.Sprintf("c%d", j)
}

func resolve(t *Table, c catalogue.Column) (int, error) {
	if c.Name == "" {
		j := c.Index
		if j < 0 {
			j += t.Width
		}
		if j < 0 || j >= t.Width {
			return 0, fmt.Errorf("%s: there is no column %d; the file has %d columns, counted from 0", t.File, c.Index,
				t.Width)
		}
		return j, nil
	}
	found := slices.Index(t.Names, c.Name)
	if found < 0 {
		return 0, fmt.Errorf("%s: there is no column named %q; the columns are %s%s", t.File, clip(c.Name),
			t.SomeNames(), t.Hint)
	}
	if again := slices.Index(t.Names[found+1:], c.Name); again >= 0 {
		return 0, fmt.Errorf("%s: columns %d and %d are both named %q; give the column's number instead", t.File, found,
			found+1+again, clip(c.Name))
	}
	return found, nil
}

// resolverOf returns resolve for the columns of a list. A long list looks names up in a map of those that occur once.
func resolverOf(t *Table, list catalogue.ColumnList) func(catalogue.Column) (int, error) {
	const long = 16
	once := map[string]int{}
	if len(list) >= long {
		for j, name := range t.Names {
			if _, again := once[name]; again {
				j = -1
			}
			once[name] = j
		}
	}
	return func(c catalogue.Column) (int, error) {
		if j, found := once[c.Name]; found && j >= 0 && c.Name != "" {
			return j, nil
		}
		return resolve(t, c)
	}
}

// claim notes in used, at the place of each column of list, what the column is used as.
// It is an error if a column is used twice.
func claim(t *Table, used []string, list catalogue.ColumnList, as string) error {
	resolve := resolverOf(t, list)
	for _, c := range list {
		if c.All {
			for j := range used {
				if used[j] == "" {
					used[j] = as
				}
			}
			continue
		}
		first, err := resolve(c)
		last := first
		if err == nil && c.To != nil {
			last, err = resolve(*c.To)
		}
		if err == nil && last < first {
			err = fmt.Errorf("%s: column %s comes after column %s; write the range the other way round", t.File,
				t.Column(first), t.Column(last))
		}
		if err != nil {
			return fmt.Errorf("%w (%s = %s)", err, as, c)
		}
		for j := first; j <= last; j++ {
			if used[j] != "" {
				return fmt.Errorf("%s: column %s is both %s and %s; list it once", t.File, t.Column(j), used[j], as)
			}
			used[j] = as
		}
	}
	return nil
}

// checkSameColumns compares the columns of files that are joined by rows.
func checkSameColumns(tables []*Table) error {
	a := tables[0]
	for _, b := range tables[1:] {
		if a.Width != b.Width {
			return fmt.Errorf("%s: the file has %d columns and %s has %d; they must agree", b.File, b.Width, a.File,
				a.Width)
		}
		for j := range a.Width {
			if a.Name(j) != b.Name(j) {
				return fmt.Errorf("%s: column %s is named %q in %s; the two files must have the same columns in the "+
					"same order", b.File, b.Column(j), a.Name(j), a.File)
			}
		}
	}
	return nil
}
