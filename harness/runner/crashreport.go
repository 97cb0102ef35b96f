package runner

import (
	"strings"
	"unicode"
)

// The bytes that are looked at for the reason of an end, and those that are stored.
const (
	mostTail   = 64 << 10
	mostStderr = 4000
)

// shown is what a process wrote as a terminal may show it.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == unicode.ReplacementChar) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// lastWords are lines that begin what the Go runtime says when it ends a program.
var lastWords = []string{"panic: ", "fatal error: ", "runtime: out of memory", "SIG"}

// reason returns what a program said when it ended, and the text from there on; "" and the whole
// text if it said nothing that is known.
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

// kept bounds what is stored: the beginning of what the runtime said, else the end of the text.
func kept(text string) string {
	said, from := reason(text)
	switch {
	case said != "":
		return strings.ToValidUTF8(from[:min(len(from), mostStderr)], "")
	default:
		return strings.ToValidUTF8(from[max(0, len(from)-mostStderr):], "")
	}
}
