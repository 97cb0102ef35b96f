package cmd

import (
	"cmp"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/paper"
	"github.com/spf13/cobra"
)

func newPaperCommand(a *app) *cobra.Command {
	var f reportOptions
	var o paper.Options
	c := &cobra.Command{
		Use:   "paper METHOD [OTHER...]",
		Short: "Write a folder that a paper can \\input: table, figure, sentences, methods, references",
		Args:  takesSome("METHOD, then those to compare it with, or none for all that are stored"),
	}
	flags := c.Flags()
	protocolFlag(c, &f.protocol, defaultProtocol)
	f.addSets(a, c)
	metricFlag(c, &o.Metric, " (default the protocol's)")
	a.outputFlag(c, &f.output, "write this folder, whole or not at all (default paper-METHOD)")
	region := compare.TestFlags(flags, &o.Level)
	c.ValidArgsFunction = completion(a.names("methods"), false)
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if f.also = args; len(args) > 1 {
			f.methods = args
		}
		if o.Region, err = region(); err != nil {
			return usageError(err)
		}
		return runPaper(a, c, args[0], f, o)
	}
	return c
}

func runPaper(a *app, c *cobra.Command, method string, f reportOptions, o paper.Options) error {
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
		return usageError(err)
	}
	o.Protocol = exp.Protocol
	o.Program, o.Generated, o.Command = provenance()
	p, err := paper.Build(rows, o)
	if err != nil {
		return usageError(err)
	}
	folder := cmp.Or(f.output, paper.Folder(o.Method))
	return a.wrote(folder, p.Warnings, writeFolder(ctx, a, folder, paper.Mark, p.Write, paper.Products...))
}
