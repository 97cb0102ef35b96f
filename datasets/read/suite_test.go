package read_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

func suite() []*catalogue.Entry {
	return slices.DeleteFunc(catalogue.Builtin().All(), func(e *catalogue.Entry) bool {
		return !slices.Contains(e.Protocols, "suite")
	})
}

// cells returns the rows of the file of a set as text, with the numbers of the columns that are inputs.
func cells(t *testing.T, e *catalogue.Entry) (rows [][]string, inputs []int) {
	t.Helper()
	data, err := catalogue.Make(e, e.Files[0])
	if !e.Generated && !e.Embedded(e.Files[0]) {
		data, err = os.ReadFile(filepath.Join(testenv.Mirror(t), e.Files[0].Path))
	}
	must.Do(t, err)
	options := read.Options{Separator: e.Separator, Header: *e.Header, Columns: e.Columns}
	table := must.Get(read.FormatOf(e).Read(read.File{Options: options, Name: e.Name, Data: data,
		Budget: &read.Budget{Limit: 1 << 30}}))(t)
	for row, err := range table.Rows {
		must.Do(t, err)
		var texts []string
		for _, cell := range row.Cells {
			texts = append(texts, string(cell))
		}
		rows = append(rows, texts)
	}
	others := slices.Clone(e.Drop)
	for _, c := range []*catalogue.Column{e.Label, e.Group} {
		if c != nil {
			others = append(others, *c)
		}
	}
	used := make([]string, table.Width)
	must.Do(t, read.Claim(table, used, others, "other"))
	for j, as := range used {
		if as == "" {
			inputs = append(inputs, j)
		}
	}
	return rows, inputs
}

// TestSuiteIsAsCounted compares the entries of the 38 sets of SUITE.md with what was counted there: rows, inputs, rows
// of each class, rows with a gap, rows that repeat another one, and the files. The suite has these sets but wpbc, and
// those of table2.
func TestSuiteIsAsCounted(t *testing.T) {
	raw := string(must.Get(os.ReadFile(filepath.Join(testenv.Mirror(t), "SUITE.md")))(t))
	files := map[string][]string{} // by path: the path, bytes, SHA-256, and the source
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*?)` \\| (\\d+) \\| `(.*?)` \\| (.*?) \\|$").
		FindAllStringSubmatch(raw, -1) {
		files[row[1]] = row[1:]
	}
	sets := regexp.MustCompile(`(?m)^\| ([a-z-]+) \| .*? \| (\d+) \| (\d+) \| (\d+) \| (.*?) \| (\d+) \| (\d+) \| `).
		FindAllStringSubmatch(raw, -1)
	must.Be(t, []int{len(sets), len(files), len(suite())}, []int{38, 38, 53})
	for _, set := range sets {
		e := must.Get(catalogue.Builtin().Lookup(set[1]))(t)
		s := fits.Set(t, e.Name) // it has the rows, features and classes of the entry
		rows, inputs := cells(t, e)
		gaps, different := 0, map[string]bool{}
		for _, row := range rows {
			if slices.ContainsFunc(row, func(cell string) bool { return read.IsMissingMark([]byte(cell)) }) {
				gaps++
			}
			different[strings.Join(row, "\t")] = true
		}
		classes := regexp.MustCompile(`\((\d+)\)`).FindAllStringSubmatch(set[5], -1)
		got := []int{len(s.Y), len(inputs), s.Counts()[0], s.Counts()[1], gaps, len(rows) - len(different)}
		var want []int
		for _, text := range []string{set[3], set[4], classes[0][1], classes[1][1], set[6], set[7]} {
			want = append(want, must.Get(strconv.Atoi(text))(t))
		}
		if e.Name == "promoters" {
			want[1]-- // its identifier, which is an input there
		}
		must.Be(t, got, want, e.Name)
		must.Be(t, e.Source, "UCI "+set[2])
		if e.Name != "house-votes" { // whose "?" is a level
			must.Be(t, e.Gaps, gaps, e.Name)
		}
		f := e.Files[0]
		must.Be(t, []string{f.Path, strconv.FormatInt(f.Bytes, 10), f.SHA256}, files[f.Path][:3])
		address := f.Note
		if address == "" {
			address = strings.TrimPrefix(f.Repository, "github.com/") + "@" + f.Commit[:10] + ":" + f.Source
		}
		must.Be(t, address, files[f.Path][3])
	}
}

// prints returns the different rows of a set as texts that say little of how a copy was made: the five largest values
// of the inputs, with two digits. Whole numbers below ten, equal values and texts are left out, since codes differ
// between copies and are equal by chance between sets. A row with less than five values is left out, too.
func prints(t *testing.T, e *catalogue.Entry) map[string]bool {
	out := map[string]bool{}
	rows, inputs := cells(t, e)
	for _, row := range rows {
		var values []float64
		for _, j := range inputs {
			v, err := strconv.ParseFloat(row[j], 64)
			if err == nil && (v < 0 || v >= 10 || v != float64(int(v))) {
				values = append(values, must.Get(strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64))(t))
			}
		}
		slices.Sort(values)
		if values = slices.Compact(values); len(values) >= 5 {
			out[fmt.Sprint(values[len(values)-5:])] = true
		}
	}
	return out
}

// shared returns the share of the rows of the smaller of two sets that the other set has, too.
func shared(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for row := range a {
		if b[row] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)))
}

// TestSetsAreNotCopies: no two sets of the suite have rows in common beyond chance. Two readings of the same data are
// found, also if values were rounded, columns moved or another column is the label. So wpbc is not in the suite: most
// of its patients are also in wdbc.
func TestSetsAreNotCopies(t *testing.T) {
	const chance = 0.02
	known := map[string]map[string]bool{}
	var names []string
	for _, e := range suite() {
		t.Run(e.Name, func(t *testing.T) {
			known[e.Name] = prints(t, e)
			for _, name := range names {
				if s := shared(known[name], known[e.Name]); s > chance {
					t.Errorf("%.1f %% of the rows of one of %s and %s are in the other", 100*s, name, e.Name)
				}
			}
			names = append(names, e.Name)
		})
	}
	for copies, of := range map[string]string{"sonar-uci": "sonar", "newthyroid-multiclass": "newthyroid",
		"vehicle-multiclass": "vehicle", "wine-multiclass": "wine", "wpbc": "wdbc"} {
		if s := shared(prints(t, must.Get(catalogue.Builtin().Lookup(copies))(t)), known[of]); s < 0.3 {
			t.Errorf("%.1f %% of the rows of %s are found in %s", 100*s, copies, of)
		}
	}
}
