package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

func newDataCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "data",
		Short: "List, add, fetch, verify, show, describe and export the data sets and their splits",
	}, newDataListCommand(a), newDataAddCommand(a), newDataFetchCommand(a), newDataVerifyCommand(a),
		newDataShowCommand(a), newDataDescribeCommand(a), newDataSplitsCommand(a), newDataExportCommand(a))
}

func newDataListCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{
		Use:   "list",
		Short: "List the data sets of the catalogue and whether their files are here",
		Args:  takes(),
	}, func(_ *cobra.Command, _ []string, l *listing) error {
		l.header = []string{"dataset", "task", "rows", "features", "state", "variant_of", "protocols", "title"}
		l.less, l.cut = []string{"protocols", "variant_of", "title"}, true
		entries, err := a.entries(nil)
		if err != nil {
			a.say("skipped: %s", strings.ReplaceAll(err.Error(), "\n", "\nskipped: "))
		}
		for _, e := range entries {
			state, _ := a.dataDir().State(e) // what is missing or wrong is what the column says
			l.add(e.Name, e.Task.String(), e.Rows, e.Features, string(state), e.VariantOf, strings.Join(e.Protocols,
				","), e.Title)
		}
		return nil
	})
}

func newDataFetchCommand(a *app) *cobra.Command {
	var from, protocol string
	c := &cobra.Command{
		Use:               "fetch [NAME ...]",
		Short:             "Get data files into the data directory, and check each by its SHA-256",
		ValidArgsFunction: completion(a.names("sets", "groups of sets"), false),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, done := a.untilSignal(c.Context())
			defer done()
			if protocol != "" {
				exp, err := a.experiment(protocol)
				if err != nil {
					return err
				}
				args = append(args, exp.Protocol.Datasets...)
				if len(args) == 0 {
					return usage("protocol %s lists no data sets; name the sets to fetch", protocol)
				}
			}
			return runDataFetch(ctx, a, from, args)
		},
	}
	c.Flags().StringVar(&protocol, "protocol", "", "the sets of this protocol")
	c.Flags().StringVar(&from, "from", fetch.DefaultMirror(), "mirror: a directory or URL (default $BENCH_MIRROR)")
	return c
}

func runDataFetch(ctx context.Context, a *app, from string, names []string) error {
	entries, unread := a.entries(names)
	if unread != nil && len(names) > 0 {
		return unread
	}
	if len(names) == 0 {
		entries = slices.DeleteFunc(entries, func(e *catalogue.Entry) bool { return e.Named })
	}
	counts := map[fetch.Status]int{}
	err := fetch.Files(ctx, a.dataDir(), entries, fetch.Options{From: from, Log: func(e fetch.Event) {
		switch e.Status {
		case fetch.Progress:
			return
		case fetch.Done:
			a.say("fetched %s from %s", e.File, e.From)
		case fetch.Retry:
			a.say("retrying %s: %v", e.File, e.Err)
		}
		counts[e.Status]++
	}})
	if errors.Is(err, fetch.ErrMirror) {
		return usage("--from: %w", err)
	}
	a.say("%d fetched, %d here already, %d in the program, %d made by it, %s skipped, %d failed; data directory %s",
		counts[fetch.Done], counts[fetch.Present], counts[fetch.Included], counts[fetch.Generated],
		plural(counts[fetch.Skipped], "document"), counts[fetch.Failed], a.dataDir().Dir())
	switch {
	case ctx.Err() != nil:
		return exitError{code: exitInterrupted}
	case err != nil || unread != nil:
		return exitError{exitIncomplete, errors.Join(unread, err)}
	}
	return nil
}

// entries looks names up; none means the whole catalogue. The error has a line for each set whose description cannot be
// read; the other sets are returned all the same.
func (a *app) entries(names []string) (out []*catalogue.Entry, err error) {
	if len(names) == 0 {
		names = a.sets.Names()
	}
	for _, n := range plan.SetNames(a.sets, names) {
		e, unread := a.set(n)
		if unread != nil {
			err = errors.Join(err, unread)
			continue
		}
		out = append(out, e)
	}
	return out, err
}

func newDataVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "verify [NAME ...]",
		Short:             "Check the files that are here against their SHA-256 and load every set",
		ValidArgsFunction: completion(a.names("sets", "groups of sets"), false),
		RunE: func(c *cobra.Command, args []string) error {
			entries, err := a.entries(args)
			if err != nil && len(args) > 0 {
				return err
			}
			var failures []error
			if err != nil {
				failures = append(failures, err)
			}
			good, absent := 0, 0
			for _, e := range entries {
				if state, _ := a.dataDir().State(e); state == catalogue.Missing && len(args) == 0 {
					absent++ // the set was not named
					continue
				}
				err := a.dataDir().Verify(e)
				if err == nil {
					_, err = read.Load(c.Context(), a.dataDir(), e)
				}
				if err != nil {
					failures = append(failures, err)
					continue
				}
				good++
			}
			fmt.Fprintf(a.out, "%d of %d sets are right", good, len(entries)-absent)
			if absent > 0 {
				fmt.Fprintf(a.out, "; %d are not here", absent)
			}
			fmt.Fprintln(a.out)
			if failures != nil {
				return exitError{exitIncomplete, errors.Join(failures...)}
			}
			return nil
		},
	}
}

func newDataShowCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{
		Use:               "show NAME",
		Short:             "Show what a set is, where it comes from, how it is read and its known defects",
		Args:              takes("NAME"),
		ValidArgsFunction: completion(a.names("sets"), true),
	}, func(c *cobra.Command, args []string, l *listing) error {
		e, err := a.set(args[0])
		if err != nil {
			return err
		}
		return runDataShow(c.Context(), a, e, l)
	})
}

// runDataShow lists what is known of a set. Where the set cannot be loaded, it lists what its description says, with
// the error.
func runDataShow(ctx context.Context, a *app, e *catalogue.Entry, l *listing) error {
	l.header = []string{"what", "value"}
	l.add("name", e.Name)
	for _, field := range []struct{ name, value string }{
		{"title", e.Title}, {"variant of", e.VariantOf}, {"protocols", strings.Join(e.Protocols, ", ")},
		{"source", e.Source}, {"citation", e.Citation},
	} {
		if field.value != "" {
			l.add(field.name, field.value)
		}
	}
	l.add("task", e.Task.String())
	for _, f := range e.Files {
		l.add("file", a.dataDir().Path(e, f))
		if f.SHA256 != "" {
			l.add("  sha-256", f.SHA256)
		}
		if e.Embedded(f) {
			l.add("  licence", "CC BY 4.0; the program brings the file, and datasets/LICENSES.md names its authors")
		} else if e.Licence != "" && f.Role == "" {
			l.add("  licence", e.Licence)
		}
		if f.Repository != "" {
			l.add("  address", fmt.Sprintf("%s commit %s path %s", f.Repository, f.Commit, f.Source))
		} else if f.Note != "" {
			l.add("  made", f.Note)
		}
	}
	for _, d := range e.Defects {
		l.add("known defect", d)
	}
	for _, c := range e.Cautions {
		l.add("caution", c)
	}
	defer collectWithin(a.memory)()
	set, err := read.Load(ctx, a.dataDir(), e)
	if err != nil {
		l.add("state", "cannot be loaded")
		return exitError{exitIncomplete, err}
	}
	l.describeLoaded(e, set)
	return nil
}

func (l *listing) describeLoaded(e *catalogue.Entry, set *datasets.Set) {
	add := func(what string, value any) {
		l.add(what, wording.Cut(fmt.Sprint(value), 2000)) // by mistake a label or a name may be a whole file
	}
	n, d := set.X.Dims()
	l.add("rows", n)
	l.add("features", d)
	var dates []string
	for _, j := range set.Dates {
		dates = append(dates, strings.TrimSuffix(set.Features[j], read.DateParts[0]))
	}
	if dates != nil {
		add("dates", wording.Few(dates, mostListed)+
			": days since the earliest training row, month and day of the week")
	}
	if set.TrainRows > 0 {
		add("own test part", fmt.Sprintf("the last %d rows; protocols pool all rows and split them anew unless "+
			"they say split = \"given\"", n-set.TrainRows))
	}
	if len(set.Splits) > 0 {
		add("own splits", fmt.Sprintf("%d, of which the first learns from %d rows and tests %d; a protocol with "+
			"split = \"openml\" follows them", len(set.Splits), len(set.Splits[0].Train), len(set.Splits[0].Test)))
	}
	if set.Groups != nil {
		add("groups", fmt.Sprintf("%d of column %s, which no split and no fold divides",
			len(set.Groups.Names), set.Groups.Column))
	}
	rows := map[float64]int{}
	for _, y := range set.Y {
		rows[y]++
	}
	for i, label := range set.Labels {
		coded := float64(i)
		if set.Task == registry.Binary {
			coded = float64(2*i - 1)
		}
		add(fmt.Sprintf("class %+g", coded), fmt.Sprintf("%s: %d rows", wording.Cut(label, 200), rows[coded]))
	}
	if gaps := gapsOf(set); gaps != "" {
		add("missing numbers", gaps)
		add("filled with", filledWith(set.Gaps))
	}
	if gaps := gapsOfCategories(set, e.Missing); gaps != "" {
		add("missing categories", gaps+"; a category of its own")
	}
	add("constant columns", cmp.Or(wording.Few(constantColumns(set), mostListed), "none"))
	if err := datasets.FitStandardiser(set.X, nil).Check(set.X, nil, set.Features); err != nil {
		add("warning", err.Error())
	}
	for _, note := range set.Notes {
		add("note", note)
	}
	add("fingerprint", set.Fingerprint)
}

func gapsOf(set *datasets.Set) string {
	return countsOf(set, func(name string) (string, func(v float64) bool) {
		return name, func(v float64) bool { return v != v }
	})
}

// gapsOfCategories counts, for each column of categories with missing values, the rows of the level of missing values.
func gapsOfCategories(set *datasets.Set, marks catalogue.Marks) string {
	if marks.IsZero() {
		return ""
	}
	return countsOf(set, func(name string) (string, func(v float64) bool) {
		column, found := strings.CutSuffix(name, "="+marks[0])
		return column, func(v float64) bool { return found && v == 1 }
	})
}

// mostListed bounds the columns that a line names: a wide set may have a million.
const mostListed = 50

// countsOf counts values of each column, and lists the columns that have any under the names that what gives them.
func countsOf(set *datasets.Set, what func(column string) (name string, counts func(v float64) bool)) string {
	var out []string
	for j, column := range set.Features {
		name, counts := what(column)
		n := 0
		for i := range set.Y {
			if counts(set.X.At(i, j)) {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%s: %d", name, n))
		}
	}
	return wording.Few(out, mostListed)
}

func filledWith(g datasets.Gaps) string {
	text := "the " + g.Impute + " of the training rows"
	switch g.Impute {
	case datasets.None:
		text = "nothing: methods that take missing values see them"
	case datasets.MostFrequent:
		text = "the most frequent value of the training rows"
	}
	if g.Indicator {
		text += "; a further column says where"
	}
	return text
}

func constantColumns(set *datasets.Set) []string {
	var out []string
	for j, name := range set.Features {
		if r := rangeOf(set, j); r[0] >= r[1] {
			out = append(out, name)
		}
	}
	return out
}

func newDataSplitsCommand(a *app) *cobra.Command {
	var of place
	c := &cobra.Command{
		Use:               "splits NAME",
		Short:             "Print a train/test split and its folds as row numbers",
		Args:              takes("NAME"),
		ValidArgsFunction: completion(a.names("sets"), true),
	}
	of.add(c, "seed")
	l := a.listing(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		of.dataset = args[0]
		parts, err := a.parts(c, of)
		if err != nil {
			return err
		}
		if l.format == "json" {
			return json.NewEncoder(a.out).Encode(parts.Split)
		}
		l.addSplit(parts)
		return l.print()
	}
	return c
}

func (l *listing) addSplit(p split.Parts) {
	groups := p.Set.Groups
	l.header = []string{"part", "rows", "sha256"}
	if groups != nil {
		l.header = append(l.header, "groups")
	}
	add := func(name string, numbers, rows []int) {
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
		line := []any{name, len(rows), fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
		if groups != nil {
			line = append(line, groups.Count(rows))
		}
		l.add(line...)
	}
	add("train", p.Split.Train, p.Split.Train)
	add("test", p.Split.Test, p.Split.Test)
	for i, f := range p.Split.Folds {
		_, rows := p.Split.Fold(i)
		add(fmt.Sprintf("fold %d", i+1), f, rows)
	}
}

func newDataAddCommand(a *app) *cobra.Command {
	add := fetch.Adder{Web: &fetch.Polite{Options: fetch.Options{Agent: "bench/" + environment.ProgramVersion}}}
	c := &cobra.Command{
		Use:   "add REF ...",
		Short: "Add data sets of OpenML by their numbers",
		Args:  takesSome("at least one REF, such as openml:40981"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			out := []cobra.Completion{fetch.Set, fetch.Task}
			for _, name := range fetch.Suites() {
				out = append(out, fetch.Suite+name)
			}
			return out, cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(c *cobra.Command, args []string) error {
			return runDataAdd(a, c, add, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&add.Server, "server", os.Getenv("BENCH_OPENML"), "address of the server (default $BENCH_OPENML, "+
		"else "+fetch.PublicServer+")")
	flags.StringVar(&add.From, "from", "", "a folder with ARFF files that is asked before the server, such as the "+
		"folder openml of another data directory")
	flags.BoolVar(&add.DropText, "drop-text", false, "leave out columns of text and of dates; without it a set that "+
		"has one is refused")
	dropFlag(c, &add.Drop)
	groupFlag(c, &add.Group)
	a.forceFlag(c)
	flags.DurationVar(&add.Web.Pause, "pause", time.Second, "time between two requests")
	rare(c, "server", "pause")
	return c
}

func runDataAdd(a *app, c *cobra.Command, add fetch.Adder, refs []string) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	add.Dir, add.Memory, add.Write = a.added(), a.memory, a.write
	for _, ref := range refs {
		if err := fetch.Check(ref); err != nil {
			return usageError(err)
		}
	}
	if add.From != "" {
		if info, err := os.Stat(add.From); err != nil || !info.IsDir() {
			return usage("--from %s: that is no folder; name one with ARFF files", add.From)
		}
	}
	add.Tell = a.say
	add.Web.Waiting = func(address string, wait time.Duration, why error) {
		add.Tell("%s: %v; asked again in %v", address, why, wait.Round(time.Second))
	}
	var failures []error
	left := 0
	for _, ref := range refs {
		out, err := add.Add(ctx, ref)
		left += len(out)
		if err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil {
			return exitError{exitInterrupted, err}
		}
	}
	switch err := errors.Join(failures...); {
	case err != nil:
		return exitError{exitIncomplete, err}
	case left > 0:
		return exitError{exitIncomplete, fmt.Errorf("%s left out, for the reasons above", plural(left, "set"))}
	}
	return nil
}

func newDataDescribeCommand(a *app) *cobra.Command {
	var o read.Hints
	var positive, out string
	c := &cobra.Command{
		Use:   "describe FILE",
		Short: "Find out how a data file is read, and write its description",
		Args:  takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.TOML = out; out == "" {
				o.TOML = filepath.Join(filepath.Dir(args[0]), catalogue.SetName(args[0])+".toml")
			} else if filepath.Ext(out) != ".toml" {
				return usage("-o %s: a description is a TOML file; write a name that ends in .toml", out)
			}
			if positive != "" {
				o.Positive = strings.Split(positive, ",")
			}
			o.Memory = a.memory
			o.Taken = isBuiltin
			return runDataDescribe(a, c, args[0], out, o)
		},
	}
	c.Flags().StringVar(&o.Label, "label", "", "the label's column, by name or number (default: by its name, else "+
		"the last)")
	c.Flags().StringVar(&positive, "positive", "", "labels of class +1, with commas between them")
	dropFlag(c, &o.Drop)
	groupFlag(c, &o.Group)
	c.Flags().StringVar(&o.Thousands, "thousands", "", "separator of thousands: , . ' _ or a blank (default: found, "+
		"if a column shows it)")
	c.Flags().StringVar(&o.DateOrder, "date-order", "", "order of dates that end with the year: dmy or mdy (default: "+
		"found, if a date shows it)")
	c.Flags().BoolVar(&o.Fold, "fold", false, "take levels and labels that differ in case or blanks alone for one")
	c.Flags().BoolVar(&o.DropUnlabelled, "drop-unlabelled", false, "leave rows without a label out, and count them")
	c.Flags().StringVar(&o.Test, "test", "", "a file with a test part of the set's own")
	a.outputFlag(c, &out, "write the description to this file")
	return c
}

func dropFlag(c *cobra.Command, to *[]string) {
	c.Flags().StringSliceVar(to, "drop", nil, "columns to leave out, with commas between them")
}

func groupFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "group", "", "the column that says which rows belong together; no split and no fold "+
		"divides them")
}

func runDataDescribe(a *app, c *cobra.Command, file, out string, o read.Hints) error {
	defer collectWithin(o.Memory)()
	d, err := read.Describe(c.Context(), file, o)
	if err != nil {
		return usageError(err)
	}
	if err := a.writeText(out, d.TOML, ""); err != nil {
		return err
	}
	for _, text := range d.Problems {
		a.say("problem: %s", text)
	}
	for _, text := range d.Notes {
		a.say("note: %s", text)
	}
	if !d.Loads {
		return exitError{code: exitIncomplete}
	}
	return nil
}

func isBuiltin(name string) bool {
	_, err := catalogue.Builtin().Lookup(name)
	return err == nil
}

func newDataExportCommand(a *app) *cobra.Command {
	var of place
	var format, output string
	c := &cobra.Command{
		Use:               "export NAME",
		Short:             "Write the rows of a split as a method sees them, for a method elsewhere",
		Args:              takes("NAME"),
		ValidArgsFunction: completion(a.names("sets"), true),
	}
	of.add(c, "split")
	oneOf(c, &format, "format", "", "npz, csv (default by the ending of --output, else csv)", "npz", "csv")
	a.outputFlag(c, &output, "write to this file, whole or not at all (default standard output)")
	c.RunE = func(c *cobra.Command, args []string) error {
		of.dataset = args[0]
		write, err := exportWriter(format, output)
		if err != nil {
			return err
		}
		parts, err := a.parts(c, of)
		if err != nil {
			return err
		}
		exported, err := parts.Export()
		if err != nil {
			return usage("%w", err)
		}
		return a.writeTo(output, func(w io.Writer) error { return write(exported, w) },
			fmt.Sprintf(": %d training and %d test rows, %s", len(parts.Split.Train), len(parts.Split.Test),
				plural(len(exported.Features), "feature")))
	}
	return c
}

func exportWriter(format, output string) (func(split.Exported, io.Writer) error, error) {
	if format = cmp.Or(format, strings.TrimPrefix(filepath.Ext(output), ".")); output == "" {
		format = cmp.Or(format, "csv")
	}
	switch format {
	case "npz":
		return split.Exported.WriteNPZ, nil
	case "csv":
		return split.Exported.WriteCSV, nil
	}
	return nil, usage("--format %q is not one of npz, csv; name it, or end --output with .npz or .csv", format)
}
