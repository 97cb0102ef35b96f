package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/internal/atomicfile"
	"github.com/kernelboosting/bench/reports"
	"github.com/spf13/cobra"
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
			return a.table2(c, f)
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

func (a *app) table2(c *cobra.Command, f reportFlags) error {
	if !slices.Contains(reports.Formats(), f.format) {
		return usage("--format %q is not one of %s", f.format, strings.Join(reports.Formats(), ", "))
	}
	ctx, done := a.untilSignal(c.Context())
	defer done()
	db, err := a.reader(c)
	if err != nil {
		return err
	}
	defer db.Close()
	h, err := a.harness(f.protocol)
	if err != nil {
		return err
	}
	stored, err := a.storedSets(ctx, db)
	if err != nil {
		return exitError{exitIncomplete, err}
	}
	sets := &reportSets{stored, h.Protocol}
	src, err := sets.source(f)
	if err != nil {
		return err
	}
	in, err := reports.ReadTable2(ctx, db, src)
	if err == nil || errors.Is(err, reports.ErrNoResults) {
		if unknown := sets.checkAsked(in, f.datasets); unknown != nil {
			return unknown
		}
	}
	switch {
	case ctx.Err() != nil:
		return interruptedReport()
	case errors.Is(err, reports.ErrNoResults):
		return exitError{exitUsage, err}
	case err != nil:
		return err
	}
	in.Provenance.Program = "bench " + harness.ProgramVersion
	in.Provenance.ProtocolHash = h.Protocol.Hash()
	in.Provenance.Database = a.db
	in.Provenance.Generated = time.Now().UTC()
	in.Provenance.Command = reports.CommandLine(append([]string{"bench"}, os.Args[1:]...)...)
	return a.writeTable2(ctx, in, f)
}

// untilSignal returns a context that Ctrl-C or SIGTERM ends, so that a file that is
// being written is removed.
func (a *app) untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals, stop := a.signals()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { stop(); cancel() }
}

func interruptedReport() error {
	return exitError{exitInterrupted, errors.New("interrupted; no report is written")}
}

func (a *app) writeTable2(ctx context.Context, in reports.Table2Input, f reportFlags) error {
	table, err := reports.BuildTable2(in)
	if err != nil {
		return exitError{exitUsage, err}
	}
	opts := reports.RenderOptions{
		Title: f.title, Std: f.std, Ranks: f.ranks, Decimals: f.decimals, OmitPublished: f.noPublished, Label: f.label,
		Bold: f.output == "" && f.format == "text" && colourful(a.out),
	}
	if err := opts.Check(); err != nil {
		return exitError{exitUsage, err}
	}
	if f.output == "" {
		return table.Write(a.out, f.format, opts)
	}
	err = atomicfile.Write(f.output, func(w io.Writer) error {
		return cmp.Or(table.Write(w, f.format, opts), ctx.Err())
	})
	switch {
	case errors.Is(err, context.Canceled):
		return interruptedReport()
	case err != nil:
		return exitError{exitUsage, err}
	}
	for _, w := range table.Warnings {
		fmt.Fprintf(a.err, "warning: %s\n", w)
	}
	fmt.Fprintf(a.err, "wrote %s\n", f.output)
	return nil
}

// colourful reports whether w is a terminal that may get escape codes (NO_COLOR
// and TERM=dumb say no).
func colourful(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
