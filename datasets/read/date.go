package read

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// DateParts are the ends of the names of the features in a Date.
var DateParts = [...]string{".days", ".month", ".weekday"}

// A Date holds the features of a date or of a time of a day: days since 1970 with their fraction, the month from 1 to
// 12 and the day of the week from 1, Monday, to 7. A zone of time changes the days alone: month and weekday are those
// that are written.
type Date [3]float64

// written matches a date of three numbers, perhaps with a time of the day and a zone.
var written = regexp.MustCompile(`(?i)^(\d{1,4})([-/.])(\d{1,2})([-/.])(\d{1,4})(?:(?:T| +)(\d{1,2}):(\d{2})` +
	`(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([ap])m)?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?$`)

// readDate reads a date whose year has four digits and comes first, as in 2020-12-31 or 2020-12-31T23:59:59Z, or last.
// order, the key date_order, says which number is the day where the year is last. If it is empty, readDate returns the
// kind of a date that ends with the year, and false.
func readDate(text []byte, order string) (d Date, kind Kind, ok bool) {
	m := written.FindSubmatch(text)
	if m == nil || m[2][0] != m[4][0] {
		return d, NoKind, false
	}
	switch {
	case len(m[1]) == 4 && len(m[5]) <= 2:
		d, ok = moment(m, 1, 3, 5)
		kind = Dated
	case len(m[1]) > 2 || len(m[5]) != 4:
	default:
		kind = YearLast
		first, isFirst := moment(m, 5, 3, 1)
		second, isSecond := moment(m, 5, 1, 3)
		switch order {
		case catalogue.DayFirst:
			d, ok = first, isFirst
		case catalogue.MonthFirst:
			d, ok = second, isSecond
		default:
			if isFirst || isSecond {
				return d, kind + Kind(min(1, len(m[11]))), false
			}
		}
	}
	if !ok {
		return Date{}, NoKind, false
	}
	return d, kind + Kind(min(1, len(m[11]))), true // the kind with a zone follows the one without
}

// moment reads a match of written in which the given parts are the year, the month and the day.
func moment(m [][]byte, year, month, day int) (d Date, ok bool) {
	part := func(k int) int {
		n, _ := strconv.Atoi(string(m[k])) // digits, or nothing
		return n
	}
	hour, half := part(6), strings.ToLower(string(m[10]))
	if half != "" && (hour < 1 || hour > 12) {
		return d, false
	}
	if half != "" {
		hour = hour%12 + map[string]int{"p": 12}[half]
	}
	nanoseconds, _ := strconv.Atoi((string(m[9]) + "000000000")[:9])
	t := time.Date(part(year), time.Month(part(month)), part(day), hour, part(7), part(8), nanoseconds, time.UTC)
	if int(t.Month()) != part(month) || t.Day() != part(day) || t.Hour() != hour || t.Minute() != part(7) ||
		t.Second() != part(8) {
		return d, false
	}
	seconds := float64(t.Unix()-ahead(strings.ToUpper(string(m[11])))) + float64(nanoseconds)/1e9
	return Date{seconds / 86400, float64(t.Month()), float64((t.Weekday()+6)%7 + 1)}, true
}

// ahead is the time in seconds by which a zone, such as +02:00, is ahead of UTC.
func ahead(zone string) int64 {
	digits := strings.ReplaceAll(strings.TrimLeft(zone, "+-ZUTC"), ":", "")
	n, _ := strconv.ParseInt((digits + "0000")[:4], 10, 64) // hours and minutes
	seconds := (n/100*60 + n%100) * 60
	if strings.HasPrefix(zone, "-") {
		return -seconds
	}
	return seconds
}
