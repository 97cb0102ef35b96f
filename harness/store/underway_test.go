package store

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// onlooker looks on at the database of a file.
func onlooker(t *testing.T, path string) *Onlooker {
	t.Helper()
	db, err := OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	o, err := db.Onlook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(o.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return o
}

func look(t *testing.T, o *Onlooker) ([]Underway, []PlannedCell) {
	t.Helper()
	runs, cells, err := o.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return runs, cells
}

// awaitRuns looks until so many runs are under way.
func awaitRuns(t *testing.T, o *Onlooker, want int) ([]Underway, []PlannedCell) {
	t.Helper()
	for {
		if runs, cells := look(t, o); len(runs) == want {
			return runs, cells
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("there are not %d runs", want)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func planned(keys ...string) (out []PlannedCell) {
	for _, key := range keys {
		out = append(out, PlannedCell{Key: key, Protocol: "p", Dataset: "d", Method: "m", MethodVersion: "1", Split: len(out) + 1, CostUnits: 7, TrainRows: 5, Features: 3, Guessed: true})
	}
	return out
}

// TestUnderway: who looks on sees the plans of the runs under way, each cell once, and what has ended of them. It sees no run that
// is over, nor one whose process is gone.
func TestUnderway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	db := open(t, path)
	o := onlooker(t, path)
	if runs, cells := look(t, o); runs != nil || cells != nil {
		t.Errorf("a database without any run: %v %v", runs, cells)
	}
	me := thisProcess()
	other := exec.Command("sleep", "1000") // stands for another run
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	p, known := processes.Of(other.Process.Pid)
	if !known {
		t.Skip("the system does not tell of processes")
	}
	mine, theirs := claims(t, db, me), claims(t, db, claimant{me.host, int64(p.ID), p.Started})
	since := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	run := testRun("a", result.OK)
	mine.Show(planned(run.Key, "b"), func() Told {
		return Told{Machine: "one", Places: 2, Running: []CellUnder{{Key: "b", Since: since}}, Workers: []Worker{{Name: "w", Jobs: 1, Keys: []string{"b"}}}}
	})
	awaitRuns(t, o, 1)
	theirs.Show(planned("b", "c"), func() Told { return Told{Machine: "two"} })
	runs, cells := awaitRuns(t, o, 2)
	if got := fmt.Sprint(runs[0].Machine, runs[0].Places, runs[0].Running[0].Key, runs[0].Running[0].Since.Equal(since), runs[0].Workers, runs[1].Machine); got != "one2btrue [{w 1 0 [b]}]two" {
		t.Errorf("the runs say %s", got)
	}
	if len(cells) != 3 || cells[0].TrainRows != 5 || cells[0].CostUnits != 7 || !cells[0].Guessed || cells[0].Early {
		t.Errorf("cells: %+v", cells)
	}
	if _, err := o.Changed(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, db, run)
	if changed, err := o.Changed(t.Context()); err != nil || !changed {
		t.Errorf("a stored cell is no change: %v", err)
	}
	ended := 0
	_, cells = look(t, o)
	for _, c := range cells {
		if c.Status == "ok" && c.Key == run.Key && c.Wall > 0 {
			ended++
		} else if c.Status != "" {
			t.Errorf("%+v ended", c)
		}
	}
	if ended != 1 {
		t.Errorf("the stored cell has not ended: %+v", cells)
	}
	if err := errors.Join(other.Process.Kill(), ignore(other.Wait())); err != nil {
		t.Fatal(err)
	}
	if runs, cells := look(t, o); len(runs) != 1 || len(cells) != 2 {
		t.Errorf("a run whose process is gone is under way: %+v %+v", runs, cells)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if runs, _ := look(t, onlooker(t, copied)); runs != nil {
		t.Errorf("runs are under way on a copy: %v", runs)
	}
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	if runs, _ := look(t, o); runs != nil {
		t.Errorf("a run that is over: %+v", runs)
	}
	again := claims(t, db, me) // removes what the dead process left
	again.Show(nil, func() Told { return Told{} })
	awaitRuns(t, o, 1)
	if n, err := db.one(context.Background(), "SELECT (SELECT count(*) FROM underway) + (SELECT count(*) FROM underway_cells)"); err != nil || n != int64(1) {
		t.Errorf("%v rows are left, want that of one run: %v", n, err)
	}
	if err := errors.Join(again.Close(), theirs.Close()); err != nil {
		t.Error(err)
	}
}

// ignore is for the error of a process that was killed.
func ignore(error) error { return nil }

// TestUnderwayIsNoResult: a database with these tables is that of the schema, and programs that do not know them read it.
func TestUnderwayIsNoResult(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	if _, err := db.sql.Exec(underwayTables); err != nil {
		t.Fatal(err)
	}
	if err := db.checkSchema(t.Context()); err != nil {
		t.Error(err)
	}
}
