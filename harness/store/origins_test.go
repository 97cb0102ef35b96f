package store

import (
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
)

// replaces tests that a stored result that is ok is replaced only by an ok result with Replace.
func replaces(t *testing.T, db *DB) {
	r := storetest.Finished("M", "d", 1)
	put(t, db, r)
	again := r
	again.Replace, again.Code, again.Stages = true, "new code", again.Stages[:1]
	code := func() string {
		cells := must.Get(db.Cells(t.Context()))(t)
		must.Be(t, len(cells), 1)
		return cells[0].Code
	}
	bad := failed(r, result.Failed, "why")
	bad.Replace = true
	late := failed(r, result.Timeout, "too slow")
	late.Replace = true
	if put(t, db, bad, late); code() != r.Code {
		t.Error("a failure took the place of a result")
	}
	if put(t, db, again); code() != "new code" {
		t.Error("the new result did not take the old one's place")
	}
	rows, err := db.Rows(t.Context(), "p", true)
	if err != nil || len(rows) != 1 || len(rows[0].Stages) != 1 || len(rows[0].Folds) != len(r.Folds) {
		t.Errorf("rows %+v, %v", rows, err)
	}
}

// endings tests that the class of a failure comes back, and is gone when the cell is ok.
func endings(t *testing.T, db *DB) {
	r := storetest.Finished("M", "d", 1)
	bad := failed(r, result.Failed, "why")
	bad.Class, bad.Isolated, bad.Stderr = result.ClassOOM, true, "the last\nwords"
	put(t, db, bad)
	got, found, err := db.Result(t.Context(), r.Key)
	if err != nil || !found || got.Class != bad.Class || !got.Isolated || got.Stderr != bad.Stderr {
		t.Errorf("result %+v %v %v", got, found, err)
	}
	if rows, err := db.Rows(t.Context(), "p", false); err != nil || len(rows) != 1 || rows[0].Class != bad.Class ||
		!rows[0].Isolated {
		t.Errorf("rows %+v, %v", rows, err)
	}
	put(t, db, r)
	if got, _, err := db.Result(t.Context(), r.Key); err != nil || got.Class != "" || got.Isolated || got.Stderr != "" {
		t.Errorf("after it was ok: %+v, %v", got, err)
	}
}

// origins tests that code, source and environment of a cell come back. A cell without an environment has the
// writer's.
func origins(t *testing.T, db *DB) {
	want, plain := storetest.Finished("M", "d", 1), storetest.Finished("M", "d", 2)
	plain.Code, plain.Imported, plain.Environment = "", "", nil
	put(t, db, want, plain)
	ctx := t.Context()
	got, found, err := db.Result(ctx, want.Key)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	same := want // Result leaves these fields out
	same.Scores, same.Outputs, same.Model = nil, 0, nil
	same.ProtocolText, same.ProtocolPath, same.ProtocolSplits, same.SetFile = "", "", 0, ""
	must.Be(t, got, same)
	if got, found, err := db.Result(ctx, plain.Key); err != nil || !found || got.Code != "" || got.Imported != "" ||
		got.Environment.ProgramVersion != "test" {
		t.Errorf("result without origin %+v %v %v", got, found, err)
	}
	if _, found, err := db.Result(ctx, "no such key"); err != nil || found {
		t.Errorf("a result that is not there: %v %v", found, err)
	}
	cells, err := db.Cells(ctx)
	in := Inputs{ProtocolHash: "ph", MethodVersion: "1", Fingerprint: "f d", GridHash: "g"}
	if first := (Cell{Key: want.Key, Protocol: "p", Dataset: "d", Method: "M", Split: 1, Inputs: in, Status: result.OK,
		Seconds: 1,
		Code:    "c0de", Imported: "a file"}); err != nil || len(cells) != 2 || cells[0] != first ||
		cells[1].Code != "" {
		t.Errorf("cells %+v, %v", cells, err)
	}
	rows, err := db.Rows(ctx, "p", false)
	if err != nil || len(rows) != 2 || rows[0].Code != "c0de" || rows[0].Imported != "a file" ||
		rows[0].Environment.CPU != "another" || rows[1].Imported != "" {
		t.Errorf("rows %+v, %v", rows, err)
	}
}

// TestYardsticks: in a file of a program without yardsticks, the first measurement on a machine is that of
// all cells which it computed. A later one takes its place; of others a lesser one does, and a greater one changes
// nothing.
func TestYardsticks(t *testing.T) {
	db, path := fresh(t)
	run := storetest.Finished("M", "d", 1)
	measured := *run.Environment
	run.Environment = &result.Environment{ProgramVersion: "v0", CPU: measured.CPU, Cores: measured.Cores}
	other := storetest.Finished("M", "d", 2)
	other.Environment = &result.Environment{ProgramVersion: "v1", CPU: measured.CPU, Cores: 1}
	put(t, db, run, other)
	must.Get(db.sql.Exec("DELETE FROM yardsticks"))(t)
	must.Do(t, db.Close())
	reader := must.Get(OpenReader(t.Context(), path))(t)
	have := func(db *DB) (out []result.Yardstick) {
		for _, r := range must.Get(db.Rows(t.Context(), "p", false))(t) {
			out = append(out, r.Environment.Yardstick)
		}
		return out
	}
	must.Be(t, have(reader), make([]result.Yardstick, 2))
	must.Do(t, reader.Close())
	db = open(t, path)
	must.Do(t, db.NoteYardstick(t.Context(), result.Environment{CPU: measured.CPU, Cores: measured.Cores}))
	must.Be(t, have(db), make([]result.Yardstick, 2), "of an environment that has none")
	must.Do(t, db.NoteYardstick(t.Context(), measured))
	must.Be(t, have(db), []result.Yardstick{measured.Yardstick, {}})
	again := measured
	again.Yardstick.High *= 2
	run.Key, run.Split, run.Environment = "another", 3, &again
	put(t, db, run)
	must.Be(t, have(db), []result.Yardstick{measured.Yardstick, {}, measured.Yardstick})
	must.Do(t, db.NoteYardstick(t.Context(), again))
	must.Be(t, have(db)[0], again.Yardstick)
	again.Yardstick = result.Yardstick{Seconds: 0.003, Low: 0.003, High: 0.0075}
	must.Do(t, db.NoteYardstick(t.Context(), again))
	must.Be(t, have(db), []result.Yardstick{again.Yardstick, {}, again.Yardstick})
	sound(t, db)
	must.Get(db.sql.Exec("UPDATE yardsticks SET seconds = 0.006"))(t)
	found := must.Get(db.Check(t.Context()))(t)
	must.Be(t, len(found), 1)
	must.Be(t, found[0].String(), "yardstick of another: "+badChecksum)
}
