package describe

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/wording"
)

// findHeader decides whether the first line names the columns. No name is a number or missing, except that spreadsheets
// and pandas leave the first name empty, and that a column without any value needs no name, such as the one behind a
// separator at the ends of all lines. In at least one column no further row has the name as its value.
func (s *source) findHeader() {
	cells := s.parts[0]
	if s.names = cells.Names; s.names != nil {
		return
	}
	s.names = make([]string, cells.Width)
	names, differs := make([]string, cells.Width), false
	for j := range names {
		text := cells.at(0, j)
		_, number := wording.ParseDecimal(text)
		_, comma := read.CommaNumber(text)
		unnamed := len(text) == 0 && (j == 0 || cells.empty(j))
		if number || comma || read.NotationOf(text, read.Style{}) != read.NoNumber ||
			read.IsMissingMark(text) && !unnamed {
			return
		}
		names[j] = string(text)
		again := false
		for i := 1; i < cells.rows() && !again; i++ {
			again = bytes.Equal(cells.at(i, j), text)
		}
		differs = differs || !again
	}
	if s.header = differs; s.header {
		s.first, s.names = 1, names
	}
}

// nameOf is a column's name for people.
func (s *source) nameOf(j int) string {
	if s.names[j] == "" {
		return fmt.Sprint(j)
	}
	return s.names[j]
}

// byName reports whether a column can be called by its name: it is text, and no other column has it.
func (s *source) byName(j int) bool {
	if s.named == nil {
		s.named = map[string]int{}
		for _, name := range s.names {
			s.named[name]++
		}
	}
	name := s.names[j]
	return name != "" && utf8.ValidString(name) && s.named[name] == 1
}
