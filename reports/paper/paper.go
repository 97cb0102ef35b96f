// Package paper makes the folder that a paper reads with \input: the table of a method beside others, what is found of it, a figure,
// the paragraphs on methods, the references, and a small document that shows all of them.
//
// Tables, verdicts and the figure are those of other reports (accuracy, compare, cd), and package render writes them. The package
// adds what an author writes around them. Each number of it is read from stored cells, from the protocol or from the
// comparisons, so that the text is true of what was run, also where that is less than what was planned.
//
//	paper.go       what is asked, and the files
//	sentences.go   what is found, for the text
//	methods.go     how it was found: protocol, data sets, methods
//	origin.go      and by which tests, programs and machines; what is missing
//	references.go  the papers that the other files cite; references.bib holds all that the project knows
//	tex.go         text with mathematics, escaped
//
// The package compiles nothing, and does not write for a certain journal: files are plain LaTeX with booktabs and TikZ.
package paper

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/accuracy"
	"github.com/kernelboosting/bench/reports/cd"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
)

// Options say what the folder is about.
type Options struct {
	Method   string             // the one in question, as it is spelled
	Metric   string             // "" for the protocol's
	Level    float64            // of all tests together
	Region   *evidence.Region   // nil for the usual one
	Protocol *protocol.Protocol // that the frame was read of

	Program   string // name and version of this program
	Command   string // that makes the folder
	Generated time.Time
}

// Mark is the file that lists what this program wrote to the folder.
const Mark = "bench-paper.txt"

// Products are the files that LaTeX makes of main.tex.
var Products = []string{"main.aux", "main.bbl", "main.blg", "main.fdb_latexmk", "main.fls", "main.log", "main.out", "main.pdf", "main.synctex.gz"}

// Folder is the name of a method's folder, of letters, digits, dots and hyphens.
func Folder(method string) string { return "paper-" + plain(method) }

// A Paper is the files of a folder.
type Paper struct {
	Warnings []string // what must be read before the numbers are used
	files    []file
}

type file struct{ name, text string }

// Write hands over the files by their names.
func (p *Paper) Write(add func(name string, content func(io.Writer) error) error) error {
	for _, f := range p.files {
		err := add(f.name, func(w io.Writer) error {
			_, err := io.WriteString(w, f.text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

//go:embed main.tex
var mainDocument string

// builder collects what the files are made of.
type builder struct {
	o      Options
	frame  frame.Frame
	table  frame.Table
	ev     *evidence.Evidence
	lines  []string    // verdicts
	lacks  string      // what makes them preliminary; "" for nothing
	rows   []store.Row // of the table
	figure *doc.Figure // nil without a set that counts
	ranked string      // whether ranks are found to differ at all
}

// Build makes the files for a method beside the others of the frame. It is an error if an option has no meaning, and if the method
// and no other one have finished the same split of a set.
func Build(f frame.Frame, o Options) (*Paper, error) {
	asked := compare.Options{Method: o.Method, Metric: o.Metric, Level: o.Level, Power: 0.8, Region: o.Region, Label: label(o.Method) + ":compare"}
	verdicts, err := compare.Build(f, asked)
	if err != nil {
		return nil, err
	}
	b := &builder{o: o, frame: f}
	if b.table, err = f.TableOf(o.Metric); err != nil {
		return nil, err
	}
	if b.ev, err = asked.Evidence(&b.table); err != nil {
		return nil, err
	}
	if b.lines, err = compare.Lines(b.table, b.ev, asked); err != nil {
		return nil, err
	}
	if b.lacks, err = compare.Preliminary(b.table, b.ev, asked); err != nil {
		return nil, err
	}
	for _, s := range b.table.Sets {
		for _, m := range b.table.Methods {
			b.rows = append(b.rows, b.table.Cells(s.Name, m)...)
		}
	}
	means, err := accuracy.Build(f, accuracy.Options{Metric: o.Metric, OmitPublished: true, Ranks: accuracy.RanksMid, Label: label(o.Method)})
	if err != nil {
		return nil, err
	}
	if err := b.draw(); err != nil {
		return nil, err
	}
	p := &Paper{Warnings: b.table.Warnings}
	return p, b.write(p, means, verdicts)
}

// draw takes the figure from the diagram of critical differences; there is none where no ranks can be computed.
func (b *builder) draw() error {
	d, err := cd.Build(b.frame, cd.Options{Metric: b.o.Metric, Level: b.o.Level})
	if errors.Is(err, frame.ErrNoResults) {
		return nil
	}
	for _, block := range d.Blocks {
		switch block := block.(type) {
		case doc.Figure:
			b.figure = &block
		case doc.Prose:
			b.ranked = strings.Join(block.Paragraphs, " ")
		}
	}
	return err
}

// write fills the files. The references are those that the others cite.
func (b *builder) write(p *Paper, means, verdicts doc.Document) error {
	add := func(name, text string) { p.files = append(p.files, file{name, text}) }
	table, err := b.floats(means, b.table.Remarks())
	if err != nil {
		return err
	}
	add("table.tex", table)
	verdicts.Warnings = nil // they stand below the means
	if table, err = b.floats(verdicts, b.table.Notes()); err != nil {
		return err
	}
	add("compare.tex", table)
	if err := b.figures(add); err != nil {
		return err
	}
	add("sentence.tex", b.head("What is found, for the text; sentence.txt has a paragraph for each other method.")+mathematics(b.text())+"\n")
	add("sentence.txt", strings.Join(b.sentences(), "\n\n")+"\n")
	add("methods.tex", b.head("How it was found.")+b.methods())
	add("main.tex", b.main())
	add("references.bib", b.references(p.files))
	add("README.txt", b.readme())
	return nil
}

// floats lays out the tables of a report that are not details, with the first one's legend below it, and without some notes, which
// stand elsewhere.
func (b *builder) floats(d doc.Document, without []string) (string, error) {
	var tables []doc.Block
	var legend []string
	for _, block := range d.Blocks {
		if t, ok := block.(doc.Table); ok && !t.Detail {
			if len(tables) == 0 {
				legend, t.Legend = t.Legend, nil
			}
			tables = append(tables, t)
		}
	}
	d.Notes = slices.Concat(legend, slices.DeleteFunc(slices.Clone(d.Notes), func(n string) bool { return slices.Contains(without, n) }))
	d.Blocks, d.Program, d.Command, d.Generated = tables, b.o.Program, b.o.Command, b.o.Generated
	var out strings.Builder
	err := render.LaTeX(&out, d, render.Options{Spanning: true})
	return out.String(), err
}

// figures writes the drawing as files by itself, and as a float with its caption.
func (b *builder) figures(add func(name, text string)) error {
	if b.figure == nil {
		return nil
	}
	for _, f := range render.FigureFormats() {
		var out strings.Builder
		if err := f.Write(&out, *b.figure, doc.ColumnWidth); err != nil {
			return err
		}
		switch f.Ending {
		case ".tex":
			add("figure.tex", b.head(`Needs \usepackage{graphicx} and \usepackage{tikz}. A drawing that is wider than a column of the text is made smaller.`)+
				fmt.Sprintf("\\begin{figure}[!htbp]\n\\centering\n\\setbox0=\\hbox{%s}%%\n\\leavevmode\\ifdim\\wd0>\\columnwidth\\resizebox{\\columnwidth}{!}{\\box0}\\else\\box0\\fi\n\\caption{%s}\n\\label{%s}\n\\end{figure}\n",
					strings.TrimSuffix(out.String(), "\n"), b.caption(), label(b.o.Method)+":figure"))
		case ".pdf", ".svg":
			add("figure"+f.Ending, out.String())
		}
	}
	return nil
}

func (b *builder) caption() string {
	return tex(`Average ranks by mean test %s over %d data sets; rank 1 is the best. A bar joins methods whose ranks differ by less than the critical difference of Nemenyi's test~\cite{bench-nemenyi1963,bench-demsar2006} at level %v. All ranks together, by the test of~\cite{bench-iman1980}: %s`,
		b.table.Metric.Title, len(b.table.Counted), b.o.Level, b.ranked)
}

// head is the comment that begins a file.
func (b *builder) head(about string) string {
	return fmt.Sprintf("%% %s Written by %s, %s:\n%% %s\n", about, doc.OneLine(b.o.Program), b.o.Generated.UTC().Format("2006-01-02 15:04 UTC"), doc.OneLine(b.o.Command))
}

// main is a document that reads the other files.
func (b *builder) main() string {
	figure, see := `\input{figure}`, tex(`, and Figure~\ref{%s} the average ranks`, label(b.o.Method)+":figure")
	if b.figure == nil {
		figure, see = "% There is no figure: no data set is complete for two methods.", ""
	}
	return b.head("A page that shows the files of this folder: pdflatex main, bibtex main, pdflatex main twice.") + strings.NewReplacer("@METHOD@", render.LaTeXText(b.o.Method), "@TABLE@", label(b.o.Method),
		"@COMPARE@", label(b.o.Method)+":compare-over", "@SEE@", see, "@FIGURE@", figure).Replace(mainDocument)
}

func (b *builder) readme() string {
	drawing := "figure.tex, figure.pdf, figure.svg: average ranks with what is not told apart, as TikZ with its caption and as drawings by themselves"
	if b.figure == nil {
		drawing = "There is no figure: no data set is complete for two methods"
	}
	return fmt.Sprintf("table.tex, compare.tex: means of all methods, and %s beside each other one; \\input them (booktabs)\n%s\nsentence.tex, methods.tex: what is found and how, for the text; sentence.txt: what is found, against each other method\nreferences.bib: what these files cite; main.tex: a page that shows all of them\nWritten by %s: %s\n",
		b.o.Method, drawing, doc.OneLine(b.o.Program), doc.OneLine(b.o.Command))
}
