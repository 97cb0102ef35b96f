package wording

import (
	"math"
	"strconv"
)

// ParseDecimal reads a finite decimal number: an optional sign, digits with at most one
// point, and an optional exponent. It is stricter than Go, for which 1_000, 0x1p3,
// inf and nan are numbers too: in a data file they are mistakes or words. The value
// is the nearest float64, the one that strconv.ParseFloat gives.
func ParseDecimal(text []byte) (float64, bool) {
	d, ok := scan(text)
	if !ok {
		return 0, false
	}
	if v, ok := d.exact(); ok {
		return v, true
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// A scanned number is (-1)^negative mantissa 10^exponent. The mantissa is of use only if
// digits, without leading zeros, are few enough for it.
type scanned struct {
	negative bool
	mantissa uint64
	digits   int
	exponent int
}

// maxExponent keeps the exponent from overflowing; numbers beyond it
// are 0 or infinite however many digits they have.
const maxExponent = 1 << 20

// scan reads text, all of which must be one number.
func scan(text []byte) (d scanned, ok bool) {
	i := 0
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		d.negative = text[i] == '-'
		i++
	}
	seen, point := false, false
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		seen = true
		if c != '0' || d.digits > 0 {
			d.digits++
			d.mantissa = 10*d.mantissa + uint64(c-'0') // may wrap; digits tells
		}
		if point {
			d.exponent--
		}
	}
	if !seen {
		return d, false
	}
	if i == len(text) {
		return d, true
	}
	return d, d.scanExponent(text[i:])
}

// scanExponent reads e, an optional sign, and digits.
func (d *scanned) scanExponent(text []byte) bool {
	if text[0] != 'e' && text[0] != 'E' {
		return false
	}
	i, sign := 1, 1
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		if text[i] == '-' {
			sign = -1
		}
		i++
	}
	if i == len(text) {
		return false
	}
	e := 0
	for ; i < len(text); i++ {
		c := text[i]
		if c < '0' || c > '9' {
			return false
		}
		if e < maxExponent {
			e = 10*e + int(c-'0')
		}
	}
	d.exponent += sign * e
	return true
}

// powersOfTen are exact as float64.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// exact returns the value where one rounding gives it: 15 digits are below 2^53 and
// so exact, the power of ten is exact, and their product or quotient is rounded once.
func (d scanned) exact() (float64, bool) {
	const exactDigits, largest = 15, len(powersOfTen) - 1
	if d.digits > exactDigits || d.exponent < -largest || d.exponent > largest {
		return 0, false
	}
	v := float64(d.mantissa)
	if d.negative {
		v = -v
	}
	if d.exponent < 0 {
		return v / powersOfTen[-d.exponent], true
	}
	return v * powersOfTen[d.exponent], true
}
