package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

func (s *source) dates(c *column, k *known) {
	if c.kind >= YearLast && s.order == "" && !s.findOrder(c) {
		return
	}
	if !s.areMarks(c, k) {
		return
	}
	days, example := k.numbers[:0], ""
	for i, kind := range k.kinds {
		if kind == c.kind {
			v, _ := s.value(s.text(i, c.j))
			days = append(days, v)
			if example == "" {
				example = fmt.Sprintf("%q is %s", clip(s.text(i, c.j)), day(v))
			}
		}
	}
	slices.Sort(days)
	c.numeric, c.low, c.high = true, days[0], days[len(days)-1]
	c.findSentinels(days, s, func(v float64) bool { return slices.Contains(noDates, day(v)) }, day)
	c.distinct = len(slices.Compact(days))
	parts := DateParts
	s.note("column %s: dates (%s) become days since the earliest training row, the month and the day of the week: %s",
		c.name, example, strings.Join([]string{c.name + parts[0], c.name + parts[1], c.name + parts[2]}, ", "))
}

// noDates are dates that people and programs write for a missing one.
var noDates = []string{"0001-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2099-12-31",
	"2999-12-31", "9999-12-31"}

// day writes days since 1970 as a date.
func day(days float64) string {
	return time.Unix(int64(math.Floor(days))*86400, 0).UTC().Format(time.DateOnly)
}

// findOrder finds out whether the day or the month comes first in dates that end with the year. A date with a number
// above 12 tells, of any column. If none does, or if they disagree, the column is left out with a problem.
func (s *source) findOrder(c *column) bool {
	tells := map[string]string{} // by order: where a date has it
	for j := range s.names {
		known := 0
		for i := range s.rows() {
			text := s.text(i, j)
			if s.missing(text, j) {
				continue
			}
			_, kind, _ := readDate(text, "")
			if known++; kind < YearLast && known == 1 {
				break // a column of other texts
			}
			_, _, isDay := readDate(text, catalogue.DayFirst)
			_, _, isMonth := readDate(text, catalogue.MonthFirst)
			if isDay != isMonth {
				order := map[bool]string{true: catalogue.DayFirst, false: catalogue.MonthFirst}[isDay]
				tells[order] = cmp.Or(tells[order], fmt.Sprintf("%s %q", s.where(i), clip(text)))
			}
		}
	}
	first, second := tells[catalogue.DayFirst], tells[catalogue.MonthFirst]
	switch {
	case first != "" && second != "":
		s.problem("column %s: some dates of the file have the day first (%s) and some the month first (%s); "+
			"write all as 2020-12-31", c.name, first, second)
	case first != "":
		s.order = catalogue.DayFirst
	case second != "":
		s.order = catalogue.MonthFirst
	default:
		i := 0
		for s.missing(s.text(i, c.j), c.j) {
			i++
		}
		s.problem("column %s: nothing tells whether the day or the month comes first in dates such as %q (%s); "+
			"say so by --date-order %s or %s", c.name, clip(s.text(i, c.j)), s.where(i), catalogue.DayFirst,
			catalogue.MonthFirst)
	}
	if s.order == "" {
		c.leave(s, "it is not known whether the day or the month comes first in its dates")
	}
	return s.order != ""
}
