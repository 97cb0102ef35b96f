package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/atomicfile"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/spf13/cobra"
)

// referenceRun is what `bench import` calls the results that come with the program.
const referenceRun = "reference"

func newImportCommand(a *app) *cobra.Command {
	var from, method, version string
	c := &cobra.Command{
		Use:   "import reference | PROTOCOL | FILE",
		Short: "Store results that were computed elsewhere: the reference run, a file of `bench bundle`, or test scores",
		Long: `import stores results of a file that ` + "`bench bundle`" + ` wrote: every count, with the
environment and the hash of the code that computed it. ` + "`bench import reference`" + ` takes
the reference run that comes with the program, so that a table is whole at once
and ` + "`bench run`" + ` computes only what is new. Neither the data nor a network is needed.

A result enters only if this program would compute it from the same inputs (method
version, grid, protocol, data); what is out of date is counted and named. What is
stored already stays. The column imported of view results names the file. The name of a
protocol takes the results of its experiments, where they come with the program.

With --as the file is CSV: the test scores of a method elsewhere, with the columns
dataset, split, row (of the data file, from 0) and score, or score_0, score_1 and so on
for several classes. Every test row of a split stands in it once (see ` + "`bench data export`" + `).
A score of 0 or more means class +1; the largest means its class; of a regression it is the
prediction. Counts are computed here, so that the method stands in every report. Scores
that differ from stored ones need another --version.`,
		Example: `  bench import reference && bench report table2
  bench import theirs.bench --db all.db
  bench import scores.csv --as MyMethod`,
		Args: takes("reference or FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if method != "" {
				return a.importScores(c.Context(), args[0], from, method, version)
			}
			return a.importResults(c.Context(), args[0], from)
		},
	}
	c.Flags().StringVar(&from, "protocol", "", "the TOML file of a protocol of your own, for its results (of scores: the protocol, default table2)")
	c.Flags().StringVar(&method, "as", "", "the file holds test scores of this method, which is none of the program's")
	c.Flags().StringVar(&version, "version", "1", "of the method whose scores are imported")
	return c
}

func (a *app) importResults(ctx context.Context, path, protocolFile string) error {
	runs, name, err := readResults(path)
	if err != nil {
		return err
	}
	protocols, err := a.protocolsOf(runs, protocolFile)
	if err != nil {
		return err
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	known, err := db.Keys(ctx)
	if err != nil {
		return unreadable(err)
	}
	sets, err := a.storedSets(ctx, db)
	if err != nil {
		return unreadable(err)
	}
	for _, r := range runs {
		_, _ = sets.entry(r.Dataset) // a user's own set that was run here; planning says which sets are not known
	}
	var all admit.Import
	for _, p := range slices.Sorted(maps.Keys(protocols)) {
		h := protocols[p]
		if h == nil {
			all.Old = append(all.Old, unknownProtocol(p, runs)...)
			continue
		}
		in, err := admit.Runs(ctx, h, runs, name, known)
		if err != nil {
			return err
		}
		all.Runs, all.Stored, all.Old = append(all.Runs, in.Runs...), all.Stored+in.Stored, append(all.Old, in.Old...)
	}
	if err := a.storeImported(ctx, db, all.Runs); err != nil {
		return err
	}
	a.noteGroups("out of date", all.Old)
	old := 0
	for _, g := range all.Old {
		old += g.Cells
	}
	fmt.Fprintf(a.err, "%s: %s imported, %d stored already, %d out of date\n", name, plural(len(all.Runs), "cell"), all.Stored, old)
	if len(all.Runs)+all.Stored == 0 {
		return exitError{exitIncomplete, fmt.Errorf("%s holds no result that this program would compute", name)}
	}
	return nil
}

// readResults reads the file, or the one that comes with the program, and returns what imported
// results are said to come from.
func readResults(path string) (runs []result.Run, name string, err error) {
	var file []byte
	of, there := path, false
	if path == referenceRun {
		of = reference.Table2
	}
	if name = path; path == referenceRun || slices.Contains(protocol.Names(), path) {
		if file, there, err = reference.File(of); err == nil && !there {
			return nil, "", usage("this program comes without results of %s; name a file that `bench bundle` wrote", of)
		}
	} else {
		name = filepath.Base(path)
		file, err = readBounded(path, bundle.MaxBytes)
	}
	if err == nil {
		if runs, err = bundle.Read(file); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, "", exitError{exitUsage, err}
	}
	return runs, name, nil
}

// readBounded reads a file of at most limit bytes, and one byte more of a longer one.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// protocolsOf returns a harness for every protocol of some results, nil for one that is not known.
func (a *app) protocolsOf(runs []result.Run, file string) (map[string]*plan.Experiment, error) {
	out := map[string]*plan.Experiment{}
	if file != "" {
		h, err := a.harness(file)
		if err != nil {
			return nil, err
		}
		out[h.Protocol.Name] = h
	}
	for _, r := range runs {
		if _, seen := out[r.Protocol]; seen {
			continue
		}
		out[r.Protocol] = nil
		if slices.Contains(protocol.Names(), r.Protocol) {
			h, err := a.harness(r.Protocol)
			if err != nil {
				return nil, err
			}
			out[r.Protocol] = h
		}
	}
	return out, nil
}

func unknownProtocol(name string, runs []result.Run) []plan.Group {
	var out []plan.Group
	for _, r := range runs {
		if r.Protocol == name {
			out = append(out, plan.Group{Protocol: name, Dataset: r.Dataset, Method: r.Method, Cells: 1, Why: "no protocol of this program; name its file with --protocol"})
		}
	}
	return out
}

func (a *app) storeImported(ctx context.Context, db *store.DB, runs []result.Run) error {
	w := db.NewWriter(environment.Current(), nil)
	w.Trouble = func(t store.Trouble) { fmt.Fprintln(a.err, a.troubleLine(t)) }
	ended, end := context.WithCancel(ctx)
	defer end()
	a.handleSignals(ended, stopping{
		tell: func(string) {
			fmt.Fprintln(a.err, "stopping when the results are stored; interrupt again to give them up")
		},
		cancel: w.Abandon, waiting: func() int { return 0 }, abandon: w.Abandon,
	})
	var err error
	for _, r := range runs {
		if err = w.Put(r); err != nil {
			break
		}
	}
	err = errors.Join(err, w.Close())
	if lost := (*store.LostError)(nil); errors.As(err, &lost) {
		return exitError{exitInterrupted, lost}
	}
	return err
}

func newBundleCommand(a *app) *cobra.Command {
	var f verifyFlags
	var without bool
	c := &cobra.Command{
		Use:   "bundle FILE",
		Short: "Write stored results to one small file, for `bench import` elsewhere",
		Long: `bundle writes the counts of stored results that are ok (every fold of every grid
point, the test, rounds, times, warnings) with their environments and the hashes
of their code and scores. No data, no scores and no models: about three bytes for
a fold. --without-folds leaves the folds out: of the reference run the file then has 141 kB
in place of 874. Tables and figures are drawn from such a file, and its cells are verified by
what was chosen and tested. The file is written whole or not at all; its form is described in package harness/bundle.`,
		Example: `  bench bundle mine.bench --methods MyBoost
  bench bundle table2.bench --protocol table2`,
		Args: takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			db, err := a.reader(c)
			if err != nil {
				return err
			}
			defer db.Close()
			return a.bundle(c.Context(), db, args[0], f, !without)
		},
	}
	flags := c.Flags()
	f.selection.add(a, c, "")
	flags.BoolVar(&without, "without-folds", false, "leave out the folds of every grid point")
	return c
}

func (a *app) bundle(ctx context.Context, db *store.DB, path string, f verifyFlags, folds bool) error {
	cells, err := a.askedCells(ctx, db, f.selection)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(f.protocol), ".toml")
	var w bundle.Writer
	count := 0
	for _, c := range cells {
		if f.protocol != "" && c.Protocol != name {
			continue
		}
		r, found, err := db.Result(ctx, c.Key)
		if err != nil {
			return unreadable(err)
		}
		if !found {
			continue // another program took it out since
		}
		if !folds {
			r.Evaluations = nil
		}
		if err := w.Add(r); err != nil {
			return err
		}
		count++
	}
	if count == 0 {
		return usage("database %s holds no result for what was asked", a.db)
	}
	bytes := int64(0)
	err = atomicfile.Write(path, func(to io.Writer) (err error) {
		bytes, err = w.WriteTo(to)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "wrote %s: %s, %s\n", path, plural(count, "cell"), wording.Bytes(bytes))
	return nil
}
