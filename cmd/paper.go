package cmd

import (
	"cmp"
	"io"

	"github.com/kernelboosting/bench/internal/system/atomicfile"
	"github.com/kernelboosting/bench/reports/paper"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/spf13/cobra"
)

func newPaperCommand(a *app) *cobra.Command {
	var f reportFlags
	var o paper.Options
	c := &cobra.Command{
		Use:   "paper METHOD [OTHER...]",
		Short: "Write a folder that a paper can \\input: table, figure, sentences, methods, references",
		Long: `paper writes what a paper needs of METHOD against others, all that are stored if none
is named, into one folder, paper-METHOD unless -o names another:

  table.tex, compare.tex     the means of all methods, and METHOD against each other one
  figure.tex, .pdf, .svg     average ranks, with bars where no difference is significant
  sentence.tex, .txt         what is found, as bench compare says it
  methods.tex                protocol, data sets, methods with their versions, tests,
                             programs, processors, and what is missing
  references.bib             what these files cite
  main.tex                   a page that shows all of them: pdflatex main

Each number in it is of what is stored. A result that is preliminary, and a method that
lacks data sets, are called so in the sentences.

The folder is written whole or not at all. A folder that paper wrote before is
replaced, with what LaTeX made of main.tex; one that holds anything else, or a file
that you edited, is refused.`,
		Example: `  bench paper GBRFF2
  bench paper MyBoost LGBM XGB -o ../article/results
  bench paper MyBoost --metric auc --equivalence 0.5`,
		Args: cobra.ArbitraryArgs,
	}
	flags := c.Flags()
	protocolFlag(c, &f.protocol, defaultProtocol)
	f.addSets(a, c)
	metricFlag(c, &o.Metric, " (default the protocol's)")
	a.outputFlag(c, &f.output, "write this folder, whole or not at all (default paper-METHOD)")
	region := report.TestFlags(flags, &o.Level)
	c.ValidArgsFunction = a.completeMethods
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if len(args) == 0 {
			return usage("%s takes METHOD, then those to compare it with, or none for all that are stored; see "+
				"`%[1]s --help`", c.CommandPath())
		}
		if f.also = args; len(args) > 1 {
			f.methods = args
		}
		if o.Region, err = region(); err != nil {
			return exitError{exitUsage, err}
		}
		return a.paper(c, args[0], f, o)
	}
	return c
}

func (a *app) paper(c *cobra.Command, method string, f reportFlags, o paper.Options) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	exp, err := a.experiment(f.protocol)
	if err != nil {
		return err
	}
	rows, err := a.frame(ctx, f)
	if err != nil {
		return err
	}
	if o.Method, err = rows.Method(method, rows.Rows); err != nil {
		return exitError{exitUsage, err}
	}
	o.Protocol = exp.Protocol
	o.Program, o.Generated, o.Command = provenance()
	p, err := paper.Build(rows, o)
	if err != nil {
		return exitError{exitUsage, err}
	}
	folder := cmp.Or(f.output, paper.Folder(o.Method))
	err = atomicfile.Folder(folder, paper.Mark, a.force, func(add func(string, func(io.Writer) error) error) error {
		return p.Write(func(name string, content func(io.Writer) error) error {
			return cmp.Or(ctx.Err(), add(name, content))
		})
	}, paper.Products...)
	return a.wrote(folder, p.Warnings, err)
}
