package datasets_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

func cellsOf(t must.T, f *read.Format, name string, data []byte, o read.Options) (*read.Table, [][]string) {
	table := must.Get(f.Read(read.File{Name: name, Data: data, Options: o, Budget: &read.Budget{Limit: 1 << 30}}))(
		t)
	var out [][]string
	line := 0
	for row, err := range table.Rows {
		must.Do(t, err)
		if row.Line <= line {
			t.Errorf("%s: the row after that of line %d says that it is of line %d", name, line, row.Line)
		}
		line = row.Line
		texts := make([]string, table.Width)
		for j := range texts {
			texts[j] = string(table.Cell(row, j))
		}
		out = append(out, texts)
	}
	return table, out
}

// TestCSVReadsWhatEncodingCSVWrites takes the standard library's writer as oracle.
func TestCSVReadsWhatEncodingCSVWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 5).Draw(t, "width")
		cell := rapid.StringOf(rapid.SampledFrom([]rune("ab1\",;\n\t é")))
		trimmed := rapid.Custom(func(t *rapid.T) string { return strings.TrimSpace(cell.Draw(t, "cell")) })
		rows := rapid.SliceOfN(rapid.SliceOfN(trimmed, width, width), 1, 8).Draw(t, "rows")
		separator := rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "separator")
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.Comma, w.UseCRLF = separator, rapid.Bool().Draw(t, "crlf")
		must.Do(t, w.WriteAll(rows))
		if w.UseCRLF { // the writer turns line ends inside values into CRLF as well
			for _, row := range rows {
				for j := range row {
					row[j] = strings.ReplaceAll(row[j], "\n", "\r\n")
				}
			}
		}
		if _, got := cellsOf(t, &read.CSV, "f", file.Bytes(),
			read.Options{Separator: string(separator)}); !reflect.DeepEqual(got, rows) {
			t.Fatalf("read %q, wrote %q", got, rows)
		}
	})
}

// TestSniff: a time of day does not look like LIBSVM, and a first line longer than the sample still tells the
// separator.
func TestSniff(t *testing.T) {
	lines := func(line func(i int) string) string {
		var b strings.Builder
		for i := range 30 {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	var long []string
	for i := range 100 {
		long = append(long, fmt.Sprint("name", i, strings.Repeat("x", 700)))
	}
	values := strings.TrimSuffix(strings.Repeat("1\t", 100), "\t")
	for content, want := range map[string]string{
		"when,x,y\n" + lines(func(i int) string {
			return fmt.Sprintf("2020-01-01 12:%02d:00,%d,%d", i, i*i, i%2)
		}): "csv,",
		lines(func(i int) string {
			return fmt.Sprintf("%d 1:%d 2:1.5e-3", i%2, i)
		}): "libsvm",
		strings.Join(long, "\t") + "\n" + values + "\n" + values + "\n": "csv\t",
	} {
		f, o := read.Sniff("", []byte(content))
		must.Be(t, f.Name+o.Separator, want, content)
	}
}

// notations have one table in the notation of each format; that of Parquet is written by drawnParquet.
var notations = map[string]string{
	"csv":    "x,y,label\n0.5,3,u\n-1,4e2,v\n",
	"blank":  "x y label\n0.5  3 u\n-1 4e2\tv\n",
	"libsvm": "u 1:0.5 2:3\nv 1:-1 2:4e2\n",
	"arff": "@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute label {u,v}\n@data\n0.5,3,u\n" +
		"-1,4e2,v\n",
}

// TestEveryFormat: what every format keeps. A table in its notation is recognised without an extension, by no other
// format, and its cells are those of the table.
func TestEveryFormat(t *testing.T) {
	written, extensions := maps.Clone(notations), map[string]string{}
	written["parquet"] = string(drawnParquet(t, [][]string{{"0.5", "-1"}, {"3", "4e2"}, {"u", "v"}}))
	for _, f := range read.All {
		for _, e := range f.Extensions {
			must.Be(t, extensions[e], "", "the extension")
			must.Begin(t, e, ".")
			must.Be(t, e, strings.ToLower(e), "the extension")
			extensions[e] = f.Name
		}
		text, has := written[f.Name]
		if !has {
			t.Errorf("the format %s has no table in notations", f.Name)
			continue
		}
		by, o := read.Sniff("", []byte(text))
		if by != f {
			t.Errorf("a file of format %s is taken for %s: the Sniff of one of them is wrong", f.Name, by.Name)
			continue
		}
		want := [][]string{{"0.5", "3", "u"}, {"-1", "4e2", "v"}}
		if f.Sparse {
			want = [][]string{{"u", "0.5", "3"}, {"v", "-1", "4e2"}}
		}
		o.Header = f.Takes("header")
		table, got := cellsOf(t, f, f.Name, []byte(text), o)
		must.Be(t, got, want, f.Name)
		if len(got) > table.MaxRows {
			t.Errorf("format %s reads %d rows, and MaxRows, by which memory is counted, is %d", f.Name, len(got),
				table.MaxRows)
		}
	}
}
