package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
)

func newCommonsRerunCommand(a *app) *cobra.Command {
	var names []string
	var budget time.Duration
	c := a.lists(&cobra.Command{
		Use:   "rerun [DIR]",
		Short: "List entries of an older bench or with older packages, and compute the next of them again",
		Args:  cobra.MaximumNArgs(1),
	}, func(c *cobra.Command, args []string, l *listing) error {
		if budget < 0 {
			return usage("--budget must not be negative")
		}
		dir := cmp.Or(strings.Join(args, ""), ".")
		return a.commonsRerun(c.Context(), dir, names, budget, l)
	})
	c.Flags().StringSliceVar(&names, "entries", nil, "only these entries, also if this bench computed them")
	c.Flags().DurationVar(&budget, "budget", 0, "compute for this long in all, such as 30m (default list alone)")
	return c
}

// A staleEntry is an entry of a commons whose results are to be computed again, and why.
type staleEntry struct {
	commons.Entry
	files   map[string]commons.File
	why     string
	renewed bool // files have a newer lock than the entry
}

// staleEntries lists the entries of a commit that nobody, or another bench, computed again, or whose packages have
// newer releases, those of the longest ago first. Named entries are listed in any case.
func (a *app) staleEntries(ctx context.Context, git commons.Git, head string, config commons.Config, named []string) (
	[]staleEntry, error) {
	all, err := git.Entries(ctx, head)
	if err != nil {
		return nil, err
	}
	for _, name := range named {
		if !slices.Contains(all, name) {
			return nil, usage("--entries %s: the commons has no such entry; it has %s", name, strings.Join(all, ", "))
		}
	}
	var out []staleEntry
	dates := map[string]string{}
	for _, name := range all {
		if named != nil && !slices.Contains(named, name) {
			continue
		}
		files, e, err := git.Entry(ctx, head, name, config)
		if err != nil {
			return nil, err
		}
		versions, err := git.Versions(ctx, head, name, config)
		if err != nil {
			return nil, err
		}
		why := "never computed again"
		if len(versions) > 0 {
			r := versions[0].Receipt
			if why = ""; r.Program != environment.ProgramVersion {
				why = fmt.Sprintf("computed by bench %s; this is %s", r.Program, environment.ProgramVersion)
			} else if named != nil {
				why = "named"
			}
			dates[name] = r.Date
		}
		newer, err := a.renew(ctx, e, files)
		if err != nil {
			return nil, err
		}
		if newer != nil {
			why = strings.TrimPrefix(why+"; "+strings.Join(newer, ", "), "; ")
		}
		if why != "" {
			out = append(out, staleEntry{e, files, why, newer != nil})
		}
	}
	slices.SortStableFunc(out, func(x, y staleEntry) int { return strings.Compare(dates[x.Name], dates[y.Name]) })
	return out, nil
}

// renew puts the newest releases into the lock of an entry, and returns which packages have newer ones. Where pip
// cannot say that, the lock stays.
func (a *app) renew(ctx context.Context, e commons.Entry, files map[string]commons.File) ([]string, error) {
	_, lock, err := commons.ReadEntry(files)
	if err != nil || len(lock) == 0 {
		return nil, err
	}
	now, newer, err := commons.Renewed(ctx, e.Python, lock)
	if err != nil {
		a.say("%s: pip could not be asked for newer releases of its packages, so none are listed; is there a network? "+
			"%v", e.Name, err)
		return nil, ctx.Err()
	}
	if newer != nil {
		files[commons.LockFile] = commons.File{Content: commons.LockText(now)}
	}
	return newer, nil
}

// commonsRerun lists entries, and with a budget computes them again until it is spent. Those that come out as before,
// or have newer packages, get a new receipt in the folder of the commons.
func (a *app) commonsRerun(ctx context.Context, dir string, named []string, budget time.Duration, l *listing) error {
	git := commons.Git(dir)
	head, err := git.Commit(ctx, "HEAD")
	if err != nil {
		return usageError(err)
	}
	config, err := git.Config(ctx, head)
	if err != nil {
		return usageError(err)
	}
	stale, err := a.staleEntries(ctx, git, head, config, named)
	if err != nil {
		return refused(err)
	}
	l.header = []string{"entry", "why", "outcome"}
	var failed error
	end := time.Now().Add(budget)
	for _, e := range stale {
		left := time.Until(end)
		if budget == 0 || left <= 0 {
			l.add(e.Name, e.why, "to compute")
			continue
		}
		outcome, err := a.rerunEntry(ctx, git, commons.Change{Base: head, Head: head, Name: e.Name, Files: e.files,
			Config: config}, e, left)
		if err == nil { // the old signature is that of the old receipt
			err = os.RemoveAll(filepath.Join(dir, commons.Methods, e.Name, commons.SignatureFile(commons.ReceiptFile)))
		}
		if err == nil {
			err = writeFiles(dir, outcome)
		}
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			l.add(e.Name, e.why, err.Error())
			failed = errors.Join(failed, exitError{exitIncomplete, fmt.Errorf("%s: %w", e.Name, err)})
			continue
		}
		became := "as before: a new receipt is written, commit it"
		if e.renewed {
			became = "computed with the newer packages: lock, results and receipt are written, commit them"
		}
		l.add(e.Name, e.why, became)
	}
	return failed
}

// rerunEntry checks an entry of the commons in the way of a new entry, and returns the files of the outcome.
func (a *app) rerunEntry(ctx context.Context, git commons.Git, as commons.Change, e staleEntry,
	within time.Duration) (map[string]commons.File, error) {
	own, python := *a, os.Getenv("BENCH_PYTHON")
	defer os.Setenv("BENCH_PYTHON", python) // the check sets that of the entry
	k := &entryCheck{app: &own, git: git, change: as, entry: e.Entry, version: commons.EntryHash(as.Files),
		within: within, renewed: e.renewed}
	var err error
	if k.reported, err = as.Config.Runs(e.Entry, as.Files[commons.ResultsFile].Content); err != nil {
		return nil, err
	}
	return k.compute(ctx)
}
