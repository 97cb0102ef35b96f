package cmd

import (
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/spf13/cobra"
)

func newDataDescribeCommand(a *app) *cobra.Command {
	var o read.Hints
	var positive, out string
	c := &cobra.Command{
		Use:   "describe FILE",
		Short: "Find out how a data file is read, and write its description",
		Args:  takes("FILE"),
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
			o.Taken = isBuiltin
			return runDataDescribe(a, c, args[0], out, o)
		},
	}
	c.Flags().StringVar(&o.Label, "label", "", "the label's column, by name or number (default: by its name, else "+
		"the last)")
	c.Flags().StringVar(&positive, "positive", "", "labels of class +1, with commas between them")
	dropFlag(c, &o.Drop)
	groupFlag(c, &o.Group)
	c.Flags().StringVar(&o.Thousands, "thousands", "", "separator of thousands: , . ' _ or a blank (default: found, "+
		"if a column shows it)")
	c.Flags().StringVar(&o.DateOrder, "date-order", "", "order of dates that end with the year: dmy or mdy (default: "+
		"found, if a date shows it)")
	c.Flags().StringVar(&o.Test, "test", "", "a file with a test part of the set's own")
	a.outputFlag(c, &out, "write the description to this file")
	return c
}

// dropFlag adds --drop.
func dropFlag(c *cobra.Command, to *[]string) {
	c.Flags().StringSliceVar(to, "drop", nil, "columns to leave out, with commas between them")
}

// groupFlag adds --group.
func groupFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "group", "", "the column that says which rows belong together; no split and no fold "+
		"divides them")
}

func runDataDescribe(a *app, c *cobra.Command, file, out string, o read.Hints) error {
	defer collectWithin(o.Memory)()
	d, err := read.Describe(c.Context(), file, o)
	if err != nil {
		return usageError(err)
	}
	if err := a.writeText(out, d.TOML, ""); err != nil {
		return err
	}
	for _, text := range d.Problems {
		a.say("problem: %s", text)
	}
	for _, text := range d.Notes {
		a.say("note: %s", text)
	}
	if !d.Loads {
		return exitError{code: exitIncomplete}
	}
	return nil
}

// isBuiltin reports whether a set of the program has this name.
func isBuiltin(name string) bool {
	_, err := catalogue.Builtin().Lookup(name)
	return err == nil
}
