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

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

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
		db := must.Get(Open(context.Background(), tr.fresh()))(t)
		must.Do(t, errors.Join(look(db), db.Close()))
	}
	j, err := tr.run(storetest.Fault{}, look)
	if err != nil || len(j.troubles) > 0 {
		t.Fatal(err, j.troubles)
	}
	return tr
}

// in returns the trial for a subtest, which has a share of its own of what was checked.
func (tr *trial) in(t *testing.T) *trial {
	other := *tr
	other.t, other.seen = t, map[uint64]bool{}
	return &other
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
func (tr *trial) run(fault storetest.Fault, look func(*DB) error) (*journey, error) {
	j := &journey{path: tr.fresh(), work: tr.work, dies: fault.Forever, look: look}
	var err error
	if j.disk, err = storetest.Watch(filepath.Dir(j.path), fault); err != nil {
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
	undisturbed, err := storetest.Watch(filepath.Dir(path), storetest.Fault{}) // which spares waiting for the real disk
	if err != nil {
		return err
	}
	defer undisturbed.Close()
	if tr.before != nil && tr.checks%3 == 0 { // who reads comes first
		db, err := OpenReader(ctx, path)
		if err != nil {
			return fmt.Errorf("reader: %w", err)
		}
		if err := errors.Join(tr.allows(db, m), db.Close()); err != nil {
			return fmt.Errorf("reader: %w", err)
		}
	}
	db, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := tr.allows(db, m); err != nil {
		return err
	}
	if found, err := db.Check(ctx); err != nil || len(found) > 0 {
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

// allows says what is wrong if a database is in none of the states that m allows.
func (tr *trial) allows(db *DB, m moment) error {
	text, err := content(db)
	if err != nil {
		return err
	}
	if at := slices.Index(tr.states, text); at < m.promised || at > m.asked {
		return fmt.Errorf("the database is in state %d; states %d (promised) to %d (asked for) may be seen", at,
			m.promised, m.asked)
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
		if err := os.WriteFile(filepath.Join(dir, "r.db-shm"), []byte(strings.Repeat("of an earlier life ", 3000)),
			0o644); err != nil {
			return err
		}
	}
	return tr.check(filepath.Join(dir, "r.db"), m)
}

// fates returns what may become of pending operations, by name.
func fates(pending []storetest.Op, random int, rng *rand.Rand) map[string][]fate {
	by := func(f func(i int) fate) []fate {
		out := make([]fate, len(pending))
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	choose := func(is bool, yes, no fate) fate {
		if is {
			return yes
		}
		return no
	}
	const kept, lost, torn, spoilt = opKept, opLost, opTorn, opSpoilt
	last := len(pending) - 1
	out := map[string][]fate{
		"all lost":           by(func(int) fate { return lost }),
		"all kept":           by(func(int) fate { return kept }),
		"the last torn":      by(func(i int) fate { return choose(i == last, torn, kept) }),
		"the last spoilt":    by(func(i int) fate { return choose(i == last, spoilt, kept) }),
		"the last alone":     by(func(i int) fate { return choose(i == last, kept, lost) }),
		"all but the first":  by(func(i int) fate { return choose(i == 0, lost, kept) }),
		"all torn":           by(func(int) fate { return torn }),
		"all spoilt":         by(func(int) fate { return spoilt }),
		"every second":       by(func(i int) fate { return choose(i%2 == 0, kept, lost) }),
		"every other second": by(func(i int) fate { return choose(i%2 == 1, kept, lost) }),
	}
	for _, p := range pending {
		out[fmt.Sprintf("file %d alone", p.File)] = by(func(i int) fate {
			return choose(pending[i].File == p.File, kept, lost)
		})
	}
	for n := range random {
		out[fmt.Sprintf("chance %d", n)] = by(func(int) fate { return fate(rng.IntN(4)) })
	}
	return out
}

// trials are the two journeys: to a new database, and on from it.
func trials(t *testing.T) map[string]*trial {
	t.Helper()
	testenv.NotUnderRace(t)
	hold, pause := holdAfter, longestPause
	longestPause = 0
	t.Cleanup(func() { holdAfter, longestPause = hold, pause })
	create := newTrial(t, nil, created)
	path := create.fresh()
	must.Do(t, open(t, path).Close())
	file := must.Get(os.ReadFile(path))(t)
	return map[string]*trial{"create": create, "fill": newTrial(t, file, filled)}
}

// every is the distance of the indices that are tried: all in make fire.
func every(t *testing.T, short, thorough int) int {
	switch {
	case os.Getenv("BENCH_FIRE") != "":
		return 1
	case testenv.Thorough(t):
		return thorough
	}
	return short
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
// was asked for, and it is whole. What is under way may be lost.
func TestLossOfPower(t *testing.T) {
	testenv.OnlyThorough(t)
	seed, random := uint64(1), 1
	if os.Getenv("BENCH_FIRE") != "" {
		seed, random = rand.Uint64(), 20
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for name, tr := range trials(t) {
		j := must.Get(tr.run(storetest.Fault{}, nil))(t)
		kinds, points := 0, 0
		disk := newDiskModel()
		for n, op := range append(j.disk.Ops(), storetest.Op{}) {
			if n >= j.moments[0].ops && (n+3)%every(t, 47, 23) == 0 {
				points++
				all := fates(disk.Pending(), random, rng)
				kinds = max(kinds, len(all))
				for what, f := range all {
					for _, names := range []bool{false, true} {
						if err := tr.image(disk.After(f, names), j.at(n)); err != nil {
							t.Errorf("%s, seed %d: power is lost after %d operations; of %d not synced %s, names kept "+
								"%v: %v", name, seed, n, len(f), what, names, err)
						}
					}
				}
			}
			disk.Apply(op)
		}
		t.Logf("%s: %d points of %d operations, up to %d kinds each, %d different disks", name, points,
			len(j.disk.Ops())-j.moments[0].ops, kinds, tr.checks)
	}
}

// TestFailingDisk lets operations of the disk fail, one at a time until a journey needs none more. What
// fails once is told and is done when tried again, by the Writer itself or by the caller. When everything
// fails from then on, or the disk stays full, the journey ends with an error. Afterwards all that was promised
// is there, both as the files lie and after a loss of power at the next promises and at the end.
func TestFailingDisk(t *testing.T) {
	const grows = storetest.Write | storetest.Create | storetest.ShmMap
	faults := map[string]storetest.Fault{
		"an error":                 {Kinds: storetest.Changes},
		"a full disk":              {Kinds: grows, Full: true, Part: true},
		"a sync that forgets":      {Kinds: storetest.Sync, Forget: true},
		"errors from then on":      {Kinds: storetest.Changes, Forever: true, Part: true},
		"a disk that stays full":   {Kinds: grows, Full: true, Forever: true},
		"an error of reads":        {Kinds: storetest.Read | storetest.ShmLock},
		"no read from then on":     {Kinds: storetest.Read, Forever: true},
		"syncs that forget always": {Kinds: storetest.Sync, Forget: true, Forever: true},
	}
	for name, tr := range trials(t) {
		for what, fault := range faults {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				step, tr := every(t, 167, 29), tr.in(t)
				if fault.Kinds == storetest.Sync {
					step = every(t, 13, 1)
				} else if fault.Kinds == storetest.Read|storetest.ShmLock {
					step = every(t, 347, 29)
				}
				points, told := 0, 0
				for fault.At = min(2, step); ; fault.At += step {
					j, err := tr.run(fault, nil)
					if j.disk.Fails() == 0 {
						break
					}
					points++
					if len(j.troubles) > 0 {
						told++
					}
					if err := tr.failed(j, err); err != nil {
						t.Errorf("at %d: %v; troubles: %v", fault.At, err, errors.Join(j.troubles...))
					}
				}
				t.Logf("%d points, of which %d were told; %d disks after a loss of power", points, told, len(tr.seen))
			})
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
	disk, n := newDiskModel(), 0
	slices.SortStableFunc(moments, func(a, b moment) int { return a.ops - b.ops })
	for _, m := range moments {
		for ; n < m.ops; n++ {
			disk.Apply(j.disk.Ops()[n])
		}
		lost := slices.Repeat([]fate{opLost}, len(disk.Pending()))
		if err := tr.image(disk.After(lost, false), m); err != nil {
			return fmt.Errorf("power is lost after %d operations: %w", m.ops, err)
		}
	}
	return nil
}
