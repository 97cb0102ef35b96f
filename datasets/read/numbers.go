package read

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/format"
	"github.com/kernelboosting/bench/internal/wording"
)

// Notations of numbers that are no plain decimal numbers. Thousands may be separated by no-break spaces and by curly
// apostrophes, too.
var (
	dates     = regexp.MustCompile(`^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[ -]?[A-Za-z]{3,9}[ ,-]*\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4})([ T]\d{1,2}:\d{2}.*)?$`)
	units     = regexp.MustCompile(`^[+-]?([$€£¥] ?)?[+-]?\d[\d., '’]*( ?[%‰$€£¥])?$`)
	times     = regexp.MustCompile(`^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?$`)
	thousands = map[string]*regexp.Regexp{
		"":  regexp.MustCompile(`^[+-]?\d{1,3}([, \x{a0}\x{202f}'’_]\d{3})+(\.\d*)?$`),
		",": regexp.MustCompile(`^[+-]?\d{1,3}([. \x{a0}\x{202f}'’_]\d{3})+(,\d*)?$`),
	}
)

// A Notation is how a text that is no plain number writes one.
type Notation string

// The notations.
const (
	NoNumber       Notation = ""
	Date           Notation = "date"
	Time           Notation = "time"
	DecimalComma   Notation = "decimal comma"
	DecimalPoint   Notation = "decimal point"        // where decimal = "," is said
	Thousands      Notation = "thousands separators" // as in 1,234.5
	Unit           Notation = "unit"                 // a percent sign or the sign of a currency
	CommaAmbiguous Notation = "comma"                // one comma before three digits, which is a decimal comma or separates thousands
)

// NotationOf tells how a text that is no number under the decimal separator, "" or ",", writes one.
func NotationOf(text []byte, decimal string) Notation {
	text = bytes.TrimSpace(text)
	isThousands := thousands[decimal].Match(text)
	_, comma := CommaNumber(text)
	_, point := wording.ParseDecimal(text)
	switch {
	case decimal == "" && comma && isThousands:
		return CommaAmbiguous
	case decimal == "" && comma:
		return DecimalComma
	case isThousands:
		return Thousands
	case decimal == "," && point:
		return DecimalPoint
	case dates.Match(text):
		return Date
	case times.Match(text):
		return Time
	case units.Match(text) && bytes.ContainsAny(text, "%‰$€£¥"):
		return Unit
	}
	return NoNumber
}

// advice says what to do about a text that is no number under the entry's keys. It has own advice for a number in another
// notation and for a date, and returns otherwise for any other text.
func (r reader) advice(text []byte, otherwise string) string {
	comma := "write it with a decimal point"
	if r.FileFormat().Takes("decimal") {
		comma = `write decimal = ","`
	}
	switch NotationOf(text, r.Decimal) {
	case DecimalComma:
		return "if the comma is a decimal comma, " + comma
	case CommaAmbiguous:
		return "if the comma is a decimal comma, " + comma + "; if it separates thousands, which is not read, remove it from the file"
	case Thousands:
		return "thousands separators are not read; remove them from the file"
	case DecimalPoint:
		return `it has a decimal point, and the set says decimal = ","; write one of them throughout the file`
	case Unit:
		return "signs of units are not read; remove them from the file"
	case Date, Time:
		return "dates and times are not read; list the column in drop, or write a number in their place, such as days or seconds"
	}
	return otherwise
}

// number reads a finite number in the notation of the entry.
func (r reader) number(text []byte) (float64, bool) { return Number(text, r.Decimal) }

// Number reads a finite number with the decimal separator, "" for a point or ",".
func Number(text []byte, decimal string) (float64, bool) {
	if decimal == "," {
		return CommaNumber(text)
	}
	return wording.ParseDecimal(text)
}

// CommaNumber reads a finite number with at most one decimal comma and no point.
func CommaNumber(text []byte) (float64, bool) {
	at := bytes.IndexByte(text, ',')
	if bytes.IndexByte(text, '.') >= 0 || len(text) > 64 {
		return 0, false
	}
	if at < 0 {
		return wording.ParseDecimal(text)
	}
	var room [64]byte
	point := append(room[:0], text...)
	point[at] = '.'
	return wording.ParseDecimal(point)
}

// isMark reports a text that the entry lists as a mark of a missing value.
func (r reader) isMark(text []byte) bool {
	return slices.Contains(r.Missing, string(text))
}

// A numeric reads the values of numeric columns. A mark of a missing value is read as NaN if the entry says how missing values are
// filled in, and else it is no number. A mark that is a number, such as -999, stands for all spellings of the number.
type numeric struct {
	reader
	marks []float64
}

func (r reader) numeric() numeric {
	n := numeric{reader: r}
	for _, mark := range r.Missing {
		if v, ok := r.number([]byte(mark)); ok {
			n.marks = append(n.marks, v)
		}
	}
	return n
}

// value returns the number that a text stands for, and false if it stands for none.
func (n *numeric) value(text []byte) (float64, bool) {
	v, ok := n.number(text)
	if !ok && n.isMark(text) || ok && slices.Contains(n.marks, v) {
		return math.NaN(), n.Impute != ""
	}
	return v, ok
}

// isNumericMark reports another spelling of a mark that is a number.
func (r reader) isNumericMark(text []byte) bool {
	v, ok := r.number(text)
	return ok && slices.Contains(r.numeric().marks, v)
}

// gaps says for the set what becomes of missing numbers.
func (r reader) gaps() datasets.Gaps {
	return datasets.Gaps{Impute: r.Impute, Indicator: r.Indicator}
}

// howToFill is what to do about a missing number.
const howToFill = `write impute = "median" (or "mean", "most-frequent", "none"), fill it in, remove the row, or list the column in drop or categorical`

// isMissing reports an empty value, or the usual mark of the format.
func (r reader) isMissing(text []byte) bool {
	return len(text) == 0 || string(text) == r.FileFormat().Missing
}

// notNumber explains the value of a row in column j, which should have been a number.
func (c *columns) notNumber(t *format.Table, row format.Row, j int) error {
	text := t.Cell(row, j)
	errorf := func(format string, args ...any) error { return t.Errorf(row.Line, j, text, format, args...) }
	bare := strings.ToLower(strings.TrimLeft(string(text), "+-"))
	switch {
	case t.Sparse:
		return errorf("is not a finite number; %s", c.advice(text, "repair the line"))
	case c.isMissing(text) && c.Impute == "", c.isMark(text), c.isNumericMark(text):
		return errorf("is missing, and a numeric input needs a value in every row; %s", howToFill)
	case IsMissingMark(text):
		also := make([]string, 0, len(c.Missing)+1)
		if !c.Missing.IsZero() || c.Impute != "" {
			also = append(also, c.Missing...)
		}
		return errorf("is not a finite number; if it stands for a missing value, write missing = %s with impute = \"median\", "+
			"fill it in, remove the row, or list the column in drop", catalogue.Texts(append(also, string(text))))
	case bare == "inf", bare == "infinity":
		return errorf("is not a finite number; fill it in, remove the row, or list the column in drop")
	case c.n == 0 && t.Names == nil && c.advice(text, "") == "":
		return errorf("is not a number; set header = true if the line names the columns, or list the column in categorical or drop")
	}
	return errorf("is not a finite number; %s", c.advice(text, "repair it, or list the column in categorical or drop"))
}
