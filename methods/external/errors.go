package external

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// A Crash says that the process of a plugin ended while it had a request to answer.
type Crash struct {
	Plugin string // the method's name, or the file where that is not known
	During string // the operation: describe, fit, score ...
	Exit   int    // the exit code, -1 where a signal ended it
	Signal string // its name, "" where the process ended by itself
	Stderr string // the end of what it wrote to standard error
}

// Error tells how the process ended and what it said last.
func (e *Crash) Error() string {
	how := fmt.Sprintf("its process ended with exit code %d", e.Exit)
	if e.Signal != "" {
		how = "its process was ended by signal " + e.Signal
	}
	return fmt.Sprintf("%s: %s: %s%s", e.Plugin, e.During, how, said(e.Stderr))
}

// FailureClass is the class under which the failure of a cell is stored.
func (e *Crash) FailureClass() string { return "crash" }

// A BadOutput says that a plugin answered what the protocol does not allow.
type BadOutput struct {
	Plugin, During string
	What           string // what is wrong
	Line           string // the line in question, shortened; "" if it is a matrix
	Stderr         string
}

// Error quotes the line.
func (e *BadOutput) Error() string {
	line := ""
	if e.Line != "" {
		line = fmt.Sprintf(": %q", e.Line)
	}
	return fmt.Sprintf("%s: %s: bad output: %s%s%s", e.Plugin, e.During, e.What, line, said(e.Stderr))
}

// FailureClass is the class under which the failure of a cell is stored.
func (e *BadOutput) FailureClass() string { return "bad-output" }

// A MethodError is an error that the method itself reported, such as a Python exception.
type MethodError struct {
	Plugin, During string
	Message        string // such as "ValueError: C must be positive"
	Trace          string // the end of where it came from; "" if the plugin does not say
}

// FailureClass is the class under which the failure of a cell is stored.
func (e *MethodError) FailureClass() string { return "error" }

// Error gives the message and the end of the trace.
func (e *MethodError) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.Plugin, e.During, e.Message)
	if e.Trace != "" {
		text += "\n" + e.Trace
	}
	return text
}

// What of an error differs from one time to the next: names of files of matrices, and addresses.
var (
	matrixFile = regexp.MustCompile(`\b([a-z])[0-9]+\.npy\b`)
	address    = regexp.MustCompile(`\b0x[0-9a-fA-F]{6,}\b`)
)

// plain takes from a text of the process what differs from one time to the next, so that equal failures
// have equal texts: the private folder, the numbers of files in it, addresses.
func (q *process) plain(text string) string {
	for _, folder := range []string{q.folder.path, filepath.Join(q.plugin.data, "python"), q.plugin.data} {
		text = strings.ReplaceAll(text, folder+string(filepath.Separator), "")
	}
	return address.ReplaceAllString(matrixFile.ReplaceAllString(text, "$1.npy"), "0x...")
}

// own is an error of this program's own work in the private folder, such as a disk that is full, which has equal texts too.
func (q *process) own(err error) error { return plainError{err, q.plain(err.Error())} }

type plainError struct {
	error
	text string
}

func (e plainError) Error() string { return e.text }
func (e plainError) Unwrap() error { return e.error }

// twoClasses are words of estimators that learn two classes and were given more.
var twoClasses = regexp.MustCompile(`(?i)\bbinary\b|\b(two|2) classes\b|\bmulti-?class\b`)

// advised adds to the error of a fit what its author may want to know.
func advised(err error, r *Request) error {
	var own *MethodError
	if errors.As(err, &own) && r.Task == registry.Multiclass.String() && twoClasses.MatchString(own.Message) {
		own.Message += `; a method for two classes only says so: tasks=["binary"]`
	}
	return err
}

// mostQuoted bounds what an error quotes of standard error, in bytes: what is stored of an error is bounded too, and the
// last lines say most.
const mostQuoted = 1500

// permitted says what the sandbox lets a plugin do; the Python package that comes along says the same of a PermissionError.
const permitted = "a plugin reads its own files and libraries, and writes to its temporary folder; bench's --allow-read DIR adds a folder"

// said returns the end of an error that quotes standard error.
func said(stderr string) string {
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return ""
	}
	stderr = ending(stderr, mostQuoted)
	if strings.Contains(stderr, "\n") { // such as a traceback
		stderr = "\n" + stderr
	} else {
		stderr = " " + stderr
	}
	hint := ""
	if strings.Contains(stderr, "Permission denied") || strings.Contains(stderr, "Operation not permitted") {
		hint = "; " + permitted
	}
	return "; the end of its standard error:" + stderr + hint
}

// short cuts a text for an error.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// ending cuts the front of a text for an error.
func ending(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "..." + strings.ToValidUTF8(text[len(text)-most:], "")
}
