package render_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// build is the table of accuracies of an input.
func build(t testing.TB, in sample.Input, o table.Options) doc.Document {
	t.Helper()
	d := sample.Build(t, frame.Report{Name: "accuracy", Build: func(t *frame.Table) (doc.Document, error) {
		return table.Build(t, o), nil
	}}, in)
	d.Program, d.Command = "bench v0", "bench report accuracy"
	d.Generated = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return d
}

func write(t testing.TB, d doc.Document, format string, o render.Options) string {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, render.Write(&out, format, d, o))
	return out.String()
}

// whole is a document with every kind of block, none of them a detail.
func whole() doc.Document {
	table := doc.Table{Heading: "Part", Caption: "A table", Corner: "Row", Best: "the best.",
		Legend: []string{"A sentence.", "Another."},
		Head: []doc.Column{{Name: "n", Kind: doc.Repeated}, {Name: "ours", Group: "G_1"},
			{Name: "theirs", Long: "their own", Group: "G_1", Kind: doc.Quoted},
			{Name: "diff.", Long: "difference", Group: "G_1", Kind: doc.Signed}, {Name: "words", Kind: doc.Words}},
		Sections: [][]doc.Row{{
			{Name: "first", Entries: []doc.Entry{{Text: "3"}, {Text: "1.5", Dev: "0.5", Best: true, Tip: "a tip",
				SQL: "SELECT 1"}, {Text: "2.0"}, {Text: "-0.5", Shade: -1}, {Text: "some words"}}},
			{Name: "second", Entries: []doc.Entry{{Text: "12"}, {Text: "-"}, {Text: "-"}, {Text: "-"}, {Text: "none"}}},
		}}}
	numbers := doc.Table{Corner: "x", Head: []doc.Column{{Name: "y"}},
		Sections: [][]doc.Row{{{Name: "1", Entries: []doc.Entry{{Text: "2"}}}}}}
	records := doc.Records{Name: "things", Columns: []string{"name", "value", "list"}}
	records.Add("a", 0.1, []int{1, 2})
	records.Add("b", nil, []string{"x", "y"})
	more := doc.Records{Name: "more", Columns: []string{"flag"}}
	more.Add(true)
	return doc.Document{Report: "whole", Title: "A title", Label: "tab:whole", Warnings: []string{"Look out."},
		Notes: []string{"A note."},
		Provenance: doc.Provenance{Program: "bench v0", Queries: []doc.Query{
			{Title: "All", SQL: "SELECT a -- b\nFROM results;\n"}}},
		Blocks: []doc.Block{
			doc.Prose{Heading: "Words", Paragraphs: []string{"A paragraph.", "Another one."}}, table,
			doc.Figure{Title: "A figure", About: "of a point", Plot: func(float64) doc.Drawing {
				return doc.Drawing{Width: 9, Height: 9, Marks: []doc.Mark{
					{Shape: doc.Dot, Role: doc.Value, X: 1, Y: 2, Size: 2}}}
			}, Alt: "A point at 1, 2", Numbers: &numbers},
			doc.Code{Title: "To compute it", Language: "sh", Text: "bench run --all"},
			doc.Code{Title: "To ask", Language: "sql", Text: "SELECT 1,\n  2"}, records, more,
		}}
}

// TestGolden: the documents are what they were. Of sample.Small they were checked by hand: on tie A_1 has 70, 80
// and 90 percent, so 24 of 30 and the squared deviations 100 + 0 + 100; ranks are 1.5 1.5 3 on tie and 2 1 3 on
// clear; uneven has different splits and big_set a single method, so that neither has a best and neither counts.
func TestGolden(t *testing.T) {
	small := build(t, sample.Small(), table.Options{})
	options := build(t, sample.Small(), table.Options{Decimals: 2, OmitPublished: true})
	options.Title = "Accuracies"
	printed := build(t, sample.Printed(), table.Options{})
	for i, b := range printed.Blocks {
		if table, ok := b.(doc.Table); ok && table.Label == "published-1" {
			table.Detail = false // a table with groups of columns
			printed.Blocks[i] = table
		}
	}
	sixteen := build(t, sample.Sixteen(), table.Options{OmitPublished: true})
	wide := sixteen
	wide.Narrow = nil // the columns in parts below each other
	places := sample.Build(t, frame.Report{Name: "ranks", Build: table.Ranks}, sample.Paper())
	for _, c := range []struct {
		file, format string
		doc          doc.Document
		options      render.Options
	}{
		{"small.txt", "text", small, render.Options{}},
		{"small-options.txt", "text", options, render.Options{Bold: true}},
		{"small.md", "md", small, render.Options{}},
		{"small.tex", "latex", small, render.Options{}},
		{"small.html", "html", small, render.Options{}},
		{"small.csv", "csv", small, render.Options{}},
		{"small.json", "json", small, render.Options{}},
		{"printed.txt", "text", printed, render.Options{Width: 100}},
		{"printed.md", "md", printed, render.Options{}},
		{"sixteen-80.txt", "text", wide, render.Options{Width: 80}},
		{"sixteen-120.txt", "text", wide, render.Options{Width: 120}},
		{"sixteen-narrow.txt", "text", sixteen, render.Options{Width: 100}},
		{"ranks.txt", "text", places, render.Options{Width: 80}},
		{"ranks.csv", "csv", places, render.Options{}},
		{"whole.txt", "text", whole(), render.Options{Width: 80}},
		{"whole.md", "md", whole(), render.Options{}},
		{"whole.tex", "latex", whole(), render.Options{}},
		{"whole.html", "html", whole(), render.Options{}},
		{"whole.csv", "csv", whole(), render.Options{}},
		{"whole.json", "json", whole(), render.Options{}},
	} {
		t.Run(c.file, func(t *testing.T) {
			golden(t, c.file, write(t, c.doc, c.format, c.options))
		})
	}
}

// styled is the style of a page and its hash.
var styled = regexp.MustCompile(`(?s)<style>.*?</style>|style-src &#39;.*?&#39;`)

// golden compares with a file of testdata, a page without its style.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if strings.HasSuffix(file, ".html") {
		got = styled.ReplaceAllString(got, "")
	}
	path := filepath.Join("testdata", file)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	must.Be(t, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")), "", path)
}

func TestUnknownFormat(t *testing.T) {
	must.Say(t, render.Write(io.Discard, "pdf", whole(), render.Options{}), "text, md, latex, html, csv, json")
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
		must.Be(t, slices.Contains([]string{"script", "img", "iframe", "object"}, e.Name.Local), false,
			"HTML loads or runs something: <", e.Name.Local)
		for _, a := range e.Attr {
			if a.Value == "#main" || a.Value == "data:," { // a link within the page, and an empty icon
				continue
			}
			must.Be(t, slices.Contains([]string{"src", "href", "onload", "onclick"}, a.Name.Local), false,
				"HTML refers elsewhere", a.Name.Local, a.Value)
		}
	}
}

// Any name, reason or title may come from elsewhere: every format of every report must still be well
// formed.
func FuzzNames(f *testing.F) {
	f.Add("a", "b", "c")
	f.Add("</title><script>alert(1)</script>", `"; DROP TABLE`, "a|b\n* x")
	f.Add(`\end{document}`, "%$#_{}~^&", "\x1b[31m\x00\xff")
	f.Add("ä ± † €", "``", "--")
	f.Add("\u009b31m\u202e", "\x7f\a\b\r", "\x1b]0;title\a\u2066 \x9b31m 'it''s' $x$ ~~y~~")
	f.Fuzz(func(t *testing.T, dataset, method, reason string) {
		if dataset == "" || method == "" || method == "other" {
			return
		}
		in := sample.Input{Known: map[string]sample.Set{dataset: {File: reason,
			Now: &frame.Data{Fingerprint: reason, File: reason}}}}
		in.Protocol.Name, in.Protocol.Splits, in.Protocol.Datasets, in.Protocol.Published = "p"+dataset, 2,
			[]string{dataset}, sample.Published
		in.Run.Protocol = reason
		in.Rows = []store.Row{sample.OK(dataset, method, 1, 1, 2), sample.OK(dataset, "other", 1, 2, 2),
			sample.Failed(dataset, method, 2, result.Status(reason), reason)}
		d, places := build(t, in, table.Options{}), sample.Build(t, frame.Report{Name: "ranks", Build: table.Ranks}, in)
		d.Title, d.Label, places.Title, places.Label = reason, method, reason, method
		d.Program, d.Command, d.Environment = reason, reason, []string{reason}
		d.Queries = append(d.Queries, doc.Query{Title: method, SQL: reason})
		free := whole() // prose and code that a report may take from elsewhere
		free.Blocks = append(free.Blocks, doc.Prose{Heading: dataset, Paragraphs: []string{reason}},
			doc.Code{Title: method, Language: "sql", Text: reason},
			doc.Figure{Title: dataset, About: method, Alt: reason})
		for _, d := range []doc.Document{d, places, free} {
			for _, format := range render.Formats() {
				out := write(t, d, format, render.Options{Width: 60})
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
					must.Be(t, json.Valid([]byte(out)), true, "JSON is not valid")
				case "csv":
					if records, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(records) < 3 {
						t.Errorf("CSV has %d records, want 3 or more; error %v", len(records), err)
					}
				case "latex":
					checkLaTeX(t, out)
				}
			}
		}
	})
}

// obeyed reports characters that a terminal acts on instead of showing them.
func obeyed(r rune) bool {
	return wording.Obeyed(r) && r != '\n' && r != '\t'
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
	must.Be(t, depth, 0)
	must.Be(t, ends, 1, "the document does not end where it should")
	must.Be(t, strings.HasSuffix(source, "\n\\benchtableend\n"), true, "the document does not end where it should")
}
