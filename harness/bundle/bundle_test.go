package bundle

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"pgregory.net/rapid"
)

// written is a file of results.
func written(t testing.TB, runs ...result.Run) []byte {
	t.Helper()
	var w Writer
	for _, r := range runs {
		if err := w.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if n, err := w.WriteTo(&file); err != nil || n != int64(file.Len()) {
		t.Fatal(n, err)
	}
	return file.Bytes()
}

// kept is what a file holds of a result.
func kept(r result.Run) result.Run {
	if r.Status != result.OK {
		return result.Run{
			Key: r.Key, Protocol: r.Protocol, ProtocolHash: r.ProtocolHash, Dataset: r.Dataset, Fingerprint: r.Fingerprint, Method: r.Method, MethodVersion: r.MethodVersion, GridHash: r.GridHash, Task: r.Task,
			StartedAt: r.StartedAt, Code: r.Code, ScoresHash: r.ScoresHash, Split: r.Split, TrainRows: r.TrainRows, Features: r.Features, Environment: r.Environment, Grid: r.Grid, GridWritten: r.GridWritten,
			ProtocolText: r.ProtocolText, ProtocolSplits: r.ProtocolSplits, Status: r.Status, Error: r.Error, Class: r.Class, Stderr: r.Stderr, Isolated: r.Isolated, TestRows: r.TestRows,
			SearchSeconds: r.SearchSeconds, CPUSeconds: r.CPUSeconds, PeakRSSBytes: r.PeakRSSBytes, TimeoutSeconds: r.TimeoutSeconds, CostUnits: r.CostUnits,
		}
	}
	r.Key, r.Imported, r.Scores, r.Outputs, r.Model = "", "", nil, 0, nil
	r.ProtocolPath, r.SetFile = "", ""
	out := make([]result.Evaluation, len(r.Folds)) // by fold
	folds := len(r.Folds) / len(r.Grid)
	for _, e := range r.Folds {
		e.FitSeconds = r.SearchSeconds / float64(len(out))
		out[e.Fold*len(r.Grid)+e.GridIndex] = e
	}
	if folds == 0 {
		out = nil
	}
	r.Folds = out
	return r
}

// binaryScore draws counts that agree.
func binaryScore(t *rapid.T) result.Score {
	count := rapid.IntRange(0, 5000)
	tn, fp, fn, tp := count.Draw(t, "tn"), count.Draw(t, "fp"), count.Draw(t, "fn"), count.Draw(t, "tp")
	correct := tn + tp
	s := result.Score{N: tn + fp + fn + tp, Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp}
	if rapid.Bool().Draw(t, "area") {
		area := rapid.Int64Range(0, 2*int64(tn+fp)*int64(fn+tp)).Draw(t, "auc2")
		s.AUC2 = &area
	}
	return s
}

func scoreOf(t *rapid.T, task string) result.Score {
	switch task {
	case taskBinary:
		return binaryScore(t)
	case taskMulticlass:
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		correct := rapid.IntRange(0, n).Draw(t, "correct")
		return result.Score{N: n, Correct: &correct}
	}
	value := rapid.Float64Range(0, 1e300)
	rmse, mae := value.Draw(t, "rmse"), value.Draw(t, "mae")
	s := result.Score{N: rapid.IntRange(1, 9).Draw(t, "n"), RMSE: &rmse, MAE: &mae}
	if rapid.Bool().Draw(t, "r2") {
		s.R2 = ptr(-value.Draw(t, "r2 value"))
	}
	return s
}

func drawn(t *rapid.T) result.Run {
	task := rapid.SampledFrom([]string{taskBinary, taskMulticlass, taskRegression}).Draw(t, "task")
	split := rapid.IntRange(1, 40).Draw(t, "split")
	r := storetest.Finished("M", rapid.SampledFrom([]string{"d", "e"}).Draw(t, "set"), split)
	r.Task, r.Score = task, scoreOf(t, task)
	r.TestRows = r.Score.N
	points, folds := rapid.IntRange(1, 6).Draw(t, "points"), rapid.IntRange(1, 4).Draw(t, "folds")
	written := rapid.Bool().Draw(t, "as its author wrote")
	r.Grid, r.GridWritten, r.Folds, r.Stages, r.GridTests = gridOf(points), nil, nil, nil, nil
	if r.SeedTests = nil; written {
		r.GridWritten = gridOf(points)
	}
	r.GridHash = fmt.Sprint(points, written) // as a hash, it follows from the grid
	if r.ProtocolText, r.ProtocolSplits = "", 0; r.Dataset == "e" {
		r.ProtocolHash, r.ProtocolText, r.ProtocolSplits = "own", "splits = 3", 3
	}
	r.Selected = ptr(rapid.IntRange(0, points-1).Draw(t, "selected"))
	for g := range points {
		for f := range folds {
			r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: scoreOf(t, task), FitSeconds: 0.5})
		}
	}
	if rapid.Bool().Draw(t, "every point is tested") {
		for range points {
			r.GridTests = append(r.GridTests, scoreOf(t, task))
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "seeds") {
		r.SeedTests = append(r.SeedTests, result.SeedTest{Seed: rapid.Uint32().Draw(t, "seed"), ScoresHash: rapid.StringN(0, 3, -1).Draw(t, "hash"), Score: scoreOf(t, task)})
	}
	for range rapid.IntRange(0, 2).Draw(t, "stages") {
		r.Stages = append(r.Stages, result.Stage{Round: len(r.Stages) + 1, Score: scoreOf(t, task)})
	}
	if rapid.Bool().Draw(t, "measured") {
		r.CPUSeconds, r.PeakRSSBytes, r.TimeoutSeconds = ptr(1.25), ptr(int64(0)), ptr(600.0)
	}
	if r.Status = rapid.SampledFrom(ends).Draw(t, "end"); r.Status != result.OK {
		r.Error, r.Class, r.Stderr, r.Isolated = "exit status 2", result.ClassCrash, "the end of it", rapid.Bool().Draw(t, "isolated")
	}
	return r
}

// gridOf is a grid of so many points.
func gridOf(points int) []json.RawMessage {
	out := make([]json.RawMessage, points)
	for i := range out {
		out[i] = fmt.Appendf(nil, `{"c":%d}`, i)
	}
	return out
}

// TestWhatIsWrittenIsRead, whatever the counts.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var runs, want []result.Run
		for range rapid.IntRange(0, 4).Draw(rt, "cells") {
			runs = append(runs, drawn(rt))
			want = append(want, kept(runs[len(runs)-1]))
		}
		got, err := Read(written(t, runs...))
		if err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("%v\n%+v\nwant\n%+v", err, got, want)
		}
	})
}

// TestWithoutFolds: the grid of the last result may have more points than bytes follow.
func TestWithoutFolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawn(rt)
		r.Status, r.Folds, r.GridTests, r.Grid, r.GridWritten = result.OK, nil, nil, gridOf(1000), nil
		got, err := Read(written(t, r))
		if err != nil || len(got) != 1 || len(got[0].Grid) != 1000 {
			rt.Fatalf("%d results, %v", len(got), err)
		}
	})
}

// TestWriterRefuses what a reader would refuse.
func TestWriterRefuses(t *testing.T) {
	for name, change := range map[string]func(r *result.Run){
		"an unknown end":     func(r *result.Run) { r.Status = "lost" },
		"no point":           func(r *result.Run) { r.Selected = nil },
		"no environment":     func(r *result.Run) { r.Environment = nil },
		"no grid":            func(r *result.Run) { r.Grid = nil },
		"a fold is missing":  func(r *result.Run) { r.Folds = r.Folds[1:] },
		"a fold twice":       func(r *result.Run) { r.Folds[1] = r.Folds[0] },
		"counts disagree":    func(r *result.Run) { r.Score.N++ },
		"a fold's disagree":  func(r *result.Run) { r.Folds[2].Score.TP = ptr(100) },
		"area out of range":  func(r *result.Run) { r.Score.AUC2 = ptr(int64(1) << 40) },
		"task":               func(r *result.Run) { r.Task = "ranking" },
		"a test is missing":  func(r *result.Run) { r.GridTests = r.GridTests[1:] },
		"a test disagrees":   func(r *result.Run) { r.GridTests[1].N++ },
		"a seed disagrees":   func(r *result.Run) { r.SeedTests[1].Score.N++ },
		"counts of a number": func(r *result.Run) { r.Task = taskRegression },
		"probabilities":      func(r *result.Run) { r.Score.Brier = ptr(1.5) },
	} {
		r := storetest.Finished("M", "d", 1)
		change(&r)
		var w Writer
		if w.Add(r) == nil {
			t.Errorf("%s is written", name)
		}
	}
}

// TestDamageIsNoticed: every single byte that changes, and every cut.
func TestDamageIsNoticed(t *testing.T) {
	file := written(t, storetest.Finished("M", "d", 1), storetest.Finished("N", "d", 2))
	for i := range file {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x10
		if _, err := Read(damaged); err == nil {
			t.Fatalf("a changed byte %d is not noticed", i)
		}
		if _, err := Read(file[:i]); err == nil {
			t.Fatalf("a cut at %d is not noticed", i)
		}
	}
	for text, want := range map[string]string{"": "no file of results", "SQLite format 3\x00": "no file of results", magic: "damaged", magic + "\x06" + strings.Repeat("x", 40): "use the bench that goes with it", magic + "\x04" + strings.Repeat("x", 40): "version 4 of the format"} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// body returns what a file holds.
func body(t testing.TB, file []byte) []byte {
	t.Helper()
	packed, err := opened(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDamagedBodies have a right checksum: reading ends with an error or with results that can be
// written again.
func TestDamagedBodies(t *testing.T) {
	whole := body(t, written(t, storetest.Finished("M", "d", 1), storetest.Finished("N", "d", 2)))
	for i := range whole {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, whole[i] + 1} {
			damaged := bytes.Clone(whole)
			damaged[i] = b
			readable(t, damaged)
		}
		if _, err := decode(whole[:i]); err == nil {
			t.Fatalf("a cut at %d is not noticed", i)
		}
	}
	if _, err := decode(append(whole, 0)); err == nil {
		t.Error("a byte behind the end is not noticed")
	}
}

func readable(t *testing.T, body []byte) {
	runs, err := decode(body)
	if err != nil {
		return
	}
	var w Writer
	for _, r := range runs {
		if len(r.Folds) == 0 { // no fold: a result that no protocol gives
			continue
		}
		if err := w.Add(r); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(body(f, written(f, storetest.Finished("M", "d", 1))))
	f.Add(body(f, written(f)))
	f.Fuzz(func(t *testing.T, body []byte) { readable(t, body) })
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, storetest.Finished("M", "d", 1)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if runs, err := Read(file); err == nil && sha256.Sum256(file[:len(file)-sha256.Size]) != [sha256.Size]byte(file[len(file)-sha256.Size:]) {
			t.Errorf("%d results of a file with a wrong sum", len(runs))
		}
	})
}

// TestSize: the reference run, 1,680 cells of up to 125 grid points and 5 folds, must stay small.
func TestSize(t *testing.T) {
	var runs []result.Run
	state := uint64(1)
	draw := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state >> 33 % uint64(n))
	}
	const cells, points, folds = 40, 60, 5
	for split := range cells {
		r := storetest.Finished("M", "d", split+1)
		r.Grid, r.GridWritten, r.GridHash, r.Folds, r.GridTests = gridOf(points), nil, "sixty", nil, nil
		for g := range points {
			for f := range folds {
				n, positive := 60, 25
				fp, fn := 3+draw(6), 4+draw(6)
				tn, tp := n-positive-fp, positive-fn
				correct, area := tn+tp, int64(1300+draw(400))
				r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: result.Score{N: n, Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp, AUC2: &area}})
			}
		}
		runs = append(runs, r)
	}
	size := float64(len(written(t, runs...)))
	perFold := size / (cells * points * folds)
	t.Logf("%.2f bytes a fold", perFold)
	if whole := perFold * 1680 * points * folds; whole > 5e6 {
		t.Errorf("500,000 folds would take %.1f MB", whole/1e6)
	}
}
