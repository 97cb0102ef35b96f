package reports_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/reports"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	table := build(t, smallInput())
	for _, c := range []struct {
		file, format string
		options      reports.RenderOptions
	}{
		{"small.txt", "text", reports.RenderOptions{}},
		{"small-options.txt", "text", reports.RenderOptions{Title: "Accuracies", Bold: true,
			Std: reports.StdSample, Ranks: reports.RanksMid, Decimals: 2, OmitPublished: true}},
		{"small.md", "md", reports.RenderOptions{}},
		{"small.tex", "latex", reports.RenderOptions{}},
		{"small.html", "html", reports.RenderOptions{}},
		{"small.csv", "csv", reports.RenderOptions{}},
		{"small.json", "json", reports.RenderOptions{}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := render(t, table, c.format, c.options)
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s differs (-want +got); run with -update if it should:\n%s", path, diff)
			}
		})
	}
}

// CSV means are the quotient of their integer counts, and read back equal.
func TestCSVKeepsPrecision(t *testing.T) {
	table := build(t, sampleInput())
	records, err := csv.NewReader(strings.NewReader(render(t, table, "csv", reports.RenderOptions{Decimals: 1}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}
	if got, want := len(records)-1, len(table.Rows)*len(table.Methods); got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, r := range records[1:] {
		var correct, test int64
		fmt.Sscan(r[column["correct"]], &correct)
		fmt.Sscan(r[column["test"]], &test)
		if test == 0 {
			if r[column["mean"]] != "" || r[column["missing"]] == "" {
				t.Errorf("%v: a cell without runs has a mean, or no reason", r)
			}
			continue
		}
		var mean float64
		fmt.Sscan(r[column["mean"]], &mean)
		if want, _ := big.NewRat(100*correct, test).Float64(); mean != want { // all splits of a set are of one size
			t.Errorf("%s on %s: mean %v, want %v", r[column["method"]], r[column["dataset"]], mean, want)
		}
	}
}

func TestJSONOpensWithItsVersion(t *testing.T) {
	out := render(t, build(t, sampleInput()), "json", reports.RenderOptions{})
	if !strings.HasPrefix(out, "{\n  \"schema_version\": 1,\n  \"report\": \"table2\",") {
		t.Errorf("JSON opens with %.60q", out)
	}
}

// checkHTML reports markup that does not nest and anything that would be loaded.
func checkHTML(t testing.TB, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("HTML: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if slices.Contains([]string{"script", "link", "img", "iframe", "object"}, e.Name.Local) {
			t.Errorf("HTML loads or runs something: <%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			if slices.Contains([]string{"src", "href", "onload", "onclick"}, a.Name.Local) {
				t.Errorf("HTML refers elsewhere: %s=%q", a.Name.Local, a.Value)
			}
		}
	}
}

func TestHTMLStandsAlone(t *testing.T) {
	page := render(t, build(t, sampleInput()), "html", reports.RenderOptions{})
	checkHTML(t, page)
	for _, bad := range []string{"url(", "@import", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("HTML contains %q", bad)
		}
	}
	for _, part := range []string{"by split: 1: ", "SELECT dataset, method, split", `"difference up3">&#43;2.6`, "prefers-color-scheme: dark", "@media print"} {
		if !strings.Contains(page, part) {
			t.Errorf("HTML lacks %q", part)
		}
	}
}

// Any name, reason or title may come from elsewhere: every format must still be
// well formed.
func FuzzNames(f *testing.F) {
	f.Add("a", "b", "c")
	f.Add("</title><script>alert(1)</script>", `"; DROP TABLE`, "a|b\n* x")
	f.Add(`\end{document}`, "%$#_{}~^&", "\x1b[31m\x00\xff")
	f.Add("ä ± † €", "``", "--")
	f.Add("\u009b31m\u202e", "\x7f\a\b\r", "\x1b]0;title\a\u2066 \x9b31m 'it''s' $x$ ~~y~~")
	f.Fuzz(func(t *testing.T, dataset, method, reason string) {
		in := reports.Table2Input{Protocol: "p" + dataset, Methods: []string{method, "other"}, Splits: 2,
			Datasets: []reports.Dataset{{Name: dataset}}, FullCommand: reason, Notes: []string{reason},
			Published: []reports.Published{{Source: reason, Dataset: dataset, Method: method, Mean: 50}},
			LeftOut:   []string{dataset}, Regression: []string{reason}, Warnings: []string{reason},
			Changed:    []reports.Change{{Dataset: dataset, File: reason, Was: method, Is: reason, Command: reason}},
			Impossible: []reports.Impossible{{Dataset: dataset, Method: "other", Why: reason}},
			Provenance: reports.Provenance{Database: reason, Program: reason, Command: reason, Environment: []string{reason}, Queries: []reports.Query{{Title: method, SQL: reason}}},
			Runs: []reports.Run{
				{Dataset: dataset, Method: method, Split: 1, Status: "ok", Correct: 1, Test: 2},
				{Dataset: dataset, Method: method, Split: 2, Status: reason, Error: reason},
			}}
		table, err := reports.BuildTable2(in)
		if err != nil {
			return // an empty or repeated name
		}
		for _, format := range reports.Formats() {
			out := render(t, table, format, reports.RenderOptions{Title: reason})
			if i := strings.IndexFunc(out, obeyed); i >= 0 || !utf8.ValidString(out) {
				t.Errorf("%s has %q, which a terminal would obey, or is no UTF-8", format, out[max(0, i):][:1])
			}
			switch format {
			case "html":
				// The XML reader refuses characters that HTML only replaces.
				if !strings.ContainsFunc(out, func(r rune) bool { return r > 0xD7FF }) {
					checkHTML(t, out)
				}
			case "json":
				if !json.Valid([]byte(out)) {
					t.Error("JSON is not valid")
				}
			case "csv":
				if records, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(records) != 3 {
					t.Errorf("CSV has %d records, want 3; error %v", len(records), err)
				}
			case "latex":
				checkLaTeX(t, out)
			}
		}
	})
}

// obeyed reports characters that a terminal acts on instead of showing them.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// checkLaTeX reports unbalanced braces, foreign commands and a document that
// ends early.
func checkLaTeX(t testing.TB, source string) {
	t.Helper()
	depth, ends := 0, 0
	for _, line := range strings.Split(source, "\n") {
		if strings.HasPrefix(line, "%") {
			continue
		}
		ends += strings.Count(line, `\end{document}`)
		escaped := false
		for _, r := range line {
			switch {
			case escaped:
				escaped = false
			case r == '\\':
				escaped = true
			case r == '{':
				depth++
			case r == '}':
				depth--
			}
			if depth < 0 {
				t.Fatalf("a brace closes nothing in %q", line)
			}
		}
	}
	if depth != 0 {
		t.Errorf("%d braces stay open", depth)
	}
	if ends != 1 || !strings.HasSuffix(source, "\n\\benchtableend\n") {
		t.Error("the document does not end where it should")
	}
}
