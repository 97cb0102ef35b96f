package wording

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MostName is the length in bytes of the longest name that a method, a data set or a protocol may have, so that files
// can be named after it.
const MostName = 100

// CheckName is an error for what cannot be the name of a method, a data set, a protocol or an experiment: what lists of
// names, files and terminals would not bear, what has a meaning of its own, what cannot be seen, and words that mix
// scripts, such as a Latin word with a Cyrillic letter.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("it is empty; give one")
	case len(name) > MostName:
		return fmt.Errorf("%q... has %d bytes; give one of at most %d", name[:20], len(name), MostName)
	case name != strings.TrimSpace(name) || strings.Contains(name, ","):
		return fmt.Errorf("%q has a comma, or a blank at its ends; give one without", name)
	case Spelled(name) != name:
		return fmt.Errorf("%q holds what a terminal obeys, or is no UTF-8; give one of characters that can be seen",
			name)
	case strings.ContainsAny(name, `/\@`):
		return fmt.Errorf("%q has a slash or an @, which stand for paths and versions; give one without", name)
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, ".toml"):
		return fmt.Errorf("%q begins with a hyphen or ends in a dot or .toml, as flags and files do; give another",
			name)
	case means(strings.ToLower(name)) != "":
		return fmt.Errorf("%q is %s; give another", name, means(strings.ToLower(name)))
	}
	for _, r := range name {
		if unseen(r) {
			return fmt.Errorf("%+q holds %U, which cannot be seen; give one without it", name, r)
		}
	}
	if plain := norm.NFC.String(name); plain != name {
		return fmt.Errorf("%+q is not in Unicode's normal form; write %+q", name, plain)
	}
	return oneScript(name)
}

// means says what a name in small letters already means, or nothing.
func means(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case slices.Contains([]string{"all", "none", "plugins"}, name):
		return "a word that stands for other names"
	case slices.Contains([]string{"con", "prn", "aux", "nul"}, stem),
		len(stem) == 4 && (stem[:3] == "com" || stem[:3] == "lpt") && stem[3] >= '0' && stem[3] <= '9':
		return "the name of a device of Windows"
	}
	return ""
}

// unseen reports whether a character leaves no ink, or may leave none: formats, selectors of variants, fillers, blanks
// other than the ordinary one, and code points without a meaning.
func unseen(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// scripts are those that are in common use today (Unicode's UAX 31, table 5).
var scripts = strings.Fields(`Latin Greek Cyrillic Han Hiragana Katakana Bopomofo Hangul Arabic Armenian Bengali
	Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil
	Telugu Thaana Thai Tibetan Common Inherited`)

// anywhere are scripts that are written together, and with Latin letters: few of their characters look like one of
// these.
var anywhere = strings.Fields("Han Hiragana Katakana Bopomofo Hangul Common Inherited")

// oneScript refuses words whose letters are of two scripts, and scripts that are not in common use.
func oneScript(name string) error {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	for word := range strings.FieldsFuncSeq(name, between) {
		var first string
		for _, r := range word {
			i := slices.IndexFunc(scripts, func(s string) bool { return unicode.Is(unicode.Scripts[s], r) })
			switch {
			case i < 0:
				return fmt.Errorf("%+q has the letter %q of a script that is not in common use; give another", name, r)
			case slices.Contains(anywhere, scripts[i]):
			case first == "":
				first = scripts[i]
			case first != scripts[i]:
				return fmt.Errorf("%+q mixes %s and %s letters (%q) in a word, so that it looks like another; "+
					"give another", name, first, scripts[i], r)
			}
		}
	}
	return nil
}

// Alike reports whether two names differ at most in the case of letters, or look the same: whether they have one
// skeleton, in the manner of Unicode's UTS 39.
func Alike(a, b string) bool { return strings.EqualFold(a, b) || Skeleton(a) == Skeleton(b) }

// Skeleton returns a text that names which look the same have in common. Names that only differ in case may have two.
func Skeleton(name string) string {
	return skeletons.Replace(strings.ToLower(ink.Replace(norm.NFKD.String(name))))
}

// ink writes letters that look like those of ASCII as these, skeletons what is left to do in small letters.
var (
	ink = strings.NewReplacer(strings.Fields(`
		А A В B Е E Ѕ S І l Ј J К K М M Н H О O Р P С C Т T У Y Х X
		Ү Y Ӏ l Ԁ d Ԍ G Ԛ Q Ԝ W Ѵ V З 3
		а a в b г r е e ѕ s і i ј j к k м m н h о o р p с c т t у y х x
		ү y ӏ l ԁ d ԛ q ԝ w ѵ v һ h п n
		Α A Β B Ε E Ζ Z Η H Ι l Κ K Μ M Ν N Ο O Ρ P Τ T Υ Y Χ X Ϲ C Ϝ F
		α a γ y ε e η n ι i κ k ν v ο o ρ p σ o ς c τ t υ u χ x ω w ϲ c ϳ j β ß
		Տ S Ս U Օ O Լ L օ o ո n ս u հ h ց g զ q յ j
		ı i ɡ g ɑ a ɩ i ʟ L ɪ I ƽ s ß ß
		I l 1 l | l 0 o O o ‐ - – - — - − - ‒ - ʼ ' ’ ' ‘ ' ∕ / ⁄ /`)...)
	skeletons = strings.NewReplacer("m", "rn", "vv", "w")
)
