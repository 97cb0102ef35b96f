package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/regularfile"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/spf13/cobra"
)

// referenceRun is what `bench import` calls the results that come with the program.
const referenceRun = "reference"

func newImportCommand(a *app) *cobra.Command {
	var from, scores string
	var of admit.Elsewhere
	c := a.lists(&cobra.Command{
		Use: "import reference | PROTOCOL | FILE...",
		Short: "Store results that were computed elsewhere: the reference run, files of `bench export`, databases, " +
			"or test scores",
		Long: `import stores results of files that ` + "`bench export`" + ` wrote, and of whole databases, several
at once and in any order: every count and every failure, with the environment and the hash of
the code that computed it; of a database also scores and models. ` + "`bench import reference`" + ` takes
the reference run that comes with the program, so that a table is whole at once
and ` + "`bench run`" + ` computes only what is new. Neither the data nor a network is needed.

What is stored already stays. A result that this program would compute from other inputs
(method version, libraries of a plugin, grid, protocol, data) is named, and kept as a
superseded attempt in view history; where its cell has no other result, view results shows
it, too. A result of a set or a method that is not here is stored under its names, and reports
show it; a line says what is missing. A result with the key of a stored one and other counts
is a conflict: it is listed, what is stored stays, and the exit code is 3. The text of a
protocol of your own comes with its results. The column imported of view results names the
file. The name of a protocol takes the results of its experiments, where they come with the
program.

With --as the file is CSV: the test scores of a method elsewhere, with the columns
dataset, split, row (of the data file, from 0) and score, or score_0, score_1 and so on
for several classes. The column dataset names a set, or the TOML file of your own.
Every test row of a split is in it once (see ` + "`bench data export`" + `).
A score of 0 or more means class +1; the largest means its class; of a regression it is the
prediction. With --scores probability a score of two classes is the probability of class +1,
and 1/2 or more means this class. Counts are computed here, so that every report shows the
method. Scores that differ from stored ones need another --version.`,
		Example: `  bench import reference && bench report table2
  bench import laptop.db cluster-*.db theirs.bench --db all.db
  bench import scores.csv --as MyMethod`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s takes reference, a protocol or files, not none; see `%[1]s --help`", c.CommandPath())
			}
			return nil
		},
	}, func(c *cobra.Command, args []string, conflicts *listing) error {
		if scores != "margin" && scores != "probability" {
			return usage("--scores %q is neither margin nor probability", scores)
		}
		if of.Method == "" {
			return a.importResults(c.Context(), args, from, conflicts)
		}
		if len(args) > 1 {
			return usage("--as %s: test scores come in one file, not in %d", of.Method, len(args))
		}
		of.Probabilities = scores == "probability"
		return a.importScores(c.Context(), args[0], from, of)
	})
	c.Flags().StringVar(&from, "protocol", "", "the TOML file of a protocol of your own, where a source lacks its "+
		"text (of scores: the protocol, default table2)")
	c.Flags().StringVar(&of.Method, "as", "",
		"the file holds test scores of this method, which is none of the program's")
	c.Flags().StringVar(&scores, "scores", "margin",
		"margin or probability: whether scores are decided by their sign, or at 1/2, with log loss and Brier score")
	_ = c.RegisterFlagCompletionFunc("scores",
		cobra.FixedCompletions([]string{"margin", "probability"}, cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringVar(&of.Version, "version", "1", "of the method whose scores are imported")
	return c
}

// importResults stores the results of several sources, one after another, and lists results that contradict stored
// ones.
func (a *app) importResults(ctx context.Context, paths []string, protocolFile string, conflicts *listing) error {
	var sources []admit.Source
	for _, path := range paths {
		src, closed, err := a.source(ctx, path)
		if err != nil {
			return err
		}
		defer closed()
		sources = append(sources, src)
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
	here := 0
	for _, src := range sources {
		in, err := a.importSource(ctx, db, src, protocolFile, known)
		if err != nil {
			return err
		}
		here += in.Taken + in.Stored
		a.tellImport(src.Name, in)
		for _, c := range in.Conflicts {
			for _, d := range c.Differences {
				conflicts.add(c.Cell.Protocol, c.Cell.Dataset, c.Cell.Method, c.Cell.Split, d.What, d.Stored,
					d.Computed, src.Name)
			}
		}
	}
	switch {
	case len(conflicts.rows) > 0:
		conflicts.header = []string{"protocol", "dataset", "method", "split", "what", "stored", "imported", "file"}
		return exitError{exitIncomplete, fmt.Errorf("results with equal keys differ; `bench verify` says which of " +
			"them this program computes")}
	case here == 0:
		return exitError{exitIncomplete, fmt.Errorf("%s: nothing is imported", strings.Join(paths, ", "))}
	}
	return nil
}

func (a *app) tellImport(name string, in admit.Import) {
	a.noteGroups("out of date, kept as history", in.Old)
	a.noteGroups("stored under its names", in.Unknown)
	a.noteGroups("not imported", in.Refused)
	fmt.Fprintf(a.err, "%s: %s imported, %d stored already, %d out of date", name, plural(in.Taken, "cell"), in.Stored,
		cellsIn(in.Old))
	if refused := cellsIn(in.Refused); refused > 0 {
		fmt.Fprintf(a.err, ", %d not imported", refused)
	}
	if n := len(in.Conflicts); n > 0 {
		fmt.Fprintf(a.err, ", %d in conflict", n)
	}
	fmt.Fprintln(a.err)
}

func cellsIn(groups []plan.Group) (n int) {
	for _, g := range groups {
		n += g.Cells
	}
	return n
}

// importSource stores the new results of a source.
func (a *app) importSource(ctx context.Context, db *store.DB, src admit.Source, protocolFile string,
	known map[string]store.Known) (all admit.Import, err error) {
	protocols, err := a.protocolsOf(src, protocolFile)
	if err != nil {
		return all, err
	}
	sets, err := a.storedSets(ctx, db)
	if err != nil {
		return all, unreadable(err)
	}
	for _, c := range src.Cells {
		_, _ = sets.Entry(c.Dataset) // a user's own set that was run here; planning says which sets are not known
	}
	put, end := a.importer(ctx, db)
	for _, p := range slices.Sorted(maps.Keys(protocols)) {
		var in admit.Import
		if exp := protocols[p]; exp != nil {
			in, err = admit.Runs(ctx, exp, src, known, db, put)
		} else {
			in, err = admit.Unplanned(ctx, p, "no protocol of this program, and the source lacks its text; name its "+
				"file with --protocol", src, known, db, put)
		}
		if err != nil {
			break
		}
		all.Taken, all.Stored = all.Taken+in.Taken, all.Stored+in.Stored
		all.Old, all.Unknown = append(all.Old, in.Old...), append(all.Unknown, in.Unknown...)
		all.Refused, all.Conflicts = append(all.Refused, in.Refused...), append(all.Conflicts, in.Conflicts...)
	}
	if stored := end(); stored != nil || err == nil {
		return all, stored
	}
	return all, unreadable(err)
}

// source opens a source of results: those that come with the program, a database, or a file of bench export. closed
// closes the source.
func (a *app) source(ctx context.Context, path string) (src admit.Source, closed func(), err error) {
	name, file, there := path, []byte(nil), true
	switch {
	case path == referenceRun:
		file, there, err = reference.File(reference.Table2)
	case slices.Contains(protocol.Names(), path):
		file, there, err = reference.File(path)
	default:
		name = filepath.Base(path)
		file, err = readBounded(path, bundle.MaxBytes)
	}
	switch {
	case err != nil:
		return src, nil, refused(err)
	case !there:
		return src, nil, usage("this program comes without results of %s; name a file that `bench export` wrote", path)
	case store.IsDatabase(file):
		db, err := store.OpenReader(ctx, path)
		if err != nil {
			return src, nil, unreadable(err)
		}
		src, err = admit.OfDatabase(ctx, name, db)
		return closing(src, db, err)
	}
	runs, err := bundle.Read(file)
	if err != nil {
		return src, nil, usage("%s: %w", path, err)
	}
	return admit.OfBundle(name, runs), func() {}, nil
}

// closing returns a source with what closes its database, which is closed at once for an error.
func closing(src admit.Source, db *store.DB, err error) (admit.Source, func(), error) {
	closed := func() { _ = db.Close() }
	if err != nil {
		closed()
	}
	return src, closed, unreadable(err)
}

// readBounded reads a file of at most limit bytes. Of a longer file it reads one byte more than limit.
func readBounded(path string, limit int64) ([]byte, error) {
	f, size, err := regularfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, min(size, limit+1)))
}

// protocolsOf returns, by its name, each protocol whose results a source has, as an experiment of this program. The
// experiment is nil if this program does not have the protocol and the source does not hold its text.
func (a *app) protocolsOf(src admit.Source, file string) (map[string]*plan.Experiment, error) {
	out := map[string]*plan.Experiment{}
	if file != "" {
		exp, err := a.experiment(file)
		if err != nil {
			return nil, err
		}
		out[exp.Protocol.Name] = exp
	}
	for _, c := range src.Cells {
		if _, seen := out[c.Protocol]; seen {
			continue
		}
		var err error
		if text := src.Protocols[c.Protocol].Text; slices.Contains(protocol.Names(), c.Protocol) {
			out[c.Protocol], err = a.experiment(c.Protocol)
		} else if text != "" {
			out[c.Protocol], err = a.experimentOf(protocol.Parse(c.Protocol, []byte(text)))
		} else {
			out[c.Protocol] = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// importer returns a function that stores a result, and one that waits until all are stored.
func (a *app) importer(ctx context.Context, db *store.DB) (put func(result.Run) error, end func() error) {
	w := db.NewWriter(environment.Current(), nil)
	w.Trouble = func(t store.Trouble) { fmt.Fprintln(a.err, a.troubleLine(t)) }
	ended, stop := context.WithCancel(ctx)
	a.handleSignals(ended, stopping{
		tell: func(string) {
			fmt.Fprintln(a.err, "stopping when the results are stored; interrupt again to give them up")
		},
		Control: harness.Control{Stop: func() {}, Cancel: w.Abandon, Waiting: func() int {
			return 0
		}, Abandon: w.Abandon},
	})
	return w.Put, func() error {
		defer stop()
		err := w.Close()
		if lost := (*store.LostError)(nil); errors.As(err, &lost) {
			return exitError{exitInterrupted, lost}
		}
		return err
	}
}

func newExportCommand(a *app) *cobra.Command {
	var f selection
	var without bool
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write stored results to one small file, for `bench import` elsewhere",
		Long: `export writes the counts of stored results that are ok (every fold of every grid
point, the test, rounds, times, warnings) with their environments and the hashes
of their code and scores. No data, no scores and no models: about three bytes for
a fold. --without-folds leaves the folds out: the file of the reference run then has
108 kB instead of 1,190 kB. Reports draw tables and figures from such a file, and
bench verify compares the chosen grid point and the test of its cells. The file
is written whole or not at all. It is JSON compressed by gzip; package harness/bundle describes its form.`,
		Example: `  bench export mine.bench --methods MyBoost
  bench export table2.bench --protocol table2`,
		Args: takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			db, err := a.reader(c.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			return a.bundle(c.Context(), db, args[0], f, !without)
		},
	}
	flags := c.Flags()
	f.add(a, c, "")
	a.forceFlag(c)
	flags.BoolVar(&without, "without-folds", false, "leave out the folds of every grid point")
	return c
}

func (a *app) bundle(ctx context.Context, db *store.DB, path string, f selection, folds bool) error {
	_, cells, err := a.askedCells(ctx, db, f)
	if err != nil {
		return err
	}
	own, err := db.Protocols(ctx)
	if err != nil {
		return unreadable(err)
	}
	var runs []result.Run
	for _, c := range cells {
		r, found, err := db.Result(ctx, c.Key)
		if err != nil {
			return unreadable(err)
		}
		if !found {
			continue // another program has removed it since
		}
		if p := own[r.Protocol]; p.Hash == r.ProtocolHash && !slices.Contains(protocol.Names(), r.Protocol) {
			r.ProtocolText, r.ProtocolSplits = p.Text, p.Splits
		}
		if !folds {
			r.Folds = nil
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return usage("database %s holds no result for what was asked", a.db)
	}
	bytes := int64(0)
	err = a.write(path, func(to io.Writer) (err error) {
		bytes, err = bundle.Write(to, runs)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "wrote %s: %s, %s\n", path, plural(len(runs), "cell"), wording.Bytes(bytes))
	return nil
}
