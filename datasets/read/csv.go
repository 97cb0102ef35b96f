package read

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// CSV is the format of columns separated by one character. Values may be quoted with '"' ("" inside is one quote). A
// quoted value may hold separators and line ends. Blanks around values, CRLF, a byte order mark, blank lines and a
// missing last line end are accepted. Rows of different lengths are an error, unless Options.Ragged is set. Comment
// lines, which begin with '#', may precede the first row. So may a line like sep=; which tells spreadsheets the
// separator. Separators behind the last column are left out where all rows but the first have them, or the first alone.
var CSV = Format{
	Format: catalogue.FormatNamed("csv"),
	Sniff: func(sample []byte) (Options, bool) {
		if match := separatorLine.FindSubmatch(sample); match != nil {
			return Options{Separator: string(match[1])}, true
		}
		return Options{Separator: string(separatorOf(sample))}, true
	},
	Read: func(f File) (*Table, error) { return readLines(f, f.Separator[0]) },
}

// A separatorLine is the first line of a file that tells spreadsheets the separator.
var separatorLine = regexp.MustCompile(`^"?(?i:sep)=([^"\r\n])"?[ \t\r]*(\n|$)`)

// Blank is CSV with runs of blanks and tabs as separators. Blanks at the start and the end of a line are ignored.
var Blank = Format{
	Format: catalogue.FormatNamed("blank"),
	Sniff:  func(sample []byte) (Options, bool) { return Options{}, separatorOf(sample) == blanks },
	Read:   func(f File) (*Table, error) { return readLines(f, blanks) },
}

const blanks = ' '

// separatorOf returns the separator with the best layout. Of two whose scores differ by at most 0.05 it prefers the one
// that it tries first. If none divides more than one row in twenty, it returns the comma.
func separatorOf(sample []byte) byte {
	best, separator := 0.0, byte(',')
	for _, c := range []byte{'\t', ';', '|', ',', blanks} {
		if l := layoutOf(sample, c); l.width > 1 && l.share > 0.05 && l.score() > best+0.05 {
			best, separator = l.score(), c
		}
	}
	return separator
}

// A layout is how a separator divides the rows of a sample.
type layout struct {
	width, line int     // the most frequent number of columns, and the first line that has it
	share       float64 // of the rows that have it
	clean       float64 // of the rows that have no other separator in a cell
	broken      float64 // of the rows whose quotes cannot be read
	first       bool    // the first row has it, which may name the columns
}

// score is large for a separator that divides all rows alike, and then for one that leaves no other separator in a row.
// The names of the columns seldom have another one, but a title may be before them.
func (l layout) score() float64 {
	s := l.share + (l.clean-l.broken)/4
	if l.first {
		s += 0.15
	}
	return s
}

// layoutOf reads a sample of a file with a separator. Where the quotes of a record cannot be read, its first line is
// divided at each separator. A record whose last quote is missing ends the reading: the end of the sample may cut it.
func layoutOf(sample []byte, separator byte) (l layout) {
	budget := Budget{Limit: 1 << 30}
	s := &scanner{file: File{Budget: &budget}, text: bytes.Clone(sample), separator: separator, line: 1}
	s.skipComments(&Table{})
	rows, clean, broken, head, counts, lines := 0, 0, 0, 0, map[int]int{}, map[int]int{}
	for s.pos < len(s.text) {
		line, start := s.line, s.pos
		err := s.record()
		if err != nil && s.pos >= len(s.text) {
			break
		}
		if err != nil {
			broken++
			s.text = bytes.Clone(sample) // where no quotes are undone
			divided, rest, _ := bytes.Cut(s.text[start:], []byte("\n"))
			s.pos, s.line, s.cells = len(s.text)-len(rest), line+1, bytes.FieldsFunc(divided, func(r rune) bool {
				return r < utf8.RuneSelf && s.separates(byte(r))
			})
		}
		if len(s.cells) == 0 {
			continue
		}
		if rows == 0 {
			s.leaveTrailing(&Table{})
			head = len(s.cells)
		}
		s.trim(head)
		n := len(s.cells)
		if counts[n]++; counts[n] == 1 {
			lines[n] = line
		}
		if rows++; !slices.ContainsFunc(s.cells, isMixed) {
			clean++
		}
	}
	if rows > 0 {
		l.width = mostFrequent(counts)
		all := float64(rows)
		l.share, l.clean, l.broken = float64(counts[l.width])/all, float64(clean)/all, float64(broken)/all
		l.first, l.line = head == l.width, lines[l.width]
	}
	return l
}

// isMixed reports a cell that another separator divides. A decimal comma does not, nor one blank between words.
func isMixed(cell []byte) bool {
	_, comma := commaNumber(cell)
	before, _, blank := bytes.Cut(cell, []byte(" "))
	return bytes.ContainsAny(cell, "\t;|") || bytes.Contains(cell, []byte("  ")) ||
		bytes.Contains(cell, []byte(",")) && !comma || blank && hasNumber([][]byte{before})
}

// mostFrequent returns the number with the largest count, and the largest of several. counts has the count of a number.
func mostFrequent(counts map[int]int) int {
	most := 0
	for n, times := range counts {
		if times > counts[most] || times == counts[most] && n > most {
			most = n
		}
	}
	return most
}

// readLines reads a file of format CSV or Blank.
func readLines(f File, separator byte) (*Table, error) {
	text, t, err := f.text()
	if err != nil {
		return nil, err
	}
	s := &scanner{file: f, text: text, separator: separator, line: 1}
	s.skipComments(t)
	first := 0 // line of the first record
	for s.pos < len(text) && len(s.cells) == 0 {
		first = s.line
		if err := s.record(); err != nil {
			return nil, err
		}
	}
	if len(s.cells) == 0 {
		return nil, fmt.Errorf("%s: the file has no data rows", f.Name)
	}
	s.leaveTrailing(t)
	t.Width, t.Names = len(s.cells), f.Columns
	if f.Header {
		t.Names = make([]string, t.Width)
		for j, c := range s.cells {
			t.Names[j] = string(c)
		}
		t.MaxRows--
	}
	if !f.Ragged {
		if err := s.checkColumns(t, first); err != nil {
			return nil, err
		}
	}
	t.Rows = func(yield func(Row, error) bool) { s.rows(yield, t, first) }
	return t, nil
}

// skipComments moves past the separatorLine, and past blank lines and comments before the first row. A line that begins
// with '#' is a comment if it has another number of columns than the first line that does not begin with '#', or if
// that line names the columns. Else the line with '#' may name them.
func (s *scanner) skipComments(t *Table) {
	if match := separatorLine.Find(s.text); match != nil && s.separator != blanks {
		s.pos, s.line = len(match), 2
	}
	hashed := func(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) }
	blank := func(line []byte) bool { return s.columns(line) == 0 && len(bytes.TrimSpace(line)) == 0 }
	found, lines := false, [][][]byte(nil) // the first two lines that are no comments
	for line := range bytes.Lines(s.text[s.pos:]) {
		if hashed(line) && lines == nil {
			found = true
		} else if !blank(line) {
			lines = append(lines, s.cellsOf(line))
		}
		if len(lines) == 2 {
			break
		}
	}
	if !found || lines == nil || len(lines[0]) == 0 {
		return
	}
	width := len(lines[0])
	if len(lines) == 2 && areNames(lines[0]) && hasNumber(lines[1]) {
		width = -1 // of no line
	}
	before := s.line
	for line := range bytes.Lines(s.text[s.pos:]) {
		if !blank(line) && (!hashed(line) || s.columns(line) == width) {
			break
		}
		s.pos += len(line)
		s.line++
	}
	if s.line > before {
		t.note("the rows begin in line %d; what comes before them is not read", s.line)
	}
}

// areNames reports whether the cells of a line can be the names of the columns: each cell is another text, and no cell
// is a number or a mark of a missing value.
func areNames(cells [][]byte) bool {
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[string(c)] || IsMissingMark(c) {
			return false
		}
		seen[string(c)] = true
	}
	return !hasNumber(cells)
}

// hasNumber reports whether at least one cell is a number, also one with a unit or a decimal comma.
func hasNumber(cells [][]byte) bool {
	return slices.ContainsFunc(cells, func(c []byte) bool {
		_, kind, _ := Style{}.Value(c)
		_, comma := commaNumber(c)
		return kind.IsNumber() || comma
	})
}

// leaveTrailing leaves out empty cells behind the last column, which the first record alone has, or the next one and
// then others.
func (s *scanner) leaveTrailing(t *Table) {
	if s.separator == blanks {
		return
	}
	for line := range bytes.Lines(s.text[min(s.pos, len(s.text)):]) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		n, next := len(s.cells), s.cellsOf(line)
		switch {
		case len(next) > n && empty(next[n:]):
			s.trailing = len(next) - n
		case len(next) > 0 && len(next) < n && empty(s.cells[len(next):]):
			s.cells = s.cells[:len(next)]
		default:
			return
		}
		t.note("separators behind the last column are not read")
		return
	}
}

// trim leaves out the trailing cells of a row of so many columns.
func (s *scanner) trim(n int) {
	if s.trailing > 0 && len(s.cells) == n+s.trailing && empty(s.cells[n:]) {
		s.cells = s.cells[:n]
	}
}

func empty(cells [][]byte) bool {
	return !slices.ContainsFunc(cells, func(c []byte) bool { return len(c) > 0 })
}

// columns counts the columns of a line. It returns 0 for a blank line, and for a line that is not a record by itself.
func (s *scanner) columns(line []byte) int { return len(s.cellsOf(line)) }

// cellsOf returns the cells of a line. The line must fit into the budget, from which nothing is taken.
func (s *scanner) cellsOf(line []byte) [][]byte {
	budget := *s.file.Budget
	one := &scanner{file: File{Budget: &budget}, text: bytes.Clone(line), separator: s.separator}
	if one.record() != nil {
		return nil
	}
	return one.cells
}

// rows yields the records. s.cells has the first one, which began in the line first and may be the header.
func (s *scanner) rows(yield func(Row, error) bool, t *Table, first int) {
	line := first
	for haveRow := !s.file.Header; ; haveRow = false {
		if !haveRow {
			if s.pos >= len(s.text) {
				return
			}
			line = s.line
			if err := s.record(); err != nil {
				yield(Row{}, err)
				return
			}
			s.trim(t.Width)
		}
		switch n := len(s.cells); {
		case n == 0:
		case n != t.Width && !s.file.Ragged:
			yield(Row{}, fmt.Errorf("%s:%d: the line has %d columns and line %d has %d; repair the line, or check "+
				"separator and quotes", t.File, line, n, first, t.Width))
			return
		default:
			if !yield(Row{Line: line, Cells: s.cells}, nil) {
				return
			}
		}
	}
}

// checkColumns checks the number of columns of the first record, which began in this line.
func (s *scanner) checkColumns(t *Table, line int) error {
	if t.Names != nil && len(t.Names) != t.Width {
		return fmt.Errorf("%s: the file has %d columns and the key columns lists %d names; make the two agree", t.File,
			t.Width, len(t.Names))
	}
	if t.Width > 1 {
		return nil
	}
	sample := s.text[:min(sniffed, len(s.text))]
	read := fmt.Sprintf("%s:%d: the line has one column only, %q", t.File, line, clip(bytes.Join(s.cells, nil)))
	usual := layoutOf(sample, s.separator)
	switch other := separatorOf(sample); {
	case other == blanks && s.separator != blanks:
		return fmt.Errorf(`%s; write format = "blank"`, read)
	case other != s.separator && layoutOf(sample, other).width > 1:
		return fmt.Errorf("%s; write separator = %q", read, strings.ReplaceAll(string(other), "\t", "tab"))
	case usual.width > 1 && usual.share > 0.5:
		return fmt.Errorf("%s, and most lines have %d; if what comes before line %d is a title or a comment, remove "+
			"it or begin its lines with #", read, usual.width, usual.line)
	}
	return fmt.Errorf("%s; a set needs an input and a label", read)
}

// A scanner finds the cells of one record after another.
type scanner struct {
	file      File
	text      []byte
	separator byte
	pos, line int
	cells     [][]byte
	trailing  int // empty cells behind the last column of rows, which are left out
}

// record finds the cells of the record at pos, none for a blank line, and moves past its line end.
func (s *scanner) record() error {
	s.cells = s.cells[:0]
	s.skipBlanks()
	for !s.atLineEnd() || len(s.cells) > 0 {
		cell, err := s.cell()
		if err == nil {
			err = s.keep(cell)
		}
		if err != nil {
			return err
		}
		if s.atLineEnd() {
			break
		}
		if s.separator != blanks {
			s.pos++
			s.skipBlanks()
		}
	}
	s.pos++
	s.line++
	return nil
}

// keep appends a cell, within the budget.
func (s *scanner) keep(cell []byte) error {
	const cellBytes = 24
	if n := len(s.cells); n == cap(s.cells) {
		more := max(n, 64)
		if memory := Product(int64(more), cellBytes); !s.file.Fits(memory) {
			return s.file.Refuse(memory, "take fewer columns", "%s:%d: %d values", s.file.Name, s.line, n)
		}
		s.cells = slices.Grow(s.cells, more)
	}
	s.cells = append(s.cells, cell)
	return nil
}

// cell returns the cell at pos, without the blanks around it, and stops at a separator or a line end.
func (s *scanner) cell() ([]byte, error) {
	if s.pos < len(s.text) && s.text[s.pos] == '"' {
		return s.quoted()
	}
	start, end := s.pos, s.pos
	for end < len(s.text) && !s.separates(s.text[end]) && s.text[end] != '\n' {
		end++
	}
	s.pos = end
	for end > start && isBlank(s.text[end-1]) {
		end--
	}
	s.skipBlanks()
	return s.text[start:end], nil
}

// quoted returns one quoted cell, its doubled quotes undone in place.
func (s *scanner) quoted() ([]byte, error) {
	opened := s.line
	s.pos++
	start, end := s.pos, s.pos
	for {
		if s.pos >= len(s.text) {
			return nil, fmt.Errorf("%s:%d: a quote is opened and never closed; close it, or double it if it belongs "+
				"to the value", s.file.Name, opened)
		}
		c := s.text[s.pos]
		s.pos++
		if c == '"' {
			if s.pos >= len(s.text) || s.text[s.pos] != '"' {
				break
			}
			s.pos++
		}
		if c == '\n' {
			s.line++
		}
		s.text[end] = c
		end++
	}
	blankAfter := s.pos < len(s.text) && isBlank(s.text[s.pos])
	s.skipBlanks()
	if !s.atLineEnd() && !s.separates(s.text[s.pos]) && !(s.separator == blanks && blankAfter) {
		return nil, fmt.Errorf("%s:%d: text follows the closing quote of column %d; quote the whole value and double "+
			"the quotes inside it", s.file.Name, s.line, len(s.cells))
	}
	return s.text[start:end], nil
}

// skipBlanks moves past blanks that do not separate columns, and in format blank past all blanks.
func (s *scanner) skipBlanks() {
	for s.pos < len(s.text) && isBlank(s.text[s.pos]) && (s.separator == blanks || s.text[s.pos] != s.separator) {
		s.pos++
	}
}

func (s *scanner) separates(c byte) bool {
	return c == s.separator || s.separator == blanks && c == '\t'
}

func (s *scanner) atLineEnd() bool { return s.pos >= len(s.text) || s.text[s.pos] == '\n' }
