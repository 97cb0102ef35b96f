package cmd

import (
	"bytes"
	"io"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// Whatever an answer holds, the file read back holds the same values in the same order of rows and columns: integers
// and floats to the bit, a column of both as floats, bytes as bytes, one with a text as text, NULL as none.
func TestParquetHoldsTheAnswer(t *testing.T) {
	value := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Float64(), func(x float64) any { return x }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) any { return b }))
	rapid.Check(t, func(r *rapid.T) {
		names := []string{"z", "a b", "größe"}
		kinds := make([]columnKind, len(names))
		var rows [][]any
		for range rapid.IntRange(0, 9).Draw(r, "rows") {
			row := rapid.SliceOfN(value, len(names), len(names)).Draw(r, "row")
			for i, v := range row {
				kinds[i] = kindOf(kinds[i], v)
			}
			rows = append(rows, row)
		}
		var out bytes.Buffer
		file := must.Get(newParquetFile(&out, names, kinds))(r)
		for _, row := range rows {
			must.Do(r, file.add(row))
		}
		must.Do(r, file.close())
		read := must.Get(parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len())))(r)
		for i, field := range read.Schema().Fields() {
			must.Be(r, field.Name(), names[i], "column", i)
		}
		reader := parquet.NewReader(read)
		defer reader.Close()
		got := make([]parquet.Row, len(rows)+1)
		n := 0
		for n <= len(rows) {
			k, err := reader.ReadRows(got[n:])
			if n += k; err == io.EOF || k == 0 {
				break
			}
			must.Do(r, err)
		}
		if n != len(rows) {
			r.Fatalf("%d rows, want %d", n, len(rows))
		}
		for i, row := range rows {
			for j, v := range row {
				must.Be(r, sameValue(got[i][j], v, kinds[j]), true, "row", i, j, got[i][j], v)
			}
		}
	})
}

func sameValue(got parquet.Value, want any, kind columnKind) bool {
	switch {
	case want == nil:
		return got.IsNull()
	case kind == integers:
		return got.Int64() == want
	case kind == floats:
		x, ok := want.(float64)
		if !ok {
			x = float64(want.(int64))
		}
		return math.Float64bits(got.Double()) == math.Float64bits(x)
	}
	if bytes, ok := want.([]byte); ok && kind == blobs {
		return string(got.ByteArray()) == string(bytes)
	}
	return string(got.ByteArray()) == plain(want)
}

func TestParquetNames(t *testing.T) {
	for want, names := range map[string][]string{
		"two columns are named a": {"a", "a"}, `column "round(x, 2)" has a comma in its name`: {"round(x, 2)"},
	} {
		must.Say(t, must.Err(newParquetFile(io.Discard, names, make([]columnKind, len(names)))), want)
	}
	file := must.Get(newParquetFile(io.Discard, []string{"n"}, []columnKind{integers}))(t)
	must.Say(t, file.add([]any{"text"}), "row 1: the database changed while it was read")
}
