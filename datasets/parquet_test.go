package datasets_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/wording"
)

// mixed are the files that testdata/parquet/make.py writes with pyarrow: every kind of column, in three groups of rows.
func mixed(t testing.TB, ending string) []byte {
	data := must.Get(os.ReadFile(filepath.Join("testdata", "parquet", "mixed."+ending)))(t)
	return data
}

// A Parquet file has the cells that a CSV file of the same values has, value by value.
func TestParquetIsAsCSV(t *testing.T) {
	got, texts := cellsOf(t, &read.Parquet, "mixed.parquet", mixed(t, "parquet"), read.Options{})
	want, wanted := cellsOf(t, &read.CSV, "mixed.csv", mixed(t, "csv"), read.Options{Separator: ",", Header: true})
	if len(texts) != len(wanted) || !slices.Equal(got.Names, want.Names) {
		t.Fatalf("%d rows of %q, want %d of %q", len(texts), got.Names, len(wanted), want.Names)
	}
	for i, row := range wanted {
		for j, text := range row {
			if want.Names[j] == "single" {
				text = shortest(text)
			}
			if got := texts[i][j]; got != text && !sameNumber([]byte(got), []byte(text)) {
				t.Errorf("row %d of %s is %q, want %q", i+1, want.Names[j], got, text)
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

// Damaged files are errors: cut short at every length, and with every byte changed.
func TestDamagedParquet(t *testing.T) {
	whole, step := mixed(t, "parquet"), 23
	if testenv.Thorough(t) {
		step = 3
	}
	read := func(data []byte) (err error) {
		table, err := read.Parquet.Read(read.File{Name: "f", Data: data, Budget: &read.Budget{Limit: 1 << 28}})
		if err != nil {
			return err
		}
		for _, err := range table.Rows {
			if err != nil {
				return err
			}
		}
		return nil
	}
	must.Do(t, read(bytes.Clone(whole)))
	for n := 0; n < len(whole); n += 2 * step {
		if read(bytes.Clone(whole[:n])) == nil {
			t.Fatalf("%d of %d bytes are read", n, len(whole))
		}
	}
	for i := 0; i < len(whole); i += step {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x55
		_ = read(damaged) // some bytes are values or text that nothing checks
	}
}

// TestFooterOfParquet: a file whose last bytes announce more than the file has is refused before memory is taken.
func TestFooterOfParquet(t *testing.T) {
	for _, content := range []string{"PAR1PAR1", "PAR1\xff\xff\xff\x7fPAR1", "PAR1xxxxxxxx\x00\x00\x00\x40PAR1"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := described(t, "a.parquet", content, read.Hints{Memory: 8 << 30})
		runtime.ReadMemStats(&after)
		must.Say(t, err, "DIR/a.parquet: the Parquet file is damaged: its last bytes announce ")
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
			t.Errorf("%q takes %d bytes", content, taken)
		}
	}
}
