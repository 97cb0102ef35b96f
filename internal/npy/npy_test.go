package npy_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func written(t testing.TB, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, npy.Write(&out, v))
	return out.Bytes()
}

// The bytes that numpy.save(f, numpy.array([1.0, -2.0])) writes (NumPy 2.4).
func TestBytes(t *testing.T) {
	head := "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
	want := head + strings.Repeat(" ", 127-len(head)) + "\n" + "\x00\x00\x00\x00\x00\x00\xf0\x3f" +
		"\x00\x00\x00\x00\x00\x00\x00\xc0"
	must.Be(t, string(written(t, []float64{1, -2})), want)
}

// Whatever is written, values begin at a multiple of 64 bytes, where the header says, and are these bits.
func TestFloats(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows, columns := rapid.IntRange(1, 9).Draw(r, "rows"), rapid.IntRange(1, 9).Draw(r, "columns")
		values := rapid.SliceOfN(rapid.Float64(), rows*columns, rows*columns).Draw(r, "values")
		out := written(t, mat.NewDense(rows, columns, values))
		start := 10 + int(binary.LittleEndian.Uint16(out[8:]))
		if start%64 != 0 || len(out) != start+8*len(values) {
			r.Fatalf("values begin at %d of %d bytes", start, len(out))
		}
		for i, v := range values {
			must.Be(r, math.Float64bits(v), binary.LittleEndian.Uint64(out[start+8*i:]), "value", i)
		}
	})
}

func archive(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, npy.WriteZip(&out, []npy.Array{
		{Name: "x", Value: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, math.Pi})},
		{Name: "n", Value: []int{-1, 1 << 40}},
		{Name: "names", Value: []string{"a", "größer", ""}},
		{Name: "none", Value: []string{}},
	}...))
	return out.Bytes()
}

func TestArchive(t *testing.T) {
	raw := archive(t)
	must.Be(t, bytes.Equal(raw, archive(t)), true, "equal arrays give other bytes")
	files := must.Get(zip.NewReader(bytes.NewReader(raw), int64(len(raw))))(t)
	var names []string
	for _, f := range files.File {
		names = append(names, f.Name)
	}
	must.Be(t, strings.Join(names, " "), "x.npy n.npy names.npy none.npy")
	must.Say(t, npy.Write(io.Discard, 1.5), "no array is made of float64")
	for _, v := range []any{[]float64{1}, []int{1}, []string{"a"}, mat.NewDense(1, 1, nil)} {
		if err := npy.Write(full{}, v); !errors.Is(err, errFull) {
			t.Errorf("%T to a full disk: %v", v, err)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// NumPy itself reads what is written; without it the test skips.
func TestNumPyReads(t *testing.T) {
	python := os.Getenv("BENCH_PEERS")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skipf("%s cannot import numpy; set BENCH_PEERS to an interpreter that can", python)
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	must.Do(t, os.WriteFile(path, archive(t), 0o644))
	script := `import sys, math, numpy
a = numpy.load(sys.argv[1])
assert a["x"].tolist() == [[1, 2, 3], [4, 5, math.pi]] and a["x"].flags.c_contiguous
assert a["n"].tolist() == [-1, 1 << 40]
assert a["names"].tolist() == ["a", "größer", ""], a["names"]
assert a["none"].shape == (0,)
`
	if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
