package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
)

// A journey is a fixed small piece of work with a database. It goes through states: each commit is asked for,
// and is promised once the store says that it is done.
type journey struct {
	path string
	work func(*journey) error
	disk *storetest.Disk
	dies bool // what failed once fails for ever, so that nothing is tried again
	look func(*DB) error

	asked    int // states that were begun
	moments  []moment
	troubles []error
}

// A moment is a number of operations of the disk, and the states that may be seen from then on.
type moment struct{ ops, promised, asked int }

func (j *journey) note(promised int) {
	j.moments = append(j.moments, moment{len(j.disk.Ops()), promised, j.asked})
}

func (j *journey) promised() int {
	if len(j.moments) == 0 {
		return 0
	}
	return j.moments[len(j.moments)-1].promised
}

func (j *journey) ask() { j.asked++; j.note(j.promised()) }

func (j *journey) keep(db *DB) error {
	j.note(j.asked)
	if j.look != nil {
		return j.look(db)
	}
	return nil
}

// try repeats what fails, unless the disk died.
func (j *journey) try(what string, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		err = fmt.Errorf("%s: %w", what, err)
		j.troubles = append(j.troubles, err)
		if j.dies || len(j.troubles) > 5 {
			return err
		}
	}
}

func (j *journey) open() (db *DB, err error) {
	err = j.try("open", func() (err error) { db, err = Open(context.Background(), j.path); return err })
	return db, err
}

// created makes the database and opens it again.
func created(j *journey) error {
	for range 2 {
		db, err := j.open()
		if err != nil {
			return err
		}
		if err := errors.Join(j.keep(db), db.Close()); err != nil {
			return err
		}
	}
	return nil
}

// filled puts cells one by one and in groups, begun before, with notes, a checkpoint, an attempt that supersedes
// another and one that replaces another. Then it closes the database, which empties the log, and goes on.
func filled(j *journey) error {
	first := testRun("first", result.OK)
	first.Model.Data = []byte(strings.Repeat("a model of several pages ", 500))
	second, failed := testRun("second", result.OK), testRun("failed", result.Failed)
	second.Split, failed.Split = 2, 3
	newer := testRun("newer", result.OK) // of the first cell
	newer.MethodVersion, newer.GridHash = "2", "h"
	again := testRun("second", result.OK)
	again.Split, again.Replace, again.SearchSeconds = 2, true, 0.75
	last := testRun("last", result.OK)
	last.Split = 4
	skipped := result.Exclusion{Protocol: "p", Dataset: "d", Method: "M", Split: 9, Why: result.Over("--max-cell 1m",
		61, 1)}
	return inTurn(
		func() error {
			return j.session(func(s *session) error {
				return inTurn(
					func() error { return s.put([]result.Run{first}, []result.Run{second, failed}) },
					func() error { return s.note([]result.Exclusion{skipped}, nil) },
					s.checkpoint,
					func() error { return s.put([]result.Run{newer}) },
					func() error { return s.put([]result.Run{again}) },
				)
			})
		},
		func() error {
			return j.session(func(s *session) error {
				return inTurn(
					func() error { return s.put([]result.Run{last}) },
					func() error { return s.note(nil, []result.Exclusion{skipped}) },
					func() error { return s.current("first") },
				)
			})
		},
	)
}

// inTurn does one thing after another, until one fails.
func inTurn(steps ...func() error) error {
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// A session is an open database with its writer, and a run that is under way.
type session struct {
	j   *journey
	db  *DB
	run *Registration
}

func (j *journey) session(work func(*session) error) error {
	db, err := j.open()
	if err != nil {
		return err
	}
	var planned []PlannedCell
	for _, key := range strings.Fields("first second failed newer last") {
		planned = append(planned, PlannedCell{Key: key})
	}
	var run *Registration
	err = j.try("register", func() (err error) {
		run, err = db.Register(context.Background(), planned, Progress{}, nil)
		return err
	})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	err = work(&session{j, db, run})
	_ = run.Close() // where it fails, the next run sees that this one is dead
	return errors.Join(err, db.Close())
}

// put stores groups of cells, each in one commit, and begins them before.
func (s *session) put(groups ...[]result.Run) error {
	var keys []string
	for _, r := range slices.Concat(groups...) {
		keys = append(keys, r.Key)
	}
	if err := s.run.Begin(context.Background(), keys); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	var w *Writer
	all, bad := make(chan struct{}), error(nil)
	// the first group is one cell; later ones are put while the writer waits, so that each is one commit
	put := func() {
		if len(groups) == 0 {
			close(all)
			return
		}
		s.j.ask()
		now := groups[0]
		groups = groups[1:]
		for _, r := range now {
			_ = w.Put(r) // what it does not take, Close says is lost
		}
	}
	w = s.db.NewWriter(result.Environment{ProgramVersion: "test", CPU: "cpu"}, func([]result.Run) {
		bad = errors.Join(bad, s.j.keep(s.db))
		put()
	})
	w.Trouble = func(t Trouble) {
		if t.Err != nil {
			s.j.troubles = append(s.j.troubles, t.Err)
			if s.j.dies || len(s.j.troubles) > 5 {
				w.Abandon()
			}
		}
	}
	put()
	select {
	case <-all:
	case <-w.done:
	}
	return errors.Join(w.Close(), bad)
}

func (s *session) note(out, taken []result.Exclusion) error {
	s.j.ask()
	if err := s.j.try("note", func() error { return s.db.NoteSkipped(context.Background(), out, taken) }); err != nil {
		return err
	}
	return s.j.keep(s.db)
}

func (s *session) current(key string) error {
	s.j.ask()
	if err := s.j.try("current", func() error {
		return s.db.MakeCurrent(context.Background(), []string{key})
	}); err != nil {
		return err
	}
	return s.j.keep(s.db)
}

func (s *session) checkpoint() error {
	return s.j.try("checkpoint", func() error { _, err := s.db.sql.Exec("PRAGMA wal_checkpoint(PASSIVE)"); return err })
}

// content prints every row that is a result or a note; what is under way may be lost.
func content(db *DB) (string, error) {
	var b strings.Builder
	tables := []string{"published_values"}
	for _, s := range everySealed {
		if s.own() {
			tables = append(tables, s.table)
		}
		tables = append(tables, s.parts...)
	}
	for _, table := range tables {
		var names []string
		err := eachNamed(context.Background(), db.sql, "SELECT * FROM "+table, func(columns []string) error {
			names = columns
			return nil
		}, func(r []any) error {
			for i, name := range names {
				if !slices.Contains([]string{"id", "checksum", "said_at"}, name) {
					fmt.Fprint(&b, r[i], " ")
				}
			}
			fmt.Fprintln(&b, table)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
