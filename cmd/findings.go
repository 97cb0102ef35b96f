package cmd

import (
	"fmt"

	"github.com/kernelboosting/bench/harness/store"
)

// tellFindings prints a line a method and kind of finding.
func (a *app) tellFindings(findings []store.Finding) {
	for _, line := range store.Describe(findings) {
		fmt.Fprintln(a.err, line)
	}
}
