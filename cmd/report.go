package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/reports"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

type reportFlags struct {
	protocol, format, output  string
	methods, datasets         []string
	splits, std, ranks, label string
	title                     string
	decimals                  int
	noPublished               bool
}

func newReportCommand(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "report",
		Short: "Make tables from the stored results",
	})
	c.AddCommand(newTable2Command(a))
	return c
}

func newTable2Command(a *app) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "table2",
		Short: "Mean accuracy and standard deviation per data set and method, with average ranks",
		Long: `table2 prints the table of the paper from what is stored: mean and standard
deviation over the splits, the best in bold with ties decided on integer counts,
the Mean row, and average ranks in two conventions (mid-ranks over the data sets;
the paper's, which ranks the Mean row as one more data set). Next to it: the
published values and the differences.`,
		Example: `  bench report table2
  bench report table2 --format latex -o table2.tex
  bench report table2 --format html -o report.html --splits 3`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			db, err := a.reader(c)
			if err != nil {
				return err
			}
			defer db.Close()
			h, err := a.harness(f.protocol)
			if err != nil {
				return err
			}
			src, err := a.tableSource(h, f)
			if err != nil {
				return err
			}
			in, err := reports.ReadTable2(c.Context(), db, src)
			if err == nil || errors.Is(err, reports.ErrNoResults) {
				if unknown := a.checkRows(in, f); unknown != nil {
					return unknown
				}
			}
			if errors.Is(err, reports.ErrNoResults) {
				return exitError{exitUsage, err}
			}
			if err != nil {
				return err
			}
			in.FullCommand = a.fullCommand(h.Protocol, in)
			in.Provenance.Program = "bench " + harness.ProgramVersion
			in.Provenance.ProtocolHash = h.Protocol.Hash()
			in.Provenance.Database = a.db
			in.Provenance.Generated = time.Now().UTC()
			in.Provenance.Command = "bench " + strings.Join(os.Args[1:], " ")
			return a.writeTable2(in, f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.protocol, "protocol", "table2", "protocol whose results are shown")
	flags.StringVar(&f.format, "format", "text", strings.Join(reports.Formats(), ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write to this file, whole or not at all (default standard output)")
	flags.StringSliceVar(&f.methods, "methods", nil, "only these methods, in this order")
	flags.StringSliceVar(&f.datasets, "datasets", nil, "only these sets, in this order, all of them in Mean and ranks")
	flags.StringVar(&f.splits, "splits", "", "only these splits, e.g. 3 or 4-6")
	flags.StringVar(&f.std, "std", reports.StdPopulation, "standard deviation: population (as the paper) or sample")
	flags.StringVar(&f.ranks, "ranks", reports.RanksBoth, "average ranks: both, midrank or paper")
	flags.IntVar(&f.decimals, "decimals", 1, "decimals of accuracies, 1 to 6")
	flags.StringVar(&f.title, "title", "", "title or caption")
	flags.StringVar(&f.label, "label", "", "LaTeX label (default tab:PROTOCOL)")
	flags.BoolVar(&f.noPublished, "no-published", false, "leave the comparison with the published table out")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reports.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// tableSource translates the flags and the protocol for reports.
func (a *app) tableSource(h *harness.Harness, f reportFlags) (reports.Source, error) {
	p := h.Protocol
	src := reports.Source{
		Protocol: p.Name, ProtocolHash: p.Hash(), Published: p.Published, Planned: p.Splits, Order: p.Column,
		Others: func(name string) reports.Dataset { return a.tableRow(p, name, reports.GroupApart) },
	}
	if f.noPublished {
		src.Published = ""
	}
	for _, m := range f.methods {
		s, err := a.reg.Lookup(m)
		if err != nil {
			return src, exitError{exitUsage, err}
		}
		src.Methods = append(src.Methods, s.Name)
	}
	if f.splits != "" {
		splits, err := harness.ParseSplits(f.splits)
		if err != nil {
			return src, usage("--splits: %w", err)
		}
		src.Splits = splits
	}
	names, group := p.Datasets, ""
	if f.datasets != nil {
		names, group = slices.Clone(f.datasets), reports.GroupMain
		src.Only = true
		for i, name := range names {
			if strings.HasSuffix(name, ".toml") {
				e, err := a.set(name)
				if err != nil {
					return src, err
				}
				names[i] = e.Name
			}
		}
	}
	for _, name := range names {
		g := group
		if g == "" && slices.Contains(p.Apart, name) {
			g = reports.GroupApart
		} else if g == "" {
			g = reports.GroupMain
		}
		src.Datasets = append(src.Datasets, a.tableRow(p, name, g))
	}
	return src, nil
}

// tableRow gives what the catalogue knows of a set; a user's own set may be unknown
// to it by now.
func (a *app) tableRow(p *harness.Protocol, name, group string) reports.Dataset {
	row := reports.Dataset{Name: name, Group: group}
	e, err := a.sets.Lookup(name)
	if err != nil {
		return row
	}
	if e.Generated && !slices.Contains(p.Datasets, e.Name) && group == reports.GroupApart {
		row.Group = reports.GroupGenerated
	}
	row.Name, row.Rows, row.Features = e.Name, e.Rows, e.Features
	if e.Rows > 0 {
		row.TestRows = int(math.Ceil(p.Semantics.TestFraction * float64(e.Rows)))
		row.TrainRows = e.Rows - row.TestRows
	}
	return row
}

// checkRows refuses a set that was asked for and is neither known nor stored.
func (a *app) checkRows(in reports.Table2Input, f reportFlags) error {
	for _, name := range f.datasets {
		if strings.HasSuffix(name, ".toml") || slices.ContainsFunc(in.Runs, func(r reports.Run) bool { return strings.EqualFold(r.Dataset, name) }) {
			continue
		}
		if _, err := a.sets.Lookup(name); err != nil {
			return exitError{exitUsage, err}
		}
	}
	return nil
}

// fullCommand is what computes everything that the table lacks; "" if nothing is
// missing.
func (a *app) fullCommand(p *harness.Protocol, in reports.Table2Input) string {
	splits := in.Splits
	if in.Selected != nil {
		splits = len(in.Selected)
	}
	ok, failed := map[string]int{}, false
	for _, r := range in.Runs {
		if r.Status == reports.StatusOK {
			ok[r.Dataset]++
		} else {
			failed = true
		}
	}
	var lacking []string
	whole := true
	for _, d := range in.Datasets {
		if ok[d.Name] < splits*len(in.Methods) {
			lacking = append(lacking, d.Name)
			whole = whole && slices.Contains(p.Datasets, d.Name)
		}
	}
	if lacking == nil {
		return ""
	}
	command := "bench run --all"
	if !whole {
		for i, name := range lacking {
			if _, err := a.sets.Lookup(name); err != nil {
				lacking[i] = name + ".toml" // the file that describes the user's set
			}
		}
		command = "bench run --methods " + strings.Join(in.Methods, ",") + " --datasets " + strings.Join(lacking, ",")
	}
	if p.Name != "table2" {
		command += " --protocol " + p.Name
	}
	if a.db != "results.db" {
		command += " --db " + a.db
	}
	if failed {
		command += " --retry"
	}
	return command
}

func (a *app) writeTable2(in reports.Table2Input, f reportFlags) error {
	table, err := reports.BuildTable2(in)
	if err != nil {
		return exitError{exitUsage, err}
	}
	opts := reports.RenderOptions{
		Title: f.title, Std: f.std, Ranks: f.ranks, Decimals: f.decimals, OmitPublished: f.noPublished, Label: f.label,
		Bold: f.output == "" && f.format == "text" && colourful(a.out),
	}
	write := func(w io.Writer) error { return table.Write(w, f.format, opts) }
	if !slices.Contains(reports.Formats(), f.format) {
		return usage("--format %q is not one of %s", f.format, strings.Join(reports.Formats(), ", "))
	}
	if err := opts.Check(); err != nil {
		return exitError{exitUsage, err}
	}
	if f.output == "" {
		return write(a.out)
	}
	if err := reports.WriteFile(f.output, write); err != nil {
		return exitError{exitUsage, err}
	}
	fmt.Fprintf(a.err, "wrote %s\n", f.output)
	return nil
}

// colourful reports whether w is a terminal that may get escape codes (NO_COLOR
// and TERM=dumb say no).
func colourful(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
