package read

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// A table is a parsed text file: rows x columns of cells that point into its
// bytes, still as text.
type table struct {
	file   string
	buf    []byte
	names  []string          // one per column; "" where the file does not say
	levels []map[string]bool // per column, the declared levels of a nominal column of an ARFF file; nil otherwise
	cells  []span            // row-major; of one row alone where starts is set
	lines  []int32           // line of each row, from 1
	hint   string            // see encodingHint

	// A table may hold the cells of one row only. The table then finds the cells of another row when the reader asks for them.
	// The cells of all rows together would take as much memory as the matrix that the reader fills with their numbers.
	starts []uint32   // where in buf each row begins; nil if cells has all rows
	held   int        // the row in cells
	row    csvScanner // finds the cells of a row
}

// A span is the text buf[start:end].
type span struct{ start, end uint32 }

// What an element of a table's slices takes.
const (
	cellBytes  = 8
	lineBytes  = 4
	startBytes = 4
)

// Rows returns the number of rows.
func (t *table) Rows() int { return len(t.lines) }

// Columns returns the number of columns.
func (t *table) Columns() int { return len(t.names) }

// Text returns the value of row i in column j.
func (t *table) Text(i, j int) []byte {
	if t.starts != nil {
		if t.held != i {
			t.hold(i)
		}
		i = 0
	}
	c := t.cells[i*len(t.names)+j]
	return t.buf[c.start:c.end]
}

// errorf returns an error about the value at (i, j), of the form
// `file:line: column 3 ("age"): value "x" ...`.
func (t *table) errorf(i, j int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: column %s: value %q %s", t.file, t.lines[i], t.columnName(j), clip(t.Text(i, j)), fmt.Sprintf(format, args...))
}

func (t *table) columnName(j int) string {
	if t.names[j] == "" {
		return strconv.Itoa(j)
	}
	return fmt.Sprintf("%d (%q)", j, t.names[j])
}

// resolve returns the number of column c.
func (t *table) resolve(c catalogue.Column) (int, error) {
	if c.Name == "" {
		j := c.Index
		if j < 0 {
			j += t.Columns()
		}
		if j < 0 || j >= t.Columns() {
			return 0, fmt.Errorf("%s: there is no column %d; the file has %d columns, counted from 0", t.file, c.Index, t.Columns())
		}
		return j, nil
	}
	found := -1
	for j, name := range t.names {
		if name != c.Name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s: columns %d and %d are both named %q; give the column's number instead", t.file, found, j, c.Name)
		}
		found = j
	}
	if found < 0 {
		return 0, fmt.Errorf("%s: there is no column named %q; the columns are %s%s", t.file, c.Name, t.someNames(), t.hint)
	}
	return found, nil
}

// resolveRange returns the numbers of the first and the last column of c. Both are equal
// for a single column.
func (t *table) resolveRange(c catalogue.Column) (first, last int, err error) {
	if first, err = t.resolve(c); err != nil || c.To == nil {
		return first, first, err
	}
	if last, err = t.resolve(*c.To); err != nil {
		return 0, 0, err
	}
	if last < first {
		return 0, 0, fmt.Errorf("%s: column %s comes after column %s; write the range the other way round", t.file, t.columnName(first), t.columnName(last))
	}
	return first, last, nil
}

func (t *table) someNames() string {
	var out []string
	for j, name := range t.names {
		if j == 20 {
			out = append(out, fmt.Sprintf("... (%d in all)", len(t.names)))
			break
		}
		if name == "" {
			name = strconv.Itoa(j)
		}
		out = append(out, shown(name))
	}
	return strings.Join(out, ", ")
}

func clip(text []byte) []byte {
	if len(text) > 40 {
		return append(bytes.Clone(text[:37]), "..."...)
	}
	return text
}

// shown makes a name or label fit into one line of an error message.
func shown(text string) string {
	text = string(clip([]byte(text)))
	for _, r := range text {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(text)
		}
	}
	return text
}

// checkText refuses files that are not text in UTF-8 or a superset of ASCII, drops
// a byte order mark, and refuses files too large for a span. Lines may end in LF,
// in CRLF, or in CR alone, as old spreadsheets write them. A CR alone becomes LF.
func checkText(file string, buf []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(buf, []byte{0xff, 0xfe}), bytes.HasPrefix(buf, []byte{0xfe, 0xff}):
		return nil, fmt.Errorf("%s: the file is UTF-16 text; save it as UTF-8", file)
	case bytes.HasPrefix(buf, []byte{0x1f, 0x8b}):
		return nil, fmt.Errorf("%s: the file is packed by gzip; let its name end in .gz, or unpack it", file)
	case bytes.HasPrefix(buf, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s: the file is compressed; unpack it first", file)
	case len(buf) > math.MaxInt32:
		return nil, fmt.Errorf("%s: the file has %d bytes; files up to 2 GiB can be read", file, len(buf))
	}
	if bytes.IndexByte(buf, '\n') < 0 {
		for i, c := range buf {
			if c == '\r' {
				buf[i] = '\n'
			}
		}
	}
	return bytes.TrimPrefix(buf, []byte("\xef\xbb\xbf")), nil
}

// encodingHint is what to add to an error about a name or a label that is not found
// in a file with letters in another encoding than UTF-8; "" for UTF-8. Where names
// and labels match, the encoding does not matter.
func encodingHint(file string, buf []byte) string {
	if utf8.Valid(buf) {
		return ""
	}
	line := 1
	for at := 0; at < len(buf); {
		r, size := utf8.DecodeRune(buf[at:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Sprintf("; %s:%d is not UTF-8 text, save the file as UTF-8 if names look wrong", file, line)
		}
		if r == '\n' {
			line++
		}
		at += size
	}
	return ""
}
