package paper

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

func region(t *testing.T, text string) *evidence.Region {
	t.Helper()
	r := must.Get(evidence.ParseRegion(text))(t)
	return &r
}

// one is a paper that reads the files in one column.
const one = `\documentclass{article}
\usepackage{booktabs,graphicx}
\begin{document}
\input{methods}
\input{sentence}
\input{table}
\input{compare}
FIGURE
\bibliographystyle{plain}
\bibliography{references}
\end{document}
`

// main.tex compiles, and so does a paper in one column that reads the files. Nothing sticks out of its column, and
// every reference is found.
func TestCompiles(t *testing.T) {
	for _, tool := range []string{"pdflatex", "bibtex"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed; it comes with TeX Live")
		}
	}
	table2 := must.Get(protocol.Load("table2"))(t)
	published := func(in sample.Input, method string) world {
		return world{Input: in, protocol: table2, o: Options{Method: method, Level: 0.05}}
	}
	apart := usual(t)
	apart.Protocol.Apart = apart.Protocol.Datasets
	pair := usual(t)
	pair.Methods = []string{"A", "B"}
	for name, w := range map[string]world{
		"usual": usual(t), "no figure": apart, "one other": pair,
		"paper": published(sample.Paper(), "GBRFF2"), "sixteen": published(sample.Sixteen(), "GBRFF-random"),
		"names": published(sample.Small(), sample.Small().Rows[0].Method),
	} {
		if name != "sixteen" && !testenv.ThoroughPart(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			files := w.build(t)
			figure := ""
			if _, ok := files["figure.tex"]; ok {
				figure = "\\input{figure}\n\\input{forest}"
			}
			files["one.tex"] = strings.Replace(one, "FIGURE", figure, 1)
			for name, text := range files {
				must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			compile(t, dir, "main")
			if name == "sixteen" || name == "no figure" {
				compile(t, dir, "one")
			}
		})
	}
}

// compile runs LaTeX as often as references need.
func compile(t *testing.T, dir, file string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var out []byte
	for _, args := range [][]string{{"pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", file},
		{"bibtex", file},
		{"pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", file},
		{"pdflatex", "-interaction=nonstopmode", "-halt-on-error", file}} {
		command := exec.CommandContext(ctx, args[0], args[1:]...)
		command.Dir = dir
		var err error
		if out, err = command.CombinedOutput(); err != nil || args[0] == "bibtex" &&
			strings.Contains(string(out), "Warning") {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	for _, bad := range []string{"Overfull", "undefined", "Missing character", "too large", "multiply"} {
		must.Be(t, strings.Contains(string(out), bad), false, "pdflatex", file, bad, out)
	}
}
