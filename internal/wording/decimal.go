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
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil && !math.IsInf(v, 0)
}
