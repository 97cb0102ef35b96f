package read

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
)

// A column is what was found of one column of the file.
type column struct {
	j        int
	name     string
	unnamed  bool // other columns have names
	numeric  bool
	kind     Kind     // of a column of numbers
	yes      int      // rows
	drop     string   // why the column is left out; "" if it is an input
	missing  int      // rows without a value
	words    []string // in a column of numbers, what else than the usual marks means a missing value
	distinct int      // known values
	low      float64  // of a column of numbers
	high     float64
}

func (c *column) leave(s *source, reason string, args ...any) {
	c.drop = fmt.Sprintf(reason, args...)
	s.say(&s.Notes, reason, fmt.Sprintf("column %s is left out: %s", c.name, c.drop))
}

// leaveIdentifier is leave for a column that identifies rows.
func (c *column) leaveIdentifier(s *source, reason string, args ...any) {
	c.leave(s, reason, args...)
	s.cautions = append(s.cautions, fmt.Sprintf("column %s is left out: %s", c.name, c.drop))
}

var likeIdentifier = regexp.MustCompile(`(?i)^(id|uuid|guid|key|index|row|nr|no|number|unnamed.*|.*[ ` +
	`_.-](id|uuid|nr|no|key))$`)

// value reads a number or a date, which is its days since 1970.
func (s *source) value(text []byte) (float64, Kind) {
	v, kind, ok := s.style.Value(text)
	if ok {
		return v, kind
	}
	date, kind, _ := readDate(text, s.order)
	return date[0], kind
}

// likeSubject matches names of columns that say whom a row was measured on.
var likeSubject = regexp.MustCompile(`(?i)^((patient|subject|participant|donor|customer|client)s?` +
	`([ _.-]?(id|nr|no|key|code|number))?|(person|user|family|household|animal|school|device)[ _.-]?(id|nr|no|key))$`)

// known holds the values of one column without the missing ones. Its memory is used again for the next column.
type known struct {
	levels  map[string]int // rows of each text
	numbers []float64
	kinds   []Kind // of all rows
	strays  []int  // rows whose value is no number
}

// look finds out what column j holds, and notes what is odd about it.
func (s *source) look(j int, k *known) column {
	c := column{j: j, name: s.nameOf(j), unnamed: s.header && s.names[j] == ""}
	if j == s.label {
		c.drop = "label"
		return c
	}
	clear(k.levels)
	k.numbers, k.kinds, k.strays = k.numbers[:0], k.kinds[:0], k.strays[:0]
	times := map[Kind]int{}
	for i := range s.rows() {
		text, v, kind := s.text(i, j), 0.0, NoKind
		if s.missing(text, j) {
			c.missing++
		} else {
			k.levels[string(text)]++
			v, kind = s.value(text)
			times[kind]++
		}
		k.numbers, k.kinds = append(k.numbers, v), append(k.kinds, kind)
	}
	rows := s.rows() - c.missing
	c.kind = kindOf(times, rows)
	n := 0
	for i, kind := range k.kinds {
		if kind == c.kind {
			k.numbers[n] = k.numbers[i]
			n++
		} else if !s.missing(s.text(i, j), j) {
			k.strays = append(k.strays, i)
		}
	}
	k.numbers = k.numbers[:n]
	switch c.distinct = len(k.levels); {
	case rows == 0:
		c.leave(s, "it is empty")
	case s.parts[0].Nominal(j):
	case c.kind.IsDate():
		s.dates(&c, k)
	case len(k.strays) == 0:
		c.look(k, s)
	case 5*len(k.numbers) >= 4*rows:
		if s.areMarks(&c, k) {
			c.look(k, s)
		}
	default:
		s.texts(&c, k)
	}
	if s.group < 0 && likeSubject.MatchString(s.names[j]) && c.distinct >= 5 && 2*c.distinct <= rows {
		s.note("column %s has %d values in %d rows: if rows with one value belong together, name it in --group, so "+
			"that no split parts them", c.name, c.distinct, rows)
	}
	if c.drop == "" && c.distinct == 1 {
		if texts := sortedKeys(k.levels); len(texts) == 1 {
			c.leave(s, "every known value is %q", clip(texts[0]))
		} else { // spellings of one number or date
			c.leave(s, "every known value is equal: %s", listed(texts))
		}
	}
	return c
}

// kindOf returns the kind of a column from how often each kind comes in rows known values.
func kindOf(times map[Kind]int, rows int) Kind {
	dated, most := 0, Dated
	for kind := Dated; kind <= YearLastZone; kind++ {
		if dated += times[kind]; times[kind] > times[most] {
			most = kind
		}
	}
	number := Plain
	for kind, n := range times {
		if kind.IsNumber() && (n > times[number] || n == times[number] && kind < number) {
			number = kind
		}
	}
	switch {
	case number > Plain:
		return number
	case rows > 0 && times[YesNo] == rows:
		return YesNo // yes, no and other texts are categories
	case rows > 0 && times[TrueFalse] == rows:
		return TrueFalse
	case 5*dated >= 4*rows:
		return most
	}
	return Plain
}

// look looks at a column of numbers: identifiers, and marks such as -999. It sorts the numbers.
func (c *column) look(k *known, s *source) {
	c.numeric = true
	v, n := k.numbers, len(k.numbers)
	falls := 0 // in the order of the file
	for i := 1; i < n; i++ {
		if v[i] <= v[i-1] {
			falls++
		}
	}
	slices.Sort(v)
	c.low, c.high, c.distinct = v[0], v[n-1], 1
	for i := 1; i < n; i++ {
		if v[i] != v[i-1] {
			c.distinct++
		}
	}
	whole := !slices.ContainsFunc(v, func(x float64) bool { return x != math.Trunc(x) })
	if whole && max(-c.low, c.high) > 1<<53 {
		s.note("column %s has whole numbers beyond 2^53 (%v to %v), which are rounded to floating-point numbers",
			c.name, c.low, c.high)
	}
	if c.kind.IsWord() {
		above, _ := slices.BinarySearch(v, 1)
		c.yes = n - above
		s.note("column %s: %s are read as 1 and 0 (%d and %d rows)", c.name, pair(c.kind), c.yes, above)
	}
	if whole && !slices.ContainsFunc(v, func(x float64) bool { return !likeDate(x) }) {
		s.note("column %s has numbers such as %.0f: if they are dates, write them as 2020-12-31 in the file, "+
			"or leave the column out by --drop", c.name, c.low)
	}
	if whole {
		c.findIdentifier(v, falls, s)
	}
	c.findSentinels(v, s, sentinel, func(v float64) string { return fmt.Sprint(v) })
	if whole && c.drop == "" && c.distinct > 2 && c.distinct <= 10 && n >= 50 {
		s.note("column %s has %d whole numbers, %v to %v: if they are categories, list it in categorical",
			c.name, c.distinct, c.low, c.high)
	}
}

// findIdentifier says whether whole numbers, which are sorted, identify rows. falls counts the numbers that are not
// larger than the number of the row before.
func (c *column) findIdentifier(v []float64, falls int, s *source) {
	n := len(v)
	different := 10*c.distinct > 9*n
	switch {
	case c.unnamed && n > 1 && different:
		c.leaveIdentifier(s, "it has no name and is another whole number in almost each row, as the index of a data "+
			"frame is")
	case n > 10 && (different || c.unnamed || likeIdentifier.MatchString(s.names[c.j])) && 20*falls < n &&
		c.high-c.low == float64(c.distinct-1):
		c.leaveIdentifier(s, "it numbers the rows")
	case n > 10 && different && likeIdentifier.MatchString(s.names[c.j]):
		c.leaveIdentifier(s, "it looks like an identifier, different in almost each row")
	case n > 10 && different && repeatsBeyondChance(v):
		s.note("column %s has %d different whole numbers in %d rows, and repeats more of them than measured numbers "+
			"repeat by chance: if they identify rows or persons, leave it out by --drop, or name it in --group",
			c.name, c.distinct, n)
	}
}

// repeatsBeyondChance reports that sorted numbers repeat more often than measured ones would. The distance between the
// numbers around each one tells how many are equal to it by chance. Multiples of ten do not count, since people round.
func repeatsBeyondChance(v []float64) bool {
	const around = 10
	v = slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.Mod(x, 10) == 0 })
	repeats, chance := 0, 0.0
	for i := range v {
		if i > 0 && v[i] == v[i-1] {
			repeats++
		}
		from, to := max(0, i-around), min(len(v)-1, i+around)
		chance += float64(to-from) / (2 * (v[to] - v[from] + 1))
	}
	return float64(repeats) > 2*chance+3
}

// likeDate reports a number such as 20201231.
func likeDate(v float64) bool {
	if v < 19000101 || v > 21001231 {
		return false
	}
	_, err := time.Parse("20060102", strconv.Itoa(int(v)))
	return err == nil
}

// findSentinels notes a value at an end of sorted ones that people write for a missing value, if it is far from the
// others.
func (c *column) findSentinels(v []float64, s *source, is func(float64) bool, text func(float64) string) {
	n := len(v)
	above, _ := slices.BinarySearchFunc(v, c.low, func(x, low float64) int { return cmp.Or(cmp.Compare(x, low), -1) })
	below, _ := slices.BinarySearch(v, c.high)
	for _, end := range []struct {
		value float64
		rest  []float64
	}{{c.low, v[above:]}, {c.high, v[:below]}} {
		if times := n - len(end.rest); times >= 3 && len(end.rest) > 1 && is(end.value) {
			least, most := end.rest[0], end.rest[len(end.rest)-1]
			if gap := max(least-end.value, end.value-most); gap > most-least && least < most {
				s.note("column %s has %s in %d rows, far from its other values %s to %s: if it stands for a "+
					"missing value, add it to missing, with impute = \"median\"", c.name, text(end.value), times,
					text(least), text(most))
			}
		}
	}
}

// sentinel reports numbers that people write for a missing value.
func sentinel(v float64) bool {
	return slices.Contains([]float64{-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999}, v)
}

// areMarks reports whether the values that are no numbers or dates are a few words, which become marks of missing
// values. Anything else is a problem.
func (s *source) areMarks(c *column, k *known) bool {
	if len(k.strays) == 0 {
		return true
	}
	words := map[string]int{}
	for _, i := range k.strays {
		words[string(s.text(i, c.j))]++
	}
	keys := sortedKeys(words)
	if len(keys) > 3 || slices.ContainsFunc(k.strays, func(i int) bool { return k.kinds[i] != NoKind }) ||
		slices.ContainsFunc(keys, func(w string) bool { return strings.ContainsAny(w, "0123456789") }) {
		s.cannotRead(c, k.strays)
		return false
	}
	for _, w := range keys {
		delete(k.levels, w)
	}
	c.words, c.missing = keys, c.missing+len(k.strays)
	s.note("column %s: %s in %s is read as a missing value", c.name, listed(keys),
		wording.Count(len(k.strays), "row"))
	return true
}

// findAmbiguous looks for words that stand for a missing value in a column of numbers, and for a category or a class
// elsewhere. The key missing holds for all columns.
func (s *source) findAmbiguous() {
	marks := map[string][]string{} // the columns of numbers in which the word stands for a missing value
	for _, c := range s.columns {
		if c.drop == "" {
			for _, w := range c.words {
				marks[w] = append(marks[w], c.name)
			}
		}
	}
	if len(marks) == 0 {
		return
	}
	categories := map[string][]string{} // the columns in which the word is a category
	for _, c := range s.columns {
		if c.drop != "" || c.numeric {
			continue
		}
		seen := map[string]bool{}
		for i := range s.rows() {
			if w := s.text(i, c.j); marks[string(w)] != nil && !seen[string(w)] {
				seen[string(w)] = true
				categories[string(w)] = append(categories[string(w)], c.name)
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(marks)) {
		if in := categories[w]; in != nil {
			s.problem("%q is read as a missing value in %s, and is a category of %s; write another text in one of them",
				clip(w), some(marks[w]), some(in))
		}
		if slices.ContainsFunc(s.classes, func(k class) bool { return k.name == w }) {
			s.problem("%q is read as a missing value in %s, and is a label; write another text in one of them",
				clip(w), some(marks[w]))
		}
	}
}

// some names up to eight columns for people.
func some(columns []string) string {
	if len(columns) == 1 {
		return "column " + columns[0]
	}
	return "columns " + wording.Few(columns, 8)
}

// otherNotations are the notations of dates and numbers that cannot be read: what a value in one is, and how the user
// writes it so that it can be read.
var otherNotations = map[Notation]struct{ what, advice string }{
	Calendar: {"a date in another notation", "write it as 2020-12-31 or 2020-12-31T23:59:59"},
	Time:     {"a time", "write numbers in their place, such as seconds"},
	Sign:     {"a negative number in another notation", "write it with a hyphen, such as -1.5"},
	Unit: {"written with the sign of a unit",
		"write the number with %, with one sign or code of a currency, or with none"},
	Thousands: {"written with thousands separators", ""},
	CommaAmbiguous: {"written with a comma",
		`say --thousands , if it separates thousands, or write decimal = "," if it is a decimal comma`},
	DecimalComma: {"written with another decimal separator", "write one of them throughout the file"},
	DecimalPoint: {"written with another decimal separator", "write one of them throughout the file"},
}

// cannotRead says which values of a column are no numbers.
func (s *source) cannotRead(c *column, strays []int) {
	if odd := slices.DeleteFunc(slices.Clone(strays), func(i int) bool {
		_, kind := s.value(s.text(i, c.j))
		return kind != NoKind
	}); len(odd) > 0 && len(strays) == s.rows()-c.missing { // all dates are strays, if too many of them cannot be read
		strays = odd
	}
	notation := notationOf(s.text(strays[0], c.j), s.style)
	if notation == Sign { // numbers without a sign are positive
		strays = slices.DeleteFunc(strays, func(i int) bool {
			return notationOf(s.text(i, c.j), s.style) != Sign
		})
	}
	var places []string
	for _, i := range strays[:min(3, len(strays))] {
		places = append(places, fmt.Sprintf("%s %q", s.where(i), clip(s.text(i, c.j))))
	}
	what, advice := "not a number", "repair them, or list them in missing"
	if known := otherNotations[notation]; known.what != "" {
		what, advice = known.what, known.advice
	}
	_, stray := s.value(s.text(strays[0], c.j))
	switch {
	case notation == Thousands && s.style.Thousands != "":
		advice = fmt.Sprintf("write them with %q as in the other columns, or remove them from the file",
			s.style.Thousands)
	case notation == Thousands:
		advice = fmt.Sprintf("say so by --thousands %q, or remove these from the file",
			thousandsOf(s.text(strays[0], c.j), s.style.Decimal))
	}
	if stray != NoKind {
		what, advice = stray.String(), fmt.Sprintf("each of the other %d is %s; write all values of the column one way",
			s.rows()-c.missing-len(strays), c.kind)
	}
	c.leave(s, "%s "+what, values(len(strays)))
	s.problem("column %s: %s %s (%s); %s", c.name, values(len(strays)), what, strings.Join(places, ", "), advice)
}

func values(n int) string {
	if n == 1 {
		return "1 value is"
	}
	return fmt.Sprint("each of ", n, " values is")
}

// texts looks at a column of texts: dates, identifiers, or categories.
func (s *source) texts(c *column, k *known) {
	rows := len(k.strays) + len(k.numbers)
	odd := slices.DeleteFunc(k.strays, func(i int) bool {
		if k.kinds[i] == NoKind {
			return notationOf(s.text(i, c.j), s.style) == NoNumber
		}
		return k.kinds[i].IsWord()
	})
	n := rows - (len(k.strays) - len(odd)) // numbers and dates
	switch {
	case 5*n >= 4*rows:
		s.cannotRead(c, odd)
		return
	case c.distinct > MaxLevels:
		c.leave(s, "it has %d different texts", c.distinct)
	case rows > 10 && (c.distinct == rows || 2*c.distinct > rows && rows >= 50):
		c.leaveIdentifier(s, "it looks like an identifier or free text: %d different values in %d rows", c.distinct,
			rows)
	}
	if 5*n >= rows && c.distinct > 10 {
		text := sortedKeys(k.levels)[slices.IndexFunc(sortedKeys(k.levels), func(level string) bool {
			_, kind := s.value([]byte(level))
			return kind == NoKind || kind.IsWord()
		})]
		s.note("column %s: %d of %d values are numbers or dates, and others are texts such as %q, so that it is no "+
			"column of numbers: if the texts stand for missing values, leave these empty in the file", c.name, n, rows,
			clip(text))
	}
}

// pair is what a column of words says.
func pair(k Kind) string {
	if k == YesNo {
		return "yes and no"
	}
	return "true and false"
}

// levelsOf counts the known values of a column in the first rows. Keeping them for all columns would take too much
// memory.
func (s *source) levelsOf(j, rows int) map[string]int {
	levels := map[string]int{}
	for i := range rows {
		if text := s.text(i, j); !s.missing(text, j) {
			levels[string(text)]++
		}
	}
	return levels
}

// alike notes texts that differ in blanks and in upper and lower case alone.
func (s *source) alike(what string, texts []string) {
	first := map[string]string{}
	for _, text := range texts {
		plain := catalogue.Folded(text)
		if other, seen := first[plain]; seen {
			s.note("%s: %q and %q differ in case or blanks alone; if they are one, write one of them "+
				"throughout the file, or say so by --fold", what, clip(text), clip(other))
			continue
		}
		first[plain] = text
	}
}

// rare is the number of rows under which a level is rare.
const rare = 5

// levels says which levels are rare, and which only the test file has.
func (s *source) levels() {
	train := s.parts[0].rows() - s.first
	for _, c := range s.columns {
		if c.drop != "" || c.numeric {
			continue
		}
		all, seen := s.levelsOf(c.j, s.rows()), s.levelsOf(c.j, train)
		s.alike("column "+c.name, slices.Sorted(maps.Keys(all)))
		var few, unseen []string
		for _, level := range sortedKeys(all) {
			switch {
			case seen[level] == 0:
				unseen = append(unseen, level)
			case all[level] < rare:
				few = append(few, level)
			}
		}
		if few != nil {
			s.note("column %s: levels with fewer than %d rows, which a fold may have in its validation part alone: %s",
				c.name, rare, listed(few))
		}
		if unseen != nil {
			s.note("column %s: levels of the test file that no training row has: %s", c.name, listed(unseen))
		}
	}
}
