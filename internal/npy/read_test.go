package npy_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// What is written is read back to the same bits.
func TestReadWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows, columns := rapid.IntRange(1, 9).Draw(r, "rows"), rapid.IntRange(1, 9).Draw(r, "columns")
		values := rapid.SliceOfN(rapid.Float64(), rows*columns, rows*columns).Draw(r, "values")
		for _, v := range []any{mat.NewDense(rows, columns, slices.Clone(values)), values} {
			got := must.Get(npy.Read(bytes.NewReader(written(t, v)), len(values)))(r)
			shape := []int{len(values)}
			if _, matrix := v.(*mat.Dense); matrix {
				shape = []int{rows, columns}
			}
			if !slices.Equal(got.Shape, shape) {
				r.Fatalf("shape %v", got.Shape)
			}
			for i, w := range values {
				must.Be(r, math.Float64bits(got.Values[i]), math.Float64bits(w), "value", i, w)
			}
			must.Say(r, must.Err(npy.Read(bytes.NewReader(written(t, v)), len(values)-1)), "more than the ")
		}
	})
}

// arrayFile is a file of version 1 with the given dictionary.
func arrayFile(dictionary string, values int) string {
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(dictionary)), 0}) + dictionary + strings.Repeat("\x00",
		8*values)
}

func TestReadRefuses(t *testing.T) {
	const good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"
	for _, header := range []string{good, `{"shape":(2,3),"fortran_order":False,"descr":"<f8"}`,
		"{ 'shape' : ( 2 , 3 , ), 'descr' : '<f8' , 'fortran_order' : False }"} {
		if got, err := npy.Read(strings.NewReader(arrayFile(header, 6)), 6); err != nil || len(got.Values) != 6 {
			t.Fatal(got, err)
		}
	}
	for file, want := range map[string]string{
		"":                                             "does not begin",
		"\x93NUMPY":                                    "does not begin",
		"\x93NUMPY\x07\x00\x10\x00":                    "format version 7",
		"\x93NUMPY\x01\x00\x10":                        "ends within its header",
		"\x93NUMPY\x02\x00\xff\xff\xff\xff":            "header of 4294967295 bytes is too long",
		arrayFile(good, 5):                             "ends after",
		arrayFile(good, 6) + "\x00":                    "bytes behind",
		arrayFile(good+"x", 6):                         "not that of an array",
		arrayFile("", 0):                               "not that of an array",
		arrayFile("{}", 0):                             "not that of an array",
		arrayFile("{'descr': '<f8'}", 0):               "not that of an array",
		arrayFile("{'descr: 3}", 0):                    "not that of an array",
		arrayFile("{'other': '<f8'}", 0):               "not that of an array",
		arrayFile("{'shape': (1,), 'shape': (1,)}", 0): "not that of an array",
		arrayFile("{'shape': (1,), 'shape': (1,), 'descr': '<f8'}", 0):               "not that of an array",
		arrayFile("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", 1):      "write '<f8'",
		arrayFile("{'descr': '>f8', 'fortran_order': False, 'shape': (1,)}", 1):      "write '<f8'",
		arrayFile("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 1):       "write '<f8'",
		arrayFile("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}", 1):      "not that of an array",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (1)}", 1):       "not that of an array",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 1):        "not that of an array",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1)}", 1): "not that of an array",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", 1):     "not that of an array",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616, 8)}",
			0): "not that of an array",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8)}",
			0): "more than the 6 values",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693951, 16)}",
			0): "more than the 6 values",
		arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (7,)}", 7): "more than the 6 values",
	} {
		must.Say(t, must.Err(npy.Read(strings.NewReader(file), 6)), want)
	}
}

// A file that promises more than it holds costs no more memory than the limit allows.
func TestReadTakesNoMemoryForPromises(t *testing.T) {
	huge := arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}", 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		must.Say(t, must.Err(npy.Read(strings.NewReader(huge), 10)), "more than the 10 values")
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes are taken", taken)
	}
}

// Columns that were stored one after the other come row by row.
func TestReadColumnOrder(t *testing.T) {
	file := []byte(arrayFile("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}", 0))
	var values bytes.Buffer
	must.Do(t, binary.Write(&values, binary.LittleEndian, []float64{1, 4, 2, 5, 3, 6}))
	got, err := npy.Read(bytes.NewReader(append(file, values.Bytes()...)), 6)
	if err != nil || !slices.Equal(got.Values, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v %v", got, err)
	}
}

// NumPy's own files in each version and order; skipped without a Python that has NumPy.
func TestReadNumPy(t *testing.T) {
	python := os.Getenv("BENCH_PEERS")
	if python == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("BENCH_PEERS is not set: no Python with NumPy")
		}
		t.Skip("BENCH_PEERS is not set: no Python with NumPy")
	}
	dir := t.TempDir()
	c := exec.Command(python, "-c", `
import numpy as np
a = np.arange(6.0).reshape(2, 3)
for order in "CF":
    for version in (1, 0), (2, 0), (3, 0):
        with open(f"{order}{version[0]}.npy", "wb") as f:
            np.lib.format.write_array(f, np.array(a, order=order), version=version)
`)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f := must.Get(os.Open(name))(t)
		got, err := npy.Read(f, 6)
		f.Close()
		if err != nil || !slices.Equal(got.Shape, []int{2, 3}) ||
			!slices.Equal(got.Values, []float64{0, 1, 2, 3, 4, 5}) {
			t.Errorf("%s: %v %v", filepath.Base(name), got, err)
		}
	}
}

// FuzzRead: whatever a file holds, it is refused or is an array of the shape that it says, whose
// written form is read as the same.
func FuzzRead(f *testing.F) {
	f.Add(written(f, []float64{1, -2, math.NaN()}))
	f.Add(written(f, mat.NewDense(2, 2, []float64{1, 2, 3, 4})))
	f.Add([]byte(arrayFile("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}", 6)))
	f.Add([]byte(arrayFile("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}", 0)))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, file []byte) {
		const limit = 1000
		got, err := npy.Read(bytes.NewReader(file), limit)
		if err != nil {
			return
		}
		count := 1
		for _, n := range got.Shape {
			count *= n
		}
		if count != len(got.Values) || count > limit || count > len(file)/8 {
			t.Fatalf("%d values of shape %v in %d bytes", len(got.Values), got.Shape, len(file))
		}
		again, err := npy.Read(bytes.NewReader(written(t, got.Values)), limit)
		if err != nil || len(again.Values) != count {
			t.Fatal(again, err)
		}
	})
}
