package read

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
)

// LIBSVM is the format of rows "label index:value index:value ... # comment". Indices count from 1 and ascend. Values
// that are left out are 0.
var LIBSVM = Format{
	Format: catalogue.FormatNamed("libsvm"),
	Sniff: func(sample []byte) (Options, bool) {
		sparse, lines := 0, 0
		for line := range bytes.Lines(sample) {
			line = bytes.TrimSpace(line)
			if len(line) == 0 || line[0] == '%' || line[0] == '#' {
				continue
			}
			if lines++; sparseLine.Match(line) {
				sparse++
			}
		}
		return Options{}, sparse > 0 && 2*sparse > lines
	},
	Trace: regexp.MustCompile(`:`),
	Read:  readLIBSVM,
}

// A sparseLine has index:value pairs whose values are numbers, or marks of missing ones. A line of CSV with a time of
// day, such as 2020-01-01 12:30:00,1.5,yes, is none.
var sparseLine = regexp.MustCompile(`^\S+(\s+qid:\S+)?` +
	`(\s+\d+\s*:\s*([-+.0-9eE]+|[-+]?(?i:nan|na|inf|infinity)))+\s*(#.*)?$`)

// readLIBSVM counts the rows and finds the largest index. It reads only the last index of each line, since indices
// ascend. Column 0 of the table is the label, and each index is the number of its column.
func readLIBSVM(f File) (*Table, error) {
	text, t, err := f.text()
	if err != nil {
		return nil, err
	}
	t.Sparse, t.Width, t.MaxRows = true, 1, 0
	line := 0
	for content := range bytes.Lines(text) {
		line++
		content, _, _ = bytes.Cut(content, []byte("#"))
		if content = bytes.Trim(content, " \t\r\n"); len(content) > 0 {
			t.MaxRows++
		}
		at := len(content)
		for at > 0 && !isBlank(content[at-1]) {
			at--
		}
		pair := content[at:]
		left, _, _ := bytes.Cut(pair, []byte(":"))
		if index, err := strconv.ParseInt(string(left), 10, 32); err == nil && len(left) < len(pair) &&
			int(index) >= t.Width {
			t.Width = int(index) + 1
			t.WhyWide = fmt.Sprintf("%s:%d: index %d makes the set %[3]d features wide", f.Name, line, index)
		}
	}
	if t.MaxRows == 0 {
		return nil, fmt.Errorf("%s: the file has no data rows", f.Name)
	}
	t.Rows = func(yield func(Row, error) bool) {
		row := Row{}
		for content := range bytes.Lines(text) {
			row.Line++
			err := t.sparseRow(content, &row)
			if err != nil { // bench data describe uses the label of a row with an error, and reads the next row
				row.Cells, row.At = row.Cells[:min(1, len(row.Cells))], row.At[:min(1, len(row.At))]
			}
			if (len(row.Cells) > 0 || err != nil) && !yield(row, err) {
				return
			}
		}
	}
	if t.Width == 1 { // no line ends in a pair, and the error of a line says more than that the set has no inputs
		for _, err := range t.Rows {
			if err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// sparseRow reads a line. Its row has no cells if the line is blank.
func (t *Table) sparseRow(text []byte, row *Row) error {
	row.Cells, row.At = row.Cells[:0], row.At[:0]
	text, _, _ = bytes.Cut(bytes.TrimRight(text, "\n"), []byte("#"))
	label, text := nextField(text)
	if len(label) == 0 {
		return nil
	}
	if bytes.IndexByte(label, ':') >= 0 {
		return fmt.Errorf("%s:%d: the line begins with %q and not with a label; write a label before the index:value "+
			"pairs", t.File, row.Line, clip(label))
	}
	if isList(label) {
		return fmt.Errorf("%s:%d: the line has several labels, %q; keep one", t.File, row.Line, clip(label))
	}
	row.Cells, row.At = append(row.Cells, label), append(row.At, 0)
	for previous := 0; ; {
		var pair []byte
		if pair, text = nextField(text); len(pair) == 0 {
			return nil
		}
		left, right, colon := bytes.Cut(pair, []byte(":"))
		if string(left) == "qid" {
			return fmt.Errorf("%s:%d: %q names a group of rows to be ranked, which is not read; "+
				"remove qid from the lines", t.File, row.Line, clip(pair))
		}
		index, err := strconv.ParseInt(string(left), 10, 32)
		if colon && len(right) == 0 {
			return fmt.Errorf("%s:%d: no value follows %q; remove the blank behind the colon",
				t.File, row.Line, clip(pair))
		}
		if colon && err == nil && index == 0 {
			return fmt.Errorf("%s:%d: %q has the index 0, and indices count from 1; write the file with such indices, "+
				"in scikit-learn by dump_svmlight_file(..., zero_based=False)", t.File, row.Line, clip(pair))
		}
		if !colon || err != nil || index < 1 {
			return fmt.Errorf("%s:%d: %q is not index:value with an index from 1; repair the line", t.File, row.Line,
				clip(pair))
		}
		if int(index) <= previous {
			return fmt.Errorf("%s:%d: index %d comes after index %d; indices must ascend within a line", t.File,
				row.Line, index, previous)
		}
		previous = int(index)
		row.Cells, row.At = append(row.Cells, right), append(row.At, previous)
	}
}

// isList reports whether a label is several numbers with commas between them.
func isList(label []byte) bool {
	if bytes.IndexByte(label, ',') < 0 {
		return false
	}
	for part := range bytes.SplitSeq(label, []byte(",")) {
		if _, ok := wording.ParseDecimal(part); !ok {
			return false
		}
	}
	return true
}

// nextField returns the first run of characters that are not blanks, and the text after it.
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
