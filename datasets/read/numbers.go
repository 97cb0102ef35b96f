package read

import (
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
)

// style is how the entry says that numbers are written.
func (r reader) style() Style { return Style{r.Decimal, r.Thousands} }

// isMark reports a text that the entry lists as a mark of a missing value.
func (r reader) isMark(text []byte) bool {
	return slices.Contains(r.Missing, string(r.folded(text)))
}

// folded returns a text as the entry compares it.
func (r reader) folded(text []byte) []byte {
	if r.Fold {
		return []byte(catalogue.Folded(string(text)))
	}
	return text
}

// A numeric reads the values of numeric columns. A mark of a missing value is read as NaN if the entry says how missing
// values are filled in, and else it is no number. A mark that is a number, such as -999, stands for all spellings of
// the number.
type numeric struct {
	reader
	marks []float64
}

func (r reader) numeric() numeric {
	n := numeric{reader: r}
	for _, mark := range r.Missing {
		if v, ok := r.style().Number([]byte(mark)); ok {
			n.marks = append(n.marks, v)
		}
	}
	return n
}

// value returns the number that a text stands for, with its kind, and false if it stands for none.
func (n *numeric) value(text []byte) (float64, Kind, bool) {
	v, kind, ok := n.style().Value(text)
	if kind != Plain && n.isMark(text) || kind == Plain && slices.Contains(n.marks, v) {
		return math.NaN(), NoKind, n.Impute != ""
	}
	return v, kind, ok
}

// date returns the date that a text stands for, with its kind, and false if it stands for none. A gap is three NaN.
func (n *numeric) date(text []byte) (Date, Kind, bool) {
	d, kind, ok := readDate(text, n.DateOrder)
	if n.isMark(text) { // which may be a date that stands for none, such as 9999-12-31
		return Date{math.NaN(), math.NaN(), math.NaN()}, NoKind, n.Impute != ""
	}
	return d, kind, ok
}

// A way is how a column is written, and where that was seen first.
type way struct {
	kind Kind
	file string
	line int
}

// same returns an error for a value that is of another kind than the values before it.
func (w *way) same(kind Kind, t *Table, line, column int, text []byte) error {
	switch {
	case kind == w.kind, kind == NoKind:
		return nil
	case w.kind == NoKind:
		*w = way{kind, t.File, line}
		return nil
	}
	return t.Errorf(line, column, text, "is %s, and %s:%d has %s; write all values of the column one way", kind, w.file,
		w.line, w.kind)
}

// isNumericMark reports another spelling of a mark that is a number.
func (r reader) isNumericMark(text []byte) bool {
	v, ok := r.style().Number(text)
	return ok && slices.Contains(r.numeric().marks, v)
}

// gaps says for the set what becomes of missing numbers.
func (r reader) gaps() datasets.Gaps {
	return datasets.Gaps{Impute: r.Impute, Indicator: r.Indicator}
}

// howToFill is what to do about a missing number.
const howToFill = `write impute = "median" (or "mean", "most-frequent", "none"), fill it in, remove the row, or list ` +
	`the column in drop or categorical`

// isMissing reports an empty value, or the usual mark of the format.
func (r reader) isMissing(text []byte) bool {
	return len(text) == 0 || string(text) == r.FileFormat().Missing
}

// dateAdvice says what to do about a text that is no date under the entry's keys.
func (r reader) dateAdvice(text []byte) string {
	_, kind, _ := readDate(text, r.DateOrder)
	switch {
	case kind >= YearLast && r.DateOrder == "":
		return `write date_order = "dmy" if the day comes first, "mdy" if the month does`
	case IsMissingMark(text):
		return "if it stands for a missing value, list it in missing, with impute = \"median\""
	case notationOf(text, r.style()) == Calendar:
		return "write it as 2020-12-31 or 2020-12-31T23:59:59, with four digits of the year"
	}
	return "repair it, or list the column in categorical or drop"
}

// notNumber explains the value of a row in column j, which should have been a number.
func (c *columns) notNumber(t *Table, row Row, j int) error {
	text := t.Cell(row, j)
	errorf := func(format string, args ...any) error { return t.Errorf(row.Line, j, text, format, args...) }
	bare := strings.ToLower(strings.TrimLeft(string(text), "+-"))
	switch {
	case t.Sparse && !IsMissingMark(text):
		return errorf("is not a finite number; %s", c.advice(text, "repair the line"))
	case c.isMissing(text) && c.Impute == "", c.isMark(text), c.isNumericMark(text):
		return errorf("is missing, and a numeric input needs a value in every row; %s", howToFill)
	case c.dated[j]:
		return errorf("is no date that is read; %s", c.dateAdvice(text))
	case IsMissingMark(text):
		also := make([]string, 0, len(c.Missing)+1)
		if !c.Missing.IsZero() || c.Impute != "" {
			also = append(also, c.Missing...)
		}
		return errorf("is not a finite number; if it stands for a missing value, write missing = %s with impute = "+
			"\"median\", "+
			"fill it in, remove the row, or list the column in drop", catalogue.Texts(append(also, string(text))))
	case bare == "inf", bare == "infinity":
		return errorf("is not a finite number; fill it in, remove the row, or list the column in drop")
	case c.n == 0 && t.Names == nil && c.advice(text, "") == "":
		return errorf("is not a number; set header = true if the line names the columns, or list the column in " +
			"categorical or drop")
	}
	return errorf("is not a finite number; %s", c.advice(text, "repair it, or list the column in categorical or drop"))
}
