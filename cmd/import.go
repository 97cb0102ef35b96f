package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

// referenceRun is what `bench import` calls the results that come with the program.
const referenceRun = "reference"

func newImportCommand(a *app) *cobra.Command {
	var from, scores string
	var of verify.Elsewhere
	var quoted printedFile
	c := a.lists(&cobra.Command{
		Use: "import reference | PROTOCOL | FILE...",
		Short: "Store results that were computed elsewhere: the reference run, files of `bench export`, databases, " +
			"test scores, or printed values",
		Args: func(c *cobra.Command, args []string) error {
			if quoted.path != "" {
				return takes()(c, args)
			}
			return takesSome("reference, a protocol or files")(c, args)
		},
	}, func(c *cobra.Command, args []string, conflicts *listing) error {
		if quoted.path != "" {
			return runImportPrinted(c.Context(), a, quoted, conflicts)
		}
		if of.Method == "" {
			return runImport(c.Context(), a, args, from, conflicts)
		}
		if len(args) > 1 {
			return usage("--as %s: test scores come in one file, not in %d", of.Method, len(args))
		}
		of.Probabilities = scores == "probability"
		return runImportScores(c.Context(), a, args[0], from, of)
	})
	c.Flags().StringVar(&from, "protocol", "", "the TOML file of a protocol of your own, if a source lacks its text "+
		"(with --as: the protocol of the scores, default suite)")
	c.Flags().StringVar(&of.Method, "as", "", "the file has test scores of this method, which is none of the program's")
	oneOf(c, &scores, "scores", "margin", "margin: the sign of a score is the class; probability: a score is the "+
		"probability of class +1, and log loss and Brier score are computed too", "margin", "probability")
	c.Flags().StringVar(&of.Version, "version", "1", "version of the method whose scores are imported")
	c.Flags().StringVar(&quoted.path, "published", "", "a CSV file of values that others print, which reports show "+
		"and no test uses")
	c.Flags().StringVar(&quoted.source, "source", "", "with --published: where the values are printed, such as "+
		"\"Doe 2026, Table 1\"")
	c.Flags().BoolVar(&quoted.replace, "replace", false, "with --published: the file has all values of this source; "+
		"others that are stored of it go")
	beforehand(c, func() error {
		for _, name := range []string{"protocol", "as", "scores", "version"} {
			if quoted.path != "" && c.Flags().Changed(name) {
				return usage("--published takes no --%s, which is for results", name)
			}
		}
		if quoted.path == "" && (quoted.source != "" || quoted.replace) {
			return usage("--source and --replace are for --published; name a file with it")
		}
		return nil
	})
	return c
}

// runImport stores the results of several sources, one after another, and lists results that contradict stored
// ones.
func runImport(ctx context.Context, a *app, paths []string, protocolFile string, conflicts *listing) error {
	sources := make([]iter.Seq2[verify.Source, error], len(paths))
	for i, path := range paths {
		if of := withResults(path); of != "" && reference.Has(of) {
			sources[i] = included(path, of)
			continue
		}
		src, closed, err := source(ctx, path)
		if err != nil {
			return err
		}
		defer closed()
		sources[i] = func(yield func(verify.Source, error) bool) { yield(src, nil) }
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	known, err := db.Keys(ctx)
	if err != nil {
		return databaseError(err)
	}
	here, refused := 0, 0
	for _, parts := range sources {
		name, in, err := importSources(ctx, a, db, parts, protocolFile, known)
		if err != nil {
			return err
		}
		here, refused = here+in.Taken+in.Stored+in.Completed, refused+cellsIn(in.Refused)
		printImport(a, name, in)
		if name == referenceRun && in.Taken > 0 {
			a.say("the program holds counts of tests, and of the folds of chosen grid points; those of every grid " +
				"point are in bench-VERSION-reference.tar of the release, in files for `bench import`")
		}
		for _, c := range in.Conflicts {
			for _, d := range c.Differences {
				conflicts.add(c.Cell.Protocol, c.Cell.Dataset, c.Cell.Method, c.Cell.Split, d.What, d.Stored,
					d.Computed, name)
			}
		}
	}
	if len(conflicts.rows) > 0 || !conflicts.forPeople() {
		conflicts.header = []string{"protocol", "dataset", "method", "split", "what", "stored", "imported", "file"}
	}
	switch {
	case len(conflicts.rows) > 0:
		return exitError{exitIncomplete, fmt.Errorf("results with equal keys differ; `%s` says which of them this "+
			"program computes", a.invocation(defaultProtocol, "", 0).Other(verifies(conflicts.rows)...))}
	case here == 0:
		return exitError{exitIncomplete, fmt.Errorf("%s: nothing is imported", strings.Join(paths, ", "))}
	case refused > 0:
		return exitError{exitIncomplete, fmt.Errorf("%s not imported", counted(refused, "cell", "is", "are"))}
	}
	return nil
}

// verifies are the arguments of the command that computes the cells of conflicts again.
func verifies(conflicts [][]any) []string {
	args := []string{"verify", "--sample", "100%"}
	for i, flag := range []string{"--protocol", "--datasets", "--methods"} {
		var names []string
		for _, row := range conflicts {
			frame.AppendUnique(&names, fmt.Sprint(row[i]))
		}
		if flag != "--protocol" || len(names) == 1 {
			args = append(args, flag, strings.Join(names, ","))
		}
	}
	return args
}

func printImport(a *app, name string, in verify.Import) {
	a.err.noteGroups("out of date, kept as history", in.Old)
	a.err.noteGroups("stored under its names", in.Unknown)
	a.err.noteGroups("not imported", in.Refused)
	fmt.Fprintf(a.err, "%s: %s imported, %d stored already, %d out of date", name, plural(in.Taken, "cell"), in.Stored,
		cellsIn(in.Old))
	if refused := cellsIn(in.Refused); refused > 0 {
		fmt.Fprintf(a.err, ", %d not imported", refused)
	}
	if in.Completed > 0 {
		fmt.Fprintf(a.err, ", %d got the folds of more grid points", in.Completed)
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

// importSources stores the results of sources with one name.
func importSources(ctx context.Context, a *app, db *store.DB, sources iter.Seq2[verify.Source, error],
	protocolFile string, known map[string]store.Known) (name string, all verify.Import, err error) {
	put, end := newImporter(ctx, a, db)
	for src, failed := range sources {
		name, err = src.Name, failed
		if err == nil {
			err = importSource(ctx, a, db, src, protocolFile, known, put, &all)
		}
		if err != nil {
			break
		}
	}
	if stored := end(); stored != nil || err == nil {
		return name, all, stored
	}
	return name, all, err
}

func importSource(ctx context.Context, a *app, db *store.DB, src verify.Source, protocolFile string,
	known map[string]store.Known, put func(result.Run) error, all *verify.Import) error {
	var methods []string
	for _, c := range src.Cells {
		methods = append(methods, c.Method)
	}
	if err := a.knowIfAllowed("", methods); err != nil {
		return err
	}
	protocols, err := protocolsOfSource(a, src, protocolFile)
	if err != nil {
		return err
	}
	sets, err := a.storedSets(ctx, db)
	if err != nil {
		return databaseError(err)
	}
	for _, c := range src.Cells {
		_, _ = sets.Entry(c.Dataset) // a user's own set that was run here; planning says which sets are not known
	}
	for _, p := range slices.Sorted(maps.Keys(protocols)) {
		var in verify.Import
		if exp := protocols[p]; exp != nil {
			in, err = verify.Runs(ctx, exp, src, known, db, put)
		} else {
			in, err = verify.Unplanned(ctx, p, "no protocol of this program, and the source lacks its text; name its "+
				"file with --protocol", src, known, db, put)
		}
		if err != nil {
			return databaseError(err)
		}
		all.Add(in)
	}
	return nil
}

// withResults is the protocol whose results come with the program under a name.
func withResults(name string) string {
	if name == referenceRun {
		return reference.Table2
	}
	of := protocolNamed(name)
	if !slices.Contains(protocol.Names(), of) {
		return ""
	}
	if p, err := protocol.Load(of); err == nil {
		of = p.Name // the cells of a list of sets are stored under the name of its rules
	}
	return of
}

// included are the results of a protocol that come with the program, file by file: together they take much memory.
func included(name, of string) iter.Seq2[verify.Source, error] {
	return func(yield func(verify.Source, error) bool) {
		for runs, err := range reference.Files(of) {
			if !yield(verify.OfBundle(name, runs), err) {
				return
			}
		}
	}
}

// source opens a source of results: those that come with the program, a database, or a file of bench export. closed
// closes the source.
func source(ctx context.Context, path string) (src verify.Source, closed func(), err error) {
	if of := withResults(path); of != "" {
		runs, err := reference.Runs(of)
		if err == nil && len(runs) == 0 {
			err = usage("this program comes without results of %s; name a file that `bench export` wrote", path)
		}
		return verify.OfBundle(path, runs), func() {}, err
	}
	name := filepath.Base(path)
	if store.IsDatabase(path) {
		db, err := store.OpenReader(ctx, path)
		if err != nil {
			return src, nil, databaseError(err)
		}
		src, err = verify.OfDatabase(ctx, name, db)
		return closing(src, db, err)
	}
	file, err := readBounded(path, bundle.MaxBytes)
	if err != nil {
		return src, nil, usageError(err)
	}
	runs, err := bundle.Read(file)
	if err != nil {
		return src, nil, usage("%s: %w", path, err)
	}
	return verify.OfBundle(name, runs), func() {}, nil
}

// closing returns a source with what closes its database, which is closed at once for an error.
func closing(src verify.Source, db *store.DB, err error) (verify.Source, func(), error) {
	closed := func() { _ = db.Close() }
	if err != nil {
		closed()
	}
	return src, closed, databaseError(err)
}

// readBounded reads a file of at most limit bytes. Of a longer file it reads one byte more than limit.
func readBounded(path string, limit int64) ([]byte, error) {
	f, size, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, min(size, limit+1)))
}

// protocolsOfSource returns, by its name, each protocol whose results a source has, as an experiment of this program.
// The experiment is nil if this program does not have the protocol and the source does not hold its text.
func protocolsOfSource(a *app, src verify.Source, file string) (map[string]*plan.Experiment, error) {
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

// newImporter returns a function that stores a result, and one that waits until all are stored.
func newImporter(ctx context.Context, a *app, db *store.DB) (put func(result.Run) error, end func() error) {
	w := db.NewWriter(environment.Current(), nil)
	w.Trouble = func(t store.Trouble) { a.say("%s", troubleLine(a, t)) }
	ended, stop := context.WithCancel(ctx)
	handleSignals(ended, a, stopping{first: "stopping when the results are stored; interrupt again to give them up",
		Control: harness.Control{Stop: func() {}, Cancel: w.Abandon, Abandon: w.Abandon}})
	put = func(r result.Run) error {
		w.Room()
		return w.Put(r)
	}
	return put, func() error {
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
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write stored results to one small file, for `bench import` elsewhere",
		Args:  takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			db, err := a.reader(c.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			return runExport(c.Context(), a, db, args[0], f)
		},
	}
	f.add(a, c, "")
	a.forceFlag(c)
	return c
}

func runExport(ctx context.Context, a *app, db *store.DB, path string, f selection) error {
	_, cells, err := askedCells(ctx, a, db, f)
	if err != nil {
		return err
	}
	own, err := db.Protocols(ctx)
	if err != nil {
		return databaseError(err)
	}
	var runs []result.Run
	for _, c := range cells {
		r, found, err := db.Result(ctx, c.Key)
		if err != nil {
			return databaseError(err)
		}
		if !found {
			continue // another program has removed it since
		}
		if p := own[r.Protocol]; p.Hash == r.ProtocolHash && !slices.Contains(protocol.Names(), r.Protocol) {
			r.ProtocolText, r.ProtocolSplits = p.Text, p.Splits
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
	a.say("wrote %s: %s, %s", path, plural(len(runs), "cell"), wording.Bytes(bytes))
	return nil
}
