package cmd

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/describe"
	"github.com/spf13/cobra"
)

func newDataDescribeCommand(a *app) *cobra.Command {
	var o describe.Options
	var positive, out string
	c := &cobra.Command{
		Use:   "describe FILE",
		Short: "Find out how a data file is read, and write its description",
		Long: `describe looks at a file in CSV (also as spreadsheets export it), TSV, columns separated by
blanks, ARFF, LIBSVM or Parquet, also packed by gzip (.gz). It writes the TOML that describes
the set: separator, header, decimal commas, separators of thousands, the label, columns of
dates and of categories, marks of missing values, and columns that are left out with the reason. What is
wrong with the file, and what is to be checked, follows on standard error, all at once: lines
and values that cannot be read, identifiers, constant columns, columns that tell the label,
repeated rows, rare levels. Exit code 3 says that the set does not load yet.

--drop leaves columns out, so that neither the file nor the description is edited. --group names
the column that says which rows belong together, such as a patient's: no split and no fold parts
them. A description that was edited is not replaced.`,
		Example: `  bench data describe patients.csv --label outcome --positive mild,severe -o patients.toml
  bench data describe patients.csv --label outcome --drop nr,discharged -o patients.toml
  bench run --methods LGBM --datasets patients.toml`,
		Args: takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.TOML = out; out == "" {
				o.TOML = filepath.Join(filepath.Dir(args[0]), catalogue.SetName(args[0])+".toml")
			} else if filepath.Ext(out) != ".toml" {
				return usage("-o %s: a description is a TOML file; write a name that ends in .toml", out)
			}
			if positive != "" {
				o.Positive = strings.Split(positive, ",")
			}
			o.Memory = a.memory
			o.Taken = func(name string) bool {
				_, err := catalogue.Builtin().Lookup(name)
				return err == nil
			}
			return a.describe(c, args[0], out, o)
		},
	}
	c.Flags().StringVar(&o.Label, "label", "", "the label's column, by name or number (default: by its name, else "+
		"the last)")
	c.Flags().StringVar(&positive, "positive", "", "labels of class +1, with commas between them")
	dropFlag(c, &o.Drop)
	groupFlag(c, &o.Group)
	c.Flags().StringVar(&o.Thousands, "thousands", "",
		"what separates thousands: , . ' _ or a blank (default: found where a column shows it)")
	c.Flags().StringVar(&o.DateOrder, "date-order", "",
		"of dates that end with the year: dmy or mdy (default: found where a date shows it)")
	c.Flags().StringVar(&o.Test, "test", "", "a test file of the set's own")
	a.outputFlag(c, &out, "write the description to this file")
	return c
}

// dropFlag adds --drop.
func dropFlag(c *cobra.Command, to *[]string) {
	c.Flags().StringSliceVar(to, "drop", nil, "columns that are left out, with commas between them")
}

// groupFlag adds --group.
func groupFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "group", "", "the column that says which rows belong together and are never parted")
}

func (a *app) describe(c *cobra.Command, file, out string, o describe.Options) error {
	defer collectWithin(o.Memory)()
	d, err := describe.File(c.Context(), file, o)
	if err != nil {
		return exitError{exitUsage, err}
	}
	if err := a.writeText(out, d.TOML, ""); err != nil {
		return err
	}
	for _, text := range d.Problems {
		fmt.Fprintf(a.err, "problem: %s\n", text)
	}
	for _, text := range d.Notes {
		fmt.Fprintf(a.err, "note: %s\n", text)
	}
	if !d.Loads {
		return exitError{code: exitIncomplete}
	}
	return nil
}
