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
// separator at the ends of all lines. No name is a value of its column. Where names are numbers or values, something
// else must tell them: see isToldHeader.
func (s *source) findHeader() {
	cells := s.parts[0]
	if s.names = cells.Names; s.names != nil {
		return
	}
	s.names = make([]string, cells.Width)
	names, words, recurs := make([]string, cells.Width), make([]bool, cells.Width), make([]bool, cells.Width)
	s.header = true
	for j := range names {
		text := cells.at(0, j)
		words[j] = !likeNumber(text) && !IsMissingMark(text)
		names[j] = string(text)
		for i := 1; i < cells.rows() && words[j] && !recurs[j]; i++ {
			recurs[j] = bytes.Equal(cells.at(i, j), text)
		}
		s.header = s.header && (words[j] || names[j] == "" && (j == 0 || cells.empty(j)))
	}
	value := slices.Index(recurs, true)
	if mayBe := s.header; !s.header || value >= 0 {
		if s.header = s.isToldHeader(names, words, recurs); s.header {
			s.note("the first line is read as the names of the columns: %s", listed(names))
		} else if mayBe && slices.Contains(recurs, false) {
			s.note("the first line is read as a row, since %q is in its column again; if it names the columns, name "+
				"one by --label", clip(names[value]))
		}
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

// likeNumber reports a number, or a text in whose notation people write one.
func likeNumber(text []byte) bool {
	_, number := wording.ParseDecimal(text)
	_, comma := commaNumber(text)
	return number || comma || notationOf(text, Style{}) != NoNumber
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

// isToldHeader reports that the first line names the columns although some of its texts are numbers, or values of their
// columns. Each of these six signs is enough. The line counts the columns from 0, as pandas writes a data frame without
// names, perhaps behind the empty name of the index. A text of the line is the name that the user gave by an option. A
// text is a usual name of a label, and no value of its column. A word is above a column of numbers. The word above the
// last column is none of the values of that column, which repeat. The numbers of the line ascend, see ascends.
func (s *source) isToldHeader(names []string, words, recurs []bool) bool {
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
		if name == s.hints.Label || name == s.hints.Group || slices.Contains(s.hints.Drop, name) ||
			len(name) > 1 && slices.Contains(usual, strings.ToLower(name)) && !recurs[j] {
			return true
		}
		known, over, levels := 0, true, map[string]bool{}
		last := j == s.lastWithValues() && !recurs[j] && !slices.Contains(words, false)
		for i := 1; i < cells.rows() && (over || last); i++ {
			if text := cells.at(i, j); !IsMissingMark(text) && !cells.repeatsFirst(i) {
				known, over, levels[string(text)] = known+1, over && likeNumber(text), true
			}
		}
		if known > 1 && (over || last && 4*len(levels) <= known) {
			return true
		}
	}
	return s.ascends(names, words, recurs)
}

// ascends reports that the numbers of the first line become larger from column to column. They are years, or three
// numbers at least. Each number is below or above all values of its column, and no word is a value of its column.
func (s *source) ascends(names []string, words, recurs []bool) bool {
	cells, numbers, last := s.parts[0], 0, math.Inf(-1)
	for j, name := range names {
		if words[j] {
			continue
		}
		v, number := wording.ParseDecimal([]byte(name))
		if !number || v <= last {
			return false
		}
		if last, numbers = v, numbers+1; v >= 1900 && v <= 2100 && v == math.Trunc(v) {
			numbers++ // a year
		}
		above, below := 0, 0
		for i := 1; i < cells.rows(); i++ {
			if x, ok := wording.ParseDecimal(cells.at(i, j)); ok && x >= v {
				above++
			} else if ok {
				below++
			}
		}
		if above > 0 && below > 0 {
			return false
		}
	}
	return numbers > 2 && slices.Contains(words, true) && !slices.Contains(recurs, true)
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
