package cmd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/spf13/cobra"
)

// reportFlags are those of every report.
type reportFlags struct {
	selection
	format, output string
	width          string
	also           []string // see frame.Selection
	wide, details  bool
	folds          bool // the report needs the folds
}

// newReportCommands returns the verb report, and the reports that are verbs of their own.
func newReportCommands(a *app) []*cobra.Command {
	report := group(&cobra.Command{
		Use:   "report",
		Short: "Make tables from the stored results",
	})
	verbs := []*cobra.Command{report}
	for _, r := range reports.All() {
		if c := newOneReportCommand(a, r); r.Verb {
			verbs = append(verbs, c)
		} else {
			report.AddCommand(c)
		}
	}
	report.AddCommand(newReportHTMLCommand(a), newReportBoundaryCommand(a))
	return verbs
}

func newOneReportCommand(a *app, r frame.Report) *cobra.Command {
	f := reportFlags{folds: r.Folds}
	c := &cobra.Command{Use: strings.TrimSpace(r.Name + " " + r.Args), Aliases: r.Aliases, Short: r.Summary,
		Args: takes()}
	flags := c.Flags()
	a.outputFlags(c, &f)
	if r.Select == nil {
		f.selection.add(a, c, cmp.Or(r.Protocol, defaultProtocol))
	} else {
		protocolFlag(c, &f.protocol, defaultProtocol)
		f.addSets(a, c)
		c.Args = cobra.ArbitraryArgs
		c.ValidArgsFunction = completeArguments(a, r.Args)
	}
	build := r.Add(flags)
	c.RunE = func(c *cobra.Command, args []string) error {
		if r.Select != nil {
			s := frame.Selection{Protocol: f.protocol, Methods: f.methods, Datasets: f.datasets}
			if err := r.Select(args, &s); err != nil {
				return usage("%s: %w; see `%[1]s --help`", c.CommandPath(), err)
			}
			f.protocol, f.methods, f.datasets, f.also = s.Protocol, s.Methods, s.Datasets, s.Also
		}
		return runReport(a, c, f, build)
	}
	return c
}

// outputFlags adds the flags for the form of a report and for its file.
func (a *app) outputFlags(c *cobra.Command, f *reportFlags) {
	flags := c.Flags()
	oneOf(c, &f.format, "format", "", strings.Join(reportFormats(), ", ")+" (default by the ending of "+
		"--output, else text)", reportFormats()...)
	a.outputFlag(c, &f.output, "write to this file, whole or not at all, in the format of its ending ("+
		strings.Join(render.Endings(), ", ")+"); a folder, such as figs/, gets all figures (default standard output)")
	flags.StringVar(&f.width, "width", "", "figures: the width of a column (84 mm) or a page (174 mm) of a paper, or "+
		"a number of millimetres (default page; column for drawings of details)")
	flags.BoolVar(&f.details, "details", false, "text, md and latex: everything that the report holds, with queries "+
		"and provenance (html, csv and json always have it)")
	flags.BoolVar(&f.wide, "wide", false, "text: one line a row, at any width (default blocks of columns that fit "+
		"the terminal, or 100 columns)")
	rare(c, "wide")
	complete(c, "width", "column", "page")
}

func runReport(a *app, c *cobra.Command, f reportFlags, build func(frame.Frame) (doc.Document, error)) error {
	return a.draw(c, f, func(ctx context.Context) (doc.Document, error) {
		rows, err := a.frame(ctx, f)
		if err != nil {
			return doc.Document{}, err
		}
		return orUsage(build(rows))
	})
}

// draw builds a document and writes it in the form and to the place that the flags give.
func (a *app) draw(c *cobra.Command, f reportFlags, build func(context.Context) (doc.Document, error)) error {
	out, err := newReportOutput(f)
	if err != nil {
		return err
	}
	ctx, done := a.untilSignal(c.Context())
	defer done()
	d, err := build(ctx)
	if err != nil {
		return err
	}
	d.Program, d.Generated, d.Command = provenance()
	switch {
	case f.details:
		d = d.Whole()
	case out.format == "text" || out.format == "md":
		d = d.Short("--details")
	}
	if err := writeReport(ctx, a, d, f, out); err != nil || d.Alarm == "" {
		return err
	}
	return exitError{exitIncomplete, errors.New(d.Alarm)}
}

// provenance says which program makes a document, when, and by which command.
func provenance() (program string, generated time.Time, command string) {
	return "bench " + environment.ProgramVersion, time.Now().UTC(), frame.CommandLine(
		append([]string{"bench"}, os.Args[1:]...)...)
}

// frame reads the data of a report.
func (a *app) frame(ctx context.Context, f reportFlags) (frame.Frame, error) {
	db, err := a.reader(ctx)
	if err != nil {
		return frame.Frame{}, err
	}
	defer db.Close()
	return a.frameOf(ctx, db, f)
}

// frameOf reads the data of a report from an open database.
func (a *app) frameOf(ctx context.Context, db *store.DB, f reportFlags) (frame.Frame, error) {
	stored, err := a.storedSets(ctx, db)
	if err != nil {
		return frame.Frame{}, exitError{exitIncomplete, err}
	}
	f.selection.report = true
	chosen, err := a.choose(f.selection, func() ([]store.Cell, error) { return db.Cells(ctx) })
	if err != nil {
		return frame.Frame{}, err
	}
	rows, err := frame.Read(ctx, db, reportSource(a, f, chosen, stored))
	switch request := (*frame.RequestError)(nil); {
	case ctx.Err() != nil:
		return rows, interruptedReport()
	case errors.As(err, &request):
		return rows, usageError(err)
	}
	return rows, err
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

func writeReport(ctx context.Context, a *app, d doc.Document, f reportFlags, out reportOutput) error {
	if out.figures {
		return writeFigures(ctx, a, d, f, out)
	}
	var o render.Options
	if !f.wide {
		o.Width = terminalWidth(a.out, f.output)
	}
	if f.output == "" {
		o.Bold = colourful(a.out)
		if d.Line != "" && out.format == "text" {
			a.err.warn(d.Clean().Warnings)
		}
		return render.Write(a.out.bold(), out.format, d, o)
	}
	err := a.write(f.output, func(w io.Writer) error {
		return cmp.Or(render.Write(w, out.format, d, o), ctx.Err())
	})
	return a.wrote(f.output, d.Clean().Warnings, err)
}

// warn prints the warnings that a reader of a report's file must see.
func (m *messages) warn(warnings []string) {
	for _, w := range warnings {
		m.say("warning: %s", w)
	}
}

// colourful reports whether w is a terminal that may get escape codes (NO_COLOR
// and TERM=dumb say no).
func colourful(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
