package read

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/wording"
)

// mixed are the files that testdata/parquet/make.py writes with pyarrow: every kind of column, in three groups of rows.
func mixed(t testing.TB, ending string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", "parquet", "mixed."+ending))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A Parquet file is the table that a CSV file of the same values is, value by value.
func TestParquetIsAsCSV(t *testing.T) {
	got, err := parseParquet("mixed.parquet", mixed(t, "parquet"), &budget{limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	want, err := parseCSV("mixed.csv", mixed(t, "csv"), ',', true, nil, false, &budget{limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows() != want.Rows() || got.Columns() != want.Columns() {
		t.Fatalf("%d x %d, want %d x %d", got.Rows(), got.Columns(), want.Rows(), want.Columns())
	}
	for j, name := range want.names {
		if got.names[j] != name {
			t.Errorf("column %d is named %q, want %q", j, got.names[j], name)
		}
		for i := range want.Rows() {
			if a, b := got.Text(i, j), want.Text(i, j); !bytes.Equal(a, b) && !sameNumber(a, b) {
				t.Errorf("row %d of %s is %q, want %q", i+1, name, a, b)
			}
		}
	}
}

// sameNumber allows other texts of equal numbers, such as 1e-05 and 0.00001.
func sameNumber(a, b []byte) bool {
	x, ok := wording.ParseDecimal(a)
	y, ok2 := wording.ParseDecimal(b)
	return ok && ok2 && x == y
}

// The sets of both files are equal, but for the names of levels with no difference.
func TestParquetSet(t *testing.T) {
	load := func(ending string) (rows [][]float64, y []float64) {
		full, err := filepath.Abs(filepath.Join("testdata", "parquet", "mixed.toml"))
		if err != nil {
			t.Fatal(err)
		}
		text := "name = \"mixed\"\nfile = \"mixed." + ending + "\"\ntask = \"binary\"\nlabel = \"label\"\npositive = [\"yes\"]\n" +
			"drop = [\"day\", \"moment\"]\ncategorical = [\"colour\", \"kind\"]\nimpute = \"median\"\n"
		e, err := (catalogue.Description{TOML: text, Path: full}).Entry()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Load(context.Background(), files.Directory{}, e)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := s.X.Dims()
		for i := range n {
			row := s.X.RawRowView(i)
			for j, v := range row {
				if v != v {
					row[j] = -1e300 // a gap
				}
			}
			rows = append(rows, row)
		}
		return rows, s.Y
	}
	x, y := load("parquet")
	want, labels := load("csv")
	for i := range want {
		if y[i] != labels[i] {
			t.Errorf("label %d is %g, want %g", i, y[i], labels[i])
		}
		for j := range want[i] {
			if x[i][j] != want[i][j] {
				t.Errorf("input %d, %d is %g, want %g", i, j, x[i][j], want[i][j])
			}
		}
	}
}

// Damaged files are errors: cut short at every length, and with every byte changed.
func TestDamagedParquet(t *testing.T) {
	whole, limit, step := mixed(t, "parquet"), int64(1<<22), 23
	if testenv.Thorough(t) { // what a damaged file asks for is taken, up to this
		limit, step = 1<<28, 3
	}
	if _, err := parseParquet("whole", bytes.Clone(whole), &budget{limit: limit}); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 2 * step {
		if _, err := parseParquet("cut", bytes.Clone(whole[:n]), &budget{limit: limit}); err == nil {
			t.Fatalf("%d of %d bytes are read", n, len(whole))
		}
	}
	for i := 0; i < len(whole); i += step {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x55
		_, _ = parseParquet("damaged", damaged, &budget{limit: limit}) // some bytes are values or text that nothing checks
	}
}

// What a file would take is refused before it is taken.
func TestParquetWithinMemory(t *testing.T) {
	if _, err := parseParquet("a", mixed(t, "parquet"), &budget{limit: 4000}); err == nil {
		t.Error("40 rows of 12 columns fit into 4000 bytes")
	}
}
