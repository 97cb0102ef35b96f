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
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"pgregory.net/rapid"
)

func written(t testing.TB, runs ...result.Run) []byte {
	t.Helper()
	var file bytes.Buffer
	if n, err := Write(&file, runs); err != nil || n != int64(file.Len()) {
		t.Fatal(n, err)
	}
	return file.Bytes()
}

// TestWhatIsWrittenIsRead: the results of cells that ended in all ways, without what is not portable.
func TestWhatIsWrittenIsRead(t *testing.T) {
	failed, short, own := storetest.Finished("M", "e", 2), storetest.Finished("N", "d", 1), storetest.Finished("N", "e",
		3)
	failed.Status, failed.Error, failed.Class, failed.Isolated, failed.Selected = result.Failed, "exit",
		result.ClassCrash, true, nil
	short.Folds, short.GridWritten, short.Score.LogLoss, short.Score.Brier, short.Score.ECE = nil, nil, nil, nil, nil
	own.Task, own.Score = "regression", result.Score{N: 30, RMSE: new(1.0 / 3), MAE: new(0.0)}
	own.Folds, own.Stages, own.GridTests, own.SeedTests = nil, nil, nil, nil
	runs := []result.Run{storetest.Finished("M", "d", 1), failed, short, own}
	got, err := Read(written(t, runs...))
	if err != nil || len(got) != len(runs) {
		t.Fatal(len(got), err)
	}
	for i, r := range runs {
		must.Be(t, got[i], r.Portable())
	}
	must.Be(t, len(must.Get(Read(written(t)))(t)), 0)
}

// TestEveryField: whatever the type of result.Run can hold is written and read, values that no cell has among them. So
// a new field is in files, or this test fails.
func TestEveryField(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var runs, got []result.Run
		fill(rt, reflect.ValueOf(&runs).Elem())
		w, r := newRoot(false), newRoot(true)
		w.visit(reflect.ValueOf(&runs).Elem())
		text := must.Get(json.Marshal(w.columns()))(rt)
		var columns []stored
		must.Do(rt, json.Unmarshal(text, &columns))
		for _, s := range columns {
			r.each(func(c *column) {
				if c.Name == s.Name {
					must.Do(rt, c.load(s))
				}
			})
		}
		if r.visit(reflect.ValueOf(&got).Elem()); r.tree.err != nil || !reflect.DeepEqual(got, runs) {
			rt.Fatalf("%v\n%+v\nwant\n%+v", r.tree.err, got, runs)
		}
	})
}

// fill draws a value for all that v can hold.
func fill(t *rapid.T, v reflect.Value) {
	switch kind := v.Kind(); {
	case v.Type() == scoreType:
		s := v.Addr().Interface().(*result.Score)
		s.N = rapid.Int().Draw(t, "n")
		for _, f := range result.Fields() {
			value := any(rapid.OneOf(rapid.Int64Range(0, math.MaxInt32), rapid.Just[int64](3)).Draw(t, f.Name))
			if f.Kind == result.Real {
				value = rapid.Float64().Draw(t, f.Name)
			}
			if rapid.Bool().Draw(t, "has it") {
				must.Do(t, f.Set(s, value))
			}
		}
	case v.Type() == jsonType:
		v.SetBytes(fmt.Appendf(nil, `{"c": %d}`, rapid.IntRange(0, 3).Draw(t, "c")))
	case kind == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case kind == reflect.Pointer && rapid.Bool().Draw(t, "there"):
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case kind == reflect.Slice:
		if n := rapid.IntRange(0, 3).Draw(t, "length"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case kind == reflect.String:
		v.SetString(rapid.StringN(0, 5, -1).Draw(t, "text"))
	case kind == reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case kind == reflect.Float64:
		v.SetFloat(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.Inf(1), math.Copysign(0, -1)})).Draw(t,
			"real"))
	case v.CanInt():
		v.SetInt(rapid.Int64().Draw(t, "integer"))
	case v.CanUint():
		v.SetUint(rapid.Uint64Max(1<<v.Type().Bits()-1).Draw(t, "unsigned"))
	case kind != reflect.Pointer:
		t.Fatalf("a field of type %v: how is it written?", v.Type())
	}
}

// TestWriteRefuses what a reader would refuse.
func TestWriteRefuses(t *testing.T) {
	r := storetest.Finished("M", "d", 1)
	r.Folds = r.Folds[1:]
	must.Say(t, must.Err(Write(io.Discard, []result.Run{r})), "M on d, split 1")
}

// TestDamageIsNoticed: every single byte that changes anything, and every cut.
func TestDamageIsNoticed(t *testing.T) {
	file := written(t, storetest.Finished("M", "d", 1), storetest.Finished("N", "d", 2))
	whole := must.Get(Read(file))(t)
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
	must.Say(t, must.Err(Read(append(file, 0))), "the file is damaged or cut")
}

// packed is a file with a text, and unpacked the text of a file.
func packed(text string) []byte {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return file.Bytes()
}

func unpacked(t testing.TB, file []byte) string {
	t.Helper()
	in := must.Get(gzip.NewReader(bytes.NewReader(file)))(t)
	out := must.Get(io.ReadAll(in))(t)
	return string(out)
}

// TestWhatIsRefused, each in a line that says what it is, and before much memory is taken.
func TestWhatIsRefused(t *testing.T) {
	columns := func(text string) []byte {
		return packed(`{"bench_results":6,"columns":[{"name":"cells","sums":"1"},` + text + `]}`)
	}
	changed := func(old, text string) []byte {
		whole := unpacked(t, written(t, storetest.Finished("M", "d", 1)))
		return packed(strings.Replace(whole, old, text, 1))
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
		{packed(strings.Repeat(" ", MaxBody+1)), "unfolds to more"},
		{columns(strings.Repeat("{},", 5_000_000) + "{}"), `column ""`},
		{columns(`{"name":"cells[].Method","texts":[` + strings.Repeat(`"",`, 5_000_000) + `""],"sums":"1"}`), "texts"},
		{columns(`{"name":"cells[].Split","sums":"1"},{"name":"cells[].Split","sums":"1"}`), "or has it twice"},
		{[]byte(packed(`{"bench_results":6,"columns":[]}{}`)), "does not end as it should"},
		{packed(`{"bench_results":6,"columns":[`), "does not end as it should"},
		{columns(`{"name":"cells[].Luck","sums":"1"}`), `column "cells[].Luck", which this program does not know`},
		{columns(`{"name":"cells[].Split","sums":""}`), "too few numbers"},
		{columns(`{"name":"cells[].Split","sums":"x"}`), `"x" is none`},
		{columns(`{"name":"cells[].Isolated","sums":"2"}`), "Isolated has 2"},
		{columns(`{"name":"cells[].Method","texts":["M"],"sums":"1"}`), "Method has no text 1"},
		{columns(`{"name":"cells[].Split","texts":["1"],"sums":"1"}`), `"1" is no number`},
		{columns(`{"name":"cells[].CostUnits","texts":["much"],"sums":"0"}`), "much"},
		{columns(`{"name":"cells[].Grid","sums":"1"},{"name":"cells[].Grid[]","texts":["{"],"sums":"0"}`), "no JSON"},
		{columns(`{"name":"cells[].Split","sums":"1*1000000000000"}`), "too many numbers"},
		{columns(`{"name":"cells[].Folds","sums":"1000000000"}`), "too many results"},
		{columns(`{"name":"cells[].Folds","sums":"9223372036854775807"}`), "Folds has"},
		{columns(`{"name":"cells[].Folds","sums":"-1"}`), "Folds has -1"},
		{changed(`"cells","sums":"1"`, `"cells","sums":"1000000000"`), "too many results"},
		{changed(`Split","sums":"1"`, `Split","sums":"1 2"`), "too many numbers"},
		{changed(`Split","sums":"1"`, `Split","sums":"-1"`), "split -1"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(c.file)
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 8*MaxBody {
			t.Errorf("%q takes %d bytes", c.want, after.TotalAlloc-before.TotalAlloc)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestDamagedTexts have a right checksum: reading ends with an error or with results that can be written again.
func TestDamagedTexts(t *testing.T) {
	whole := unpacked(t, written(t, storetest.Finished("M", "d", 1), storetest.Finished("N", "d", 2)))
	for i := range whole {
		for j, b := range []byte(`"09-* x`) {
			if i%21 == j || testenv.Thorough(t) {
				damaged := []byte(whole)
				damaged[i] = b
				readable(t, damaged)
			}
		}
	}
}

func readable(t *testing.T, text []byte) {
	if runs, err := decode(text); err == nil {
		written(t, runs...)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(unpacked(f, written(f, storetest.Finished("M", "d", 1)))))
	f.Fuzz(func(t *testing.T, text []byte) { readable(t, text) })
}
