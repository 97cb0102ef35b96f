// Package wording is for texts that people read, and for texts that come from elsewhere.
//
//	humanize.go  times and sizes with as many digits as they need to be compared
//	suggest.go   the names that somebody may have meant who typed another one
//	tomlerr.go   the keys that a TOML file may have, and which one was meant
//	harmless.go  texts from elsewhere, made harmless for a terminal, a spreadsheet or a file's name
//	decimal.go   numbers that files hold as text, strictly
//
// It knows nothing of what the texts are about.
package wording

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Obeyed reports whether a terminal or a browser acts on a character instead of showing it, or whoever reads a text
// cannot see it: control characters, line ends included, signs that turn the direction of writing, and tags, which
// spell a text that has no width.
func Obeyed(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) ||
		r >= 0xe0000 && r <= 0xe007f
}

// FirstLine is the first line of a message, with the last one if the first ends in a colon: what a program said last
// tells most.
func FirstLine(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	if last := len(lines) - 1; last > 0 && strings.HasSuffix(lines[0], ":") {
		return lines[0] + " " + strings.TrimSpace(lines[last])
	}
	return lines[0]
}

// Spelled writes what would be obeyed, and bytes that are no text, as \x1b, \n, \u202e and so on.
func Spelled(s string) string { return spelled(s, Obeyed) }

func spelled(s string, bad func(rune) bool) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || bad(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || bad(r) {
			quoted := strconv.QuoteToASCII(s[i : i+n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// A Writer spells what is written through it, but for line ends and tabs. It is safe for concurrent use.
type Writer struct {
	To io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, p...)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= i
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	_, err := io.WriteString(w.To, spelled(string(text[:whole]), func(r rune) bool {
		return r != '\n' && r != '\t' && Obeyed(r)
	}))
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// SheetCell is a text as a cell of a CSV file: one that a spreadsheet would take for a formula has a quotation mark
// before it. A number stays one.
func SheetCell(text string) string {
	if text == "" || text == "-" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, number := ParseDecimal([]byte(text)); number {
		return text
	}
	return "'" + text
}

// SheetCells are texts as cells of a CSV file.
func SheetCells(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = SheetCell(t)
	}
	return out
}

// FileName shortens what a file is to be named, without its ending, to MostName bytes; the end then distinguishes it
// from others.
func FileName(name string) string {
	if len(name) <= MostName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	const digits = 12
	return strings.ToValidUTF8(name[:MostName-digits-1], "") + "-" + hex.EncodeToString(sum[:digits/2])
}
