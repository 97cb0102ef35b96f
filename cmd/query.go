package cmd

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

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
are described in docs/results-schema.md. Beside SQLite's own functions there are
sqrt, exp, ln, log10, log2, pow, floor, ceil, and the aggregates median,
quantile(x, p), stddev, stddev_pop, var_samp, var_pop.

Rows are printed as they are found. The rows that are read are compared with their
checksums; exit code 3 says that some are not what was stored.`,
		Example: `  bench query "SELECT dataset, method, avg(accuracy), stddev(accuracy) FROM results GROUP BY 1, 2"
  bench query --format csv "SELECT * FROM evaluations WHERE dataset = 'wine'"`,
		Args: takes(`"SQL"`),
		RunE: func(c *cobra.Command, args []string) error {
			db, err := a.reader(c)
			if err != nil {
				return err
			}
			defer db.Close()
			return a.query(c.Context(), db, args[0], format)
		},
	}
	formatFlag(c, &format)
	return c
}

func (a *app) query(ctx context.Context, db *store.DB, query, format string) error {
	s, err := newStream(a.out, format)
	if err != nil {
		return err
	}
	// An error of standard output is not one of the question.
	var output error
	kept := func(err error) error {
		output = err
		return err
	}
	err = db.Query(ctx, query, func(names []string) error { return kept(s.head(names)) }, func(values []any) error { return kept(s.row(values)) })
	var damage *store.DamageError
	switch {
	case output != nil:
		return output
	case errors.As(err, &damage):
		return errors.Join(s.end(), exitError{exitIncomplete, err})
	case store.IsBusy(err):
		return err
	case err != nil:
		return usage("query: %w", err)
	}
	if err := s.end(); err != nil {
		return err
	}
	return a.noteMixedNames(ctx, db, query)
}

var asksForResults = regexp.MustCompile(`(?i)\b(results|evaluations)\b`)

// noteMixedNames says under which names cells of several data stand, unless the
// question tells them apart.
func (a *app) noteMixedNames(ctx context.Context, db *store.DB, query string) error {
	if !asksForResults.MatchString(query) || strings.Contains(strings.ToLower(query), "fingerprint") {
		return nil
	}
	names, err := db.DataNames(ctx)
	if err != nil {
		return err
	}
	for i, n := range names {
		if i == 0 || names[i-1].Dataset != n.Dataset {
			continue
		}
		fmt.Fprintf(a.err, "note: the name %s stands for several data: %s; tell them apart by the column fingerprint\n", n.Dataset, dataOf(names, n.Dataset))
	}
	return nil
}

// dataOf lists the data behind a name, "6facdf82 (12 cells), 54f96b31 (3 cells)".
func dataOf(names []store.DataName, dataset string) string {
	var parts []string
	for _, n := range names {
		if n.Dataset == dataset {
			parts = append(parts, fmt.Sprintf("%.8s (%s)", n.Fingerprint, plural(n.Cells, "cell")))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
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
