package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/runner"
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

// checkState computes cells once more, each alone in a new process, and stores what that shows of the state of their methods.
func (a *app) checkState(ctx context.Context, db *store.DB, stop <-chan struct{}, cells []*harness.PlannedCell) error {
	if len(cells) == 0 {
		return nil
	}
	var methods []string
	for _, c := range cells {
		methods = append(methods, c.Method)
	}
	fmt.Fprintf(a.err, "computing a cell once more in a new process, to see whether what ran before matters, of %s\n", strings.Join(methods, ", "))
	fresh := func() (runner.Runner, func()) {
		cells, apart := a.cells(0, isolation{given: true, value: runner.CanIsolate})
		return cells, apart.Close
	}
	checks, err := harness.CheckState(ctx, fresh, cells, stop, a.memory, db)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return store.Patiently(ctx, a.waits, func() error { return db.PutStateChecks(ctx, checks) })
}
