package store

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// TestStore gives each part of the suite a new, empty database.
func TestStore(t *testing.T) {
	for _, part := range []struct {
		name string
		test func(t *testing.T, db *DB)
	}{
		{"what is put comes back", comesBack},
		{"a replacing attempt", replaces},
		{"where a cell was computed, and by which code", origins},
		{"how a cell failed", endings},
		{"times of cells", timings},
		{"sources of cells", sources},
		{"no cells", noCells},
		{"what a run leaves out", skipped},
		{"canaries and findings", findings},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.test(t, open(t, filepath.Join(t.TempDir(), "r.db")))
		})
	}
}

func failed(r result.Run, status result.Status, why string) result.Run {
	return result.Run{
		Planned: result.Planned{
			Key: r.Key, Protocol: r.Protocol, ProtocolHash: r.ProtocolHash, Method: r.Method,
			MethodVersion: r.MethodVersion, Dataset: r.Dataset,
			Fingerprint: r.Fingerprint, Split: r.Split, Task: r.Task, Grid: r.Grid, GridHash: r.GridHash,
		},
		Status: status, Error: why,
		TrainRows: r.TrainRows, StartedAt: r.StartedAt,
	}
}

func comesBack(t *testing.T, db *DB) {
	want := storetest.Finished("M", "d", 1)
	put(t, db, want, failed(storetest.Finished("M", "d", 2), result.Timeout, "too slow"))
	ctx := t.Context()
	keys, err := db.Keys(ctx)
	if k := keys[want.Key]; err != nil || len(keys) != 2 ||
		k != (Known{Status: result.OK, Current: true, ScoresHash: want.ScoresHash, Attempt: k.Attempt}) ||
		k.Attempt == 0 {
		t.Errorf("keys %v, %v", keys, err)
	}
	for split, has := range []*result.Run{&want, {}} { // a cell without a result keeps nothing
		got, found, err := db.Artifacts(ctx, "p", "d", "M", split+1)
		if err != nil || !found || !slices.Equal(got.Scores, has.Scores) || got.Outputs != has.Outputs ||
			!reflect.DeepEqual(got.Model, has.Model) {
			t.Errorf("artifacts of split %d: %+v %v %v", split+1, got, found, err)
		}
	}
	counts, err := db.Status(ctx)
	if err != nil || len(counts) != 1 || counts[0].OK != 1 || counts[0].Timeout != 1 ||
		counts[0].Fingerprint != "f d" || counts[0].LastRun != "2026-01-01T00:00:02Z" {
		t.Errorf("status %+v, %v", counts, err)
	}
}

// timings: cells of another machine count by the ratio of the yardsticks, imported ones not at all.
func timings(t *testing.T, db *DB) {
	for split, imported := range map[int]string{1: "", 2: "", 3: "a file"} {
		r := storetest.Finished("M", "d", split)
		own := must.Get(protocol.Load("table2"))(t)
		r.ProtocolText, r.ProtocolHash, r.Imported = own.Text, own.Hash(), imported
		put(t, db, r)
	}
	env := *storetest.Finished("M", "d", 1).Environment
	mine := env
	mine.Yardstick.Low *= 2 // a busy moment does not change what was measured
	faster, unknown := env, env
	faster.CPU, faster.Yardstick.Low = "faster", env.Yardstick.Low/4
	unknown.CPU, unknown.Yardstick = "unknown", result.Yardstick{}
	for env, want := range map[result.Environment]float64{env: 2, mine: 2, faster: 0.5, unknown: 0} {
		got := must.Get(db.Timings(t.Context(), env))(t)
		if len(got) != 1 || got[0].Seconds != want || got[0].Cells != 2 || got[0].Task != registry.Binary ||
			len(got[0].Grid) != 2 || got[0].PeakBytes != 0 || got[0].TrainRows != 28 || got[0].Features != 4 {
			t.Errorf("timings for %s: %+v, want %v s", env.CPU, got, want)
		}
	}
}

func sources(t *testing.T, db *DB) {
	ctx := t.Context()
	later := storetest.Finished("M", "e", 3)
	later.Key, later.Fingerprint, later.SetFile, later.ProtocolHash, later.ProtocolText = "k", "f2", "/other/e.toml",
		"ph2", "splits = 9"
	put(t, db, storetest.Finished("M", "d", 1), storetest.Finished("M", "e", 2), later)
	if files, err := db.SetFiles(ctx); err != nil || !reflect.DeepEqual(files, map[string]string{"d": "/sets/d.toml",
		"e": "/other/e.toml"}) {
		t.Errorf("files %v, %v", files, err)
	}
	if p, err := db.Protocols(ctx); err != nil || len(p) != 1 || p["p"].Text != "splits = 9" || p["p"].Hash != "ph2" {
		t.Errorf("protocols %+v, %v", p, err)
	}
	names, err := db.DataNames(ctx)
	var got []string
	for _, n := range names {
		got = append(got, fmt.Sprint(n.Dataset, " ", n.Fingerprint, " ", n.Cells))
	}
	if want := []string{"d f d 1", "e f e 1", "e f2 1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("names %v, %v, want %v", got, err, want)
	}
}

func noCells(t *testing.T, db *DB) {
	ctx := t.Context()
	must.Be(t, len(must.Get(db.Keys(ctx))(t)), 0)
	if _, found, err := db.Attempt(ctx, "p", "d", "M", 1); err != nil || found {
		t.Errorf("a cell is found: %v", err)
	}
	if _, found, err := db.Artifacts(ctx, "p", "d", "M", 1); err != nil || found {
		t.Errorf("artifacts are there: %v", err)
	}
	must.Do(t, db.MakeCurrent(ctx, nil))
	must.Be(t, len(must.Get(db.Status(ctx))(t)), 0)
}

// skipped tests that a note is kept until the cell is stored or a later run takes the cell.
func skipped(t *testing.T, db *DB) {
	ctx := t.Context()
	cell := func(split int) result.Exclusion {
		return result.Exclusion{Protocol: "p", Dataset: "d", Method: "M", Split: split,
			Why: result.Over("--max-cell 30m", 3600, 1<<30)}
	}
	check := func(what, protocol string, want ...result.Exclusion) {
		t.Helper()
		must.Be(t, must.Get(db.Skipped(ctx, protocol))(t), want, what)
	}
	noData := result.Exclusion{Dataset: "e", Why: result.Why{Kind: result.NoData}} // is of no prediction, and not noted
	must.Do(t, db.NoteSkipped(ctx, []result.Exclusion{cell(3), noData, cell(1), cell(2)}, nil))
	check("noted", "p", cell(1), cell(2), cell(3))
	check("of all protocols", "", cell(1), cell(2), cell(3))
	check("of another protocol", "q")
	larger := cell(1)
	larger.Why.Text = "--max-cell 1h"
	must.Do(t, db.NoteSkipped(ctx, []result.Exclusion{larger}, []result.Exclusion{{Protocol: "p", Dataset: "d",
		Method: "M", Split: 2}, {Protocol: "p", Dataset: "d", Method: "N", Split: 1}}))
	check("noted again, one taken", "p", larger, cell(3))
	put(t, db, storetest.Finished("M", "d", 3))
	check("one stored", "p", larger)
}
