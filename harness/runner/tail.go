package runner

import (
	"strings"
	"sync"
	"unicode"
)

// A tail keeps the end of what a process writes. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// The bytes that are looked at for the reason of an end, and those that are stored.
const (
	mostTail   = 64 << 10
	mostStderr = 4000
)

// Write takes everything and keeps the last.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n >= mostTail {
		t.text, b = t.text[:0], b[n-mostTail:]
	}
	if len(t.text)+len(b) > 2*mostTail { // moved now and then, not at each call
		t.text = append(t.text[:0], t.text[len(t.text)-mostTail+len(b):]...)
	}
	t.text = append(t.text, b...)
	return n, nil
}

// reset forgets what was written.
func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = nil
}

// String returns the end as a terminal may show it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == unicode.ReplacementChar) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(string(t.text[max(0, len(t.text)-mostTail):]), "?"))
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
