package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/harness/split"
	"github.com/spf13/cobra"
)

var exportFormats = []struct {
	name  string
	write func(split.Exported, io.Writer) error
}{
	{"npz", split.Exported.WriteNPZ}, {"csv", split.Exported.WriteCSV},
}

func newDataExportCommand(a *app) *cobra.Command {
	var of place
	var format, output string
	c := &cobra.Command{
		Use:   "export NAME",
		Short: "Write the rows of a split, standardised as here, for a method elsewhere",
		Long: `export writes what a method sees of a split under a protocol: the training and the
test rows, standardised by the training rows where the protocol says so, their targets
(-1 and +1, or 0 to K-1), their row numbers in the data file and the fold of each
training row. As npz (numpy.load) they are X_train, y_train, X_test, y_test, rows_train,
rows_test, folds_train, features and labels; as csv a line a row, with every digit,
and a quotation mark before the name of a feature that a spreadsheet would take for a formula.

A fold is standardised by its own training rows here: a search over a grid elsewhere
is the same only if it standardises the rows of each fold again.`,
		Example: `  bench data export wine --split 1 -o wine-1.npz
  bench data export wine --split 1 --format csv | head -3`,
		Args:              takes("NAME"),
		ValidArgsFunction: a.completeSets,
	}
	of.add(c, "split")
	c.Flags().StringVar(&format, "format", "", "npz, csv (default by the ending of --output, else csv)")
	a.outputFlag(c, &output, "write to this file, whole or not at all (default standard output)")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"npz", "csv"},
		cobra.ShellCompDirectiveNoFileComp))
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

// exportWriter returns the writer of a format, or of a file's ending.
func exportWriter(format, output string) (func(split.Exported, io.Writer) error, error) {
	if format == "" {
		if format = strings.TrimPrefix(filepath.Ext(output), "."); output == "" {
			format = "csv"
		}
	}
	for _, f := range exportFormats {
		if f.name == format {
			return f.write, nil
		}
	}
	return nil, usage("--format %q is not one of npz, csv; name it, or end --output with .npz or .csv", format)
}
