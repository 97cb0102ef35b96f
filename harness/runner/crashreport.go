package runner

import (
	"strings"
	"unicode"
)

// These are the bytes that are searched for the reason of an end, and the bytes that are stored.
const (
	mostTail   = 64 << 10
	mostStderr = 4000
)

// printable replaces what a terminal would obey in the text that a process wrote.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == unicode.ReplacementChar) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// lastWords are the beginnings of the lines in which the Go runtime says why it ends a program.
var lastWords = []string{"panic: ", "fatal error: ", "runtime: out of memory", "SIG"}

// reason returns what a program said when it ended, and the text from there on. If it said nothing known,
// reason returns "" and the whole text.
func reason(text string) (said, from string) {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		for _, words := range lastWords {
			if strings.HasPrefix(line, words) {
				return line, text[at:]
			}
		}
		at += len(line) + 1
	}
	return "", text
}

// kept bounds the text to be stored. It takes the message of the runtime from its beginning, else the end of
// the text.
func kept(text string) string {
	said, from := reason(text)
	switch {
	case said != "":
		return strings.ToValidUTF8(from[:min(len(from), mostStderr)], "")
	default:
		return strings.ToValidUTF8(from[max(0, len(from)-mostStderr):], "")
	}
}
