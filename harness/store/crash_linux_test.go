package store

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/faultvfs"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// A journey is a fixed small piece of work with a database. It goes through states: each commit is asked for,
// and is promised once the store says that it is done.
type journey struct {
	path string
	work func(*journey) error
	disk *faultvfs.Disk
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

// filled puts cells one by one and in groups, with claims, notes, a checkpoint, an attempt that supersedes
// another and one that replaces another. Then it closes the database, which empties the log, and goes on.
func filled(j *journey) error {
	first := withArtifacts(testRun("first", result.OK))
	first.Model.Data = []byte(strings.Repeat("a model of several pages ", 500))
	second, failed := testRun("second", result.OK), testRun("failed", result.Failed)
	second.Split, failed.Split = 2, 3
	newer := withArtifacts(testRun("newer", result.OK)) // of the first cell
	newer.MethodVersion, newer.GridHash = "2", "h"
	again := testRun("second", result.OK)
	again.Split, again.Replace, again.SearchSeconds = 2, true, 0.75
	last := withArtifacts(testRun("last", result.OK))
	last.Split = 4
	skipped := Skipped{Protocol: "p", Dataset: "d", Method: "M", Split: 9, Reason: "--max-cell 1m"}
	return errors.Join(
		j.session(func(s *session) error {
			return inTurn(
				func() error { return s.put([]result.Run{first}, []result.Run{second, failed}) },
				func() error { return s.note([]Skipped{skipped}, nil) },
				func() error { return s.checkpoint() },
				func() error { return s.put([]result.Run{newer}) },
				func() error { return s.put([]result.Run{again}) },
			)
		}),
		j.session(func(s *session) error {
			return inTurn(
				func() error { return s.put([]result.Run{last}) },
				func() error { return s.note(nil, []Skipped{skipped}) },
				func() error { return s.current("first") },
			)
		}),
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

// A session is an open database with its writer and its claims.
type session struct {
	j      *journey
	db     *DB
	claims *Claims
}

func (j *journey) session(work func(*session) error) error {
	db, err := j.open()
	if err != nil {
		return err
	}
	claims, err := db.NewClaims()
	if err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(work(&session{j, db, claims}), claims.Close(), db.Close())
}

// put stores groups of cells, each in one commit, and claims them before.
func (s *session) put(groups ...[]result.Run) error {
	var wanted []Wanted
	for _, r := range slices.Concat(groups...) {
		if !r.Replace {
			wanted = append(wanted, Wanted{Key: r.Key})
		}
	}
	if _, err := s.claims.Take(context.Background(), wanted); err != nil {
		return fmt.Errorf("claims: %w", err)
	}
	var w *Writer
	all, bad := make(chan struct{}), error(nil)
	put := func() { // the first group is one cell; later ones are put while the writer waits, so that each is one commit
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

func (s *session) note(out, taken []Skipped) error {
	s.j.ask()
	if err := s.j.try("note", func() error { return s.db.NoteSkipped(context.Background(), out, taken) }); err != nil {
		return err
	}
	return s.j.keep(s.db)
}

func (s *session) current(key string) error {
	s.j.ask()
	if err := s.j.try("current", func() error { return s.db.MakeCurrent(context.Background(), []string{key}) }); err != nil {
		return err
	}
	return s.j.keep(s.db)
}

func (s *session) checkpoint() error {
	return s.j.try("checkpoint", func() error { _, err := s.db.sql.Exec("PRAGMA wal_checkpoint(PASSIVE)"); return err })
}

// content prints every row that is a result or a note; claims are hints, and may be lost.
func content(db *DB) (string, error) {
	var b strings.Builder
	for _, table := range byRow {
		columns := slices.DeleteFunc(slices.Clone(table.columns), func(c string) bool { return c == "said_at" })
		err := each(context.Background(), db.sql, "SELECT "+strings.Join(columns, ", ")+" FROM "+table.table, func(r []any) error {
			fmt.Fprintln(&b, append([]any{table.table}, r...)...)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	for _, q := range []string{"SELECT * FROM fold_counts", "SELECT * FROM grid_points", "SELECT * FROM grids", "SELECT * FROM published_values"} {
		if err := each(context.Background(), db.sql, q, func(r []any) error { fmt.Fprintln(&b, r...); return nil }); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// A trial is a journey's work with what its states look like, and what the work begins with.
type trial struct {
	t      *testing.T
	work   func(*journey) error
	before []byte   // the file; nil for none
	states []string // content
	seen   map[uint64]bool
	hash   maphash.Seed
	checks int // images of the disk that were opened
}

// newTrial does the work undisturbed.
func newTrial(t *testing.T, before []byte, work func(*journey) error) *trial {
	tr := &trial{t: t, work: work, before: before, seen: map[uint64]bool{}, hash: maphash.MakeSeed()}
	look := func(db *DB) error {
		text, err := content(db)
		tr.states = append(tr.states, text)
		return err
	}
	if before != nil { // the state before the first commit
		db, err := Open(context.Background(), tr.fresh())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(look(db), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	j, err := tr.run(faultvfs.Fault{}, look)
	if err != nil || len(j.troubles) > 0 {
		t.Fatal(err, j.troubles)
	}
	return tr
}

// fresh returns the path of the database in a new folder, as it is before the work.
func (tr *trial) fresh() string {
	dir, err := os.MkdirTemp(tr.t.TempDir(), "")
	if err != nil {
		tr.t.Fatal(err)
	}
	path := filepath.Join(dir, "r.db")
	if tr.before != nil {
		if err := os.WriteFile(path, tr.before, 0o644); err != nil {
			tr.t.Fatal(err)
		}
	}
	return path
}

// run does the work on a disk that fails.
func (tr *trial) run(fault faultvfs.Fault, look func(*DB) error) (*journey, error) {
	j := &journey{path: tr.fresh(), work: tr.work, dies: fault.Forever, look: look}
	var err error
	if j.disk, err = faultvfs.Watch(filepath.Dir(j.path), fault); err != nil {
		tr.t.Fatal(err)
	}
	defer j.disk.Close()
	j.note(0)
	err = j.work(j)
	return j, err
}

// check opens a database as a later program does: it is in one of the states from promised to asked, nothing
// in it is damaged, and it can be written.
func (tr *trial) check(path string, m moment) error {
	ctx := context.Background()
	tr.checks++
	undisturbed, err := faultvfs.Watch(filepath.Dir(path), faultvfs.Fault{}) // which spares waiting for the real disk
	if err != nil {
		return err
	}
	defer undisturbed.Close()
	if tr.before != nil && tr.checks%3 == 0 { // who reads comes first
		db, err := OpenReader(ctx, path)
		if err != nil {
			return fmt.Errorf("reader: %w", err)
		}
		if err := errors.Join(tr.in(db, m), db.Close()); err != nil {
			return fmt.Errorf("reader: %w", err)
		}
	}
	db, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := tr.in(db, m); err != nil {
		return err
	}
	if found, err := db.Check(ctx, true); err != nil || len(found) > 0 {
		return fmt.Errorf("check: %v, %v", found, err)
	}
	r := testRun("later", result.OK)
	r.Split = 5
	w := db.NewWriter(result.Environment{CPU: "cpu"}, nil)
	if err := errors.Join(w.Put(r), w.Close()); err != nil {
		return err
	}
	if _, found, err := db.Result(ctx, "later"); err != nil || !found {
		return fmt.Errorf("what is put later: %v, %v", found, err)
	}
	return nil
}

// in says what is wrong if a database is in none of the states that m allows.
func (tr *trial) in(db *DB, m moment) error {
	text, err := content(db)
	if err != nil {
		return err
	}
	if at := slices.Index(tr.states, text); at < m.promised || at > m.asked {
		return fmt.Errorf("the database is in state %d; states %d (promised) to %d (asked for) may be seen", at, m.promised, m.asked)
	}
	return nil
}

// image checks what a disk may hold.
func (tr *trial) image(files map[string][]byte, m moment) error {
	var h maphash.Hash
	h.SetSeed(tr.hash)
	for _, name := range []string{"r.db", "r.db-journal", "r.db-wal"} {
		fmt.Fprint(&h, name, len(files[name]), files[name] == nil, m.promised, m.asked)
		h.Write(files[name])
	}
	sum := h.Sum64()
	if tr.seen[sum] {
		return nil
	}
	tr.seen[sum] = true
	dir, err := os.MkdirTemp(tr.t.TempDir(), "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	if tr.checks%2 == 0 { // what lay in memory means nothing afterwards
		if err := os.WriteFile(filepath.Join(dir, "r.db-shm"), []byte(strings.Repeat("of an earlier life ", 3000)), 0o644); err != nil {
			return err
		}
	}
	return tr.check(filepath.Join(dir, "r.db"), m)
}

// fates returns what may become of pending operations, by name.
func fates(pending []faultvfs.Op, random int, rng *rand.Rand) map[string][]faultvfs.Fate {
	by := func(f func(i int) faultvfs.Fate) []faultvfs.Fate {
		out := make([]faultvfs.Fate, len(pending))
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	choose := func(is bool, yes, no faultvfs.Fate) faultvfs.Fate {
		if is {
			return yes
		}
		return no
	}
	const kept, lost, torn, spoilt = faultvfs.Kept, faultvfs.Lost, faultvfs.Torn, faultvfs.Spoilt
	last := len(pending) - 1
	out := map[string][]faultvfs.Fate{
		"all lost":           by(func(int) faultvfs.Fate { return lost }),
		"all kept":           by(func(int) faultvfs.Fate { return kept }),
		"the last torn":      by(func(i int) faultvfs.Fate { return choose(i == last, torn, kept) }),
		"the last spoilt":    by(func(i int) faultvfs.Fate { return choose(i == last, spoilt, kept) }),
		"the last alone":     by(func(i int) faultvfs.Fate { return choose(i == last, kept, lost) }),
		"all but the first":  by(func(i int) faultvfs.Fate { return choose(i == 0, lost, kept) }),
		"all torn":           by(func(int) faultvfs.Fate { return torn }),
		"all spoilt":         by(func(int) faultvfs.Fate { return spoilt }),
		"every second":       by(func(i int) faultvfs.Fate { return choose(i%2 == 0, kept, lost) }),
		"every other second": by(func(i int) faultvfs.Fate { return choose(i%2 == 1, kept, lost) }),
	}
	for _, p := range pending {
		out[fmt.Sprintf("file %d alone", p.File)] = by(func(i int) faultvfs.Fate { return choose(pending[i].File == p.File, kept, lost) })
	}
	for n := range random {
		out[fmt.Sprintf("chance %d", n)] = by(func(int) faultvfs.Fate { return faultvfs.Fate(rng.IntN(4)) })
	}
	return out
}

// trials are the two journeys: to a new database, and on from it.
func trials(t *testing.T) map[string]*trial {
	t.Helper()
	testenv.NotUnderRace(t)
	hold, pause, race := holdAfter, longestPause, createsFor
	longestPause, createsFor = 0, 0
	t.Cleanup(func() { holdAfter, longestPause, createsFor = hold, pause, race })
	create := newTrial(t, nil, created)
	path := create.fresh()
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*trial{"create": create, "fill": newTrial(t, file, filled)}
}

// every is the distance of the indices that are tried: all in make thorough and make fire.
func every(step int) int {
	if testenv.Thorough() || os.Getenv("BENCH_FIRE") != "" {
		return 1
	}
	return step
}

// at returns the moment of a journey when its disk had done ops operations.
func (j *journey) at(ops int) moment {
	now := moment{}
	for _, m := range j.moments {
		if m.ops <= ops {
			now = m
		}
	}
	return now
}

// TestLossOfPower cuts the power before each operation of the disk. What was synced is there; of all that was
// written since, each part that fates names, with the names of new and removed files synced or not. The store
// promises every commit (synchronous=FULL): whatever a Writer said to be committed, and every note and change
// for which a call returned without error, is there afterwards. At most one commit more is there, the one that
// was asked for, and it is whole. Claims may be lost.
func TestLossOfPower(t *testing.T) {
	seed, random := uint64(1), 1
	if os.Getenv("BENCH_FIRE") != "" {
		seed, random = rand.Uint64(), 100
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for name, tr := range trials(t) {
		j, err := tr.run(faultvfs.Fault{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		kinds, points := 0, 0
		disk := faultvfs.NewModel()
		for n, op := range append(j.disk.Ops(), faultvfs.Op{}) {
			if n >= j.moments[0].ops && (n+3)%every(23) == 0 {
				points++
				all := fates(disk.Pending(), random, rng)
				kinds = max(kinds, len(all))
				for what, f := range all {
					for _, names := range []bool{false, true} {
						if err := tr.image(disk.After(f, names), j.at(n)); err != nil {
							t.Errorf("%s, seed %d: power is lost after %d operations; of %d not synced %s, names kept %v: %v", name, seed, n, len(f), what, names, err)
						}
					}
				}
			}
			disk.Apply(op)
		}
		t.Logf("%s: %d points of %d operations, up to %d kinds each, %d different disks", name, points, len(j.disk.Ops())-j.moments[0].ops, kinds, tr.checks)
	}
}

// TestFailingDisk lets operations of the disk fail, one at a time until a journey needs none more. What
// fails once is told and is done when tried again, by the Writer itself or by the caller. When everything
// fails from then on, or the disk stays full, the journey ends with an error. Afterwards all that was promised
// is there, both as the files lie and after a loss of power at the next promises and at the end.
func TestFailingDisk(t *testing.T) {
	const grows = faultvfs.Write | faultvfs.Create | faultvfs.ShmMap
	faults := map[string]faultvfs.Fault{
		"an error":                 {Kinds: faultvfs.Changes},
		"a full disk":              {Kinds: grows, Full: true, Part: true},
		"a sync that forgets":      {Kinds: faultvfs.Sync, Forget: true},
		"errors from then on":      {Kinds: faultvfs.Changes, Forever: true, Part: true},
		"a disk that stays full":   {Kinds: grows, Full: true, Forever: true},
		"an error of reads":        {Kinds: faultvfs.Read | faultvfs.ShmLock},
		"no read from then on":     {Kinds: faultvfs.Read, Forever: true},
		"syncs that forget always": {Kinds: faultvfs.Sync, Forget: true, Forever: true},
	}
	for name, tr := range trials(t) {
		for what, fault := range faults {
			points, told, began := 0, 0, time.Now()
			for fault.At = 1; ; fault.At += every(29) {
				j, err := tr.run(fault, nil)
				if j.disk.Fails() == 0 {
					break
				}
				points++
				if len(j.troubles) > 0 {
					told++
				}
				if err := tr.failed(j, err); err != nil {
					t.Errorf("%s, %s at %d: %v; troubles: %v", name, what, fault.At, err, errors.Join(j.troubles...))
				}
			}
			t.Logf("%s, %s: %d points, told of %d, %v", name, what, points, told, time.Since(began))
		}
	}
}

// failed checks what a journey with faults left.
func (tr *trial) failed(j *journey, err error) error {
	end := j.moments[len(j.moments)-1]
	switch {
	case !j.dies && err != nil:
		return fmt.Errorf("it was not done when tried again: %w", err)
	case !j.dies && tr.before != nil && end.promised != len(tr.states)-1:
		return fmt.Errorf("it ended in state %d without an error", end.promised)
	}
	if err := tr.check(j.path, end); err != nil {
		return fmt.Errorf("as the files lie: %w", err)
	}
	moments := []moment{{len(j.disk.Ops()), end.promised, end.asked}}
	if len(j.troubles) > 0 {
		moments = append(moments, j.moments...)
	}
	disk, n := faultvfs.NewModel(), 0
	slices.SortStableFunc(moments, func(a, b moment) int { return a.ops - b.ops })
	for _, m := range moments {
		for ; n < m.ops; n++ {
			disk.Apply(j.disk.Ops()[n])
		}
		lost := slices.Repeat([]faultvfs.Fate{faultvfs.Lost}, len(disk.Pending()))
		if err := tr.image(disk.After(lost, false), m); err != nil {
			return fmt.Errorf("power is lost after %d operations: %w", m.ops, err)
		}
	}
	return nil
}
