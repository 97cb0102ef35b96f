package datasets

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// A content is a file's name, for errors, and its bytes.
type content struct {
	file File
	name string
	data []byte
}

// checkRows compares the rows of a file with what the entry promises.
func (c content) checkRows(n int) error {
	if c.file.Rows != 0 && c.file.Rows != n {
		return fmt.Errorf("%s: the file has %d rows and rows = %d is expected; correct one of them", c.name, n, c.file.Rows)
	}
	return nil
}

// read turns the bytes of an entry's data files, which b holds already, into a set.
func (e *Entry) read(ctx context.Context, contents []content, b *budget) (*Set, error) {
	s := &Set{Name: e.Name, Task: e.Task}
	var labels target
	var err error
	switch {
	case contents[0].file.Channel != "":
		labels, err = e.readChannels(ctx, s, contents, b)
	case e.Format == formatLIBSVM:
		labels, err = e.readSparse(ctx, s, contents, b)
	default:
		labels, err = e.readTables(ctx, s, contents, b)
	}
	if err != nil {
		return nil, err
	}
	if e.RowsPerClass > 0 {
		err = e.classesByPosition(s)
	} else {
		s.Y, s.Labels, err = e.encode(labels, b)
	}
	if err != nil {
		return nil, err
	}
	s.Classes = len(s.Labels)
	if e.Channels != nil {
		s.Blocks = e.channelBlocks()
	}
	return s, e.checkSet(s)
}

// parse reads one file as a table.
func (e *Entry) parse(c content, b *budget) (*table, error) {
	switch e.Format {
	case formatARFF:
		return parseARFF(c.name, c.data, b)
	case formatBlank:
		return parseCSV(c.name, c.data, blankSeparator, *e.Header, e.Columns, b)
	}
	return parseCSV(c.name, c.data, e.Separator[0], *e.Header, e.Columns, b)
}

// starts counts rows over several files: starts[k] is the first row of file k.
type starts []int

// locate returns the file that row i is in, and its number there.
func (s starts) locate(i int) (k, row int) {
	k = len(s) - 1
	for s[k] > i {
		k--
	}
	return k, i - s[k]
}

// readTables reads files joined by rows; training files come before test files.
func (e *Entry) readTables(ctx context.Context, s *Set, contents []content, b *budget) (target, error) {
	var tables []*table
	var rows starts
	n, hint := 0, ""
	for _, c := range contents {
		if err := ctx.Err(); err != nil {
			return target{}, err
		}
		t, err := e.parse(c, b)
		if err != nil {
			return target{}, err
		}
		if err := c.checkRows(t.rows()); err != nil {
			return target{}, err
		}
		tables, rows, n = append(tables, t), append(rows, n), n+t.rows()
		hint = cmp.Or(hint, t.hint)
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
	p, err := e.plan(tables, b)
	if err != nil {
		return target{}, err
	}
	if s.X, err = newMatrix(b, n, p.width, "drop columns or take fewer rows", p.wide(tables[0])); err != nil {
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
	return target{
		n:     n,
		files: fileNames(contents),
		hint:  hint,
		at: func(i int) []byte {
			k, i := rows.locate(i)
			return tables[k].cell(i, p.label)
		},
		errorf: func(i int, format string, args ...any) error {
			k, i := rows.locate(i)
			return tables[k].errorf(i, p.label, format, args...)
		},
	}, nil
}

// readChannels reads files joined by columns.
func (e *Entry) readChannels(ctx context.Context, s *Set, contents []content, b *budget) (target, error) {
	var parts []*Set
	var labels target
	width := 0
	for k, c := range contents {
		part := &Set{}
		one := *e
		if k > 0 {
			one.Label = nil
		}
		l, err := one.readTables(ctx, part, []content{c}, b)
		if err != nil {
			return target{}, err
		}
		if k == 0 {
			labels = l
		} else if l.n != labels.n {
			return target{}, fmt.Errorf("%s: the file has %d rows and %s has %d; files with a channel are joined by columns and must have equal rows", c.name, l.n, contents[0].name, labels.n)
		}
		_, d := part.X.Dims()
		if c.file.Permute != 0 {
			part.X = Rows(part.X, rng.New(c.file.Permute).Permutation(l.n))
		}
		parts, width = append(parts, part), width+d
		if c.file.Features != 0 && c.file.Features != d {
			return target{}, fmt.Errorf("%s: the file gives %d features and features = %d is expected; correct one of them", c.name, d, c.file.Features)
		}
		s.Blocks = append(s.Blocks, registry.Block{Name: c.file.Channel, From: width - d, To: width})
		for _, f := range part.Features {
			s.Features = append(s.Features, c.file.Channel+"."+f)
		}
	}
	var err error
	wide := fmt.Sprintf("%s: the channels have %d features together", labels.files, width)
	if s.X, err = newMatrix(b, labels.n, width, "drop columns or take fewer rows", wide); err != nil {
		return target{}, err
	}
	for k, part := range parts {
		s.X.Slice(0, labels.n, s.Blocks[k].From, s.Blocks[k].To).(*mat.Dense).Copy(part.X)
	}
	return labels, nil
}

// readSparse reads LIBSVM files joined by rows. They stay sparse until their width
// is known.
func (e *Entry) readSparse(ctx context.Context, s *Set, contents []content, b *budget) (target, error) {
	var parts []*sparseTable
	var rows starts
	n, hint := 0, ""
	for _, c := range contents {
		if err := ctx.Err(); err != nil {
			return target{}, err
		}
		t, err := parseLIBSVM(c.name, c.data, b)
		if err != nil {
			return target{}, err
		}
		if err := c.checkRows(len(t.labels)); err != nil {
			return target{}, err
		}
		parts, rows, n = append(parts, t), append(rows, n), n+len(t.labels)
		hint = cmp.Or(hint, t.hint)
		if c.file.Role != RoleTest {
			s.TrainRows = n
		}
	}
	if s.TrainRows == n {
		s.TrainRows = 0
	}
	var err error
	if s.X, err = e.sparseMatrix(n, parts, b); err != nil {
		return target{}, err
	}
	for k, t := range parts {
		t.fill(s.X, rows[k])
	}
	_, width := s.X.Dims()
	s.Features = make([]string, width)
	for j := range s.Features {
		s.Features[j] = fmt.Sprintf("f%d", j+1)
	}
	return target{
		n:     n,
		files: fileNames(contents),
		hint:  hint,
		at: func(i int) []byte {
			k, i := rows.locate(i)
			return parts[k].labels[i]
		},
		errorf: func(i int, format string, args ...any) error {
			k, i := rows.locate(i)
			t := parts[k]
			return fmt.Errorf("%s:%d: label %q %s", t.file, t.lines[i], clip(t.labels[i]), fmt.Sprintf(format, args...))
		},
	}, nil
}

// sparseMatrix allocates the matrix of n rows that holds every index of parts.
func (e *Entry) sparseMatrix(n int, parts []*sparseTable, b *budget) (*mat.Dense, error) {
	widest := parts[0]
	for _, t := range parts {
		if t.width > widest.width {
			widest = t
		}
	}
	switch {
	case e.Features > widest.width:
		return newMatrix(b, n, e.Features, "correct features", fmt.Sprintf("%s: features = %d makes the set so wide", e.Name, e.Features))
	case widest.width == 0:
		return nil, fmt.Errorf("%s: no row has any input", parts[0].file)
	}
	return newMatrix(b, n, widest.width, "correct the index or leave rare features out",
		fmt.Sprintf("%s:%d: index %d makes the set %[3]d features wide", widest.file, widest.wideLine, widest.width))
}

// fill writes the rows of t into x from row first on.
func (t *sparseTable) fill(x *mat.Dense, first int) {
	for k := range t.labels {
		row := x.RawRowView(first + k)
		for at := t.start[k]; at < t.start[k+1]; at++ {
			row[t.index[at]] = t.value[at]
		}
	}
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
	case len(s.Blocks) > 0 && s.Blocks[len(s.Blocks)-1].To != d:
		return fmt.Errorf("%s: the files give %d features and the channels have %d together; correct one of them", e.Name, d, s.Blocks[len(s.Blocks)-1].To)
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
