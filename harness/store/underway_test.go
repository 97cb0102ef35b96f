package store

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
)

func planned(keys ...string) (out []PlannedCell) {
	for _, key := range keys {
		out = append(out, PlannedCell{Key: key, Canary: key[0] == '~'})
	}
	return out
}

// register begins a run with cells.
func register(t *testing.T, db *DB, keys ...string) *Registration {
	t.Helper()
	r := must.Get(db.Register(t.Context(), planned(keys...), Progress{Machine: "first", Begun: time.Now()}, nil))(t)
	return r
}

// becomes makes all runs that are under way those of another process.
func becomes(t *testing.T, db *DB, who process) {
	t.Helper()
	must.Get(db.sql.Exec(`UPDATE underway SET host = ?, process = ?, started = ?`, who.host, who.id, who.started))(t)
}

// dead is a process of this machine that is gone.
func dead(t *testing.T) process {
	t.Helper()
	me := thisProcess()
	if me.host == "" {
		t.Skip("the system does not tell of processes")
	}
	return process{me.host, 1 << 30, 1} // no process has that number
}

// TestOverlap: a cell is of one run until it is stored, or that run is over or dead. A canary is left to the run that
// planned it first.
func TestOverlap(t *testing.T) {
	db, _ := fresh(t)
	other := exec.Command("sleep", "1000") // stands for another run
	must.Do(t, other.Start())
	p, known := processes.Of(other.Process.Pid)
	if !known {
		t.Skip("the system does not tell of processes")
	}
	first := register(t, db, "a", "b", "c", "~x")
	becomes(t, db, process{thisProcess().host, int64(p.ID), p.Started})
	refused := func(want int, keys ...string) {
		t.Helper()
		var e *OverlapError
		_, err := db.Register(t.Context(), planned(keys...), Progress{}, nil)
		if !errors.As(err, &e) || e.Cells != want || e.Run.Machine != "first" {
			t.Errorf("%v: %v, want %d common cells", keys, err, want)
		}
	}
	refused(2, "b", "c", "d", "~x")
	beside := register(t, db, "d", "~x")
	if !beside.Elsewhere["~x"] || beside.Elsewhere["d"] {
		t.Errorf("canaries of the other run: %v", beside.Elsewhere)
	}
	put(t, db, testRun("a", result.OK))
	refused(1, "a", "b")
	must.Do(t, beside.Close())
	must.Do(t, first.Begin(t.Context(), []string{"b"}))
	must.Do(t, errors.Join(other.Process.Kill(), ignore(other.Wait())))
	if after := register(t, db, "b", "c", "~x"); !maps.Equal(after.Deaths, map[string]int{"b": 1}) ||
		len(after.Elsewhere) > 0 {
		t.Errorf("after a dead run: %+v", after)
	} else if err := after.Close(); err != nil {
		t.Error(err)
	}
	if _, rows := query(t, db, "SELECT key, begun, deaths FROM underway_cells"); fmt.Sprint(rows) != "[[b 0 1]]" {
		t.Errorf("left are %v, want the cell of which a process died", rows)
	}
	put(t, db, testRun("b", result.OK))
	must.Be[any](t, only(t, db, "SELECT (SELECT count(*) FROM underway_cells) + (SELECT count(*) FROM underway)"),
		int64(0))
	must.Do(t, first.Close())
}

// ignore is for the error of a process that was killed.
func ignore(error) error { return nil }

// TestDeathsAreCounted: each process that ends while it is at a cell counts, and one that leaves the cell alone does
// not.
func TestDeathsAreCounted(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	gone := dead(t)
	for i, c := range []struct {
		begins, closes bool
		want           int
	}{{true, false, 0}, {true, false, 1}, {false, false, 2}, {true, true, 2}, {true, false, 2}, {false, false, 3}} {
		r := register(t, db, "a", "b")
		must.Be(t, r.Deaths["a"], c.want, "run", i)
		must.Be(t, r.Deaths["b"], 0, "run", i)
		if c.begins {
			must.Do(t, r.Begin(t.Context(), []string{"a"}))
		}
		if c.closes {
			must.Do(t, r.Close())
		}
		becomes(t, db, gone)
	}
}

// TestRunsOfOtherMachines are alive if they write, and dead after a minute without a beat, by this machine's own count
// of time.
func TestRunsOfOtherMachines(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	theirs, mine := register(t, db, "a"), &Registration{db: db}
	becomes(t, db, process{"elsewhere", 1, 1})
	seen := sightings{}
	try := func(what string, refused, sure bool) {
		t.Helper()
		var e *OverlapError
		err := mine.register(t.Context(), planned("a"), Progress{}, seen)
		if errors.As(err, &e) != refused || refused && e.sure != sure || !refused && err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	wait := func(d time.Duration) { // as if so long had passed
		for run, s := range seen {
			s.since = s.since.Add(-d)
			seen[run] = s
		}
	}
	try("at first sight", true, false)
	wait(expiresAfter - 10*time.Second)
	try("before its time", true, false)
	must.Do(t, theirs.Write(t.Context(), Progress{}))
	wait(time.Hour)
	try("after a sign of life", true, true)
	wait(expiresAfter)
	try("after a minute without one", false, false)
}

// TestManyAtOnce: of many runs that begin with a cell at the same moment one gets it.
func TestManyAtOnce(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	for n := range 20 {
		var mu sync.Mutex
		var wg sync.WaitGroup
		var got []*Registration
		for range 4 {
			wg.Go(func() {
				var e *OverlapError
				r, err := db.Register(t.Context(), planned(fmt.Sprint("cell ", n)), Progress{}, nil)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					got = append(got, r)
				} else if !errors.As(err, &e) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		must.Be(t, len(got), 1)
		must.Do(t, got[0].Close())
	}
}

// TestBeginWithoutTheDatabase: cells begin although that cannot be noted.
func TestBeginWithoutTheDatabase(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	r := register(t, db, "a", "b")
	tx := must.Get(db.sql.Begin())(t)
	for _, key := range []string{"a", "b"} { // the first waits, the other does not
		must.Do(t, r.Begin(t.Context(), []string{key}))
	}
	must.Be(t, r.tried.IsZero(), false, "it does not know that it failed")
	must.Do(t, errors.Join(tx.Rollback(), r.Close()))
}

// TestProgressIsRead: who looks on sees what runs say of themselves. It sees no run that is over, nor one whose process
// is gone, and none in a copy.
func TestProgressIsRead(t *testing.T) {
	db, path := fresh(t)
	reader := must.Get(OpenReader(t.Context(), path))(t)
	on := must.Get(reader.ProgressReader(t.Context()))(t)
	defer func() { _ = errors.Join(on.Close(), reader.Close()) }()
	sees := func(on *ProgressReader, want string) {
		t.Helper()
		runs, err := on.Read(t.Context())
		got := ""
		for _, r := range runs {
			got += fmt.Sprint(r.Machine, r.Left, r.Workers, r.Running, ";")
		}
		must.Do(t, err)
		must.Be(t, got, want)
	}
	sees(on, "")
	first, second := register(t, db, "a"), register(t, db, "b")
	must.Get(on.Changed(t.Context()))(t)
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	err := second.Write(t.Context(), Progress{Machine: "second", Left: map[string]int{"d": 2},
		Workers: []Worker{{Name: "w", Jobs: 1, Memory: 2}},
		Running: []RunningCell{{Name: "M on d", By: "w", Since: at, Until: at}}})
	if changed, unknown := on.Changed(t.Context()); !changed || err != nil || unknown != nil {
		t.Errorf("a written progress is no change: %v, %v", err, unknown)
	}
	sees(on, "firstmap[] [] [];secondmap[d:2] [{w 1 2 []}] [{M on d w 2026-11-01 12:00:00 +0000 UTC 2026-11-01 "+
		"12:00:00 +0000 UTC}];")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must.Do(t, db.Backup(t.Context(), copied, files.Write))
	if n, err := open(t, copied).one(t.Context(), "SELECT (SELECT count(*) FROM underway) + (SELECT count(*) FROM "+
		"underway_cells)"); err != nil || n != int64(0) {
		t.Errorf("a copy has %v rows of runs, %v", n, err)
	}
	must.Do(t, second.Close())
	sees(on, "firstmap[] [] [];")
	becomes(t, db, dead(t))
	sees(on, "")
	must.Do(t, first.Close())
}

// TestUnreadableProgress: what a run said of itself is for people alone, so that a text that nobody can read stops no
// run.
func TestUnreadableProgress(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	register(t, db, "a")
	must.Get(db.sql.Exec(`UPDATE underway SET progress = 'x'`))(t)
	register(t, db, "b")
	var overlap *OverlapError
	if _, err := db.Register(t.Context(), []PlannedCell{{Key: "a"}}, Progress{}, nil); !errors.As(err, &overlap) {
		t.Errorf("the cells of such a run are given away: %v", err)
	}
}

// TestATryThatFailed: a commit whose sync fails may be written all the same. The next try is not refused for it.
func TestATryThatFailed(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	r := register(t, db, "a")
	begun.Delete(r.run) // as Register does when the commit fails
	register(t, db, "a")
}
