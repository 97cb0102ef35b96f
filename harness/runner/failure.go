package runner

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
)

// A failure is an error of a method with a known class. Errors of methods in another process have the method
// FailureClass, too.
type failure struct {
	error
	class result.Class
}

func (f failure) Unwrap() error { return f.error }

// FailureClass returns the class in its stored form.
func (f failure) FailureClass() string { return string(f.class) }

func crash(err error) error { return failure{err, result.ClassCrash} }

func badOutput(format string, args ...any) error {
	return failure{fmt.Errorf(format, args...), result.ClassBadOutput}
}

// classOf returns the class that an error of a method names, else ClassError.
func classOf(err error) result.Class {
	var known interface{ FailureClass() string }
	if errors.As(err, &known) {
		class := result.Class(known.FailureClass())
		if slices.Contains([]result.Class{result.ClassTimeout, result.ClassOOM, result.ClassCrash,
			result.ClassBadOutput}, class) {
			return class
		}
	}
	return result.ClassError
}

var errChangedData = badOutput("the method changed the data that it was given; copy what is to be changed")

// fingerprint hashes the values of a part. Methods may not change them, since the fits of a whole grid see
// the same rows.
func fingerprint(p split.Part) uint64 {
	sum := uint64(0)
	for _, values := range [][]float64{p.Learn.X.RawMatrix().Data, p.Learn.Y, p.Score.X.RawMatrix().Data, p.Score.Y} {
		for _, v := range values {
			sum = bits.RotateLeft64(sum, 5) ^ math.Float64bits(v)
			sum *= 0x9e3779b97f4a7c15 // odd, so that no value is lost
		}
	}
	return sum
}

// maxError is the longest text of a failure, in bytes. A method may return a text of any length.
const maxError = result.MaxText

// oneLine joins the lines of a message. It cuts a long message and says how long the message was.
func oneLine(s string) string { return bounded(s, words) }

// inLines cuts the message of a method's failure. It keeps lines and indentation, such as those of a
// traceback.
func inLines(s string) string {
	return bounded(s, func(s string) string {
		var lines []string
		for line := range strings.Lines(s) {
			text := words(line)
			if text == "" {
				continue
			}
			indent := len(line) - len(strings.TrimLeft(line, " "))
			if len(lines) == 0 {
				indent = 0
			}
			lines = append(lines, strings.Repeat(" ", min(indent, 40))+text)
		}
		return strings.Join(lines, "\n")
	})
}

// words replaces white space by single blanks, and removes what a terminal would obey.
func words(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// bounded cuts a very long text, makes it readable, and cuts it to maxError bytes.
func bounded(s string, readable func(string) string) string {
	whole := len(s)
	if whole > 4*maxError { // a long text is not read to its end
		s = s[:4*maxError]
	}
	s = readable(strings.ToValidUTF8(s, "?"))
	if whole <= 4*maxError && len(s) <= maxError {
		return s
	}
	return fmt.Sprintf("%s... (cut; the whole message has %d bytes)", strings.ToValidUTF8(s[:min(len(s), maxError)],
		""), whole)
}

// mostTail bytes of output are searched for the reason why a process ended. mostStderr bytes are stored.
const (
	mostTail   = 64 << 10
	mostStderr = result.MaxStderr
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

// reason returns the line in which a program said why it ended, and the text from that line on. If no such line is
// known, reason returns "" and the whole text.
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

// kept cuts the text for storing. It keeps the start of the Go runtime's message if there is one, else the end of the
// text.
func kept(text string) string {
	said, from := reason(text)
	if said != "" {
		return strings.ToValidUTF8(from[:min(len(from), mostStderr)], "")
	}
	return strings.ToValidUTF8(from[max(0, len(from)-mostStderr):], "")
}
