package reports_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
)

// named is a report by its name.
func named(name string) frame.Report {
	all := reports.All()
	return all[slices.IndexFunc(all, func(r frame.Report) bool { return r.Name == name })]
}

// arguments are some that a report takes, of the frame sample.Paper.
func arguments(r frame.Report) []string {
	switch r.Args {
	case "":
		return nil
	case "METHOD [OTHER...]":
		return []string{"GBRFF2"}
	case "[PROTOCOL] DATASET METHOD":
		return []string{"table2", "sonar", "GBRFF2"}
	}
	panic("no arguments for " + r.Args)
}

// text is the rows of a table, with a star at what is best.
func text(t doc.Table) string {
	var lines []string
	for _, r := range slices.Concat(t.Sections...) {
		line := r.Name
		for _, e := range r.Entries {
			line += " " + e.Text
			if e.Best {
				line += "*"
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// inputFor is sample.Paper with a processor time and a chosen grid point in every cell, and a sweep for its report.
func inputFor(r frame.Report) sample.Input {
	in := sample.Paper()
	in.Grids = map[string][]json.RawMessage{"g": {json.RawMessage(`{"c":1}`), json.RawMessage(`{"c":2}`)}}
	for i := range in.Rows {
		seconds, point, correct := 0.5+float64(i%7), i%2, 8
		in.Rows[i].CPUSeconds, in.Rows[i].GridHash, in.Rows[i].Selected = &seconds, "g", &point
		in.Rows[i].Folds = []result.Evaluation{{GridIndex: point, Score: result.Score{N: 10, Correct: &correct}}}
	}
	if r.Name == "sweep" {
		in.Protocol.Sweep = frame.Sweep{Name: "rows", Datasets: true}
	}
	return in
}

// Names are unique, every report says what it is, and its flags' defaults build it.
func TestReportsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range reports.All() {
		for _, name := range append([]string{r.Name}, r.Aliases...) {
			if seen[name] {
				t.Errorf("two reports are named %s", name)
			}
			seen[name] = true
		}
		if r.Summary == "" || strings.HasSuffix(r.Summary, ".") {
			t.Errorf("%s: its help is incomplete", r.Name)
		}
		d := sample.Build(t, r, inputFor(r), arguments(r)...)
		if d.Report != r.Name || d.Title == "" || d.Label == "" || len(d.Notes) == 0 && r.Select == nil ||
			len(d.Queries) == 0 {
			t.Errorf("%s: its document lacks something: %+v", r.Name, d.Title)
		}
		for _, format := range render.Formats() {
			var out bytes.Buffer
			if err := render.Write(&out, format, d, render.Options{}); err != nil || out.Len() < 100 {
				t.Errorf("%s as %s: %d bytes, error %v", r.Name, format, out.Len(), err)
			}
		}
	}
	if !seen["accuracy"] || !seen["table2"] || !seen["ranks"] || !seen["compare"] {
		t.Errorf("reports %v", seen)
	}
}

// A flag that a report adds reaches its document.
func TestFlags(t *testing.T) {
	for _, r := range reports.All() {
		flags := append(arguments(r), "--metric", "error")
		d := sample.Build(t, r, inputFor(r), flags...)
		ofErrors := slices.ContainsFunc(d.Blocks, func(b doc.Block) bool {
			records, _ := b.(doc.Records)
			return slices.ContainsFunc(records.Rows, func(row []any) bool { return slices.Contains(row, any("error")) })
		})
		must.Be(t, ofErrors, true, r.Name)
	}
}
