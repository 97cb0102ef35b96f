// Describing finds out how a data file of a user is to be read, and writes the description that package catalogue
// reads: the cells of the file, whether a line names the columns, how numbers are written, what each column holds,
// which one is the label, and the TOML.
//
// One call finds every fault of a data file. A fault that keeps rows or columns from being read is a problem. A guess
// that the user should check is a note. The description names each column that it leaves out, with the reason. The
// description is read back and the set is loaded before anything is returned.

package read

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
)

// Hints say what is known of a file.
type Hints struct {
	TOML      string                 // where the description will be written, which names files relative to it
	Test      string                 // path of a test file of the set's own; "" for none
	Label     string                 // name or number of the label; "" lets it be guessed
	Group     string                 // name or number of the column that says which rows belong together; "" for none
	Positive  []string               // labels of class +1; nil lets them be guessed
	Thousands string                 // what separates thousands; "" lets it be found
	DateOrder string                 // of dates that end with the year; "" lets it be found
	Drop      []string               // names or numbers of columns that are left out
	Fold      bool                   // levels and labels that differ in case or blanks alone are one
	Taken     func(name string) bool // whether a set has the name already
	// rows without a label are left out
	DropUnlabelled bool
	Memory         int64 // bytes that reading may take; 0 means the usual bound, as of files.Directory
}

// A Description is what was found.
type Description struct {
	TOML string
	// what is wrong with the file: because of each problem, rows, a column or the whole set cannot be used
	Problems []string
	Notes    []string // what is to be checked
	Loads    bool     // the set loads with this description

	kinds map[string]*kind
	order []*kind

	cautions []string // see caution
}

// A kind is problems or notes that differ in names and numbers alone.
type kind struct {
	list *[]string
	n    int
	last string // of those that are written out
}

// most is how many problems or notes of one kind are written out. The others are counted.
const most = 20

func (d *Description) problem(format string, args ...any) {
	d.say(&d.Problems, format, fmt.Sprintf(format, args...))
}

func (d *Description) note(format string, args ...any) {
	d.say(&d.Notes, format, fmt.Sprintf(format, args...))
}

// caution adds a note that is also stored in the description of the set. It warns that results on this set may
// overstate how well a method predicts.
func (d *Description) caution(format string, args ...any) {
	d.note(format, args...)
	d.cautions = append(d.cautions, fmt.Sprintf(format, args...))
}

func (d *Description) say(list *[]string, name, text string) {
	k := d.kinds[name]
	if k == nil {
		k = &kind{list: list}
		d.kinds[name], d.order = k, append(d.order, k)
	}
	if k.n++; k.n <= most {
		*list, k.last = append(*list, text), text
	}
}

// sayHowMany says how many problems or notes of a kind are not written out.
func (d *Description) sayHowMany() {
	for _, k := range d.order {
		if k.n > most {
			*k.list = append(*k.list, fmt.Sprintf("%d more like this: %s", k.n-most, k.last))
		}
	}
}

// Describe describes a data file. It is an error if the file cannot be read at all, if the column of the label is not
// there, or if the file has no row with a label that was asked for as class +1.
func Describe(ctx context.Context, path string, o Hints) (*Description, error) {
	o.Memory = MemoryLimit(o.Memory)
	for i, label := range o.Positive {
		if o.Fold {
			o.Positive[i] = catalogue.Folded(label)
		}
	}
	s, err := open(path, o)
	if err != nil {
		return nil, err
	}
	if s.format.Sparse {
		err = s.sparse()
	} else {
		err = s.table()
	}
	if err != nil {
		return nil, err
	}
	s.TOML = s.toml()
	s.check(ctx)
	s.sayHowMany()
	return s.Description, nil
}

// A source is the file with what is known about it.
type source struct {
	*Description
	hints   Hints
	paths   []string // of the file, and of the test file
	format  *Format
	options Options
	style   Style  // of numbers
	order   string // of dates that end with the year; "" if it is not known
	points  bool   // some column surely has decimal points
	header  bool

	parts   []*cells
	first   int // number of header rows of each file: 0 or 1
	names   []string
	named   map[string]int // how many columns have a name
	columns []column
	label   int
	group   int  // the column that says which rows belong together; -1 for none
	guessed bool // nobody said which column is the label
	task    string
	classes []class
	pos     []string
	of      []string // the class of each row
}

// open reads the files and finds their format.
func open(path string, o Hints) (*source, error) {
	s := &source{Description: &Description{kinds: map[string]*kind{}}, hints: o, paths: []string{path}, group: -1}
	if o.Test != "" {
		s.paths = append(s.paths, o.Test)
	}
	budget := &Budget{Limit: o.Memory}
	for k, path := range s.paths {
		data, err := contents(path, o.Memory)
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".xlsx", ".xls", ".ods":
			return nil, fmt.Errorf("%s: workbooks are not read; save the sheet as CSV (UTF-8) in the spreadsheet "+
				"program", path)
		}
		if k == 0 {
			s.format, s.options = Sniff(catalogue.File{Path: path}.Extension(), data)
		}
		if size := int64(len(data)); !budget.Fits(size) {
			return nil, budget.Refuse(size, "take fewer rows or columns", "%s: the contents of the file", path)
		}
		in := File{Name: path, Data: data, Options: s.options, Budget: budget}
		part, err := readCells(s.format, in)
		if err != nil {
			return nil, err
		}
		budget.Held -= int64(len(data)) // of which part has a copy
		if k > 0 && part.Width != s.parts[0].Width {
			return nil, fmt.Errorf("%s: the file has %d columns and %s has %d; they must agree", path, part.Width,
				s.paths[0], s.parts[0].Width)
		}
		s.parts = append(s.parts, part)
	}
	return s, nil
}

// sayOddLines says which lines have another number of columns than the others, and what the format noted.
func (s *source) sayOddLines() {
	for k, part := range s.parts {
		for i, odd := range part.odd {
			if i == 5 {
				s.problem("%s: %d more lines have another number of columns than the others", s.paths[k],
					len(part.odd)-i)
				break
			}
			columns := wording.Count(odd.columns, "column")
			if len(part.lines) > 0 && odd.line < part.lines[0] {
				advice := "if it is a title or a comment, remove it or begin it with #, else repair it"
				if odd.columns > 1 && odd.columns == part.Width-1 {
					advice = `if the rows have names and their column has none, as R writes it, begin the line ` +
						`with "" and the separator; ` + advice
				}
				s.problem("%s:%d: the line has %s, %q, and most have %d; %s", s.paths[k], odd.line, columns, odd.text,
					part.Width, advice)
				continue
			}
			s.problem("%s:%d: the line has %s and most have %d; repair the line, or its quotes", s.paths[k], odd.line,
				columns, part.Width)
		}
		for _, note := range part.Notes {
			s.note("%s", note)
		}
		if part.Hint != "" {
			s.note("%s", strings.TrimPrefix(part.Hint, "; "))
		}
	}
}

// table describes a file of columns.
func (s *source) table() error {
	s.sayOddLines()
	if s.parts[0].Width < 2 {
		return fmt.Errorf("%s: every line has one column; a set needs an input and a label", s.paths[0])
	}
	s.findHeader()
	if s.rows() == 0 {
		return fmt.Errorf("%s: the file has no data rows", s.paths[0])
	}
	if err := s.findStyle(); err != nil {
		return err
	}
	if s.order = s.hints.DateOrder; !slices.Contains([]string{"", catalogue.DayFirst, catalogue.MonthFirst}, s.order) {
		return fmt.Errorf("--date-order %q is not %s or %s", s.order, catalogue.DayFirst, catalogue.MonthFirst)
	}
	if err := s.findLabel(); err != nil {
		return err
	}
	drop, err := s.toDrop()
	if err != nil {
		return err
	}
	if err := s.findGroup(drop); err != nil {
		return err
	}
	if s.group >= 0 {
		s.alike("the group "+s.nameOf(s.group), slices.Sorted(maps.Keys(s.levelsOf(s.group, s.rows()))))
	}
	s.columns = make([]column, s.parts[0].Width)
	values := &known{levels: map[string]int{}}
	for j := range s.columns {
		switch {
		case j == s.group:
			s.columns[j] = column{j: j, name: s.nameOf(j), drop: "it tells the groups of rows"}
		case drop[j]:
			s.columns[j] = column{j: j, name: s.nameOf(j), drop: "as was asked"}
		default:
			s.columns[j] = s.look(j, values)
		}
	}
	s.findLeaks()
	s.findAmbiguous()
	s.repeats()
	s.levels()
	return nil
}

func (s *source) rows() int {
	n := 0
	for _, p := range s.parts {
		n += p.rows() - s.first
	}
	return n
}

// at returns the part of row i and its number there.
func (s *source) at(i int) (part, row int) {
	for i >= s.parts[part].rows()-s.first {
		i -= s.parts[part].rows() - s.first
		part++
	}
	return part, i + s.first
}

func (s *source) text(i, j int) []byte {
	part, row := s.at(i)
	text := s.parts[part].at(row, j)
	if s.hints.Fold {
		return []byte(catalogue.Folded(string(text)))
	}
	return text
}

// missing reports that a value of column j is missing. A level that the file declares never is.
func (s *source) missing(text []byte, j int) bool {
	return IsMissingMark(text) && !s.parts[0].declares(j, text)
}

// where is file:line of row i.
func (s *source) where(i int) string {
	part, row := s.at(i)
	return fmt.Sprintf("%s:%d", s.paths[part], s.parts[part].lines[row])
}

// repeats looks for equal columns and equal rows.
func (s *source) repeats() {
	columns := map[[32]byte]int{}
	var column, row []byte
	for j, c := range s.columns {
		if c.drop != "" {
			continue
		}
		column = column[:0]
		for i := range s.rows() {
			column = append(append(column, s.text(i, j)...), 0)
		}
		key := sha256.Sum256(column)
		if same, seen := columns[key]; seen {
			s.note("column %s repeats column %s", c.name, s.columns[same].name)
			continue
		}
		columns[key] = j
	}
	labels, equal, other := map[[32]byte]string{}, 0, 0
	for i := range s.rows() {
		row = row[:0]
		for _, c := range s.columns {
			if c.drop == "" {
				row = append(append(row, s.text(i, c.j)...), 0)
			}
		}
		key, label := sha256.Sum256(row), string(s.text(i, s.label))
		switch before, seen := labels[key]; {
		case !seen:
			labels[key] = label
		case before == label:
			equal++
		default:
			other++
		}
	}
	if equal > 0 {
		s.caution("%s an earlier row with the same label: a random split puts such rows on both sides", repeat(equal))
	}
	if other > 0 {
		s.caution("%s an earlier row with another label", repeat(other))
	}
}

func repeat(n int) string {
	if n == 1 {
		return "1 row repeats"
	}
	return fmt.Sprint(n, " rows repeat")
}

// check loads the set as the description says. The values that were looked at are not held meanwhile.
func (s *source) check(ctx context.Context) {
	s.parts, s.of = nil, nil
	set, err := s.load(ctx)
	if s.Loads = err == nil; !s.Loads {
		s.problem("the set does not load yet: %v", err)
		return
	}
	n, width := set.X.Dims()
	groups := ""
	switch {
	case set.Groups != nil:
		groups = fmt.Sprintf(", and the rows are of %d groups", len(set.Groups.Names))
	case s.group >= 0:
		groups = "; every row is a group of its own, so that it is divided as without --group"
	}
	s.note("the set has %d rows and %d features%s%s", n, width, s.made(set), groups)
}

func (s *source) load(ctx context.Context) (*datasets.Set, error) {
	full, err := filepath.Abs(s.hints.TOML)
	if err != nil {
		return nil, err
	}
	e, err := (catalogue.Description{TOML: s.TOML, Path: full}).Entry()
	if err != nil {
		return nil, err
	}
	return Load(ctx, catalogue.Directory{Memory: s.hints.Memory}, e)
}

// made says how many features are numbers, how many are of dates, and how many are levels of each column of
// categories; "" for a set of numbers alone.
func (s *source) made(set *datasets.Set) string {
	if set.Categories == nil && set.Dates == nil {
		return ""
	}
	var levels []string
	dates := len(DateParts) * len(set.Dates)
	numbers := len(set.Features) - dates
	for _, c := range s.columns {
		if c.drop == "" && !c.numeric {
			b := set.Categories[len(levels)]
			numbers -= b.To - b.From
			levels = append(levels, fmt.Sprintf("%d levels of %s", b.To-b.From, c.name))
		}
	}
	if more := len(levels) - 8; more > 0 {
		levels = append(levels[:8], fmt.Sprintf("%d more columns", more))
	}
	if dates > 0 {
		levels = slices.Insert(levels, 0, fmt.Sprintf("%d of dates", dates))
	}
	if numbers > 0 {
		levels = slices.Insert(levels, 0, fmt.Sprintf("%d of numbers", numbers))
	}
	return ": " + strings.Join(levels, ", ")
}

func (s *source) setName() string {
	name := catalogue.SetName(s.paths[0])
	for s.hints.Taken != nil && s.hints.Taken(name) {
		name += "-own"
	}
	return name
}

// listed writes up to eight texts for people.
func listed(texts []string) string {
	var out []string
	for _, t := range texts {
		out = append(out, fmt.Sprintf("%q", clip(t)))
	}
	return wording.Few(out, 8)
}

// sortedKeys returns the keys by falling count, equal counts by name.
func sortedKeys(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}
