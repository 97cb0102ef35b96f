package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
)

// quick makes a writer notice trouble at once, for tests.
func quick(t *testing.T, db *DB) {
	t.Helper()
	hold, pause := holdAfter, longestPause
	holdAfter, longestPause = 0, time.Millisecond
	t.Cleanup(func() { holdAfter, longestPause = hold, pause })
	must.Get(db.sql.Exec("PRAGMA busy_timeout = 10"))(t)
}

// lock holds the database as another program would, until the result is called.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	other := must.Get(connect(path, nil))(t)
	conn := must.Get(other.sql.Conn(context.Background()))(t)
	must.Get(conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"))(t)
	return func() {
		must.Get(conn.ExecContext(context.Background(), "ROLLBACK"))(t)
		_ = conn.Close()
		_ = other.Close()
	}
}

func stored(t *testing.T, path string) int64 {
	t.Helper()
	db := must.Get(OpenReader(context.Background(), path))(t)
	defer db.Close()
	return only(t, db, "SELECT count(*) FROM results").(int64)
}

// holds fails the test unless a database shows so many results.
func holds(t *testing.T, path string, want int64) {
	t.Helper()
	must.Be(t, stored(t, path), want)
}

func cells(n int) []result.Run {
	var runs []result.Run
	for i := range n {
		r := testRun(fmt.Sprint("k", i), result.OK)
		r.Split = i + 1
		runs = append(runs, r)
	}
	return runs
}

// troubled is a writer that meets an obstacle, and its reports.
type troubled struct {
	*Writer
	reports chan Trouble
}

func newTroubled(db *DB) troubled {
	w := troubled{db.NewWriter(result.Environment{}, nil), make(chan Trouble, 10_000)}
	w.Trouble = func(t Trouble) { w.reports <- t }
	return w
}

// troubledOne is a new database whose writer soon says its troubles.
func troubledOne(t *testing.T) (db *DB, path string, w troubled) {
	t.Helper()
	db, path = fresh(t)
	quick(t, db)
	return db, path, newTroubled(db)
}

// TestALockLosesNothing: cells that finish while another program holds the database are
// stored when it lets go, and no cell is started meanwhile.
func TestALockLosesNothing(t *testing.T) {
	db, path := fresh(t)
	quick(t, db)
	release := lock(t, path)
	w := newTroubled(db)
	for _, r := range cells(72) {
		must.Do(t, w.Put(r))
	}
	if first := <-w.reports; first.Err == nil || first.Waiting == 0 || !strings.Contains(first.Err.Error(), "locked") {
		t.Errorf("trouble is reported as %+v", first)
	}
	stop := make(chan struct{})
	close(stop)
	must.Be(t, w.Ready(stop), false, "cells may start while results find no place")
	ready := make(chan bool)
	go func() { ready <- w.Ready(make(chan struct{})) }()
	release()
	if !<-ready {
		t.Error("no cell may start after the lock is gone")
	}
	must.Do(t, w.Close())
	holds(t, path, 72)
	var last Trouble
	for len(w.reports) > 0 {
		last = <-w.reports
	}
	must.Be(t, last.Err, nil, "the last report")
}

// TestAFullDiskLosesNothing: it fills three times and is enlarged.
func TestAFullDiskLosesNothing(t *testing.T) {
	db, path, w := troubledOne(t)
	runs := cells(60)
	for i := range 3 {
		pages := must.Get(db.one(context.Background(), "PRAGMA page_count"))(t)
		must.Get(db.sql.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)))(t)
		for _, r := range runs[20*i : 20*i+20] {
			must.Do(t, w.Put(r))
		}
		must.Say(t, (<-w.reports).Err, "full")
		must.Get(db.sql.Exec("PRAGMA max_page_count = 100000"))(t)
		for report := range w.reports {
			if report.Err == nil {
				break
			}
		}
	}
	must.Do(t, w.Close())
	holds(t, path, 60)
}

// TestAbandonSaysWhatIsLost, and nothing before it does.
func TestAbandonSaysWhatIsLost(t *testing.T) {
	_, path, w := troubledOne(t)
	kept := testRun("kept", result.OK)
	kept.Split = 50
	must.Do(t, w.Put(kept))
	for deadline := time.Now().Add(10 * time.Minute); stored(t, path) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	release := lock(t, path)
	defer release()
	for _, r := range cells(12) {
		must.Do(t, w.Put(r))
	}
	<-w.reports
	w.Abandon()
	err := w.Close()
	var lost *LostError
	if !errors.As(err, &lost) || lost.Count != 12 {
		t.Fatalf("closing says %v", err)
	}
	must.Hold(t, err.Error(), "locked", "12 finished results are lost", "M on d, split 1;", "2 more", "run again")
	must.Say(t, w.Put(testRun("late", result.OK)), "the writer is closed")
	holds(t, path, 1)
}

// TestRoom waits while many cells have no place, until they are stored or given up.
func TestRoom(t *testing.T) {
	for _, abandons := range []bool{false, true} {
		_, path, w := troubledOne(t)
		release := lock(t, path)
		for _, r := range cells(mostAtOnce + 1) {
			must.Do(t, w.Put(r))
		}
		room := make(chan int)
		go func() {
			w.Room()
			room <- w.Waiting()
		}()
		<-w.reports
		select {
		case waiting := <-room:
			t.Errorf("there is room beside %d cells", waiting)
		default:
		}
		if abandons {
			w.Abandon()
			must.Be(t, <-room, mostAtOnce+1, "cells that are given up")
			must.Say(t, w.Close(), "locked")
		}
		release()
		if !abandons {
			must.Be(t, <-room <= mostAtOnce, true, "room once cells are stored")
			must.Do(t, w.Close())
			holds(t, path, mostAtOnce+1)
		}
	}
}

// TestARefusedRowTakesNoOtherWithIt.
func TestARefusedRowTakesNoOtherWithIt(t *testing.T) {
	db, path := fresh(t)
	release := lock(t, path) // so that all share one commit
	w := db.NewWriter(result.Environment{}, nil)
	runs := cells(20)
	runs[7].Score.Correct = new(3) // not tn + tp
	for _, r := range runs {
		must.Do(t, w.Put(r))
	}
	release()
	err := w.Close()
	if err == nil || !strings.Contains(err.Error(), "1 finished result is lost: M on d, split 8;") ||
		!strings.Contains(err.Error(), "CHECK") {
		t.Errorf("closing says %v", err)
	}
	holds(t, path, 19)
}

// TestAFileThatIsMovedAway is put back: SQLite alone would write to what has no name.
func TestAFileThatIsMovedAway(t *testing.T) {
	_, path, w := troubledOne(t)
	must.Do(t, os.Rename(path, path+".away"))
	must.Do(t, w.Put(testRun("k", result.OK)))
	must.Say(t, (<-w.reports).Err, "put it back")
	must.Do(t, os.Rename(path+".away", path))
	must.Do(t, w.Close())
	holds(t, path, 1)
}

// TestADamagedFileEndsTheWriter at once, and it says what is lost.
func TestADamagedFileEndsTheWriter(t *testing.T) {
	db, path := fresh(t)
	put(t, db, cells(30)...)
	must.Get(db.sql.Exec("PRAGMA wal_checkpoint(TRUNCATE)"))(t)
	info := must.Get(os.Stat(path))(t)
	f := must.Get(os.OpenFile(path, os.O_WRONLY, 0))(t)
	must.Get(f.WriteAt(make([]byte, info.Size()-4096), 4096))(t)
	must.Do(t, f.Close())
	fresh := must.Get(connect(path, nil))(t) // no page is remembered from before
	defer fresh.Close()
	fresh.file = info
	w := fresh.NewWriter(result.Environment{}, nil)
	must.Do(t, w.Put(testRun("k", result.OK)))
	var lost *LostError
	if err := w.Close(); !errors.As(err, &lost) || lost.Count != 1 || !isDamage(err) {
		t.Errorf("closing says %v", err)
	}
	must.Say(t, w.Put(testRun("late", result.OK)), "the writer is closed")
}
