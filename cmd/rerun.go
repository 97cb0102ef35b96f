package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/spf13/cobra"
)

// rerunFlag adds --rerun to `bench run`.
func rerunFlag(a *app, c *cobra.Command, into *[]string) {
	c.Flags().StringSliceVar(into, "rerun", nil, "methods of the request whose stored cells are run again; each new result replaces the old one")
	_ = c.RegisterFlagCompletionFunc("rerun", a.completeMethodList)
}

// rerun checks the names of --rerun against the request.
func (a *app) rerun(h *plan.Experiment, req *plan.Request, names []string) error {
	for _, n := range names {
		s, err := h.Registry.Lookup(strings.TrimSpace(n))
		if err != nil {
			return exitError{exitUsage, err}
		}
		req.Rerun = append(req.Rerun, s.Name)
	}
	for _, m := range req.Rerun {
		if req.Methods != nil && !slices.ContainsFunc(req.Methods, func(asked string) bool { return strings.EqualFold(asked, m) }) {
			return usage("--rerun %s: the method is not among --methods; name it there too", m)
		}
	}
	return nil
}

// CheckingCode says why one stored cell of each method is run again: the method's code changed after the cell was stored, or
// the cell was imported.
func (r *runTold) CheckingCode(methods []string, imported bool) {
	why := "code changed since results were stored"
	if imported {
		why = "imported results are compared with this program"
	}
	fmt.Fprintf(r.app.err, "%s: running one cell again of %s\n", why, strings.Join(methods, ", "))
}

// CheckedCode prints the methods whose code today gives other results than the stored ones, and the methods whose
// changed code could not be compared.
func (r *runTold) CheckedCode(report verify.CodeReport) {
	for _, o := range report.Old {
		fmt.Fprintf(r.app.err, "%s %s: code changed and results with it; %s old; raise Version or --rerun %s\n", o.Method, o.Version, counted(o.Cells, "stored cell", "is", "are"), o.Method)
	}
	for _, g := range report.Unchecked {
		fmt.Fprintf(r.app.err, "%s: code changed since %s stored, and whether results did is not known: %s; `bench verify --methods %s` compares them\n",
			g.Method, counted(g.Cells, "cell", "was", "were"), wording.Spelled(g.Why), g.Method)
	}
	taken := map[string][]string{}
	for _, g := range report.Taken {
		taken[g.Why] = append(taken[g.Why], g.Method)
	}
	for _, why := range slices.Sorted(maps.Keys(taken)) {
		fmt.Fprintf(r.app.err, "imported results of %s stand as they are, not compared with this program: %s; `bench verify` compares them\n",
			strings.Join(slices.Compact(slices.Sorted(slices.Values(taken[why]))), ", "), wording.Spelled(why))
	}
}
