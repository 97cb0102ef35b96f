package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/internal/system/atomicfile"
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
	flags.StringVar(&f.Title, "title", "", "title of the page")
	rare(c, "level", "title")
	_ = c.RegisterFlagCompletionFunc("focus", a.completeMethods)
}

// metricFlag adds --metric, whose help lists the metrics, and then says more.
func metricFlag(c *cobra.Command, to *string, more string) {
	c.Flags().StringVar(to, "metric", "", strings.Join(metric.Names(), ", ")+more)
	_ = c.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(metric.Names(),
		cobra.ShellCompDirectiveNoFileComp))
}

func newReportHTMLCommand(a *app) *cobra.Command {
	var f pageFlags
	c := &cobra.Command{
		Use:   "html",
		Short: "One page, or a folder of pages: verdicts, the table, what is behind every number",
		Long: `html writes one file that holds everything and loads nothing: verdicts, the table
with methods and data sets to choose (ranks are computed again for the choice), the
diagram of critical differences, published values and ours with intervals, what is
missing, times, and a section for each data set and each method. A click on a number,
or Enter, shows its splits, settings, machines, commands and queries. The page reads
in light and dark, on a phone and on paper.

With -o FOLDER/ it writes the same as static pages for the web: index.html and a page for
each data set and each method. They need no server program: any web server, or a browser
that opens the file, shows them. The folder is written whole or not at all. A folder that
was written so before is replaced; one that holds anything else is refused.`,
		Example: `  bench report html -o report.html
  bench report html -o site/
  bench report html --focus MyBoost -o myboost.html
  bench report html --protocol mfga --metric auc -o mfga.html`,
		Args: takes(),
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
		p, err := a.page(ctx, f)
		if err != nil {
			return err
		}
		switch {
		case f.output == "":
			return p.Write(a.out, nil)
		case folder:
			type adding = func(string, func(io.Writer) error) error
			err = atomicfile.Folder(f.output, page.Mark, a.force, func(add adding) error {
				return p.Site(func(name string, content func(io.Writer) error) error {
					return cmp.Or(ctx.Err(), add(name, content))
				})
			})
		default:
			err = a.write(f.output, func(w io.Writer) error { return cmp.Or(p.Write(w, nil), ctx.Err()) })
		}
		return a.wrote(f.output, p.Warnings, err)
	}
	return c
}

// page reads what is stored and makes the page of it.
func (a *app) page(ctx context.Context, f pageFlags) (*page.Page, error) {
	rows, err := a.frame(ctx, f.reportFlags)
	if err != nil {
		return nil, err
	}
	if f.Method != "" {
		if f.Method, err = asked(rows.Method(f.Method, rows.Rows)); err != nil {
			return nil, err
		}
	}
	f.Program, f.Generated, f.Command = provenance()
	f.Groups = page.Groups{Methods: a.reg.Groups(), Sets: a.sets.Groups()}
	p, err := page.Build(rows, f.Options)
	if err == nil && ctx.Err() != nil {
		err = interruptedReport()
	}
	return asked(p, err)
}

// wrote prints on standard error what was written and the warnings about it. If nothing was written, it returns the
// reason.
func (a *app) wrote(output string, warnings []string, err error) error {
	if err := notWritten(err); err != nil {
		return err
	}
	a.warn(warnings)
	fmt.Fprintf(a.err, "wrote %s\n", output)
	return nil
}

// notWritten gives an error of writing its exit code.
func notWritten(err error) error {
	if errors.Is(err, context.Canceled) {
		return interruptedReport()
	}
	return refused(err)
}
