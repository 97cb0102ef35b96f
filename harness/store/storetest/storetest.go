// Package storetest holds the tests that every store of results must pass; today's store is SQLite. A store
// is tested by
//
//	func TestStore(t *testing.T) { storetest.Run(t, open) }
//
// where open returns a new, empty store. The suite knows no SQL and no file.
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

// environment is the environment of the tests' cells.
var environment = result.Environment{ProgramVersion: "test", CPU: "a processor", Cores: 2}

// A Store is the part of a store that harness and reports need; *store.DB is one.
type Store interface {
	Keys(ctx context.Context) (map[string]store.Known, error)
	Timings(ctx context.Context, env result.Environment) ([]store.Timing, error)
	NoteSkipped(ctx context.Context, out, taken []store.Skipped) error
	Skipped(ctx context.Context, protocol string) ([]store.Skipped, error)
	CurrentInputs(ctx context.Context, protocol, dataset, method string, split int) (in store.Inputs, key string, err error)
	MakeCurrent(ctx context.Context, keys []string) error
	Attempt(ctx context.Context, protocol, dataset, method string, split int) (store.Attempt, bool, error)
	Artifacts(ctx context.Context, protocol, dataset, method string, split int) (result.Artifacts, bool, error)
	Status(ctx context.Context) ([]store.StatusRow, error)
	SetFiles(ctx context.Context) (map[string]string, error)
	Protocols(ctx context.Context) (map[string]store.StoredProtocol, error)
	DataNames(ctx context.Context) ([]store.DataName, error)
	Rows(ctx context.Context, protocol string, folds bool) ([]store.Row, error)
	Cells(ctx context.Context) ([]store.Cell, error)
	Result(ctx context.Context, key string) (result.Run, bool, error)
	Codes(ctx context.Context, protocol, hash string) ([]store.CodeCheck, error)
	CodeChecks(ctx context.Context) ([]store.CodeCheck, error)
	PutCodeChecks(ctx context.Context, checks []store.CodeCheck) error
	Secret(ctx context.Context) ([]byte, error)
	Canaries(ctx context.Context) (map[string]store.Known, error)
	PutStateChecks(ctx context.Context, checks []store.StateCheck) error
	Findings(ctx context.Context, protocol string) ([]store.Finding, error)
}

// A Writer stores finished cells; *store.Writer is one.
type Writer interface {
	Put(result.Run) error
	Ready(stop <-chan struct{}) bool
	Close() error
}

// Opened is a new, empty store. Writer starts a writer of the store. Each function may be called several
// times.
type Opened struct {
	Store  Store
	Writer func(env result.Environment) Writer
}

// Run tests a store. It calls open once for each part of the suite.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	for _, part := range []struct {
		name string
		test func(t *testing.T, o Opened)
	}{
		{"what is put comes back", comesBack},
		{"ok stays, failed is replaced", okStays},
		{"a replacing attempt", replaces},
		{"where a cell was computed, and by which code", origins},
		{"how a cell failed", endings},
		{"checks of code", codeChecks},
		{"the attempt planned last stands for its cell", plannedLast},
		{"sources of cells", sources},
		{"many writers", manyWriters},
		{"a closed writer takes nothing", closedWriter},
		{"no cells", noCells},
		{"what a run leaves out", skipped},
		{"canaries and findings", findings},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open(t)) })
	}
}

// Finished is a run of a method on a split of a set that ended ok, with every field that a run can have.
func Finished(method, dataset string, split int) result.Run {
	counts := func(n, correct, tn int) result.Score {
		tp, fp := correct-tn, 1
		fn := n - tn - tp - fp
		auc := int64(2 * (tn + fp))
		return result.Score{N: n, Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp, AUC2: &auc}
	}
	selected, fit, bytes := 1, 0.25, int64(1000)
	r := result.Run{
		Key: fmt.Sprintf("%s %s %d", method, dataset, split), Protocol: "p", ProtocolHash: "ph", ProtocolText: "splits = 3", ProtocolSplits: 3,
		Method: method, MethodVersion: "1", Dataset: dataset, Fingerprint: "f " + dataset, SetFile: "/sets/" + dataset + ".toml",
		Split: split, Task: "binary", Status: result.OK, GridHash: "g",
		Grid:        []json.RawMessage{json.RawMessage(`{"c":1}`), json.RawMessage(`{"c":2}`)},
		GridWritten: []json.RawMessage{json.RawMessage(`{"c":1}`), json.RawMessage(`{"c":2}`)},
		Selected:    &selected, TrainRows: 28, TestRows: 30, Features: 4, Test: counts(30, 27, 10),
		SearchSeconds: 0.5, FitSeconds: &fit, PredictSeconds: &fit, ModelBytes: &bytes, CostUnits: 1e9, StartedAt: fmt.Sprintf("2026-01-01T00:00:%02dZ", split),
		Outputs: 1, Stages: []result.Stage{{Round: 1, Score: counts(30, 20, 8)}, {Round: 10, Score: counts(30, 27, 10)}},
		Warnings: []result.Warning{{Text: "stopped early", Times: 2}},
		Code:     "c0de", Imported: "a file",
		Environment: &result.Environment{ProgramVersion: "v1", CPU: "another", Cores: 3},
		Model:       &result.Model{Data: []byte("saved"), Features: []string{"a", "b", "c", "d"}, Labels: []string{"no", "yes"}, Target: &result.Target{Mean: 1.5, Scale: 2}, Mean: []float64{1, 2, 3, 4}, Scale: []float64{5, 6, 7, 8}},
	}
	logLoss, brier, ece := 0.25, 0.0625, 0.1
	r.Test.LogLoss, r.Test.Brier, r.Test.ECE = &logLoss, &brier, &ece
	r.GridTests = []result.Score{counts(30, 21, 9), counts(30, 27, 10)}
	r.SeedTests = []result.SeedTest{{Seed: 1, Score: counts(30, 27, 10)}, {Seed: math.MaxUint32, ScoresHash: "another", Score: counts(30, 25, 9)}}
	for i := range r.TestRows {
		r.Scores = append(r.Scores, float64(i-10)/7)
	}
	r.ScoresHash = result.HashScores(r.Scores)
	r.SeedTests[0].ScoresHash = r.ScoresHash
	for g := range 2 {
		for f := range 2 {
			r.Evaluations = append(r.Evaluations, result.Evaluation{GridIndex: g, Fold: f, Score: counts(14, 9+g, 5), FitSeconds: 0.01})
		}
	}
	return r
}

// failed is a run that ended without a result.
func failed(r result.Run, status result.Status, why string) result.Run {
	return result.Run{
		Key: r.Key, Protocol: r.Protocol, ProtocolHash: r.ProtocolHash, Method: r.Method, MethodVersion: r.MethodVersion, Dataset: r.Dataset,
		Fingerprint: r.Fingerprint, Split: r.Split, Task: r.Task, Status: status, Error: why, Grid: r.Grid, GridHash: r.GridHash,
		TrainRows: r.TrainRows, StartedAt: r.StartedAt,
	}
}

func put(t *testing.T, o Opened, runs ...result.Run) {
	t.Helper()
	w := o.Writer(environment)
	for _, r := range runs {
		if !w.Ready(nil) {
			t.Fatal("a writer without trouble is not ready")
		}
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func comesBack(t *testing.T, o Opened) {
	want := Finished("M", "d", 1)
	put(t, o, want, failed(Finished("M", "d", 2), result.Timeout, "too slow"))
	ctx := t.Context()
	keys, err := o.Store.Keys(ctx)
	if k := keys[want.Key]; err != nil || len(keys) != 2 || k != (store.Known{Status: result.OK, Current: true, ScoresHash: want.ScoresHash, Attempt: k.Attempt}) || k.Attempt == 0 {
		t.Errorf("keys %v, %v", keys, err)
	}
	cell, found, err := o.Store.Attempt(ctx, "p", "d", "M", 1)
	if err != nil || !found || cell.Status != result.OK || string(cell.Point) != `{"c":2}` || *cell.Correct != 27 || cell.TestRows != 30 {
		t.Errorf("cell %+v %v %v", cell, found, err)
	}
	if cell, found, err := o.Store.Attempt(ctx, "p", "d", "M", 2); err != nil || !found || cell.Status != result.Timeout || cell.Error != "too slow" || cell.Point != nil {
		t.Errorf("cell without a result %+v %v %v", cell, found, err)
	}
	artifacts, found, err := o.Store.Artifacts(ctx, "p", "d", "M", 1)
	if err != nil || !found || !slices.Equal(artifacts.Scores, want.Scores) || artifacts.Outputs != 1 || !reflect.DeepEqual(artifacts.Model, want.Model) {
		t.Errorf("artifacts: %+v %v %v", artifacts, found, err)
	}
	in, key, err := o.Store.CurrentInputs(ctx, "p", "d", "M", 1)
	if err != nil || key != want.Key || in != (store.Inputs{ProtocolHash: "ph", MethodVersion: "1", Fingerprint: "f d", GridHash: "g"}) {
		t.Errorf("inputs %+v %v %v", in, found, err)
	}
	rows, err := o.Store.Rows(ctx, "p", true)
	if err != nil || len(rows) != 2 || !reflect.DeepEqual(rows[0].Score, want.Test) || !reflect.DeepEqual(rows[0].Folds, want.Evaluations) ||
		!reflect.DeepEqual(rows[0].Stages, want.Stages) || !reflect.DeepEqual(rows[0].GridTests, want.GridTests) || !reflect.DeepEqual(rows[0].SeedTests, want.SeedTests) || rows[0].ScoresHash != want.ScoresHash || !reflect.DeepEqual(rows[0].Warnings, want.Warnings) || rows[1].Status != result.Timeout {
		t.Errorf("rows %+v, %v", rows, err)
	}
	for env, want := range map[result.Environment][]store.Timing{
		{CPU: "another", Cores: 3}: {{Method: "M", MethodVersion: "1", Dataset: "d", Cells: 1, Seconds: 1, CostUnits: 1e9, TrainRows: 28, Features: 4}},
		{CPU: "another", Cores: 4}: nil,
		environment:                nil,
	} {
		timings, err := o.Store.Timings(ctx, env)
		if err != nil || !slices.Equal(timings, want) {
			t.Errorf("timings of %s: %+v, %v; want %+v", env.CPU, timings, err, want)
		}
	}
	counts, err := o.Store.Status(ctx)
	if err != nil || len(counts) != 1 || counts[0].OK != 1 || counts[0].Timeout != 1 || counts[0].Fingerprint != "f d" || counts[0].LastRun != "2026-01-01T00:00:02Z" {
		t.Errorf("status %+v, %v", counts, err)
	}
}

func okStays(t *testing.T, o Opened) {
	r := Finished("M", "d", 1)
	put(t, o, failed(r, result.Failed, "why"))
	put(t, o, r)
	again := r
	again.Scores, again.ScoresHash = nil, "another"
	put(t, o, again, failed(r, result.Failed, "why"))
	keys, err := o.Store.Keys(t.Context())
	if err != nil || len(keys) != 1 || keys[r.Key].Status != result.OK {
		t.Errorf("keys %v, %v", keys, err)
	}
	if artifacts, _, err := o.Store.Artifacts(t.Context(), "p", "d", "M", 1); err != nil || artifacts.Scores == nil {
		t.Errorf("the first result is gone: %+v, %v", artifacts, err)
	}
}

func plannedLast(t *testing.T, o Opened) {
	ctx := t.Context()
	old, updated := Finished("M", "d", 1), Finished("M", "d", 1)
	updated.Key, updated.MethodVersion = "other key", "2"
	put(t, o, old, updated)
	version := func() string {
		c, _, err := o.Store.Attempt(ctx, "p", "d", "M", 1)
		if err != nil {
			t.Fatal(err)
		}
		return c.MethodVersion
	}
	if v := version(); v != "2" {
		t.Errorf("version %s stands for the cell", v)
	}
	if keys, err := o.Store.Keys(ctx); err != nil || len(keys) != 2 || keys[old.Key].Current || !keys["other key"].Current {
		t.Errorf("keys %v, %v", keys, err)
	}
	if err := o.Store.MakeCurrent(ctx, []string{old.Key}); err != nil {
		t.Fatal(err)
	}
	if v := version(); v != "1" {
		t.Errorf("after MakeCurrent version %s stands for the cell", v)
	}
}

func sources(t *testing.T, o Opened) {
	ctx := t.Context()
	later := Finished("M", "e", 3)
	later.Key, later.Fingerprint, later.SetFile, later.ProtocolHash, later.ProtocolText = "k", "f2", "/other/e.toml", "ph2", "splits = 9"
	put(t, o, Finished("M", "d", 1), Finished("M", "e", 2), later)
	if files, err := o.Store.SetFiles(ctx); err != nil || !reflect.DeepEqual(files, map[string]string{"d": "/sets/d.toml", "e": "/other/e.toml"}) {
		t.Errorf("files %v, %v", files, err)
	}
	if p, err := o.Store.Protocols(ctx); err != nil || len(p) != 1 || p["p"].Text != "splits = 9" || p["p"].Hash != "ph2" {
		t.Errorf("protocols %+v, %v", p, err)
	}
	names, err := o.Store.DataNames(ctx)
	var got []string
	for _, n := range names {
		got = append(got, fmt.Sprint(n.Dataset, " ", n.Fingerprint, " ", n.Cells))
	}
	if want := []string{"d f d 1", "e f e 1", "e f2 1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("names %v, %v, want %v", got, err, want)
	}
}

func manyWriters(t *testing.T, o Opened) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			w := o.Writer(result.Environment{})
			for split := 1; split <= 10; split++ {
				if err := w.Put(Finished("M", "d", split)); err != nil {
					t.Error(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if keys, err := o.Store.Keys(t.Context()); err != nil || len(keys) != 10 {
		t.Errorf("%d cells are stored, %v; want 10", len(keys), err)
	}
}

func closedWriter(t *testing.T, o Opened) {
	w := o.Writer(result.Environment{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(Finished("M", "d", 1)); err == nil {
		t.Error("a closed writer takes a cell without a word")
	}
}

func noCells(t *testing.T, o Opened) {
	ctx := t.Context()
	if keys, err := o.Store.Keys(ctx); err != nil || len(keys) != 0 {
		t.Errorf("keys %v, %v", keys, err)
	}
	if _, found, err := o.Store.Attempt(ctx, "p", "d", "M", 1); err != nil || found {
		t.Errorf("a cell is found: %v", err)
	}
	if _, found, err := o.Store.Artifacts(ctx, "p", "d", "M", 1); err != nil || found {
		t.Errorf("artifacts are there: %v", err)
	}
	if _, key, err := o.Store.CurrentInputs(ctx, "p", "d", "M", 1); err != nil || key != "" {
		t.Errorf("inputs are found: %v", err)
	}
	if err := o.Store.MakeCurrent(ctx, nil); err != nil {
		t.Error(err)
	}
	if rows, err := o.Store.Status(ctx); err != nil || len(rows) != 0 {
		t.Errorf("status %v, %v", rows, err)
	}
}

// skipped tests that a note stands until the cell is stored or a later run takes the cell.
func skipped(t *testing.T, o Opened) {
	ctx := t.Context()
	cell := func(split int) store.Skipped {
		return store.Skipped{Protocol: "p", Dataset: "d", Method: "M", Split: split, Seconds: 3600, Bytes: 1 << 30, Reason: "--max-cell 30m"}
	}
	check := func(what, protocol string, want ...store.Skipped) {
		t.Helper()
		if got, err := o.Store.Skipped(ctx, protocol); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", what, got, err, want)
		}
	}
	if err := o.Store.NoteSkipped(ctx, []store.Skipped{cell(3), cell(1), cell(2)}, nil); err != nil {
		t.Fatal(err)
	}
	check("noted", "p", cell(1), cell(2), cell(3))
	check("of all protocols", "", cell(1), cell(2), cell(3))
	check("of another protocol", "q")
	larger := cell(1)
	larger.Reason = "--max-cell 1h"
	if err := o.Store.NoteSkipped(ctx, []store.Skipped{larger}, []store.Skipped{{Protocol: "p", Dataset: "d", Method: "M", Split: 2}, {Protocol: "p", Dataset: "d", Method: "N", Split: 1}}); err != nil {
		t.Fatal(err)
	}
	check("noted again, one taken", "p", larger, cell(3))
	put(t, o, Finished("M", "d", 3))
	check("one stored", "p", larger)
}
