package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/spf13/cobra"
)

func newDBCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "db",
		Short: "Check and copy the results database",
	}, newDBCheckCommand(a), newDBBackupCommand(a))
}

func newDBCheckCommand(a *app) *cobra.Command {
	var remove bool
	c := a.lists(&cobra.Command{
		Use:   "check",
		Short: "Compare everything that is stored with its checksums",
		Args:  takes(),
	}, func(c *cobra.Command, _ []string, l *listing) error { return runDBCheck(c.Context(), a, remove, l) })
	c.Flags().BoolVar(&remove, "remove", false, "delete damaged rows")
	return c
}

func newDBBackupCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database to a file",
		Args:  takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			db, err := a.reader(c.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.CanBackup(c.Context(), args[0]); err != nil {
				return usageError(err)
			}
			write := func(file string, write func(io.Writer) error) error {
				return a.writeUnless(store.IsLog, file, write)
			}
			if err := db.Backup(c.Context(), args[0], write); err != nil {
				return err
			}
			cells, evaluations, err := db.Size(c.Context())
			if err != nil {
				return err
			}
			a.say("%s: a copy with %s and %s, compared with its checksums", args[0], plural(cells, "cell"),
				plural(evaluations, "evaluation"))
			return nil
		},
	}
	a.forceFlag(c)
	return c
}

func runDBCheck(ctx context.Context, a *app, remove bool, l *listing) error {
	open := store.OpenReader
	if _, err := os.Stat(a.db); remove && err == nil { // Open would create a missing database
		open = store.Open
	}
	db, err := open(ctx, a.db)
	if err != nil {
		return databaseError(err)
	}
	defer db.Close()
	if db.Possible, err = a.possible(ctx, db); err != nil {
		return err
	}
	var problems []store.Problem
	left := 0
	if remove {
		problems, left, err = db.Repair(ctx)
	} else {
		problems, err = db.Check(ctx)
	}
	if err != nil {
		return fmt.Errorf("database %s: %w", a.db, err)
	}
	if len(problems) == 0 && l.forPeople() {
		cells, evaluations, err := db.Size(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.out, "%s: %s and %s are as they were stored\n", a.db, plural(cells, "cell"),
			plural(evaluations, "evaluation"))
		return err
	}
	l.header = []string{"row", "problem"}
	for _, p := range problems {
		l.add(p.Row, p.What)
	}
	switch {
	case remove && left > 0:
		return exitError{exitIncomplete, fmt.Errorf("database %s: %s cannot be mended by taking rows out; restore a "+
			"copy", a.db, plural(left, "problem"))}
	case remove && len(problems) > 0:
		a.say("the damaged rows are taken out; `bench run` computes their cells again")
	case len(problems) > 0:
		advice := ""
		if slices.ContainsFunc(problems, store.Problem.Removable) {
			advice = ", or take the rows out with --remove and run again"
		}
		return exitError{exitIncomplete, fmt.Errorf("database %s is damaged: %s; restore a copy%s", a.db,
			plural(len(problems), "problem"), advice)}
	}
	return nil
}

// possible returns what says why stored cells cannot have ended so, nil for a damaged database. Less is known of cells
// whose protocol, set or method is not here.
func (a *app) possible(ctx context.Context, db *store.DB) (func(result.Run) error, error) {
	cells, err1 := db.Cells(ctx)
	protocols, err2 := db.Protocols(ctx)
	sets, err3 := a.storedSets(ctx, db)
	if ctx.Err() != nil || errors.Join(err1, err2, err3) != nil { // the check says what is damaged
		return nil, ctx.Err()
	}
	for _, c := range cells {
		_, _ = sets.Entry(c.Dataset)
	}
	var of []*plan.Experiment
	for name, p := range protocols {
		if exp, err := a.storedProtocol(ctx, db, name, p); err == nil {
			of = append(of, exp)
		}
	}
	return verify.Possible(ctx, of, cells)
}

func (a *app) reader(ctx context.Context) (*store.DB, error) {
	db, err := store.OpenReader(ctx, a.db)
	return db, databaseError(err)
}

// readerIfAny is reader, and nil where there is no database.
func (a *app) readerIfAny(ctx context.Context) (*store.DB, error) {
	db, err := a.reader(ctx)
	if isNoDatabase(err) {
		return nil, nil
	}
	return db, err
}

// openToWrite opens the database. It waits while another program holds the database: the cells of a plan are worth more
// than a fast answer.
func (a *app) openToWrite(ctx context.Context) (*store.DB, error) {
	var db *store.DB
	err := store.RetryWhileBusy(ctx, a.err.waits, func() (err error) {
		db, err = store.Open(ctx, a.db)
		return err
	})
	return db, databaseError(err)
}

// databaseError chooses the exit code for a database that cannot be used: 3 if its content is damaged, 5 if it may not
// be read, 2 if it is missing or the wrong file.
func databaseError(err error) error {
	switch {
	case store.IsDamage(err):
		return exitError{exitIncomplete, err}
	case errors.Is(err, fs.ErrPermission):
		return exitError{exitScarce, err}
	}
	return usageError(err)
}
