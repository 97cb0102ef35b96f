package wording

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// badNames are refused, with what the error says.
var badNames = map[string]string{
	"GBRFF2\u200b":     "holds U+200B, which cannot be seen",
	"GB\u00adRFF2":     "U+00AD",
	"GB\u200dRFF2":     "U+200D",
	"\ufeffGBRFF2":     "U+FEFF",
	"GBRFF2\u2060":     "U+2060",
	"GBRFF2\u3164":     "U+3164",
	"GBRFF2\ufe0f":     "U+FE0F",
	"GBRFF2\u034f":     "U+034F",
	"GBRFF2\u2800":     "U+2800",
	"GB\u00a0RFF2":     "U+00A0",
	"GB\u2003RFF2":     "U+2003",
	"GBRFF2\ue000":     "U+E000",
	"GBRFF2\u0378":     "U+0378",
	"GBRFF2\U000e0041": "a terminal obeys",
	"a\u202eb":         "a terminal obeys",
	"a\u2066b":         "a terminal obeys",
	"a\x1b[31m":        "a terminal obeys",
	"a\nb":             "a terminal obeys",
	"a\x00b":           "a terminal obeys",
	"Gro\u0308\u00dfe": `is not in Unicode's normal form; write "Gr\u00f6\u00dfe"`,
	"\u0421ART":        "mixes Cyrillic and Latin letters ('A') in a word",
	"CA\u0420T":        "mixes Latin and Cyrillic letters",
	"\u0391daBoost":    "mixes Greek and Latin letters",
	"\u13a0\u13a1":     "of a script that is not in common use",
	".":                "ends in a dot",
	"..":               "ends in a dot",
	"a.":               "ends in a dot",
	"-":                "begins with a hyphen",
	"--db":             "begins with a hyphen",
	"mine.toml":        ".toml",
	"a@1":              "has a slash or an @",
	"a/b":              "has a slash or an @",
	`a\b`:              "has a slash or an @",
	"../a":             "has a slash or an @",
	"plugins":          "a word that stands for other names",
	"All":              "a word that stands for other names",
	"none":             "a word that stands for other names",
	"NUL":              "the name of a device of Windows",
	"com1.csv":         "the name of a device of Windows",
	"LPT9":             "the name of a device of Windows",
}

func TestBadNames(t *testing.T) {
	for name, says := range badNames {
		must.Say(t, CheckName(name), says)
	}
}

func TestAlike(t *testing.T) {
	for _, same := range [][2]string{
		{"CART", "cart"}, {"CART", "\u0421\u0410RT"}, {"ACE", "\u0410\u0421\u0415"}, {"KM", "\u039a\u039c"},
		{"GBRFF1", "GBRFFl"}, {"GBRFF1", "GBRFFI"}, {"Top", "T0p"}, {"CART", "\uff23\uff21\uff32\uff34"},
		{"CART", "\U0001d402\U0001d400\U0001d411\U0001d413"}, {"kernel", "kemel"}, {"a-b", "a\u2010b"},
		{"fi", "\ufb01"},
	} {
		must.Be(t, Alike(same[0], same[1]), true, same)
	}
	for _, other := range [][2]string{
		{"CART", "CARTS"}, {"GBRFF1", "GBRFF2"}, {"Größe", "Grosse"}, {"方法", "方"}, {"GFC", "GFG"},
	} {
		must.Be(t, Alike(other[0], other[1]), false, other)
	}
}

// TestNamesAreNamed: whatever the name, a refusal is a short line without what a terminal obeys, and a name that is
// allowed shows all its characters.
func TestNamesAreNamed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.String().Draw(r, "name")
		if err := CheckName(name); err != nil {
			if text := err.Error(); Spelled(text) != text || len(text) > 1000 {
				r.Fatalf("%q", text)
			}
			return
		}
		must.Be(r, strings.ContainsFunc(name, unseen), false, name)
		must.Be(r, Alike(name, name), true, name)
	})
}
