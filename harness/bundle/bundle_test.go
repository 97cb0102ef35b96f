package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/testenv"
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
	case "binary":
		return binaryScore(t)
	case "multiclass":
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		correct := rapid.IntRange(0, n).Draw(t, "correct")
		return result.Score{N: n, Correct: &correct}
	}
	value := rapid.Float64Range(0, 1e300)
	rmse, mae := value.Draw(t, "rmse"), value.Draw(t, "mae")
	s := result.Score{N: rapid.IntRange(1, 9).Draw(t, "n"), RMSE: &rmse, MAE: &mae}
	if rapid.Bool().Draw(t, "r2") {
		s.R2 = new(-value.Draw(t, "r2 value"))
	}
	return s
}

func drawn(t *rapid.T) result.Run {
	task := rapid.SampledFrom([]string{"binary", "multiclass", "regression"}).Draw(t, "task")
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
	r.Selected = new(rapid.IntRange(0, points-1).Draw(t, "selected"))
	for g := range points {
		for f := range folds {
			r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: scoreOf(t, task), FitSeconds: 0.5})
		}
	}
	if rapid.Bool().Draw(t, "without folds") {
		r.Folds = nil
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
		r.CPUSeconds, r.PeakRSSBytes, r.TimeoutSeconds = new(1.25), new(int64(0)), new(600.0)
	}
	if r.Status = rapid.SampledFrom([]result.Status{result.OK, result.Failed, result.Timeout}).Draw(t, "end"); r.Status != result.OK {
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
			want = append(want, runs[len(runs)-1].Portable())
		}
		got, err := Read(written(t, runs...))
		if err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("%v\n%+v\nwant\n%+v", err, got, want)
		}
	})
}

// TestEveryField: whatever the type of result.Run holds is written and read, in values that no cell has. So a new field
// is in files, or this test fails.
func TestEveryField(t *testing.T) {
	runs := make([]result.Run, 3)
	count := 0
	for i := range runs {
		fill(reflect.ValueOf(&runs[i]).Elem(), &count)
	}
	writes := newRoot(false)
	for i := range runs {
		writes.visit(reflect.ValueOf(&runs[i]).Elem())
	}
	text, err := json.Marshal(writes.columns())
	if err != nil {
		t.Fatal(err)
	}
	var columns []stored
	if err := json.Unmarshal(text, &columns); err != nil {
		t.Fatal(err)
	}
	reads := newRoot(true)
	if err := load(reads, columns); err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		var got result.Run
		reads.visit(reflect.ValueOf(&got).Elem())
		if reads.tree.err != nil || !reflect.DeepEqual(got, runs[i]) {
			t.Errorf("%v\n%+v\nwant\n%+v", reads.tree.err, got, runs[i])
		}
	}
}

// fill sets everything below v to values that differ.
func fill(v reflect.Value, count *int) {
	*count++
	reals := []float64{math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64, 1.0 / 3}
	integers := []int64{math.MaxInt64, math.MinInt64, -1, int64(*count)}
	switch kind := v.Kind(); {
	case v.Type() == scoreType:
		s := v.Addr().Interface().(*result.Score)
		s.N = *count
		for _, f := range result.Fields() {
			var x reflect.Value
			if x = reflect.New(reflect.TypeFor[int64]()).Elem(); f.Kind == result.Real {
				x = reflect.New(reflect.TypeFor[float64]()).Elem()
			}
			fill(x, count)
			if err := f.Set(s, x.Interface()); err != nil {
				panic(err)
			}
		}
	case v.Type() == jsonType:
		v.SetBytes(fmt.Appendf(nil, `{"c":%d}`, *count))
	case kind == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), count)
		}
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), count)
	case kind == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+*count%3, 1+*count%3))
		for i := range v.Len() {
			fill(v.Index(i), count)
		}
	case kind == reflect.String:
		v.SetString(fmt.Sprintf("<text %d>\n", *count))
	case kind == reflect.Bool:
		v.SetBool(*count%2 == 0)
	case kind == reflect.Float64:
		v.SetFloat(reals[*count%len(reals)])
	case v.CanInt():
		v.SetInt(integers[*count%len(integers)])
	case v.CanUint():
		v.SetUint(uint64(*count) % 256)
	default:
		panic(fmt.Sprintf("a field of type %v: how is it written?", v.Type()))
	}
}

// TestWriterRefuses what a reader would refuse.
func TestWriterRefuses(t *testing.T) {
	r := storetest.Finished("M", "d", 1)
	r.Folds = r.Folds[1:]
	var w Writer
	if err := w.Add(r); err == nil || !strings.Contains(err.Error(), "M on d, split 1") {
		t.Errorf("a result without a fold is written: %v", err)
	}
}

// TestDamageIsNoticed: every single byte that changes anything, and every cut.
func TestDamageIsNoticed(t *testing.T) {
	file := written(t, storetest.Finished("M", "d", 1), storetest.Finished("N", "d", 2))
	whole, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x10
		if got, err := Read(damaged); err == nil && !reflect.DeepEqual(got, whole) {
			t.Fatalf("a changed byte %d is not noticed", i)
		}
		if _, err := Read(file[:i]); err == nil {
			t.Fatalf("a cut at %d is not noticed", i)
		}
	}
	if _, err := Read(append(file, 0)); err == nil {
		t.Error("a byte behind the end is not noticed")
	}
}

// packed is a file with a text.
func packed(text string) []byte {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return file.Bytes()
}

// TestWhatIsRefused, each in a line that says what it is.
func TestWhatIsRefused(t *testing.T) {
	column := func(text string) []byte {
		return packed(`{"bench_results":6,"cells":1,"columns":[` + text + `]}`)
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{nil, "no file of results"},
		{[]byte("SQLite format 3\x00"), "no file of results"},
		{[]byte("bench results\n\x05"), "in an old format"},
		{packed("a,b,c"), "no file of results"},
		{packed("{}"), "no file of results"},
		{packed(`{"bench_results":7}`), "version 7 of the format"},
		{column(`{"name":"Luck","steps":"1"}`), `column "Luck", which this program does not know`},
		{column(`{"name":"Split","steps":"1"},{"name":"Split","steps":"1"}`), "there twice"},
		{column(`{"name":"Split","steps":""}`), "no numbers"},
		{column(`{"name":"Split","steps":"1 x"}`), `"x" is no step`},
		{column(`{"name":"Split","steps":"1*0"}`), `"1*0" is no step`},
		{packed(strings.Replace(unpacked(t, written(t, storetest.Finished("M", "d", 1))), `"Split","steps":"1"`, `"Split","steps":"1 2"`, 1)),
			"2 numbers, and 1 are read"},
		{column(`{"name":"Split","steps":"1 2","less":[{"column":"Method","times":1}]}`), "cannot be added"},
		{column(`{"name":"Isolated","steps":"2"}`), "Isolated has 2"},
		{column(`{"name":"Method","texts":["M"],"steps":"1"}`), "Method has 1"},
		{column(`{"name":"Grid","steps":"1"},{"name":"Grid[]","texts":["{"],"steps":"0"}`), "no JSON"},
		{column(`{"name":"CostUnits","texts":["much"],"steps":"0"}`), "much"},
		{column(`{"name":"Split","steps":"1"}`), "no time"},
	} {
		if _, err := Read(c.file); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v, want %q", c.file, err, c.want)
		}
	}
}

// TestMemoryIsBounded: small files that ask for much are refused before the memory is taken.
func TestMemoryIsBounded(t *testing.T) {
	r := storetest.Finished("M", "d", 1)
	many := func(name, steps string) []byte {
		return packed(`{"bench_results":6,"cells":1,"columns":[{"name":"` + name + `","steps":"` + steps + `"}]}`)
	}
	for what, file := range map[string][]byte{
		"a long text":     packed(strings.Repeat(" ", MaxBody+1)),
		"many numbers":    many("Split", "1*1000000000000"),
		"a long list":     many("Folds", "1000000000000"),
		"a list of lists": many("Folds", "9223372036854775807"),
		"a negative list": many("Folds", "-1"),
		"many cells":      packed(strings.Replace(unpacked(t, written(t, r)), `"cells":1,`, `"cells":1000000000000,`, 1)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(file)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 4*MaxMemory {
			t.Errorf("%s: %d bytes, %v", what, took, err)
		}
	}
}

// unpacked returns the text of a file.
func unpacked(t testing.TB, file []byte) string {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestDamagedTexts have a right checksum: reading ends with an error or with results that can be written again.
func TestDamagedTexts(t *testing.T) {
	whole := unpacked(t, written(t, storetest.Finished("M", "d", 1), storetest.Finished("N", "d", 2)))
	for i := range whole {
		for j, b := range []byte(`"09-* x`) {
			if i%7 == j || testenv.Thorough(t) {
				damaged := []byte(whole)
				damaged[i] = b
				readable(t, damaged)
			}
		}
	}
}

func readable(t *testing.T, text []byte) {
	runs, err := decode(text)
	if err != nil {
		return
	}
	var w Writer
	for _, r := range runs {
		if err := w.Add(r); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(unpacked(f, written(f, storetest.Finished("M", "d", 1)))))
	f.Add([]byte(unpacked(f, written(f))))
	f.Fuzz(func(t *testing.T, text []byte) { readable(t, text) })
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
