package datasets_test

import (
	"archive/zip"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestParquetOfOtherPrograms reads the files that scripts/oracle/parquet_files.py wrote by pyarrow, pandas,
// fastparquet, DuckDB and polars in every type: their cells are the texts of the CSV files beside them. A file with a
// column of lists, maps or structures, and one that DuckDB packs in its own way, is refused by the name of the column.
func TestParquetOfOtherPrograms(t *testing.T) {
	archive := must.Get(zip.OpenReader(filepath.Join("testdata", "parquet", "written.zip")))(t)
	defer archive.Close()
	content := map[string][]byte{}
	for _, f := range archive.File {
		r := must.Get(f.Open())(t)
		content[f.Name] = must.Get(io.ReadAll(r))(t)
	}
	for file, data := range content {
		name, parquet := strings.CutSuffix(file, ".parquet")
		if !parquet {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, has := content[name+".csv"]
			if !has {
				budget := &read.Budget{Limit: 1 << 30}
				_, err := read.Parquet.Read(read.File{Name: file, Data: data, Budget: budget})
				must.Say(t, err, `column "refused"`)
				return
			}
			want, wanted := cellsOf(t, &read.CSV, name+".csv", text, read.Options{Separator: ",", Header: true})
			got, texts := cellsOf(t, &read.Parquet, file, data, read.Options{})
			if len(texts) != len(wanted) || !slices.Equal(got.Names, want.Names) {
				t.Fatalf("%d rows of %q, want %d of %q", len(texts), got.Names, len(wanted), want.Names)
			}
			if slices.Contains(got.Names, "zoned") {
				must.Hold(t, strings.Join(got.Notes, "\n"), `column "zoned" holds times in UTC`)
			}
			for i, row := range wanted {
				for j, text := range row {
					if name := want.Names[j]; name == "single" || name == "float" {
						text = shortest(text)
					}
					if got := texts[i][j]; got != text && !sameDouble(got, text) {
						t.Errorf("row %d of %s is %q, want %q", i+1, want.Names[j], got, text)
					}
				}
			}
		})
	}
}

// shortest is the text of a 32-bit number as programs write it into a CSV file, where the oracle has the text of the
// equal 64-bit number.
func shortest(text string) string {
	x, err := strconv.ParseFloat(text, 32)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(x, 'g', -1, 32)
}

// sameDouble allows other texts of equal floating-point numbers, such as 1e-05 and 0.00001, and no other text of a
// whole number or of a decimal number.
func sameDouble(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	floating := strings.ContainsAny(a+b, "e") || strings.HasSuffix(b, ".0") && !strings.Contains(a, ".")
	return err == nil && err2 == nil && floating && math.Float64bits(x) == math.Float64bits(y)
}
