package read

import (
	"bytes"
	"fmt"
	"strings"
)

// blankSeparator is the separator of format blank: runs of spaces and tabs separate
// columns. Blanks at the ends of a line are ignored.
const blankSeparator = 0

// parseCSV parses columns separated by one character, or by blanks. Values may be
// quoted with '"' ("" inside is one quote); a quoted value may hold separators and
// line ends. Blanks around values, CRLF, a byte order mark, blank lines and a
// missing last line end are accepted. Rows of different lengths are an error. parseCSV
// changes buf, and the table keeps buf. byRow says that the caller asks for the cells row
// by row. The table then holds the cells of one row only, unless values are quoted.
func parseCSV(file string, buf []byte, separator byte, header bool, names []string, byRow bool, b *budget) (*table, error) {
	buf, err := checkText(file, buf)
	if err != nil {
		return nil, err
	}
	byRow = byRow && bytes.IndexByte(buf, '"') < 0 // what is quoted is found once, since its quotes are undone in place
	lines, cells := countCells(buf, separator)
	memory, held := plus(product(int64(lines), lineBytes), product(int64(cells), cellBytes)), cells
	if byRow {
		held = mostCells(buf, separator)
		memory = plus(product(int64(lines), lineBytes+startBytes), product(int64(held), cellBytes))
	}
	if !b.fits(memory) {
		return nil, b.refuse(memory, "take fewer rows or columns", "%s: %d lines with %d values", file, lines, cells)
	}
	t := &table{file: file, buf: buf, names: names, lines: make([]int32, 0, lines), hint: encodingHint(file, buf)}
	t.row = csvScanner{file: file, buf: buf, sep: separator, line: 1, cells: make([]span, 0, held)}
	if byRow {
		t.starts = make([]uint32, 0, lines)
	}
	s := &t.row
	width, first := -1, 0
	for s.pos < len(buf) {
		if byRow {
			s.cells = s.cells[:0]
		}
		line, start, at := s.line, len(s.cells), s.pos
		if err := s.record(); err != nil {
			return nil, err
		}
		n := len(s.cells) - start
		if n == 0 {
			continue
		}
		if width < 0 {
			width, first = n, line
			if header {
				t.names = make([]string, n)
				for j, c := range s.cells {
					t.names[j] = string(buf[c.start:c.end])
				}
				s.cells = s.cells[:0]
				continue
			}
		}
		if n != width {
			advice := "repair the line, or check separator and quotes"
			if key := otherSeparator(buf, separator); width == 1 && key != "" {
				advice = "write " + key
			}
			return nil, fmt.Errorf("%s:%d: the line has %d columns and line %d has %d; %s", file, line, n, first, width, advice)
		}
		t.lines = append(t.lines, int32(line))
		if byRow {
			t.starts = append(t.starts, uint32(at))
		}
	}
	if len(t.lines) == 0 {
		return nil, fmt.Errorf("%s: the file has no data rows", file)
	}
	t.cells, t.held = s.cells, len(t.lines)-1
	return t, t.nameColumns(width, separator)
}

// hold finds the cells of row i again, in a table that holds those of one row.
func (t *table) hold(i int) {
	t.row.pos, t.row.cells = int(t.starts[i]), t.row.cells[:0]
	if err := t.row.record(); err != nil {
		panic(err) // an error of quotes, and such a table has none
	}
	t.cells, t.held = t.row.cells, i
}

// nameColumns checks the names against the number of columns found.
func (t *table) nameColumns(width int, separator byte) error {
	if t.names == nil {
		t.names = make([]string, width)
	}
	if len(t.names) != width {
		return fmt.Errorf("%s: the file has %d columns and columns lists %d names; make the two agree", t.file, width, len(t.names))
	}
	if width > 1 {
		return nil
	}
	if key := otherSeparator(t.buf, separator); key != "" {
		return fmt.Errorf("%s: every line has one column only; write %s", t.file, key)
	}
	return fmt.Errorf("%s: every line has one column only; a set needs an input and a label", t.file)
}

// otherSeparator looks in the first line for a separator other than the one that was used.
// It returns the line of a description that names this separator; "" if there is none.
func otherSeparator(buf []byte, separator byte) string {
	firstLine, _, _ := bytes.Cut(buf, []byte("\n"))
	for _, other := range []struct{ mark, key string }{{",", `separator = ","`}, {";", `separator = ";"`}, {"\t", `separator = "tab"`}, {" ", `format = "blank"`}} {
		if other.mark != string(separator) && strings.Contains(string(bytes.TrimSpace(firstLine)), other.mark) {
			return other.key
		}
	}
	return ""
}

// countCells counts the lines and the cells that buf can hold at most. If quotes hold
// separators or line ends, there are fewer.
func countCells(buf []byte, separator byte) (lines, cells int) {
	lines = bytes.Count(buf, []byte("\n")) + 1
	if separator != blankSeparator {
		return lines, lines + bytes.Count(buf, []byte{separator})
	}
	previous := byte(' ')
	for _, c := range buf {
		if !isBlank(c) && c != '\n' && (isBlank(previous) || previous == '\n') {
			cells++
		}
		previous = c
	}
	return lines, cells
}

// mostCells counts the cells that a line of buf can hold at most.
func mostCells(buf []byte, separator byte) (most int) {
	for len(buf) > 0 {
		line, rest, _ := bytes.Cut(buf, []byte("\n"))
		_, cells := countCells(line, separator)
		most, buf = max(most, cells), rest
	}
	return most
}

// A csvScanner appends the cells of one record after another.
type csvScanner struct {
	file  string
	buf   []byte
	sep   byte
	pos   int
	line  int
	cells []span
	first int // index in cells of the record's first cell
}

// record appends the cells of the record at pos, none for a blank line, and moves
// past its line end.
func (s *csvScanner) record() error {
	s.first = len(s.cells)
	s.skipBlanks()
	if s.atLineEnd() {
		s.nextLine()
		return nil
	}
	for {
		if err := s.field(); err != nil {
			return err
		}
		if s.atLineEnd() {
			s.nextLine()
			return nil
		}
		if s.sep != blankSeparator {
			s.pos++
			s.skipBlanks()
		}
	}
}

// field appends one cell and stops at a separator or a line end; blanks around it
// are skipped.
func (s *csvScanner) field() error {
	if s.pos < len(s.buf) && s.buf[s.pos] == '"' {
		return s.quoted()
	}
	start := s.pos
	for s.pos < len(s.buf) && !s.atSeparator(s.buf[s.pos]) && s.buf[s.pos] != '\n' {
		s.pos++
	}
	end := s.pos
	for end > start && isBlank(s.buf[end-1]) {
		end--
	}
	s.cells = append(s.cells, span{uint32(start), uint32(end)})
	s.skipBlanks()
	return nil
}

// quoted appends one quoted cell, its doubled quotes undone in place.
func (s *csvScanner) quoted() error {
	openLine := s.line
	s.pos++
	start, end := s.pos, s.pos
	for {
		if s.pos >= len(s.buf) {
			return fmt.Errorf("%s:%d: a quote is opened and never closed; close it, or double it if it belongs to the value", s.file, openLine)
		}
		c := s.buf[s.pos]
		s.pos++
		if c == '"' {
			if s.pos >= len(s.buf) || s.buf[s.pos] != '"' {
				break
			}
			s.pos++
		}
		if c == '\n' {
			s.line++
		}
		s.buf[end] = c
		end++
	}
	s.cells = append(s.cells, span{uint32(start), uint32(end)})
	blankAfter := s.pos < len(s.buf) && isBlank(s.buf[s.pos])
	s.skipBlanks()
	if !s.atLineEnd() && !s.atSeparator(s.buf[s.pos]) && !(s.sep == blankSeparator && blankAfter) {
		return fmt.Errorf("%s:%d: text follows the closing quote of column %d; quote the whole value and double the quotes inside it", s.file, s.line, len(s.cells)-1-s.first)
	}
	return nil
}

// skipBlanks moves past blanks that do not separate columns. In format blank it moves
// past all blanks.
func (s *csvScanner) skipBlanks() {
	for s.pos < len(s.buf) && isBlank(s.buf[s.pos]) && (s.sep == blankSeparator || s.buf[s.pos] != s.sep) {
		s.pos++
	}
}

func (s *csvScanner) atSeparator(c byte) bool {
	if s.sep == blankSeparator {
		return c == ' ' || c == '\t'
	}
	return c == s.sep
}

func (s *csvScanner) atLineEnd() bool { return s.pos >= len(s.buf) || s.buf[s.pos] == '\n' }

func (s *csvScanner) nextLine() {
	s.pos++
	s.line++
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
