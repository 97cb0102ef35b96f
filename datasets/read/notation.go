package read

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
)

// A Style is how a file writes numbers: the values of the keys decimal, "" for a point or ",", and thousands, "" where
// no separator of thousands is read.
type Style struct{ Decimal, Thousands string }

// grouped matches, for each style, a number with at least one separator: one to three digits, of which the first is not
// 0, and groups of exactly three. In India the groups before the last three digits have two, as in 12,34,567. The blank
// may be a no-break or a thin one, and the apostrophe a curly one.
var grouped = func() map[Style]*regexp.Regexp {
	out := map[Style]*regexp.Regexp{}
	for _, decimal := range []string{"", ","} {
		for _, separator := range catalogue.Separators {
			if separator != (Style{Decimal: decimal}).point() {
				group := strings.NewReplacer("'", "'’", " ", " \\x{a0}\\x{2009}\\x{202f}").Replace(separator)
				point := (Style{Decimal: decimal}).point()
				out[Style{decimal, separator}] = regexp.MustCompile(`^[+-]?[1-9](?:\d{0,2}(?:[` + group + `]\d{3})+|` +
					`\d?(?:[` + group + `]\d{2})+[` + group + `]\d{3})([` + point + `]\d*)?$`)
			}
		}
	}
	return out
}()

var styles = slices.Collect(maps.Keys(grouped))

// point is the decimal separator.
func (s Style) point() string {
	if s.Decimal == "" {
		return "."
	}
	return s.Decimal
}

// Grouped reports whether a text is a number whose thousands the style separates. It is sure if the text has two groups
// of three digits or a decimal separator: then it can be no number without separators of thousands.
func (s Style) Grouped(text []byte) (fits, sure bool) {
	at := grouped[s].FindSubmatchIndex(text)
	if at == nil {
		return false, false
	}
	digits := text
	if at[2] >= 0 {
		digits = text[:at[2]]
	}
	return true, at[2] >= 0 || len(bytes.FieldsFunc(digits, notDigit)) > 2
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// plain writes a number of the style with a decimal point and without separators of thousands. It returns any other
// text as it is.
func (s Style) plain(text []byte) []byte {
	if grouped := grouped[s]; grouped != nil && grouped.Match(text) {
		keep := "0123456789+-" + s.point()
		text = bytes.Map(func(r rune) rune {
			if strings.ContainsRune(keep, r) {
				return r
			}
			return -1
		}, text)
	}
	if _, ok := commaNumber(text); ok && s.Decimal == "," {
		return bytes.Replace(text, []byte(","), []byte("."), 1)
	}
	return text
}

// Number reads a finite number without any sign of a unit.
func (s Style) Number(text []byte) (float64, bool) {
	plain := wording.ParseDecimal
	if s.Decimal == "," {
		plain = commaNumber
	}
	v, ok := plain(text)
	if ok || s.Thousands == "" || !grouped[s].Match(text) {
		return v, ok
	}
	return wording.ParseDecimal(s.plain(text))
}

// commaNumber reads a finite number with at most one decimal comma and no point.
func commaNumber(text []byte) (float64, bool) {
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

// A Kind is how a text writes a number. The known values of a column have one kind.
type Kind byte

// The kinds.
const (
	NoKind    Kind = iota // no number, or a missing one
	Plain                 // 12.5
	YesNo                 // yes or no, also y or n, which is 1 or 0
	TrueFalse             // true or false, also t or f, which is 1 or 0
	Dated                 // a date with the year first
	DatedZone             // the same with a zone of time
	YearLast              // a date with the year last
	YearLastZone
	// Percent is 12.5% or 12.5 %, which is 12.5. The kinds of the other units follow it: $12.5, -$12.5, 12.5 $ or USD
	// 12.5.
	Percent
)

// units are the signs and codes that may be written behind a number or, if they are of a currency, before it. All
// values of a column have the same one. The kind of each is Percent and its place.
var units = strings.Fields("% $ € £ ¥ ₹ ₩ ₽ ₺ ₴ ₫ ₦ ₱ ₪ ₸ ฿ ₡ ₲ ¢ R$ US$ A$ C$ kr zł Kč Ft lei Rs AUD BRL CAD " +
	"CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN NOK NZD PLN RUB SEK SGD THB TRY TWD UAH USD ZAR")

var kindOfUnit = func() map[string]Kind {
	kinds := map[string]Kind{}
	for i, unit := range units {
		kinds[unit] = Percent + Kind(i)
	}
	return kinds
}()

// String says what a value of the kind is.
func (k Kind) String() string {
	if k > Percent {
		return "a number with the sign " + units[k-Percent]
	}
	return [...]string{"no number", "a plain number", "a yes or a no", "a true or a false",
		"a date with the year first", "a date with the year first and a time zone", "a date with the year last",
		"a date with the year last and a time zone", "a number with a percent sign"}[k]
}

// IsNumber reports a kind of numbers in digits.
func (k Kind) IsNumber() bool { return k == Plain || k >= Percent }

// IsDate reports a kind of dates.
func (k Kind) IsDate() bool { return k >= Dated && k <= YearLastZone }

// withoutUnit returns what a text has besides a unit, and the kind of the unit. Without a unit it returns the text. The
// minus of a number may come before the unit, as in -$5.
func withoutUnit(text []byte) ([]byte, Kind) {
	first, last := bytes.IndexAny(text, digits), bytes.LastIndexAny(text, digits)
	if first < 0 {
		return text, Plain
	}
	if kind := kindOfUnit[string(bytes.TrimSpace(text[last+1:]))]; kind > NoKind {
		return bytes.TrimSpace(text[:last+1]), kind
	}
	at := len(bytes.TrimRight(text[:first], "+-.,")) // the number begins here
	before, number := bytes.TrimSpace(text[:at]), text[at:]
	if len(before) > 1 && (before[0] == '-' || before[0] == '+') && at == first {
		before, number = before[1:], append([]byte{before[0]}, number...)
	}
	if kind := kindOfUnit[string(before)]; kind > Percent {
		return number, kind
	}
	return text, Plain
}

// IsWord reports a kind of words that stand for 1 and 0.
func (k Kind) IsWord() bool { return k == YesNo || k == TrueFalse }

// words are those that stand for 1 and for 0, in lower case. T with Y, or F with N, is a category of another kind.
var words = map[Kind][2][]string{YesNo: {{"no", "n"}, {"yes", "y"}}, TrueFalse: {{"false", "f"}, {"true", "t"}}}

// Value reads a number of any kind. Blanks around it, also no-break ones, do not matter.
func (s Style) Value(text []byte) (float64, Kind, bool) {
	if v, ok := s.Number(text); ok {
		return v, Plain, true
	}
	if bare := bytes.TrimSpace(text); len(bare) > 0 && len(bare) < len(text) {
		return s.Value(bare)
	}
	if bare, kind := withoutUnit(text); kind != Plain {
		if v, ok := s.Number(bare); ok {
			return v, kind, true
		}
	}
	if len(text) <= len("false") {
		word := strings.ToLower(string(text))
		for kind, pair := range words {
			for v, spellings := range pair {
				if slices.Contains(spellings, word) {
					return float64(v), kind, true
				}
			}
		}
	}
	return 0, NoKind, false
}

const (
	digits = "0123456789"
	month  = `(0?\d|1[0-2])`
	// monthDay is the month and the day of a date, in either order. Programs write both as 0 where they are not known.
	monthDay   = `(` + month + `[-/.]` + dayOfMonth + `|` + dayOfMonth + `[-/.]` + month + `)`
	dayOfMonth = `([0-2]?\d|3[01])`
	amount     = `\d[\d., '’]*`
)

// unit is a regular expression for a sign or a code of a currency.
var unit = func() string {
	quoted := []string{`\p{Sc}`}
	for _, u := range units[1:] {
		quoted = append(quoted, regexp.QuoteMeta(u))
	}
	return "(?:" + strings.Join(quoted, "|") + ")"
}()

// Notations of numbers that are no plain decimal numbers.
var (
	dates = regexp.MustCompile(`^((\d{2}){1,2}[-/.]` + monthDay + `|` + monthDay + `[-/.](\d{2}){1,2}|` +
		`\d{1,2}[ -]?[A-Za-z]{3,9}[ ,-]*\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4})([ T]\d{1,2}:\d{2}.*)?$`)
	// The signs of currencies are the class Sc of Unicode, which has some that no style reads.
	ofUnits = regexp.MustCompile(`^[+-]?(` + unit + ` ?[+-]?` + amount + `|` + amount + ` ?(` + unit + `|[%‰]))$`)
	signs   = regexp.MustCompile(`^([−–] ?(` + unit + ` ?)?` + amount + `|\( ?(` + unit + ` ?)?` + amount + `\))$`)
	times   = regexp.MustCompile(`^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?$`)
)

// A Notation is how a text that is no plain number writes one.
type Notation string

// The notations.
const (
	NoNumber       Notation = ""
	Calendar       Notation = "date"
	Time           Notation = "time"
	DecimalComma   Notation = "decimal comma"
	DecimalPoint   Notation = "decimal point"        // where decimal = "," is said
	Thousands      Notation = "thousands separators" // as in 1,234.5
	Unit           Notation = "unit"                 // a percent sign or the sign of a currency
	Sign           Notation = "sign"                 // a typographic minus, or an accountant's parentheses
	CommaAmbiguous Notation = "comma"                // one comma before three digits, of either meaning
)

// notationOf returns the notation in which a text is a number or a date, if it is no number in the style of the file.
func notationOf(text []byte, s Style) Notation {
	text = bytes.TrimSpace(text)
	_, comma := commaNumber(text)
	_, point := wording.ParseDecimal(text)
	separator := thousandsOf(text, s.Decimal)
	switch {
	case s.Decimal == "" && comma && separator == "," && s.Thousands == "":
		return CommaAmbiguous
	case s.Decimal == "" && comma:
		return DecimalComma
	case separator != "":
		return Thousands
	case s.Decimal == "," && point:
		return DecimalPoint
	case dates.Match(text):
		return Calendar
	case times.Match(text):
		return Time
	case signs.Match(text):
		return Sign
	case ofUnits.Match(text):
		if bare, _ := withoutUnit(text); len(bare) < len(text) && notationOf(bare, s) != NoNumber {
			return notationOf(bare, s) // the sign is read, and the number is not
		}
		return Unit
	}
	return NoNumber
}

// thousandsOf returns the separator of thousands in a number, and "" for a text that is no such number.
func thousandsOf(text []byte, decimal string) string {
	for _, separator := range catalogue.Separators {
		s := Style{decimal, separator}
		if re := grouped[s]; re != nil && re.Match(text) {
			return separator
		}
	}
	return ""
}

// advice says what to do about a text that is no number under the entry's keys. It has own advice for a number in
// another notation and for a date, and returns otherwise for any other text.
func (r reader) advice(text []byte, otherwise string) string {
	comma := "write it with a decimal point"
	if r.FileFormat().Takes("decimal") {
		comma = `write decimal = ","`
	}
	switch notationOf(text, r.style()) {
	case DecimalComma:
		if r.Thousands == "," {
			return `thousands = "," separates groups of three digits; if the comma is a decimal comma, ` + comma +
				" instead"
		}
		return "if the comma is a decimal comma, " + comma
	case CommaAmbiguous:
		return "if the comma is a decimal comma, " + comma + "; if it separates thousands, " + r.thousandsAdvice(",")
	case Thousands:
		return "if these are separators of thousands, " + r.thousandsAdvice(thousandsOf(text, r.Decimal))
	case DecimalPoint:
		return `it has a decimal point, and the set says decimal = ","; write one of them throughout the file`
	case Unit:
		return otherNotations[Unit].advice
	case Sign:
		return "if it is a negative number, write it with a hyphen, such as -1.5"
	case Calendar:
		if r.FileFormat().Takes("dates") {
			return "if the column holds dates, list it in dates"
		}
		return "dates are not read; write a number, such as days"
	case Time:
		return "times of a day are not read; list the column in drop, or write a number, such as seconds"
	}
	return otherwise
}

func (r reader) thousandsAdvice(separator string) string {
	switch {
	case !r.FileFormat().Takes("thousands"):
		return "remove them from the file"
	case r.Thousands != "":
		return fmt.Sprintf("write the thousands = %q of the set throughout the file", r.Thousands)
	}
	return fmt.Sprintf("write thousands = %q", separator)
}
