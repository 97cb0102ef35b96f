package datasets_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// drawnColumn draws the values of a column: numbers, categories or a mixture, with marks of missing values.
func drawnColumn(r *rapid.T, rows int) []string {
	kind := rapid.SampledFrom([][]string{
		{"0", "1", "-2.5", "3e2", "007", "+4", "9007199254740993"},
		{"red", "blue", "Blue", "two words", "a,b", `q"q`, "o'x", "50 % off", "a\\nb"},
		{"1", "2", "x"}, {"1", "2", "3", "4", "5", "6", "unknown"}, {"", "a"}, {"2020-01-02", "2021-03-04"}, {"k"},
		{"yes", "no"}, {"1,5", "2,25"}, {"1,234", "12,345,678", "7"}, {"1.234,5", "2"}, {"1 234", "12"},
		{"13/01/2020", "2/3/2021"}, {"1/2/2020", "3/4/2021"}, {"2020-01-31T23:59:59.5+02:00", "2020-02-29 00:00Z"},
		{"2020-01-02", "2021-03-04", "2/3/2021"}, {"2020-01-02", "1970-01-01", "unknown"},
		{"12%", "3.5 %"}, {"12%", "12"}, {"Yes", "NO", "n", "true"}, {"1", "0", "yes"},
	}).Draw(r, "kind")
	marks := rapid.SampledFrom([]string{"", "?", "NA", "nan", "-999"})
	kind = slices.Concat(kind, rapid.SliceOfN(marks, 0, 2).Draw(r, "marks"))
	return rapid.SliceOfN(rapid.SampledFrom(kind), rows, rows).Draw(r, "column")
}

// drawnFile draws a file in some format, as bytes and an ending.
func drawnFile(r *rapid.T) (ending string, data []byte) {
	rows, width := rapid.IntRange(12, 40).Draw(r, "rows"), rapid.IntRange(1, 4).Draw(r, "inputs")
	columns := make([][]string, width+1)
	for j := range columns {
		columns[j] = drawnColumn(r, rows)
	}
	labels := rapid.SampledFrom([][]string{
		{"p", "q"}, {"0", "1"}, {"-1", "+1", "1"}, {"a", "b", "c"}, {"9007199254740992", "9007199254740993"},
		{"1.5", "2.5", "3"},
	}).Draw(r, "labels")
	columns[width] = rapid.SliceOfN(rapid.SampledFrom(labels), rows, rows).Draw(r, "label")
	for i := range rows / 2 { // so that no class is empty
		columns[width][i] = labels[i%len(labels)]
	}
	switch ending = rapid.SampledFrom([]string{".csv", ".arff", ".svm", ".parquet"}).Draw(r, "format"); ending {
	case ".csv":
		return ending, drawnCSV(r, columns)
	case ".arff":
		return ending, drawnARFF(r, columns)
	case ".svm":
		return ending, drawnSparse(r, columns)
	}
	return ending, drawnParquet(r, columns)
}

func drawnCSV(r *rapid.T, columns [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(r, "separator")
	if rapid.Bool().Draw(r, "header") {
		names := rapid.SampledFrom([][]string{
			{"a", "b", "c", "d"}, {"a", "a", "id", "a=x"}, {"", "x y", "\"q\"", "é"},
		}).Draw(r, "names")
		_ = w.Write(append(slices.Clone(names[:len(columns)-1]), "y"))
	}
	for i := range columns[0] {
		var row []string
		for _, c := range columns {
			row = append(row, c[i])
		}
		_ = w.Write(row)
	}
	w.Flush()
	starts := []string{"", "\xef\xbb\xbf", "# remark\n", "sep=" + string(w.Comma) + "\n"}
	text := rapid.SampledFrom(starts).Draw(r, "start") + b.String()
	switch rapid.IntRange(0, 3).Draw(r, "ends") {
	case 1:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 2:
		text = strings.ReplaceAll(text, "\n", "\r")
	case 3:
		text = strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\r"), "\r") + "\n"
	}
	return []byte(text)
}

func drawnARFF(r *rapid.T, columns [][]string) []byte {
	quoted := func(s string) string {
		if s == "?" || regexp.MustCompile(`^[\w.+-]+$`).MatchString(s) {
			return s
		}
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	var b strings.Builder
	b.WriteString("@RELATION r\n")
	for j, c := range columns {
		number := !slices.ContainsFunc(c, func(s string) bool {
			_, err := strconv.ParseFloat(s, 64)
			return err != nil && s != "?"
		})
		name := []string{"a", "b", "c", "d", "y"}[min(j+5*(j/(len(columns)-1)), 4)]
		if number && j < len(columns)-1 {
			fmt.Fprintf(&b, "@Attribute %s%d numeric\n", name, j)
			continue
		}
		levels := map[string]bool{}
		var list []string
		for _, s := range c {
			if s != "?" && !levels[s] {
				levels[s] = true
				list = append(list, quoted(s))
			}
		}
		blank := rapid.SampledFrom([]string{"", " "}).Draw(r, "blank")
		fmt.Fprintf(&b, "@attribute %s%d%s{%s}\n", name, j, blank, strings.Join(list, ","))
	}
	b.WriteString("@data\n")
	sparse := rapid.Bool().Draw(r, "sparse")
	separator := rapid.SampledFrom([]string{",", ", ", "\t"}).Draw(r, "separator")
	for i := range columns[0] {
		var row []string
		for j, c := range columns {
			if sparse {
				row = append(row, fmt.Sprint(j, " ", quoted(c[i])))
			} else {
				row = append(row, quoted(c[i]))
			}
		}
		if sparse {
			b.WriteString("{" + strings.Join(row, ",") + "}\n")
		} else {
			end := rapid.SampledFrom([]string{"\n", "\n", " % remark, with a comma\n"}).Draw(r, "end")
			b.WriteString(strings.Join(row, separator) + end)
		}
	}
	return []byte(b.String())
}

func drawnSparse(r *rapid.T, columns [][]string) []byte {
	var b strings.Builder
	for i := range columns[0] {
		b.WriteString(columns[len(columns)-1][i])
		for j, c := range columns[:len(columns)-1] {
			if _, err := strconv.ParseFloat(c[i], 64); err == nil {
				fmt.Fprintf(&b, " %d:%s", 3*j+1, c[i])
			}
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", " # remark\n", "\n\n"}).Draw(r, "end"))
	}
	return []byte(b.String())
}

func drawnParquet(r must.T, columns [][]string) []byte {
	fields := parquet.Group{}
	for j := range columns {
		fields[fmt.Sprint("c", j)] = parquet.Optional(parquet.String())
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, parquet.NewSchema("r", fields))
	for i := range columns[0] {
		var row parquet.Row
		for j, c := range columns {
			v := parquet.ValueOf(c[i]).Level(0, 1, j)
			if c[i] == "" {
				v = parquet.NullValue().Level(0, 0, j)
			}
			row = append(row, v)
		}
		must.Get(w.WriteRows([]parquet.Row{row}))(r)
	}
	must.Do(r, w.Close())
	return out.Bytes()
}

var (
	saidLabel  = regexp.MustCompile(`(?m)^# label (".*?")(?: \(class \+1\))?: (\d+) rows$`)
	saidColumn = regexp.MustCompile(`(?m)^# column (\d+) ".*?": (.*?)(?:; (\d+) missing)?$`)
	saidLevels = regexp.MustCompile(`^(\d+) categories: `)
)

// TestDescribeAgreesWithWhatIsRead draws files in all formats. The labels, the numeric columns and the categorical
// columns that a description states are those of the set that is read with this description. If the file cannot be
// read, the description lists the problem.
func TestDescribeAgreesWithWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		ending, data := drawnFile(r)
		path, toml := filepath.Join(dir, "a"+ending), filepath.Join(dir, "a.toml")
		must.Do(r, os.WriteFile(path, data, 0o600))
		d, err := read.Describe(t.Context(), path, read.Hints{TOML: toml, Memory: 1 << 30})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				r.Fatalf("error %q", err)
			}
			return
		}
		e, err := catalogue.Description{TOML: d.TOML, Path: toml}.Entry()
		if err != nil {
			r.Fatalf("%v in\n%s", err, d.TOML)
		}
		set, err := read.Load(t.Context(), catalogue.Directory{Memory: 1 << 30}, e)
		if (err == nil) != d.Loads || err != nil && d.Problems == nil {
			r.Fatalf("error %v, problems %q\n%s", err, d.Problems, d.TOML)
		}
		if d.Problems == nil {
			compare(r, d, set)
		}
	})
}

func compare(r *rapid.T, d *read.Description, set *datasets.Set) {
	rows := map[string]int{}
	for _, m := range saidLabel.FindAllStringSubmatch(d.TOML, -1) {
		name, n := must.Get(strconv.Unquote(m[1]))(r), must.Get(strconv.Atoi(m[2]))(r)
		rows[name] += n
	}
	if len(set.Labels) == len(rows) {
		for k, label := range set.Labels {
			must.Be(r, set.Counts()[k], rows[label], label, d.TOML)
		}
	} else if len(set.Labels) > 0 && len(set.Labels) != 2 {
		r.Fatalf("classes %q in\n%s", set.Labels, d.TOML)
	}
	n, width := set.X.Dims()
	next, columns := 0, saidColumn.FindAllStringSubmatch(d.TOML, -1)
	for _, m := range columns { // of numbers, which come first
		if saidLevels.MatchString(m[2]) || strings.HasPrefix(m[2], "left out: ") {
			continue
		}
		low, high, seen, gaps := math.Inf(1), math.Inf(-1), map[float64]int{}, 0
		for i := range n {
			v := set.X.At(i, next)
			if v != v {
				gaps++
				continue
			}
			low, high = min(low, v), max(high, v)
			seen[v]++
		}
		next++
		got := fmt.Sprintf("numbers %v to %v, %d different", low, high, len(seen))
		if strings.HasPrefix(m[2], "dates ") {
			day := func(v float64) string {
				return time.Unix(int64(math.Floor(v))*86400, 0).UTC().Format(time.DateOnly)
			}
			got = fmt.Sprintf("dates %s to %s, %d different", day(low), day(high), len(seen))
			next += 2
		}
		if strings.Contains(m[2], " yes, ") {
			got = fmt.Sprintf("%d yes, which is 1, and %d no, which is 0", seen[1], seen[0])
		}
		must.Be(r, got, m[2], "column", m[1], d.TOML)
		must.Be(r, gaps, number(m[3]), "column", m[1], d.TOML)
	}
	for _, m := range columns {
		levels := saidLevels.FindStringSubmatch(m[2])
		if levels == nil {
			continue
		}
		known := number(levels[1])
		ones := 0
		for k := range known + min(1, number(m[3])) {
			for i := range n {
				ones += int(set.X.At(i, next+k))
			}
		}
		if next += known + min(1, number(m[3])); ones != n {
			r.Fatalf("column %s: %d rows have a level in\n%s", m[1], ones, d.TOML)
		}
	}
	if set.Features != nil && !strings.Contains(d.TOML, `format = "libsvm"`) && next != width {
		r.Fatalf("%d of %d features are described in\n%s", next, width, d.TOML)
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
