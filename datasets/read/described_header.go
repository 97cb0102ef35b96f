package read

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/wording"
)

// findHeader decides whether the first line names the columns. No name is a number or missing, except that spreadsheets
// and pandas leave the first name empty, and that a column without any value needs no name, such as the one behind a
// separator at the ends of all lines. In at least one column no further row has the name as its value. Where names are
// numbers, such as years, something else must tell them: see isNumberedHeader.
func (s *source) findHeader() {
	cells := s.parts[0]
	if s.names = cells.Names; s.names != nil {
		return
	}
	s.names = make([]string, cells.Width)
	names, differs, words := make([]string, cells.Width), false, make([]bool, cells.Width)
	for j := range names {
		text := cells.at(0, j)
		_, number := wording.ParseDecimal(text)
		_, comma := commaNumber(text)
		words[j] = !number && !comma && notationOf(text, Style{}) == NoNumber &&
			!IsMissingMark(text)
		names[j] = string(text)
		again := false
		for i := 1; i < cells.rows() && !again; i++ {
			again = bytes.Equal(cells.at(i, j), text)
		}
		differs = differs || !again
	}
	unnamed := func(j int) bool { return names[j] == "" && (j == 0 || cells.empty(j)) }
	s.header = differs
	for j := range names {
		s.header = s.header && (words[j] || unnamed(j))
	}
	if !s.header && s.isNumberedHeader(names, words) {
		s.header = true
		s.note("the first line is read as the names of the columns: %s", listed(names))
	}
	if s.header {
		s.first, s.names = 1, names
	}
}

// isNumberedHeader reports that the first line names the columns although some names are numbers: it counts the columns
// from 0, as a data frame of pandas without names does, perhaps behind the empty name of its index; or it has a name
// that an option tells; or it has a word over a column of numbers.
func (s *source) isNumberedHeader(names []string, words []bool) bool {
	cells, counted := s.parts[0], names
	if counted[0] == "" {
		counted = names[1:]
	}
	counts := len(counted) > 2
	for j, name := range counted {
		counts = counts && name == strconv.Itoa(j)
	}
	if counts {
		return true
	}
	for j, name := range names {
		if !words[j] {
			continue
		}
		if name == s.hints.Label || name == s.hints.Group || slices.Contains(s.hints.Drop, name) {
			return true
		}
		numbers := cells.rows() > 2
		for i := 1; i < cells.rows() && numbers; i++ {
			_, numbers = wording.ParseDecimal(cells.at(i, j))
		}
		if numbers {
			return true
		}
	}
	return false
}

func (s *source) nameOf(j int) string {
	if s.names[j] == "" {
		return fmt.Sprint(j)
	}
	return clip(s.names[j])
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
