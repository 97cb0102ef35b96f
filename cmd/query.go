package cmd

import (
	"errors"
	"slices"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/spf13/cobra"
)

func newQueryCommand(a *app) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   `query "SQL"`,
		Short: "Ask the results database a question in SQL, read-only",
		Long: `query runs one SQL statement on the results database, which is opened read-only.

Views: results (a row per cell), evaluations (a row per fold of every grid point),
published (the papers' tables), history (superseded attempts too). Their columns
are described in docs/results-schema.md.`,
		Example: `  bench query "SELECT dataset, method, avg(accuracy) FROM results GROUP BY 1, 2"
  bench query --format csv "SELECT * FROM evaluations WHERE dataset = 'wine'"`,
		Args: takes(`"SQL"`),
		RunE: func(c *cobra.Command, args []string) error {
			db, err := a.reader(c)
			if err != nil {
				return err
			}
			defer db.Close()
			var l listing
			err = db.Query(c.Context(), args[0],
				func(names []string) error { l.header = names; return nil },
				func(values []any) error { l.rows = append(l.rows, slices.Clone(values)); return nil })
			if err != nil {
				return usage("query: %w", err)
			}
			return l.write(a.out, format)
		},
	}
	formatFlag(c, &format)
	return c
}

// reader opens the database for reading.
func (a *app) reader(c *cobra.Command) (*store.DB, error) {
	db, err := store.OpenReader(c.Context(), a.db)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	return db, nil
}

func isNoDatabase(err error) bool { return errors.Is(err, store.ErrNoDatabase) }
