package describe

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/read"
)

// A column is what was found of one column of the file.
type column struct {
	j        int
	name     string
	numeric  bool
	drop     string         // why the column is left out; "" if it is an input
	missing  int            // rows without a value
	marks    map[string]int // the texts of missing values, with their rows
	levels   map[string]int // of a column of categories: rows of each
	distinct int
	values   []float64 // of a column of numbers: the known values, sorted
}

// number reads a number in the file's notation.
func (s *source) number(text []byte) (float64, bool) { return read.Number(text, s.decimal) }

var likeIdentifier = regexp.MustCompile(`(?i)^(id|uuid|guid|key|index|row|nr|no|number|unnamed.*|.*[ _.-](id|uuid|nr|no|key))$`)

// look finds out what column j holds, and notes what is odd about it.
func (s *source) look(j int, d *Description) *column {
	c := &column{j: j, name: s.nameOf(j), marks: map[string]int{}, levels: map[string]int{}}
	if j == s.label {
		c.drop = "label"
		return c
	}
	var strays []int // rows whose value is no number
	for i := range s.rows() {
		text := s.text(i, j)
		if read.IsMissingMark(text) {
			c.missing++
			c.marks[string(text)]++
			continue
		}
		c.levels[string(text)]++
		if v, ok := s.number(text); ok {
			c.values = append(c.values, v)
		} else {
			strays = append(strays, i)
		}
	}
	known := s.rows() - c.missing
	switch c.distinct = len(c.levels); {
	case known == 0:
		c.drop = "it is empty"
	case s.parts[0].Nominal(j):
	case len(strays) == 0:
		c.numbers(d)
	case 5*len(c.values) >= 4*known:
		s.mostlyNumbers(c, strays, d)
	default:
		s.texts(c, strays, d)
	}
	if c.drop == "" && c.distinct == 1 {
		c.drop = fmt.Sprintf("every known value is %q", clip(sortedKeys(c.levels)[0]))
	}
	if c.drop != "" {
		d.note("column %s is left out: %s", c.name, c.drop)
	}
	return c
}

// numbers looks at a column of numbers: identifiers, and marks such as -999.
func (c *column) numbers(d *Description) {
	c.numeric = true
	falls := 0 // in the order of the file
	for i := 1; i < len(c.values); i++ {
		if c.values[i] <= c.values[i-1] {
			falls++
		}
	}
	slices.Sort(c.values)
	v, n := c.values, len(c.values)
	c.distinct = len(slices.Compact(slices.Clone(v)))
	whole := !slices.ContainsFunc(v, func(x float64) bool { return x != float64(int64(x)) })
	if c.distinct > 1 {
		c.levels = nil // of many texts
	}
	low, high := v[0], v[n-1]
	switch {
	case n > 10 && whole && 20*falls < n && high-low == float64(c.distinct-1):
		c.drop = "it numbers the rows"
	case n > 10 && whole && 10*c.distinct > 9*n && likeIdentifier.MatchString(c.name):
		c.drop = "it looks like an identifier, different in almost each row"
	}
	for _, end := range []float64{low, high} {
		rest := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return x == end })
		if times := n - len(rest); times >= 3 && len(rest) > 1 && sentinel(end) {
			if gap := max(rest[0]-end, end-rest[len(rest)-1]); gap > rest[len(rest)-1]-rest[0] && rest[0] < rest[len(rest)-1] {
				d.note("column %s has %v in %d rows, far from its other values %v to %v: if it stands for a missing value, add it to missing, with impute = \"median\"", c.name, end, times, rest[0], rest[len(rest)-1])
			}
		}
	}
	if whole && c.drop == "" && c.distinct > 2 && c.distinct <= 10 && n >= 50 {
		d.note("column %s has %d whole numbers, %v to %v: if they are categories, list it in categorical", c.name, c.distinct, low, high)
	}
}

// sentinel reports numbers that people write for a missing value.
func sentinel(v float64) bool {
	return slices.Contains([]float64{-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999}, v)
}

// mostlyNumbers looks at what else a column of numbers holds: a few words are marks of missing values, anything else is a
// problem.
func (s *source) mostlyNumbers(c *column, strays []int, d *Description) {
	words := map[string]int{}
	for _, i := range strays {
		words[string(s.text(i, c.j))]++
	}
	if keys := sortedKeys(words); len(keys) <= 3 && !slices.ContainsFunc(keys, func(w string) bool { return strings.ContainsAny(w, "0123456789") }) {
		for w, n := range words {
			c.marks[w] += n
			c.missing += n
			delete(c.levels, w)
		}
		d.note("column %s: %s in %d rows is read as a missing value", c.name, listed(keys), len(strays))
		c.numbers(d)
		return
	}
	s.cannotRead(c, strays, d)
}

// findAmbiguous looks for words that stand for a missing value in a column of numbers, and for a category or a class elsewhere. The key
// missing holds for all columns.
func (s *source) findAmbiguous(d *Description) {
	for _, c := range s.columns {
		if c.drop != "" || !c.numeric {
			continue
		}
		for _, mark := range slices.Sorted(maps.Keys(c.marks)) {
			if read.IsMissingMark([]byte(mark)) {
				continue
			}
			for _, other := range s.columns {
				if other.drop == "" && other.j != s.label && !other.numeric && other.levels[mark] > 0 {
					d.problem("%q is read as a missing value in column %s, and is a category of column %s; write another text in one of them", mark, c.name, other.name)
				}
			}
			if slices.ContainsFunc(s.classes, func(k class) bool { return k.name == mark }) {
				d.problem("%q is read as a missing value in column %s, and is a label; write another text in one of them", mark, c.name)
			}
		}
	}
}

// cannotRead says which values of a column are no numbers.
func (s *source) cannotRead(c *column, strays []int, d *Description) {
	var places []string
	for _, i := range strays[:min(3, len(strays))] {
		places = append(places, fmt.Sprintf("%s %q", s.where(i), clip(string(s.text(i, c.j)))))
	}
	what, advice := "not a number", "repair them, or list them in missing"
	switch read.NotationOf(s.text(strays[0], c.j), s.decimal) {
	case read.Date, read.Time:
		what, advice = "a date or a time", "write numbers in their place, such as days"
	case read.Thousands:
		what, advice = "written with thousands separators", "remove these from the file"
	case read.CommaAmbiguous:
		what, advice = "written with a comma", "remove it if it separates thousands, or write decimal = \",\" if it is a decimal comma"
	case read.DecimalComma, read.DecimalPoint:
		what, advice = "written with another decimal separator", "write one of them throughout the file"
	}
	c.drop = fmt.Sprintf("%s %s", values(len(strays)), what)
	d.problem("column %s: %s %s (%s); %s", c.name, values(len(strays)), what, strings.Join(places, ", "), advice)
}

func values(n int) string {
	if n == 1 {
		return "1 value is"
	}
	return fmt.Sprint("each of ", n, " values is")
}

// texts looks at a column of texts: dates, identifiers, or categories.
func (s *source) texts(c *column, strays []int, d *Description) {
	known := len(strays) + len(c.values)
	kinds := map[read.Notation]int{}
	for _, i := range strays {
		kinds[read.NotationOf(s.text(i, c.j), s.decimal)]++
	}
	c.values = nil
	switch {
	case 5*(known-kinds[read.NoNumber]) >= 4*known:
		s.cannotRead(c, slices.DeleteFunc(strays, func(i int) bool { return read.NotationOf(s.text(i, c.j), s.decimal) == read.NoNumber }), d)
	case c.distinct > read.MaxLevels:
		c.drop = fmt.Sprintf("it has %d different texts", c.distinct)
	case known > 10 && (c.distinct == known || 2*c.distinct > known && known >= 50):
		c.drop = fmt.Sprintf("it looks like an identifier or free text: %d different values in %d rows", c.distinct, known)
	}
}

// rare is the number of rows under which a level is rare.
const rare = 5

// levels says which levels are rare, and which only the test file has.
func (s *source) levels(d *Description) {
	train := s.parts[0].rows() - s.first
	for _, c := range s.columns {
		if c.drop != "" || c.numeric {
			continue
		}
		seen := map[string]bool{}
		for i := range train {
			seen[string(s.text(i, c.j))] = true
		}
		var few, unseen []string
		for _, level := range sortedKeys(c.levels) {
			switch {
			case !seen[level]:
				unseen = append(unseen, level)
			case c.levels[level] < rare:
				few = append(few, level)
			}
		}
		if few != nil {
			d.note("column %s: levels with fewer than %d rows, which a fold may have in its validation part alone: %s", c.name, rare, listed(few))
		}
		if unseen != nil {
			d.note("column %s: levels of the test file that no training row has: %s", c.name, listed(unseen))
		}
	}
}
