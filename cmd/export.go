package cmd

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/croissant"
	"github.com/kernelboosting/bench/datasets/read"
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
		Use:               "export NAME",
		Short:             "Write the rows of a split as a method sees them, for a method elsewhere",
		Args:              takes("NAME"),
		ValidArgsFunction: a.completeSets,
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

// writeCroissant writes a set, with the splits of a protocol, as a description in Croissant and a CSV file. Without a
// name for the description it prints the description alone.
func (a *app) writeCroissant(c *cobra.Command, e *catalogue.Entry, protocol, output string) error {
	name, isJSON := strings.CutSuffix(output, ".json")
	if output != "" && !isJSON {
		return usage("-o %s: a description in Croissant is a JSON file; write a name that ends in .json", output)
	}
	exp, err := a.experiment(protocol)
	if err != nil {
		return err
	}
	set, err := read.Load(c.Context(), a.dataDir(), e)
	if err != nil {
		return exitError{exitIncomplete, err}
	}
	splits := make([]datasets.Division, exp.Protocol.Splits)
	for k := range splits {
		s, err := orUsage(exp.Protocol.Semantics.Splitter().Split(set, uint32(k+1)))
		if err != nil {
			return err
		}
		splits[k] = datasets.Division{Train: s.Train, Test: s.Test}
	}
	file := cmp.Or(name, e.Name) + ".csv"
	description, rows, unknown, err := croissant.Write(e, set, filepath.Base(file), splits)
	if err == nil && output != "" {
		err = a.writeText(file, string(rows), fmt.Sprintf(": %s, %s", plural(len(set.Y), "row"), plural(len(splits),
			"split")))
	}
	if err != nil {
		return err
	}
	a.say("left out, since it is not known here: %s; add it before you publish the description",
		strings.Join(unknown, ", "))
	return a.writeText(output, string(description), "")
}
