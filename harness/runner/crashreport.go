package runner

import (
	"strings"
	"unicode"
)

// mostTail bytes of output are searched for the reason why a process ended. mostStderr bytes are stored.
const (
	mostTail   = 64 << 10
	mostStderr = 4000
)

// printable replaces control characters in the text that a process wrote, so that no terminal obeys them.
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

// reason returns the line in which a program said why it ended, and the text from that line on. If no such line is known,
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

// kept cuts the text for storing. It keeps the start of the Go runtime's message if there is one, else the end of the text.
func kept(text string) string {
	said, from := reason(text)
	if said != "" {
		return strings.ToValidUTF8(from[:min(len(from), mostStderr)], "")
	}
	return strings.ToValidUTF8(from[max(0, len(from)-mostStderr):], "")
}
