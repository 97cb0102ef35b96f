package wording

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNumbersAreDecimal lists what is a number in a data file and what is not, though
// some of it is to Go.
func TestNumbersAreDecimal(t *testing.T) {
	for _, text := range []string{"1_000", "1e5_0", "1_0.5", "0x1p3", "0X1P-2", "0x10", "0b1", "0o7", "inf", "Infinity",
		"+Inf", "nan", "NaN",
		"", "+", "-", ".", "+.", "e5", ".e5", "1e", "1e+", "1.2.3", "1,5", "1 ", " 1", "--1", "1-", "1e5.0", "1f", "٣",
		"1e400", "-1e999", "1e99999999999999999999"} {
		if v, ok := ParseDecimal([]byte(text)); ok {
			t.Errorf("%q is the number %v", text, v)
		}
	}
	for text, want := range map[string]float64{"1": 1, "+1": 1, "-1.50": -1.5, "1.": 1, ".5": 0.5, "-.5e1": -5,
		"1E3": 1000, "1e-400": 0,
		"007": 7, "0e99999999999999999999": 0, "1e-99999999999999999999": 0,
		"0.000000000000000000000000000000000001": 1e-36} {
		if v, ok := ParseDecimal([]byte(text)); !ok || v != want {
			t.Errorf("%q is %v, %v; want %v", text, v, ok, want)
		}
	}
	if v, ok := ParseDecimal([]byte("-0.0")); !ok || v != 0 || !math.Signbit(v) {
		t.Errorf("-0.0 is %v, %v", v, ok)
	}
}

// TestNumbersAreThoseOfGo takes strconv.ParseFloat as oracle: the same bits for any
// decimal number, and nothing accepted that it refuses.
func TestNumbersAreThoseOfGo(t *testing.T) {
	digits := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), 0, 25, -1)
	sign := rapid.SampledFrom([]string{"", "-", "+"})
	written := rapid.Custom(func(t *rapid.T) string {
		text := sign.Draw(t, "sign") + digits.Draw(t, "whole")
		if rapid.Bool().Draw(t, "point") {
			text += "." + digits.Draw(t, "fraction")
		}
		if rapid.Bool().Draw(t, "e") {
			text += rapid.SampledFrom([]string{"e", "E"}).Draw(t, "letter") + sign.Draw(t, "sign of e") +
				strconv.Itoa(rapid.IntRange(0, 345).Draw(t, "exponent"))
		}
		return text
	})
	printed := rapid.Custom(func(t *rapid.T) string {
		v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		return strconv.FormatFloat(v, rapid.SampledFrom([]byte("efg")).Draw(t, "format"), rapid.IntRange(-1, 20).Draw(t,
			"precision"), 64)
	})
	soup := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789+-.eExXpP_infa")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(written, printed, soup).Draw(t, "text")
		want, err := strconv.ParseFloat(text, 64)
		decimal := err == nil && !strings.ContainsAny(text, "xX_nN")
		v, ok := ParseDecimal([]byte(text))
		if ok != decimal || ok && math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%q is %v, %v; ParseFloat says %v, %v", text, v, ok, want, err)
		}
	})
}
