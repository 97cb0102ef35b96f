package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
)

// mostFailures bounds the different failures that are listed.
const mostFailures = 10

// failures collects cells that failed, grouped by method and text, in the order of the first failures.
type failures struct{ kinds []*failureKind }

// A failureKind is a group of cells of a method that failed with the same text.
type failureKind struct {
	method, status, text string
	datasets             []string
	cells                int
}

// add notes cells of a method on a set, and reports whether their failure is the first of its kind.
func (f *failures) add(method, dataset, status, text string, cells int) (first bool) {
	i := slices.IndexFunc(f.kinds, func(k *failureKind) bool { return k.method == method && k.status == status && k.text == text })
	if i < 0 {
		i = len(f.kinds)
		f.kinds = append(f.kinds, &failureKind{method: method, status: status, text: text})
	}
	k := f.kinds[i]
	if k.cells += cells; !slices.Contains(k.datasets, dataset) {
		k.datasets = append(k.datasets, dataset)
	}
	return k.cells == cells
}

// list writes a line for each kind. If whole is set, it also writes the further lines of the text, such as a traceback.
func (f *failures) list(w io.Writer, whole bool) {
	for i, k := range f.kinds {
		if i == mostFailures {
			fmt.Fprintf(w, "%s of other kinds; `bench query \"SELECT * FROM results\"` has them\n", plural(len(f.kinds)-i, "failure"))
			return
		}
		lines := strings.Split(k.text, "\n")
		fmt.Fprintf(w, "%s of %s %s (%s): %s\n", plural(k.cells, "cell"), k.method, k.status, strings.Join(k.datasets, ", "), wording.Spelled(lines[0]))
		for _, line := range lines[1:] {
			if whole {
				fmt.Fprintf(w, "    %s\n", wording.Spelled(line))
			}
		}
	}
}

// failedAs returns a status, with the class if that says more, such as "failed (crash)".
func failedAs(status result.Status, class result.Class) string {
	if status == result.Failed && class != "" && class != result.ClassError {
		return fmt.Sprintf("%s (%s)", status, class)
	}
	return string(status)
}
