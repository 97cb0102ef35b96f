// Package read loads sets: [Load] turns the files of an entry into a datasets.Set, a dense matrix with
// numeric inputs only and labels coded as package registry wants them. [Rows] reads rows for a
// fitted model. [Describe] writes the entry of a new file.
//
// A [Format] divides a file into rows of cells; columns.go puts each cell into its column as it comes: numbers into
// rows of the matrix, categories and labels (labels.go) as codes. What the codes stand for is decided last. A budget
// counts the memory before it is taken.
//
// One rule holds for every format: columns listed in drop are left out; categorical columns become one 0/1 column per
// level, levels sorted by name; the numeric columns come first and the 0/1 columns after them, both in file order. A
// value that is not a finite decimal number is an error that names the file, the line and the column. The exception is
// a mark of a missing value in a set that says what becomes of missing values. Column numbers count from 0, in TOML
// files and in errors; negative numbers count from the end. Labels that are numbers are compared as numbers, so "1",
// "+1" and "1.0" are one label. Every row must have a label; NA and similar texts are not labels.
//
// A file is loaded only as its entry says, without guesses. Missing numbers are NaN; package datasets fills
// them in.
package read

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// Load reads the entry's data files, checks their SHA-256, and returns the set. A
// set that the program can make needs no files. Errors name the file, the line and
// the column, and say what to do. A set that would take more than d.Memory is an
// error before the memory is taken.
func Load(ctx context.Context, d catalogue.Directory, e *catalogue.Entry) (*datasets.Set, error) {
	r := reader{e, &Budget{Limit: MemoryLimit(d.Memory)}}
	var contents []content
	var sums []string
	for _, f := range e.DataFiles() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := d.Path(e, f)
		lines := f.FirstRows
		if lines > 0 && *e.Header {
			lines++
		}
		data, sum, err := d.Read(ctx, e, f, lines, func(size int64) error {
			if !r.Fits(size) {
				return r.Refuse(size, "take fewer rows or columns", "%s: the contents of the file", path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		contents = append(contents, content{file: f, name: path, data: data})
		sums = append(sums, sum)
	}
	set, err := r.read(ctx, contents)
	if err != nil {
		return nil, err
	}
	if set.Fingerprint = e.Fingerprint(sums); r.Held > collected {
		debug.FreeOSMemory() // of the text and its cells, before copies of the rows are made while the matrix is there
	}
	if f, has := e.SplitsFile(); has {
		set.Splits, err = r.splits(ctx, d, f, len(set.Y))
	}
	return set, err
}

// A loading that held more memory than this gives back at once what it no longer needs. The garbage collector by itself
// would let the heap grow to twice of what was alive when it last ran.
const collected = 64 << 20

// A reader is one loading of a set, within a budget of memory.
type reader struct {
	*catalogue.Entry
	*Budget
}

// A content is a file's name, for errors, and its bytes.
type content struct {
	file catalogue.File
	name string
	data []byte
}

// MemoryLimit returns the bytes that loading one set may take. allowed is what a Directory says, 0 for the usual bound.
func MemoryLimit(allowed int64) int64 {
	if allowed > 0 {
		return allowed
	}
	if all := processes.MemoryBytes(); all > 0 {
		return all / 4 * 3
	}
	return 8 << 30
}

// checkRows compares the rows of a file with what the entry promises.
func (c content) checkRows(n int) error {
	if c.file.Rows != 0 && c.file.Rows != n {
		return fmt.Errorf("%s: the file has %d rows and rows = %d is expected; correct one of them", c.name, n,
			c.file.Rows)
	}
	return nil
}

// read turns the bytes of the data files, which the budget holds already, into a set.
func (r reader) read(ctx context.Context, contents []content) (*datasets.Set, error) {
	s := &datasets.Set{Name: r.Name, Task: r.Task, Gaps: r.gaps()}
	join := r.readRows
	if contents[0].file.Channel != "" {
		join = r.readChannels
	}
	labels, err := join(ctx, s, contents)
	if err != nil {
		return nil, err
	}
	if r.RowsPerClass > 0 {
		err = r.classesByPosition(s)
	} else {
		s.Y, s.Labels, err = r.encode(labels)
	}
	if err != nil {
		return nil, err
	}
	s.Classes = len(s.Labels)
	if r.Channels != nil {
		s.Blocks, _ = r.Blocks()
	}
	return s, r.checkSet(s)
}

// readRows reads files joined by rows; training files come before test files.
func (r reader) readRows(ctx context.Context, s *datasets.Set, contents []content) (*target, error) {
	var tables []*Table
	options := Options{Separator: r.Separator, Header: *r.Header, Columns: r.Columns}
	for _, c := range contents {
		t, err := FormatOf(r.Entry).Read(File{Options: options, Name: c.name, Data: c.data, Budget: r.Budget})
		if err != nil {
			return nil, err
		}
		tables, s.Notes = append(tables, t), append(s.Notes, t.Notes...)
	}
	if !r.FileFormat().Sparse {
		if err := checkSameColumns(tables); err != nil {
			return nil, err
		}
	}
	c, err := r.newColumns(tables)
	if err != nil {
		return nil, err
	}
	for k, t := range tables {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before := c.n
		for row, err := range t.Rows {
			if err == nil {
				err = c.add(t, row)
			}
			if err != nil {
				return nil, err
			}
		}
		if c.n == before {
			return nil, fmt.Errorf("%s: the file has no data rows", t.File)
		}
		if err := contents[k].checkRows(c.n - before); err != nil {
			return nil, err
		}
		if contents[k].file.Role != catalogue.RoleTest {
			s.TrainRows = c.n
		}
	}
	if s.TrainRows == c.n {
		s.TrainRows = 0
	}
	var notes []string
	if s.Groups, notes, err = c.groups(); err != nil {
		return nil, err
	}
	s.Notes = append(s.Notes, notes...)
	if c.unlabelled > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("rows without a label, which are left out: %d", c.unlabelled))
	}
	s.Dates = c.days
	s.X, s.Features, err = c.matrix()
	s.Categories = c.categories
	return &c.labels, err
}

// readChannels reads files joined by columns. The first file has the label.
func (r reader) readChannels(ctx context.Context, s *datasets.Set, contents []content) (*target, error) {
	var parts []*datasets.Set
	var labels *target
	width, n := 0, 0
	for k, c := range contents {
		part, one := &datasets.Set{}, *r.Entry
		if k > 0 {
			one.Label, one.Group = nil, nil
		}
		l, err := reader{&one, r.Budget}.readRows(ctx, part, []content{c})
		if err != nil {
			return nil, err
		}
		rows, d := part.X.Dims()
		if k == 0 {
			labels, n, s.Groups = l, rows, part.Groups
		} else if rows != n {
			return nil, fmt.Errorf("%s: the file has %d rows and %s has %d; files with a channel are joined by "+
				"columns and must have equal rows", c.name, rows, contents[0].name, n)
		}
		if c.file.Permute != 0 {
			part.X = datasets.Rows(part.X, rng.New(c.file.Permute).Permutation(n))
		}
		parts, width, s.Notes = append(parts, part), width+d, append(s.Notes, part.Notes...)
		if c.file.Features != 0 && c.file.Features != d {
			return nil, fmt.Errorf("%s: the file gives %d features and features = %d is expected; correct one of them",
				c.name, d, c.file.Features)
		}
		s.Blocks = append(s.Blocks, registry.Block{Name: c.file.Channel, From: width - d, To: width})
		for _, day := range part.Dates {
			s.Dates = append(s.Dates, width-d+day)
		}
		for _, b := range part.Categories {
			b.Name, b.From, b.To = c.file.Channel+"."+b.Name, width-d+b.From, width-d+b.To
			s.Categories = append(s.Categories, b)
		}
		for _, f := range part.Features {
			s.Features = append(s.Features, c.file.Channel+"."+f)
		}
	}
	var err error
	wide := fmt.Sprintf("%s: the channels have %d features together", labels.files, width)
	if s.X, err = newMatrix(r.Budget, n, width, "drop columns or take fewer rows", wide); err != nil {
		return nil, err
	}
	for k, part := range parts {
		s.X.Slice(0, n, s.Blocks[k].From, s.Blocks[k].To).(*mat.Dense).Copy(part.X)
	}
	return labels, nil
}

// checkSet compares what was read with what the entry promises.
func (r reader) checkSet(s *datasets.Set) error {
	n, d := s.X.Dims()
	switch {
	case r.Rows != 0 && r.Rows != n:
		return fmt.Errorf("%s: the files have %d rows and rows = %d is expected; correct one of them", r.Name, n,
			r.Rows)
	case r.Features != 0 && r.Features != d:
		return fmt.Errorf("%s: the files give %d features and features = %d is expected; correct one of them", r.Name,
			d, r.Features)
	case r.Codes != 0 && r.Codes != s.Codes():
		return fmt.Errorf("%s: %d features have at most %d values and codes = %d is expected; correct one of them",
			r.Name, s.Codes(), datasets.FewValues, r.Codes)
	case len(s.Blocks) > 0 && s.Blocks[len(s.Blocks)-1].To != d:
		return fmt.Errorf("%s: the files give %d features and the channels have %d together; correct one of them",
			r.Name, d, s.Blocks[len(s.Blocks)-1].To)
	case r.Counts != nil && r.Task != registry.Regression && fmt.Sprint(r.Counts) != fmt.Sprint(s.Counts()):
		return fmt.Errorf("%s: the classes have %v rows and counts = %v is expected; correct one of them", r.Name,
			s.Counts(), r.Counts)
	}
	return nil
}
