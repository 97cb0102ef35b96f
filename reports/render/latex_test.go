package reports_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/reports"
)

// The file compiles alone and read into a document, and fits the text block of
// the article class (345 pt) with the paper's six methods.
func TestLaTeXCompiles(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not installed; it comes with TeX Live")
	}
	host := "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\nTable~\\ref{tab:table2}.\n\\input{table}\nAfter.\n\\end{document}\n"
	hostile := smallInput()
	hostile.Notes = []string{`all of \ & % $ # _ { } ~ ^ < > | " ' ` + "`" + ` -- --- ?` + "`" + ` é Š € ± †`}
	for name, in := range map[string]reports.Table2Input{
		"sample": sampleInput(), "published": printedInput(), "small": smallInput(), "hostile": hostile,
		"empty": {Protocol: "table2", Methods: []string{"A"}, Datasets: []reports.Dataset{{Name: "x"}}, Splits: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			table := render(t, build(t, in), "latex", reports.RenderOptions{})
			checkLaTeX(t, table)
			for file, text := range map[string]string{"table.tex": table, "host.tex": host} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range []string{"table", "host"} {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				command := exec.CommandContext(ctx, pdflatex, "-interaction=nonstopmode", "-halt-on-error", file+".tex")
				command.Dir = dir
				out, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("pdflatex %s: %v\n%s", file, err, out)
				}
				for _, bad := range []string{"Overfull", "incomplete", "Missing character"} {
					if strings.Contains(string(out), bad) {
						t.Errorf("pdflatex %s says %q:\n%s", file, bad, out)
					}
				}
			}
		})
	}
}
