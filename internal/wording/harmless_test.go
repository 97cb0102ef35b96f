package wording

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/test/must"
)

func TestSpelled(t *testing.T) {
	for text, want := range map[string]string{
		"plain ä ± €": "plain ä ± €", "a\x1b[31mb": `a\x1b[31mb`, "\u009b31m": `\u009b31m`,
		"x\u202ey\u2066z": `x\u202ey\u2066z`, "\u200e\u200f\u061c": `\u200e\u200f\u061c`,
		"a\nb\tc\r": `a\nb\tc\r`, "\xff": `\xff`, "\u2028": `\u2028`,
		"a\U000e0041\U000e007fb": `a\U000e0041\U000e007fb`, "\ufffd": "\ufffd",
	} {
		must.Be(t, Spelled(text), want, text)
	}
}

// A Writer spells characters also where they come in parts.
func TestWriter(t *testing.T) {
	const text = "a\x1b[31m ä\n\tb\u202e€\u009b"
	for size := 1; size < 6; size++ {
		var out strings.Builder
		w := &Writer{To: &out}
		for at := 0; at < len(text); at += size {
			if n, err := w.Write([]byte(text[at:min(len(text), at+size)])); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		must.Be(t, out.String(), "a\\x1b[31m ä\n\tb\\u202e€\\u009b", "in parts of", size)
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "-": "-", "-1.5": "-1.5", "+3": "+3", "-1e-300": "-1e-300", "=1+1": "'=1+1", "+a": "'+a",
		"-a": "'-a", "@SUM(A1)": "'@SUM(A1)",
		"\tx": "'\tx", "\r=1": "'\r=1", "-1+cmd|' /C calc'!A0": "'-1+cmd|' /C calc'!A0", "-inf": "'-inf", "'=x": "'=x",
		"a=b": "a=b",
	} {
		must.Be(t, SheetCell(text), want, text)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"GBRFF2", "my method", "α-SVM", "Größe", "方法",
		"方法SVM", "метод", "カート2",
		"SVM c=0.1", "x² (v2)", "+1", strings.Repeat("n", MostName)} {
		must.Do(t, CheckName(name))
		must.Be(t, FileName(name), name)
	}
	long := strings.Repeat("n", MostName+1)
	for _, name := range append(slices.Collect(maps.Keys(badNames)), "", " a", "a,b", "\xff", long) {
		if err := CheckName(name); err == nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 {
			t.Errorf("%q: %v", name, err)
		}
	}
	a, b := FileName(strings.Repeat("ä", 500)+"a"), FileName(strings.Repeat("ä", 500)+"b")
	if a == b || len(a) > MostName || !utf8.ValidString(a) {
		t.Errorf("file names %q, %q", a, b)
	}
}

func TestFirstLine(t *testing.T) {
	for message, want := range map[string]string{
		"": "", "one": "one", "one\ntwo": "one", "end of its output:\n": "end of its output:",
		"it ended:\n  about to\n\tno space \n\n": "it ended: no space",
	} {
		must.Be(t, FirstLine(message), want)
	}
}
