package datasets

import (
	"bytes"
	"fmt"
	"strconv"
)

// A sparseTable is a parsed LIBSVM file: row i has the values
// value[start[i]:start[i+1]] at the features index[...], counted from 0; values
// not listed are 0.
type sparseTable struct {
	file   string
	labels [][]byte
	lines  []int32
	start  []int
	index  []int32
	value  []float64
	width  int // largest index, plus 1
}

// parseLIBSVM parses lines "label index:value index:value ... # comment" with
// indices that count from 1 and ascend. The result points into buf.
func parseLIBSVM(file string, buf []byte) (*sparseTable, error) {
	buf, err := checkText(file, buf)
	if err != nil {
		return nil, err
	}
	t := &sparseTable{file: file, start: []int{0}}
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
		if err := t.row(line, rest); err != nil {
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

// row reads the index:value pairs of a line.
func (t *sparseTable) row(line int, text []byte) error {
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
		v, ok := number(right)
		if !ok {
			return fmt.Errorf("%s:%d: feature %d: value %q is not a finite number; repair the line", t.file, line, index, clip(right))
		}
		previous = int(index)
		t.index = append(t.index, int32(index-1))
		t.value = append(t.value, v)
		t.width = max(t.width, previous)
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
