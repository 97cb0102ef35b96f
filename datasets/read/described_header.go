package read

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/wording"
)

// findHeader decides whether the first line names the columns. No name is a number or missing, except that spreadsheets
// and pandas leave the first name empty, and that a column without any value needs no name, such as the one behind a
// separator at the ends of all lines. No name is a value of its column, but where the whole line is there again. Where
// names are numbers or such values, something else must tell them: see isToldHeader.
func (s *source) findHeader() {
	cells := s.parts[0]
	if s.names = cells.Names; s.names != nil {
		return
	}
	s.names = make([]string, cells.Width)
	names, recurs, words := make([]string, cells.Width), false, make([]bool, cells.Width)
	for j := range names {
		text := cells.at(0, j)
		_, number := wording.ParseDecimal(text)
		_, comma := commaNumber(text)
		words[j] = !number && !comma && notationOf(text, Style{}) == NoNumber &&
			!IsMissingMark(text)
		names[j] = string(text)
		for i := 1; i < cells.rows() && words[j] && !recurs; i++ {
			recurs = bytes.Equal(cells.at(i, j), text) && !cells.repeatsFirst(i)
		}
	}
	unnamed := func(j int) bool { return names[j] == "" && (j == 0 || cells.empty(j)) }
	s.header = !recurs
	for j := range names {
		s.header = s.header && (words[j] || unnamed(j))
	}
	if !s.header && s.isToldHeader(names, words, recurs) {
		s.header = true
		s.note("the first line is read as the names of the columns: %s", listed(names))
	}
	if !s.header {
		return
	}
	s.first, s.names = 1, names
	for i := 1; i < cells.rows(); i++ {
		if cells.repeatsFirst(i) {
			s.problem("%s:%d: the line repeats the names of the columns; remove it", s.paths[0], cells.lines[i])
		}
	}
}

// repeatsFirst reports that a row has the values of the first one.
func (c *cells) repeatsFirst(i int) bool {
	for j := range c.Width {
		if !bytes.Equal(c.at(i, j), c.at(0, j)) {
			return false
		}
	}
	return true
}

// isToldHeader reports that the first line names the columns although some names are numbers or values: it counts the
// columns from 0, as a data frame of pandas without names does, perhaps behind the empty name of its index; or it has a
// name that an option tells or that is usual for a label; or it has a word over a column of numbers; or no word recurs
// in its column, and the numbers are ascending years, or three that ascend.
func (s *source) isToldHeader(names []string, words []bool, recurs bool) bool {
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
	ascend, numbers, last := !recurs && slices.Contains(words, true), 0, math.Inf(-1)
	for j, name := range names {
		if !words[j] {
			v, number := wording.ParseDecimal([]byte(name))
			ascend, last = ascend && number && v > last, v
			if numbers++; v >= 1900 && v <= 2100 && v == math.Trunc(v) {
				numbers++ // a year
			}
			continue
		}
		if name == s.hints.Label || name == s.hints.Group || slices.Contains(s.hints.Drop, name) ||
			len(name) > 1 && slices.Contains(usual, strings.ToLower(name)) {
			return true
		}
		over := cells.rows() > 2
		for i := 1; i < cells.rows() && over; i++ {
			_, over = wording.ParseDecimal(cells.at(i, j))
		}
		if over {
			return true
		}
	}
	return ascend && numbers > 2
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
