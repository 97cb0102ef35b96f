package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/store"
)

// noteFindings says what speaks against the results of the methods of a run: what was found now and before.
func (a *app) noteFindings(ctx context.Context, db *store.DB, protocol string, plan *harness.Plan) error {
	findings, err := db.Findings(ctx, protocol)
	if err != nil {
		return err
	}
	a.tellFindings(slices.DeleteFunc(findings, func(f store.Finding) bool {
		return plan.Versions[f.Method] != f.MethodVersion
	}))
	return nil
}

// tellFindings prints a line a method and kind of finding.
func (a *app) tellFindings(findings []store.Finding) {
	for _, line := range store.Describe(findings) {
		fmt.Fprintln(a.err, line)
	}
}
