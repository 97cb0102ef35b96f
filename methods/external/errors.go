package external

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/registry"
)

// A Crash says that the process of a plugin ended while it had a request to answer.
type Crash struct {
	Plugin string // the method's name, or the file where the name is not known
	During string // the operation: describe, fit, score ...
	Exit   int    // exit code, -1 if a signal ended the process
	Signal string // name of the signal, "" if the process ended by itself
	Stderr string // the end of the standard error of the process
}

// Error says how the process ended and what it wrote last.
func (e *Crash) Error() string {
	how := fmt.Sprintf("its process ended with exit code %d", e.Exit)
	if e.Signal != "" {
		how = "its process was ended by signal " + e.Signal
	}
	return fmt.Sprintf("%s: %s: %s%s", e.Plugin, e.During, how, quoted(e.Stderr))
}

// FailureClass is the class under which the failure of a cell is stored.
func (e *Crash) FailureClass() string { return "crash" }

// A BadOutput says that an answer of a plugin violates the protocol.
type BadOutput struct {
	Plugin, During string
	What           string // the violation
	Line           string // the line in question, shortened; "" if the answer is a matrix
	Stderr         string
}

// Error quotes the line.
func (e *BadOutput) Error() string {
	line := ""
	if e.Line != "" {
		line = fmt.Sprintf(": %q", e.Line)
	}
	return fmt.Sprintf("%s: %s: bad output: %s%s%s", e.Plugin, e.During, e.What, line, quoted(e.Stderr))
}

// FailureClass is the class under which the failure of a cell is stored.
func (e *BadOutput) FailureClass() string { return "bad-output" }

// A MethodError is an error that the method itself reported, such as a Python exception.
type MethodError struct {
	Plugin, During string
	Message        string // such as "ValueError: C must be positive"
	Trace          string // the end of the stack trace; "" if the plugin gives none
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

// These parts of an error differ from run to run: names of matrix files, and addresses.
var (
	matrixFile = regexp.MustCompile(`\b([a-z])[0-9]+\.npy\b`)
	address    = regexp.MustCompile(`\b0x[0-9a-fA-F]{6,}\b`)
)

// plain removes from a text of the process the parts that differ from run to run: the private folder, the numbers of
// files in it, and addresses. So equal failures have equal texts.
func (q *process) plain(text string) string {
	for _, folder := range []string{q.folder.path, filepath.Join(q.plugin.data, "python"), q.plugin.data} {
		text = strings.ReplaceAll(text, folder+string(filepath.Separator), "")
	}
	return address.ReplaceAllString(matrixFile.ReplaceAllString(text, "$1.npy"), "0x...")
}

// internalError wraps an error of this program's own work in the private folder, such as a full disk. Equal errors have
// equal texts.
func (q *process) internalError(err error) error { return plainError{err, q.plain(err.Error())} }

type plainError struct {
	error
	text string
}

func (e plainError) Error() string { return e.text }
func (e plainError) Unwrap() error { return e.error }

// twoClasses matches errors of estimators that learn two classes but got more.
var twoClasses = regexp.MustCompile(`(?i)\bbinary\b|\b(two|2) classes\b|\bmulti-?class\b`)

// advised adds advice for the plugin's author to the error of a fit.
func advised(err error, r *Request) error {
	var own *MethodError
	if errors.As(err, &own) && r.Task == registry.Multiclass.String() && twoClasses.MatchString(own.Message) {
		own.Message += `; a method for two classes only says so: tasks=["binary"]`
	}
	return err
}

// mostQuoted is the most bytes of standard error that an error quotes. The last lines usually say most.
const mostQuoted = 1500

// permitted says what the sandbox allows a plugin.
const permitted = "a plugin reads its own files and libraries, and writes to its temporary folder; bench's " +
	"--allow-read DIR adds a folder"

// quoted returns the end of an error, which quotes standard error.
func quoted(stderr string) string {
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return ""
	}
	stderr = ending(stderr, mostQuoted)
	if strings.Contains(stderr, "\n") { // for example a traceback
		stderr = "\n" + stderr
	} else {
		stderr = " " + stderr
	}
	return "; the end of its standard error:" + stderr
}

// refusals are what programs say of a file that they may not read or write, and absences what they say of one that they
// do not see.
var (
	refusals = regexp.MustCompile("Permission denied|Operation not permitted|Read-only file system")
	absences = regexp.MustCompile("(?i)no such file|no module named|not found|cannot open|permission denied")
	words    = regexp.MustCompile("[^\\s'\"`:,;()]+")
)

// hinted adds what to do to a text of a process that names a file which the sandbox does not show to it.
func (p *Plugin) hinted(text string) string {
	text = strings.TrimRight(text, "\n")
	hint := ""
	if refusals.MatchString(text) {
		hint = "; " + permitted
	}
	if absences.MatchString(text) {
		for _, word := range words.FindAllString(text, -1) {
			if part := p.unlisted(word); part != "" {
				return text + fmt.Sprintf("; %s lies beside the plugin and is none of its files: list it, by "+
					`serve(..., files=[%q]) or "files" of the description`, part, part)
			}
			if _, err := os.Stat(word); filepath.IsAbs(word) && err == nil && !sandbox.Within(word, p.policy().Read) {
				hint = "; " + permitted
			}
		}
	}
	return text + hint
}

// unlisted returns the file of the plugin's folder that a word names, a module or a file, if the plugin is not made of
// it. Until it has described itself it sees its whole folder.
func (p *Plugin) unlisted(word string) string {
	if p.sums == nil {
		return ""
	}
	if filepath.IsAbs(word) {
		word, _ = filepath.Rel(p.home, word)
	}
	for _, name := range []string{word, word + ".py", filepath.Join(word, "__init__.py")} {
		info, err := os.Stat(filepath.Join(p.home, name))
		if err == nil && info.Mode().IsRegular() && filepath.IsLocal(name) && p.sums[filepath.Clean(name)] == "" {
			return name
		}
	}
	return ""
}

// short cuts the end of a text for an error.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// ending cuts the beginning of a text for an error.
func ending(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "..." + strings.ToValidUTF8(text[len(text)-most:], "")
}
