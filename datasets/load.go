package datasets

import (
	"context"
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A content is a file's name, for errors, and its bytes.
type content struct {
	file File
	name string
	data []byte
}

// read turns the bytes of an entry's data files into a set.
func (e *Entry) read(ctx context.Context, contents []content) (*Set, error) {
	return e.readWithin(ctx, contents, maxValues)
}

func (e *Entry) readWithin(ctx context.Context, contents []content, limit int) (*Set, error) {
	s := &Set{Name: e.Name, Task: e.Task}
	var labels target
	var err error
	switch {
	case contents[0].file.Channel != "":
		labels, err = e.readChannels(ctx, s, contents, limit)
	case e.Format == formatLIBSVM:
		labels, err = e.readSparse(ctx, s, contents, limit)
	default:
		labels, err = e.readTables(ctx, s, contents, limit)
	}
	if err != nil {
		return nil, err
	}
	if e.RowsPerClass > 0 {
		err = e.classesByPosition(s)
	} else {
		s.Y, s.Labels, err = e.encode(labels)
	}
	if err != nil {
		return nil, err
	}
	s.Classes = len(s.Labels)
	return s, e.checkSet(s)
}

// parse reads one file as a table.
func (e *Entry) parse(c content, limit int) (*table, error) {
	switch e.Format {
	case formatARFF:
		return parseARFF(c.name, c.data, limit)
	case formatBlank:
		return parseCSV(c.name, c.data, blankSeparator, *e.Header, e.Columns)
	}
	return parseCSV(c.name, c.data, e.Separator[0], *e.Header, e.Columns)
}

// readTables reads files joined by rows; training files come before test files.
func (e *Entry) readTables(ctx context.Context, s *Set, contents []content, limit int) (target, error) {
	var tables []*table
	var rows []int
	n := 0
	for _, c := range contents {
		if err := ctx.Err(); err != nil {
			return target{}, err
		}
		t, err := e.parse(c, limit)
		if err != nil {
			return target{}, err
		}
		tables, rows, n = append(tables, t), append(rows, n), n+t.rows()
		if c.file.Role != RoleTest {
			s.TrainRows = n
		}
	}
	if s.TrainRows == n {
		s.TrainRows = 0
	}
	if err := checkSameColumns(tables); err != nil {
		return target{}, err
	}
	p, err := e.plan(tables)
	if err != nil {
		return target{}, err
	}
	if s.X, err = newMatrix(tables[0].file, n, p.width, limit); err != nil {
		return target{}, err
	}
	for k, t := range tables {
		if err := ctx.Err(); err != nil {
			return target{}, err
		}
		if err := e.fill(s.X, rows[k], t, &p); err != nil {
			return target{}, err
		}
	}
	s.Features = p.features(tables[0])
	part := func(i int) (*table, int) {
		k := len(rows) - 1
		for rows[k] > i {
			k--
		}
		return tables[k], i - rows[k]
	}
	return target{
		n:     n,
		files: fileNames(contents),
		at: func(i int) []byte {
			t, i := part(i)
			return t.cell(i, p.label)
		},
		errorf: func(i int, format string, args ...any) error {
			t, i := part(i)
			return t.errorf(i, p.label, format, args...)
		},
	}, nil
}

// readChannels reads files joined by columns.
func (e *Entry) readChannels(ctx context.Context, s *Set, contents []content, limit int) (target, error) {
	var parts []*Set
	var labels target
	width := 0
	for k, c := range contents {
		part := &Set{}
		one := *e
		if k > 0 {
			one.Label = nil
		}
		l, err := one.readTables(ctx, part, []content{c}, limit)
		if err != nil {
			return target{}, err
		}
		if k == 0 {
			labels = l
		} else if l.n != labels.n {
			return target{}, fmt.Errorf("%s: the file has %d rows and %s has %d; files with a channel are joined by columns and must have equal rows", c.name, l.n, contents[0].name, labels.n)
		}
		_, d := part.X.Dims()
		parts, width = append(parts, part), width+d
		s.Channels = append(s.Channels, Channel{Name: c.file.Channel, Columns: d})
		for _, f := range part.Features {
			s.Features = append(s.Features, c.file.Channel+"."+f)
		}
	}
	var err error
	if s.X, err = newMatrix(contents[0].name, labels.n, width, limit); err != nil {
		return target{}, err
	}
	first := 0
	for k, part := range parts {
		d := s.Channels[k].Columns
		s.X.Slice(0, labels.n, first, first+d).(*mat.Dense).Copy(part.X)
		first += d
	}
	return labels, nil
}

// readSparse reads LIBSVM files joined by rows.
func (e *Entry) readSparse(ctx context.Context, s *Set, contents []content, limit int) (target, error) {
	width := e.Features
	var parts []*sparseTable
	all := &sparseTable{}
	var owner []*sparseTable
	for _, c := range contents {
		if err := ctx.Err(); err != nil {
			return target{}, err
		}
		t, err := parseLIBSVM(c.name, c.data)
		if err != nil {
			return target{}, err
		}
		width = max(width, t.width)
		parts = append(parts, t)
		all.labels, all.lines = append(all.labels, t.labels...), append(all.lines, t.lines...)
		for range t.labels {
			owner = append(owner, t)
		}
		if c.file.Role != RoleTest {
			s.TrainRows = len(all.labels)
		}
	}
	n := len(all.labels)
	if s.TrainRows == n {
		s.TrainRows = 0
	}
	var err error
	if s.X, err = newMatrix(contents[0].name, n, width, limit); err != nil {
		return target{}, err
	}
	i := 0
	for _, t := range parts {
		for k := range t.labels {
			row := s.X.RawRowView(i)
			for at := t.start[k]; at < t.start[k+1]; at++ {
				row[t.index[at]] = t.value[at]
			}
			i++
		}
	}
	for j := range width {
		s.Features = append(s.Features, fmt.Sprintf("f%d", j+1))
	}
	return target{
		n:     n,
		files: fileNames(contents),
		at:    func(i int) []byte { return all.labels[i] },
		errorf: func(i int, format string, args ...any) error {
			return fmt.Errorf("%s:%d: label %q %s", owner[i].file, all.lines[i], clip(all.labels[i]), fmt.Sprintf(format, args...))
		},
	}, nil
}

// classesByPosition labels the rows of a set without a label column.
func (e *Entry) classesByPosition(s *Set) error {
	n, _ := s.X.Dims()
	if n%e.RowsPerClass != 0 || n/e.RowsPerClass < 2 {
		return fmt.Errorf("%s: %d rows are not two or more classes of rows_per_class = %d", e.Name, n, e.RowsPerClass)
	}
	s.Y = make([]float64, n)
	for i := range s.Y {
		s.Y[i] = float64(i / e.RowsPerClass)
	}
	for k := range n / e.RowsPerClass {
		s.Labels = append(s.Labels, fmt.Sprint(k))
	}
	if e.Classes != nil {
		if len(e.Classes) != len(s.Labels) {
			return fmt.Errorf("%s: classes lists %d names for %d classes", e.Name, len(e.Classes), len(s.Labels))
		}
		s.Labels = e.Classes
	}
	return nil
}

// checkSet compares what was read with what the entry promises.
func (e *Entry) checkSet(s *Set) error {
	n, d := s.X.Dims()
	switch {
	case e.Rows != 0 && e.Rows != n:
		return fmt.Errorf("%s: the files have %d rows and rows = %d is expected; correct one of them", e.Name, n, e.Rows)
	case e.Features != 0 && e.Features != d:
		return fmt.Errorf("%s: the files give %d features and features = %d is expected; correct one of them", e.Name, d, e.Features)
	case e.Counts != nil && e.Task != registry.Regression && fmt.Sprint(e.Counts) != fmt.Sprint(s.Counts()):
		return fmt.Errorf("%s: the classes have %v rows and counts = %v is expected; correct one of them", e.Name, s.Counts(), e.Counts)
	}
	return nil
}

func fileNames(contents []content) string {
	var names []string
	for _, c := range contents {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}
