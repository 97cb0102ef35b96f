package cmd

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/spf13/cobra"
)

func newDBCommand(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "db",
		Short: "Look after the results database",
	})
	c.AddCommand(newDBCheckCommand(a))
	return c
}

func newDBCheckCommand(a *app) *cobra.Command {
	var format string
	var remove bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Compare everything that is stored with its checksums",
		Long: `check reads the whole database: SQLite's own check of every page, the checksum of
every row and of every cell's evaluations, the sums of the folds, and rows that
belong to nothing. It lists what is wrong; exit code 3 says that something is.

--remove takes the damaged rows out, so that ` + "`bench run`" + ` computes their cells again.
What SQLite itself cannot read is not mended by that: restore a copy then.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return a.checkDB(c.Context(), remove, format) },
	}
	c.Flags().BoolVar(&remove, "remove", false, "take damaged rows out")
	formatFlag(c, &format)
	return c
}

func (a *app) checkDB(ctx context.Context, remove bool, format string) error {
	open := store.OpenReader
	if remove {
		// A missing file is an error here too, not a new database.
		db, err := store.OpenReader(ctx, a.db)
		if err != nil {
			return exitError{exitIncomplete, err}
		}
		_ = db.Close()
		open = store.Open
	}
	db, err := open(ctx, a.db)
	if err != nil {
		if isNoDatabase(err) {
			return exitError{exitUsage, err}
		}
		return exitError{exitIncomplete, err}
	}
	defer db.Close()
	problems, err := db.Check(ctx, true)
	if err != nil {
		return err
	}
	l := listing{header: []string{"row", "problem"}}
	for _, p := range problems {
		l.add(p.Row, p.What)
	}
	if len(problems) == 0 {
		cells, evaluations, err := db.Size(ctx)
		if err != nil {
			return err
		}
		if format != "table" {
			return l.write(a.out, format)
		}
		_, err = fmt.Fprintf(a.out, "%s: %s and %s are as they were stored\n", a.db, plural(cells, "cell"), plural(evaluations, "evaluation"))
		return err
	}
	if err := l.write(a.out, format); err != nil {
		return err
	}
	if !remove {
		return exitError{exitIncomplete, fmt.Errorf("database %s is damaged: %s; restore a copy, or take the rows out with --remove and run again", a.db, plural(len(problems), "problem"))}
	}
	left, err := db.Remove(ctx, problems)
	if err != nil {
		return err
	}
	if left > 0 {
		return exitError{exitIncomplete, fmt.Errorf("database %s: %s cannot be mended by taking rows out; restore a copy", a.db, plural(left, "problem"))}
	}
	fmt.Fprintln(a.err, "the damaged rows are taken out; `bench run` computes their cells again")
	return nil
}
