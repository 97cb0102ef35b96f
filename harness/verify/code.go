package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// The Version of a method, which its author raises by hand, identifies its results. The code of a method is
// hashed, too, so that a change of results without a new Version is noticed. Where stored cells were computed
// by other code than today's, the cheapest of these cells is run again and compared.

// These limits are the longest stored time of a cell that is compared, and the time that all these checks may take
// together.
const (
	longestCheck = 20 * time.Second
	allChecks    = 30 * time.Second
)

// Longest is the time that all checks of [State] may take together.
const Longest = allChecks

// An OldResult is a method whose stored results today's code does not reproduce.
type OldResult struct {
	Method, Version string
	Cells           int
}

// CodeReport is the outcome of checks of code.
type CodeReport struct {
	Old       []OldResult       // by name of the method
	Checked   []store.CodeCheck // made now
	Unchecked []plan.Group      // methods whose code changed, and why no cell could be compared
	Taken     []plan.Group      // imported results, computed by another program, that could not be compared, and why
}

// A codeGroup is the stored cells of a method that were computed by one code and that would be planned with
// the same key today.
type codeGroup struct {
	check    store.CodeCheck
	cells    []*plan.Cell // at least one cell; the cell that took the least time is first
	imported bool         // all cells are imported
}

// Code compares the code of the request's methods with the code that computed their stored cells of h's
// protocol. A check that the store has is not made again. The caller stores new checks. run runs the cells.
// begins, if not nil, is called before their cells start: once with the methods whose code changed, and once
// with those whose results are imported. Methods that the request reruns are left out.
func Code(ctx context.Context, h *plan.Experiment, db *store.DB, run runner.Runner, req plan.Request,
	opt schedule.Options, begins func(methods []string, imported bool)) (CodeReport, error) {
	var out CodeReport
	known, err := db.CodeChecks(ctx)
	if err != nil {
		return out, err
	}
	same := map[store.CodeCheck]bool{} // the stored checks and their verdicts
	for _, c := range known {
		verdict := c.Same
		c.Same = false
		same[c] = verdict
	}
	groups, err := otherCode(ctx, h, db, req, same)
	if err != nil || len(groups) == 0 {
		return out, err
	}
	var open []codeGroup
	old := map[string]*OldResult{}
	count := func(g codeGroup) {
		if old[g.check.Method] == nil {
			old[g.check.Method] = &OldResult{Method: g.check.Method, Version: g.check.MethodVersion}
		}
		old[g.check.Method].Cells += len(g.cells)
	}
	for _, g := range groups {
		if _, checked := same[g.check]; checked {
			count(g)
		} else {
			open = append(open, g)
		}
	}
	for _, g := range compareCode(ctx, h, db, run, open, opt, begins, &out) {
		count(g)
	}
	for _, o := range old {
		out.Old = append(out.Old, *o)
	}
	slices.SortFunc(out.Old, func(a, b OldResult) int { return strings.Compare(a.Method, b.Method) })
	return out, ctx.Err()
}

// otherCode returns the stored cells of the request's methods that were computed by other code than today's. It leaves
// out code that is known to give the same results.
func otherCode(ctx context.Context, h *plan.Experiment, db *store.DB, req plan.Request,
	same map[store.CodeCheck]bool) ([]codeGroup, error) {
	methods, err := h.Methods(req.Methods)
	if err != nil {
		return nil, err
	}
	codes, err := db.Codes(ctx, h.Protocol.Name, h.Protocol.Hash())
	if err != nil {
		return nil, err
	}
	var changed []store.CodeCheck
	for _, m := range methods {
		own := slices.DeleteFunc(slices.Clone(codes), func(c store.CodeCheck) bool {
			return c.Method != m.Name || c.MethodVersion != m.Version
		})
		if len(own) == 0 || req.Reruns(m.Name) {
			continue
		}
		code := runner.Code(h.Registry, m.Name)
		for _, c := range own {
			// a program that cannot tell its code compares nothing
			if c.Code = code; c.Stored != code && code != "" && !same[c] {
				changed = append(changed, c)
			}
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	cells, err := db.Cells(ctx)
	if err != nil {
		return nil, err
	}
	return withCells(ctx, h, changed, cells)
}

// withCells adds the cells to each check. A check has no cells left if today's plan computes them with other inputs.
func withCells(ctx context.Context, h *plan.Experiment, checks []store.CodeCheck, cells []store.Cell) ([]codeGroup,
	error) {
	var groups []codeGroup
	for _, check := range checks {
		own := slices.DeleteFunc(slices.Clone(cells), func(c store.Cell) bool {
			return c.Protocol != h.Protocol.Name || c.Method != check.Method || c.Code != check.Stored ||
				c.Status != result.OK
		})
		stand, err := h.Standing(ctx, own, false)
		if err != nil {
			return nil, err
		}
		if len(stand.Cells) == 0 {
			continue
		}
		slices.SortStableFunc(stand.Cells, func(a, b *plan.Cell) int { return cmp.Compare(a.Seconds, b.Seconds) })
		imported := !slices.ContainsFunc(own, func(c store.Cell) bool { return c.Imported == "" })
		groups = append(groups, codeGroup{check, stand.Cells, imported})
	}
	return groups, nil
}

// compareCode runs one cell of each group. It notes in report the verdicts and the groups that could not be
// compared. It returns the groups whose results differ.
func compareCode(ctx context.Context, h *plan.Experiment, db *store.DB, run runner.Runner, groups []codeGroup,
	opt schedule.Options, begins func(methods []string, imported bool), report *CodeReport) []codeGroup {
	left := map[runner.Cell]codeGroup{} // by the cell that is run, until it ends
	var cells []*plan.Cell
	names := map[bool][]string{} // by whether their results are imported
	exclude := func(g codeGroup, why string) {
		c, to := g.cells[0], &report.Unchecked
		if g.imported {
			to = &report.Taken
		}
		*to = append(*to, plan.Group{Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method, Cells: len(g.cells),
			Why: why})
	}
	for _, g := range groups {
		c, why := cheapest(h, g)
		if c == nil {
			exclude(g, why)
			continue
		}
		left[c.Cell] = g
		cells = append(cells, c)
		if !slices.Contains(names[g.imported], c.Method) {
			names[g.imported] = append(names[g.imported], c.Method)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	for _, imported := range []bool{false, true} {
		if begins != nil && names[imported] != nil {
			begins(names[imported], imported)
		}
	}
	limited, cancel := context.WithTimeout(ctx, allChecks)
	defer cancel()
	var old []codeGroup
	_, err := Cells(limited, run, nil, cells, schedule.Options{Jobs: opt.Jobs,
		Limits: plan.Limits{Memory: opt.Limits.Memory}}, db, func(v Verified) {
		g := left[v.Cell]
		delete(left, v.Cell)
		g.check.Same = len(v.Differences) == 0
		report.Checked = append(report.Checked, g.check)
		if !g.check.Same {
			old = append(old, g)
		}
	})
	for _, c := range cells {
		if g, unended := left[c.Cell]; unended {
			why := fmt.Sprintf("no cell could be run again within %v and the memory limit", allChecks)
			if err != nil {
				why = err.Error()
			}
			exclude(g, why)
		}
	}
	return old
}

// cheapest returns the cheapest cell of a group whose data is here, or the reason why no cell can be run again.
func cheapest(h *plan.Experiment, g codeGroup) (c *plan.Cell, why string) {
	asked := map[string]bool{}
	for _, c := range g.cells {
		if c.Seconds > longestCheck.Seconds() {
			return nil, fmt.Sprintf("the cheapest cell that could be compared took %.0f s", c.Seconds)
		}
		if asked[c.Dataset] {
			continue
		}
		asked[c.Dataset] = true
		if entry, err := h.Catalogue.Lookup(c.Dataset); err == nil {
			if _, err := h.Data.State(entry); err == nil {
				return c, ""
			}
		}
	}
	return nil, "the data of none of its cells is here"
}
