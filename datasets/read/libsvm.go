package read

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/kernelboosting/bench/datasets"
	"gonum.org/v1/gonum/mat"
)

// readSparse reads LIBSVM files joined by rows. They stay sparse until their width
// is known.
func (r reader) readSparse(ctx context.Context, s *datasets.Set, contents []content) (target, error) {
	var parts []*sparseTable
	labels, first, err := r.joined(ctx, s, contents, func(c content) (int, string, error) {
		t, err := r.parseLIBSVM(c.name, c.data)
		if err != nil {
			return 0, "", err
		}
		parts = append(parts, t)
		return len(t.labels), t.hint, nil
	})
	if err != nil {
		return labels, err
	}
	if s.X, err = r.sparseMatrix(labels.n, parts); err != nil {
		return labels, err
	}
	for k, t := range parts {
		t.fill(s.X, first[k])
	}
	_, width := s.X.Dims()
	s.Features = make([]string, width)
	for j := range s.Features {
		s.Features[j] = fmt.Sprintf("f%d", j+1)
	}
	labels.at = func(i int) []byte {
		k, i := first.locate(i)
		return parts[k].labels[i]
	}
	labels.errorf = func(i int, format string, args ...any) error {
		k, i := first.locate(i)
		t := parts[k]
		return fmt.Errorf("%s:%d: label %q %s", t.file, t.lines[i], clip(t.labels[i]), fmt.Sprintf(format, args...))
	}
	return labels, nil
}

// sparseMatrix allocates the matrix of n rows that holds every index of parts.
func (r reader) sparseMatrix(n int, parts []*sparseTable) (*mat.Dense, error) {
	widest := parts[0]
	for _, t := range parts {
		if t.width > widest.width {
			widest = t
		}
	}
	switch {
	case r.Features > widest.width:
		return r.matrix(n, r.Features, "correct features", fmt.Sprintf("%s: features = %d makes the set so wide", r.Name, r.Features))
	case widest.width == 0:
		return nil, fmt.Errorf("%s: no row has any input", parts[0].file)
	}
	return r.matrix(n, widest.width, "correct the index or leave rare features out",
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

// A sparseTable is a parsed LIBSVM file: row i has the values
// value[start[i]:start[i+1]] at the features index[...], counted from 0; values
// not listed are 0.
type sparseTable struct {
	file     string
	hint     string // see encodingHint
	labels   [][]byte
	lines    []int32
	start    []int
	index    []int32
	value    []float64
	width    int // largest index, plus 1
	wideLine int // the first line with that index
}

// What an element of a sparseTable's slices takes.
const (
	sparseRowBytes  = 24 + 4 + 8
	sparsePairBytes = 4 + 8
)

// parseLIBSVM parses lines "label index:value index:value ... # comment" with
// indices that count from 1 and ascend. The result points into buf.
func (r reader) parseLIBSVM(file string, buf []byte) (*sparseTable, error) {
	buf, err := checkText(file, buf)
	if err != nil {
		return nil, err
	}
	t, err := newSparseTable(file, buf, r.budget)
	if err != nil {
		return nil, err
	}
	numbers := r.numeric()
	for line := 1; len(buf) > 0; line++ {
		var text []byte
		text, buf, _ = bytes.Cut(buf, []byte("\n"))
		text, _, _ = bytes.Cut(text, []byte("#"))
		label, rest := nextField(text)
		if len(label) == 0 {
			continue
		}
		if bytes.IndexByte(label, ':') >= 0 {
			return nil, fmt.Errorf("%s:%d: the line begins with %q and not with a label; write a label before the index:value pairs", file, line, clip(label))
		}
		if err := t.row(line, rest, &numbers); err != nil {
			return nil, err
		}
		t.labels = append(t.labels, label)
		t.lines = append(t.lines, int32(line))
		t.start = append(t.start, len(t.index))
	}
	if len(t.labels) == 0 {
		return nil, fmt.Errorf("%s: the file has no data rows", file)
	}
	return t, nil
}

// newSparseTable takes the memory that the rows and pairs of buf can need at most.
func newSparseTable(file string, buf []byte, b *budget) (*sparseTable, error) {
	rows, pairs := bytes.Count(buf, []byte("\n"))+1, bytes.Count(buf, []byte(":"))
	memory := plus(product(int64(rows), sparseRowBytes), product(int64(pairs), sparsePairBytes))
	if !b.fits(memory) {
		return nil, b.refuse(memory, "take fewer rows", "%s: %d lines with %d values", file, rows, pairs)
	}
	return &sparseTable{
		file: file, hint: encodingHint(file, buf),
		labels: make([][]byte, 0, rows), lines: make([]int32, 0, rows), start: make([]int, 1, rows+1),
		index: make([]int32, 0, pairs), value: make([]float64, 0, pairs),
	}, nil
}

// row reads the index:value pairs of a line.
func (t *sparseTable) row(line int, text []byte, numbers *numeric) error {
	previous := 0
	for {
		var pair []byte
		if pair, text = nextField(text); len(pair) == 0 {
			return nil
		}
		left, right, colon := bytes.Cut(pair, []byte(":"))
		index, err := strconv.ParseInt(string(left), 10, 32)
		if !colon || err != nil || index < 1 {
			return fmt.Errorf("%s:%d: %q is not index:value with an index from 1; repair the line", t.file, line, clip(pair))
		}
		if int(index) <= previous {
			return fmt.Errorf("%s:%d: index %d comes after index %d; indices must ascend within a line", t.file, line, index, previous)
		}
		v, ok := numbers.value(right)
		if !ok {
			return fmt.Errorf("%s:%d: feature %d: value %q is not a finite number; %s", t.file, line, index, clip(right), numbers.advice(right, "repair the line"))
		}
		previous = int(index)
		t.index = append(t.index, int32(index-1))
		t.value = append(t.value, v)
		if previous > t.width {
			t.width, t.wideLine = previous, line
		}
	}
}

// nextField splits off the first run of non-blanks.
func nextField(text []byte) (field, rest []byte) {
	i := 0
	for i < len(text) && isBlank(text[i]) {
		i++
	}
	start := i
	for i < len(text) && !isBlank(text[i]) {
		i++
	}
	return text[start:i], text[i:]
}
