package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/page"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/spf13/cobra"
)

// reportOptions are those of every report.
type reportOptions struct {
	selection
	format, output string
	width          string
	also           []string // see frame.Selection
	wide, details  bool
	folds          bool // the report needs the folds
	others         bool // also sets of other protocols with the same cells
}

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
	f := reportOptions{folds: r.Folds}
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

func (a *app) outputFlags(c *cobra.Command, f *reportOptions) {
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

func runReport(a *app, c *cobra.Command, f reportOptions, build func(frame.Frame) (doc.Document, error)) error {
	return a.draw(c, f, func(ctx context.Context) (doc.Document, error) {
		rows, err := a.frame(ctx, f)
		if err != nil {
			return doc.Document{}, a.orImport(err, f.protocol)
		}
		d, err := orUsage(build(rows))
		if errors.Is(err, frame.ErrNoResults) && len(rows.Rows) == 0 {
			err = a.orImport(err, f.protocol)
		}
		return d, err
	})
}

// orImport adds to the error of a report without results how to store those of its protocol that come with the program.
func (a *app) orImport(err error, protocol string) error {
	if !isNoDatabase(err) && !errors.Is(err, frame.ErrNoResults) {
		return err
	}
	exp, unknown := a.experiment(protocol)
	if unknown != nil || !reference.Has(exp.Protocol.Name) {
		return err
	}
	return fmt.Errorf("%w; `%s` stores results that come with the program", err, a.importing(exp.Protocol.Name))
}

func (a *app) draw(c *cobra.Command, f reportOptions, build func(context.Context) (doc.Document, error)) error {
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

func provenance() (program string, generated time.Time, command string) {
	return "bench " + environment.ProgramVersion, time.Now().UTC(), frame.CommandLine(
		append([]string{"bench"}, os.Args[1:]...)...)
}

func (a *app) frame(ctx context.Context, f reportOptions) (frame.Frame, error) {
	db, err := a.reader(ctx)
	if err != nil {
		return frame.Frame{}, err
	}
	defer db.Close()
	return a.frameOf(ctx, db, f)
}

func (a *app) frameOf(ctx context.Context, db *store.DB, f reportOptions) (frame.Frame, error) {
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

func writeReport(ctx context.Context, a *app, d doc.Document, f reportOptions, out reportOutput) error {
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
		err := render.Write(a.out.bold(), out.format, d, o)
		if errors.Is(err, render.ErrNoRecords) {
			return usageError(err)
		}
		return err
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

// reportFormats lists what --format takes: the layouts of a report, and the formats of a figure.
func reportFormats() []string {
	return append(render.Formats(), doc.Map(render.FigureFormats(), func(f render.Format) string { return f.Name })...)
}

// A reportOutput is what the flags of a report ask to be written. It is read before anything is computed.
type reportOutput struct {
	format  string // "" for all formats of figures, into a folder
	figures bool   // figures are written, not the report
	width   float64
}

func newReportOutput(f reportOptions) (reportOutput, error) {
	o := reportOutput{format: f.format}
	switch {
	case isFolder(f.output):
		if f.format != "" && slices.Contains(render.Formats(), f.format) {
			return o, usage("%s is a folder, for figures, and --format %s is not a format of figures; name a file",
				f.output,
				f.format)
		}
		o.figures = true
	case f.output == "":
		o.format = cmp.Or(f.format, "text")
	case f.format == "":
		var err error
		if o.format, err = formatOf(f.output, render.FormatOf, render.Endings()); err != nil {
			return o, err
		}
	}
	o.figures = o.figures || !slices.Contains(render.Formats(), o.format)
	if !o.figures && f.width != "" {
		return o, usage("--width is about figures, and format %s writes the report; name a file that "+
			"ends in .svg, .pdf or .png, or a folder", o.format)
	}
	var err error
	o.width, err = widthOf(f.width)
	return o, err
}

// formatOf is the format that a file is to have by its ending, or an error that lists the endings.
func formatOf(file string, of func(string) string, endings []string) (string, error) {
	if format := of(file); format != "" {
		return format, nil
	}
	return "", usage("--output %s: the ending %q is not one of %s", file, filepath.Ext(file), strings.Join(endings,
		", "))
}

// These are the millimetres that a figure can be laid out for: less has no room for names, more fits no paper.
const leastMillimetres, mostMillimetres = 50, 500

// widthOf reads --width, in units of drawings; 0 for none.
func widthOf(text string) (float64, error) {
	switch text {
	case "":
		return 0, nil
	case "column":
		return doc.ColumnWidth, nil
	case "page":
		return doc.PageWidth, nil
	}
	mm, err := strconv.ParseFloat(text, 64)
	if err != nil || !(mm >= leastMillimetres && mm <= mostMillimetres) {
		return 0, usage("--width %q is not column, page or a number of millimetres from %d to %d", text,
			leastMillimetres, mostMillimetres)
	}
	return mm * doc.Millimetre, nil
}

// isFolder reports whether an output is a folder, which figures are written to: it exists as a folder, or its name ends
// like one.
func isFolder(output string) bool {
	info, err := os.Stat(output)
	return strings.HasSuffix(output, "/") || err == nil && info.IsDir()
}

func chosenFigures(d doc.Document, f reportOptions) ([]render.NamedFigure, error) {
	named := render.FigureNames(d)
	if len(named) == 0 {
		return nil, usage("report %s has no figure to write; name a file that ends in %s", d.Report,
			strings.Join(documentEndings(), ", "))
	}
	if len(named) > 1 && !isFolder(f.output) {
		names := doc.Map(named, func(n render.NamedFigure) string { return strings.TrimPrefix(n.Name, d.Report+"-") })
		return nil, usage("report %s has %d figures here: %s; write all with -o DIR/, or choose what is reported",
			d.Report, len(named), strings.Join(names, ", "))
	}
	return named, nil
}

func documentEndings() []string {
	return slices.DeleteFunc(render.Endings(), func(e string) bool {
		return !slices.Contains(render.Formats(), render.FormatOf(e))
	})
}

// writeFigures writes one figure to a file or to standard output, or figures to a folder.
func writeFigures(ctx context.Context, a *app, d doc.Document, f reportOptions, o reportOutput) error {
	named, err := chosenFigures(d, f)
	if err != nil {
		return err
	}
	formats := slices.DeleteFunc(render.FigureFormats(), func(x render.Format) bool {
		return o.format != "" && x.Name != o.format
	})
	if !isFolder(f.output) {
		if f.output == "" {
			if isTerminal(a.out) && (o.format == "pdf" || o.format == "png") {
				return usage("a figure in %s is not text; name a file with --output", o.format)
			}
			return formats[0].Write(a.out, named[0].Figure, o.width)
		}
		err := writeFigure(ctx, a, f.output, formats[0], named[0].Figure, o.width)
		return a.wrote(f.output, d.Clean().Warnings, err)
	}
	if err := os.MkdirAll(f.output, 0o777); err != nil {
		return usageError(err)
	}
	a.err.warn(d.Clean().Warnings)
	for _, n := range named {
		var endings []string
		for _, format := range formats {
			if err := writeFigure(ctx, a, filepath.Join(f.output, n.Name+format.Endings[0]), format, n.Figure,
				o.width); err != nil {
				return err
			}
			endings = append(endings, format.Endings[0])
		}
		a.say("wrote %s%s", filepath.Join(f.output, n.Name), strings.Join(endings, ", "))
	}
	return nil
}

func writeFigure(
	ctx context.Context, a *app, file string, format render.Format, figure doc.Figure, width float64,
) error {
	return notWritten(a.write(file, func(w io.Writer) error {
		return cmp.Or(format.Write(w, figure, width), ctx.Err())
	}))
}

// pageOptions are those of the page of everything, as a file or as a site.
type pageOptions struct {
	reportOptions
	page.Options
}

// metricFlag adds --metric, whose help lists the metrics, and then says more.
func metricFlag(c *cobra.Command, to *string, more string) {
	c.Flags().StringVar(to, "metric", "", strings.Join(metric.Names(), ", ")+more)
	complete(c, "metric", metric.Names()...)
}

func newReportHTMLCommand(a *app) *cobra.Command {
	var f pageOptions
	c := &cobra.Command{
		Use:   "html",
		Short: "One page, or a folder of pages: verdicts, the table, what is behind every number",
		Args:  takes(),
	}
	f.selection.add(a, c, defaultProtocol)
	metricFlag(c, &f.Metric, " (default the protocol's)")
	c.Flags().StringVar(&f.Method, "focus", "", "method in question, named before you look: the others are compared "+
		"with it (default the one that leads, by mean)")
	c.Flags().Float64Var(&f.Level, "level", 0.05, "level of the tests")
	rare(c, "level")
	_ = c.RegisterFlagCompletionFunc("focus", completion(a.names("methods"), false))
	a.outputFlag(c, &f.output, "write to this file, or to this folder with a / at its end, whole or not at all "+
		"(default standard output)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		folder := isFolder(f.output)
		if f.output != "" && !folder && render.FormatOf(f.output) != "html" {
			return usage("--output %s: the ending %q is not one of .html, .htm; a folder has a / at its end", f.output,
				filepath.Ext(f.output))
		}
		ctx, done := a.untilSignal(c.Context())
		defer done()
		p, err := buildPage(ctx, a, f)
		if err != nil {
			return err
		}
		switch {
		case f.output == "":
			return p.Write(a.out)
		case folder:
			err = writeFolder(ctx, a, f.output, page.Mark, p.Site)
		default:
			err = a.write(f.output, func(w io.Writer) error { return cmp.Or(p.Write(w), ctx.Err()) })
		}
		return a.wrote(f.output, p.Warnings, err)
	}
	return c
}

func buildPage(ctx context.Context, a *app, f pageOptions) (*page.Page, error) {
	rows, err := a.frame(ctx, f.reportOptions)
	if err != nil {
		return nil, err
	}
	if f.Method != "" {
		if f.Method, err = orUsage(rows.Method(f.Method, rows.Rows)); err != nil {
			return nil, err
		}
	}
	f.Program, f.Generated, f.Command = provenance()
	f.Groups = page.Groups{Methods: a.reg.Groups(), Sets: a.sets.Groups()}
	p, err := page.Build(rows, f.Options)
	if err == nil && ctx.Err() != nil {
		err = interruptedReport()
	}
	return orUsage(p, err)
}

// wrote prints on standard error what was written and the warnings about it. If nothing was written, it returns the
// reason.
func (a *app) wrote(output string, warnings []string, err error) error {
	if err := notWritten(err); err != nil {
		return err
	}
	a.err.warn(warnings)
	a.say("wrote %s", output)
	return nil
}

// writeFolder writes a folder for the user, whole or not at all. each hands over its files. products are files that
// other programs make of them there.
func writeFolder(ctx context.Context, a *app, folder, mark string, each func(add addFile) error,
	products ...string) error {
	return files.Folder(folder, mark, a.force, func(add func(string, func(io.Writer) error) error) error {
		return each(func(name string, content func(io.Writer) error) error {
			return cmp.Or(ctx.Err(), add(name, content))
		})
	}, products...)
}

type addFile = func(name string, content func(io.Writer) error) error

// notWritten gives an error of writing its exit code.
func notWritten(err error) error {
	if errors.Is(err, context.Canceled) {
		return interruptedReport()
	}
	return usageError(err)
}
