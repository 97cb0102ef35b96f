package render_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/table"
)

const host = "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n" +
	"Table~\\ref{LABEL}.\n\\input{table}\nAfter.\n\\end{document}\n"

// The file compiles alone and, upright, read into a document, where it fits the text block of the
// article class (345 pt).
func TestLaTeXCompiles(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not installed; it comes with TeX Live")
	}
	hostile := build(t, sample.Small(), table.Options{})
	hostile.Notes = []string{`all of \ & % $ # _ { } ~ ^ < > | " ' ` + "`" + ` -- --- ?` + "`" + ` é Š € ± †`}
	path := "/home/somebody/experiments-of-2026/results_of_the_long_run/" + strings.Repeat("deep-folder_", 6) +
		"results.db"
	hash := strings.Repeat("0a1b2c3d4e5f", 12)
	wordy := build(t, sample.Paper(), table.Options{})
	wordy.Title = "Results of " + path
	wordy.Warnings = []string{"Results of code " + hash + " stand in " + path + ".",
		"GBRFF-with-a-name-that-goes-on-and-on-" + strings.Repeat("and_on.", 20) + " has run `bench run --methods " +
			strings.Repeat("A-Method,", 15) + "B`.",
		"A word: " + strings.Repeat("Überlänge", 20) + "."}
	wordy.Notes = nil
	wordy.Blocks = append([]doc.Block{doc.Prose{Heading: "On " + path, Paragraphs: wordy.Warnings}}, wordy.Blocks...)
	for i, b := range wordy.Blocks {
		if table, ok := b.(doc.Table); ok {
			table.Legend = append(table.Legend, "In "+path+".")
			wordy.Blocks[i] = table
		}
	}
	places := sample.Build(t, frame.Report{Name: "ranks", Build: table.Ranks}, sample.Sixteen())
	sixteen := build(t, sample.Sixteen(), table.Options{})
	long := build(t, sample.Sixteen(), table.Options{Decimals: 4})
	for name, c := range map[string]struct {
		doc    doc.Document
		layout render.Options
	}{
		"sample":    {doc: build(t, sample.Paper(), table.Options{})},
		"published": {doc: build(t, sample.Printed(), table.Options{})},
		"small":     {doc: build(t, sample.Small(), table.Options{})}, "hostile": {doc: hostile},
		"wordy": {doc: wordy}, "whole": {doc: whole()}, "ranks": {doc: places}, "sixteen": {doc: sixteen},
		"sixteen over columns": {sixteen, render.Options{Spanning: true}}, "long numbers": {doc: long},
	} {
		// the hardest of each kind
		if !slices.Contains([]string{"hostile", "wordy", "whole", "sixteen over columns", "long numbers"}, name) &&
			!testenv.ThoroughPart(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			table := write(t, c.doc, "latex", c.layout)
			checkLaTeX(t, table)
			for file, text := range map[string]string{"table.tex": table,
				"host.tex": strings.Replace(host, "LABEL", c.doc.Label, 1)} {
				must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
			}
			for _, file := range []string{"table", "host"} {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				command := exec.CommandContext(ctx, pdflatex, "-interaction=nonstopmode", "-halt-on-error", file+".tex")
				command.Dir = dir
				out, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("pdflatex %s: %v\n%s", file, err, out)
				}
				for _, bad := range []string{"Overfull", "incomplete", "Missing character", "too large"} {
					must.Be(t, strings.Contains(string(out), bad), false, "pdflatex", file, bad, out)
				}
			}
		})
	}
}
