package cmd

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/harness/split"
	"github.com/spf13/cobra"
)

func newDataExportCommand(a *app) *cobra.Command {
	var of place
	var format, output string
	c := &cobra.Command{
		Use:               "export NAME",
		Short:             "Write the rows of a split as a method sees them, for a method elsewhere",
		Args:              takes("NAME"),
		ValidArgsFunction: completion(a.names("sets"), true),
	}
	of.add(c, "split")
	oneOf(c, &format, "format", "", "npz, csv (default by the ending of --output, else csv)", "npz", "csv")
	a.outputFlag(c, &output, "write to this file, whole or not at all (default standard output)")
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
	if format = cmp.Or(format, strings.TrimPrefix(filepath.Ext(output), ".")); output == "" {
		format = cmp.Or(format, "csv")
	}
	switch format {
	case "npz":
		return split.Exported.WriteNPZ, nil
	case "csv":
		return split.Exported.WriteCSV, nil
	}
	return nil, usage("--format %q is not one of npz, csv; name it, or end --output with .npz or .csv", format)
}
