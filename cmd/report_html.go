package cmd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/reports/page"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/spf13/cobra"
)

// pageFlags are the flags of the page of everything, as a file or as a site.
type pageFlags struct {
	reportFlags
	page.Options
}

func (f *pageFlags) add(a *app, c *cobra.Command) {
	flags := c.Flags()
	f.selection.add(a, c, defaultProtocol)
	metricFlag(c, &f.Metric, " (default the protocol's)")
	flags.StringVar(&f.Method, "focus", "", "method in question, named before you look: the others are compared "+
		"with it (default the one that leads, by mean)")
	flags.Float64Var(&f.Level, "level", 0.05, "level of the tests")
	rare(c, "level")
	_ = c.RegisterFlagCompletionFunc("focus", completion(a.names("methods"), false))
}

// metricFlag adds --metric, whose help lists the metrics, and then says more.
func metricFlag(c *cobra.Command, to *string, more string) {
	c.Flags().StringVar(to, "metric", "", strings.Join(metric.Names(), ", ")+more)
	complete(c, "metric", metric.Names()...)
}

func newReportHTMLCommand(a *app) *cobra.Command {
	var f pageFlags
	c := &cobra.Command{
		Use:   "html",
		Short: "One page, or a folder of pages: verdicts, the table, what is behind every number",
		Args:  takes(),
	}
	f.add(a, c)
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

// buildPage reads what is stored and makes the page of it.
func buildPage(ctx context.Context, a *app, f pageFlags) (*page.Page, error) {
	rows, err := a.frame(ctx, f.reportFlags)
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
