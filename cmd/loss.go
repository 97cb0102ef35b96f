package cmd

import (
	"context"

	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lossFlags are the parameters of RFF-MKL that its loss has.
type lossFlags struct {
	epsilon   float64
	sharpness []float64
}

func (f *lossFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.epsilon, "epsilon", 0.1, "half-width of the tube in which the loss is nearly 0")
	flags.Float64SliceVar(&f.sharpness, "sharpness", []float64{1, 5, 10}, "sharpness of the tube's edges, with a "+
		"curve for each")
}

func (f *lossFlags) build() (doc.Document, error) {
	return orUsage(curves.Loss(f.epsilon, f.sharpness))
}

func newReportLossCommand(a *app) *cobra.Command {
	var f reportFlags
	var l lossFlags
	c := &cobra.Command{
		Use:   "loss",
		Short: "The loss of RFF-MKL and the epsilon-insensitive loss that it approximates",
		Args:  takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.draw(c, f, func(context.Context) (doc.Document, error) { return l.build() })
		},
	}
	l.add(c.Flags())
	a.outputFlags(c, &f)
	return c
}
