package read

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
)

// english and german are the usual styles with separators of thousands: 1,234.5 and 1.234,5.
var english, german = Style{Thousands: ","}, Style{Decimal: ",", Thousands: "."}

// A tally counts how the known values of a column are written.
type tally struct {
	j, known     int
	point, comma votes            // for either decimal separator
	small, large int              // numbers without any separator, below and from 1000 on
	groups       map[Style]groups // nil if there are none
}

// votes are the numbers with a decimal separator.
type votes struct {
	n    int
	sure bool // the separator of at least one of them cannot be one of thousands
}

// groups are the values with separators of thousands.
type groups struct {
	n       int
	sure    bool // at least one of them can be read in no other way
	example string
}

func (s *source) tallyOf(j int) *tally {
	t := &tally{j: j}
	for i := range s.rows() {
		if text := s.text(i, j); !IsMissingMark(text) {
			t.known++
			bare, _ := withoutUnit(text)
			t.add(bytes.TrimSpace(bare))
		}
	}
	return t
}

func (t *tally) add(text []byte) {
	v, number := wording.ParseDecimal(text)
	_, comma := commaNumber(text)
	switch {
	case number && bytes.IndexByte(text, '.') >= 0:
		t.point.add(!t.group(german, text))
		return
	case number && math.Abs(v) < 1000:
		t.small++
		return
	case number:
		t.large++
		return
	case len(text) == 0 || !strings.ContainsRune("+-0123456789", rune(text[0])):
		return
	}
	fits := map[string]bool{} // by decimal separator
	for _, style := range styles {
		if t.group(style, text) {
			fits[style.Decimal] = true
		}
	}
	switch {
	case comma:
		t.comma.add(!fits[""])
	case fits[""] && !fits[","]:
		t.point.add(true)
	case fits[","] && !fits[""]:
		t.comma.add(true)
	}
}

func (v *votes) add(sure bool) { v.n, v.sure = v.n+1, v.sure || sure }

// group counts a text whose thousands the style separates, and reports whether it is one.
func (t *tally) group(style Style, text []byte) bool {
	fits, sure := style.Grouped(text)
	if fits {
		if t.groups == nil {
			t.groups = map[Style]groups{}
		}
		g := t.groups[style]
		if g.n++; g.n == 1 || sure && !g.sure {
			g.example = string(text)
		}
		g.sure = g.sure || sure
		t.groups[style] = g
	}
	return fits
}

// often reports more than a fifth of the known values. What is less often may be a slip.
func (t *tally) often(n int) bool { return 5*n > t.known }

// findStyle finds out how the file writes numbers, as far as --thousands does not say it.
func (s *source) findStyle() error {
	switch takes := s.format.Takes("thousands"); {
	case s.hints.Thousands == "" && !takes:
		return nil
	case !takes:
		return fmt.Errorf("%s: --thousands is for files in format %s", s.paths[0],
			catalogue.FormatNames("thousands", "or"))
	case s.hints.Thousands != "" && !slices.Contains(catalogue.Separators, s.hints.Thousands):
		return fmt.Errorf("--thousands %q is not one of \"%s\"", s.hints.Thousands,
			strings.Join(catalogue.Separators, `", "`))
	case s.hints.Thousands == german.Thousands && !s.format.Takes("decimal"):
		return fmt.Errorf("%s: --thousands . is for numbers with a decimal comma, which format %s does not take",
			s.paths[0], s.format.Name)
	}
	var tallies []*tally // of the columns in which something separates
	for j := range s.parts[0].Width {
		if t := s.tallyOf(j); t.point.n+t.comma.n+len(t.groups) > 0 {
			tallies = append(tallies, t)
		}
	}
	if s.style.Thousands = s.hints.Thousands; s.hints.Thousands == german.Thousands {
		s.style = german
	} else if s.hints.Thousands != english.Thousands && s.format.Takes("decimal") {
		s.findDecimal(tallies)
	}
	if s.hints.Thousands == "" {
		s.findThousands(tallies)
	}
	return nil
}

// findDecimal decides whether numbers have a decimal comma: at least one column surely has decimal commas, and no
// column surely has decimal points.
func (s *source) findDecimal(tallies []*tally) {
	var commas, points []string
	for _, t := range tallies {
		switch {
		case t.comma.sure && t.often(t.comma.n):
			commas = append(commas, s.nameOf(t.j))
		case t.point.sure && t.often(t.point.n):
			points = append(points, s.nameOf(t.j))
		}
	}
	if s.points = points != nil; commas != nil && !s.points {
		s.style.Decimal = ","
	} else if commas != nil {
		s.problem("numbers have a decimal comma, or points between thousands, in %s, and a decimal point in %s; write "+
			"them one way throughout the file", listed(commas), listed(points))
	}
}

// findThousands decides what separates thousands, where a column shows it without doubt. In doubt nothing does. Then a
// column of numbers with commas is a problem, and a column with points is noted.
func (s *source) findThousands(tallies []*tally) {
	columns, example := map[string][]string{}, map[string]string{} // by separator
	for _, t := range tallies {
		for _, separator := range catalogue.Separators {
			style := Style{Decimal: s.style.Decimal, Thousands: separator}
			if g := t.groups[style]; g.n > 0 && s.mostAreNumbers(t, style) && s.certain(t, style) {
				columns[separator], example[separator] = append(columns[separator], s.nameOf(t.j)), g.example
			}
		}
		if s.style.Decimal == "" && !s.points && s.options.Separator != "," && t.groups[german].n == t.point.n &&
			t.often(t.point.n) && t.large == 0 {
			s.note("column %s: each number with a point has three digits behind the point, such as %q; if the point "+
				"separates thousands, say so by --thousands .", s.nameOf(t.j), t.groups[german].example)
		}
	}
	var found, texts []string
	for _, separator := range catalogue.Separators {
		if columns[separator] != nil {
			found = append(found, separator)
			texts = append(texts, fmt.Sprintf("%q in %s", separator, some(columns[separator])))
		}
	}
	switch len(found) {
	case 0:
	case 1:
		s.style.Thousands = found[0]
		v, _ := s.style.Number([]byte(example[found[0]]))
		s.note("%q separates thousands in %s: %q is read as %s", found[0], some(columns[found[0]]), example[found[0]],
			strconv.FormatFloat(v, 'f', -1, 64))
	default:
		s.problem("thousands are separated by %s; write one separator throughout the file",
			strings.Join(texts, " and by "))
	}
}

// mostAreNumbers reports a column of numbers in a style.
func (s *source) mostAreNumbers(t *tally, style Style) bool {
	n := 0
	for i := range s.rows() {
		if _, kind, _ := style.Value(s.text(i, t.j)); kind.IsNumber() {
			n++
		}
	}
	return 5*n >= 4*t.known
}

// certain reports that the groups of three digits in a column of numbers are those of thousands. A comma alone may be a
// decimal comma, unless the file separates its columns by commas or has decimal points. A blank alone may divide two
// numbers. A column in which exactly the numbers from 1000 on have the separator settles both.
func (s *source) certain(t *tally, style Style) bool {
	exactly := t.groups[style].sure || t.small > 0 && t.large == 0
	switch style.Thousands {
	case ",":
		return exactly || s.points || s.options.Separator == ","
	case " ":
		return exactly
	}
	return true // a decimal comma was found, and the separator is a point; or it is an apostrophe or an underscore
}
