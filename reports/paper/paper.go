// Package paper makes a folder of LaTeX files that a paper reads with \input: the table of a method against other
// methods, the verdicts on the method, figures, the paragraphs on methods, the references, and a small document
// that shows all of these files.
//
// Tables, verdicts and figures come from other reports (accuracy, compare, cd), and package render writes them.
// This package adds the text that an author writes around them. Each number in the text is read from stored cells,
// from the protocol or from the comparisons. So the text is true of what was run, even if less was run than
// planned.
//
// The package compiles nothing, and does not write for a certain journal: files are plain LaTeX with booktabs and
// graphicx.
package paper

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/table"
)

// Options say what the folder is about.
type Options struct {
	Method   string             // the method in question, as it is spelled
	Metric   string             // "" for the protocol's
	Level    float64            // of all tests together
	Region   *evidence.Region   // nil for the usual one
	Protocol *protocol.Protocol // of the frame

	Program   string // name and version of this program
	Command   string // the command that makes the folder
	Generated time.Time
}

// Mark is the file that lists what this program wrote to the folder.
const Mark = "bench-paper.txt"

// Products are the files that LaTeX makes of main.tex.
var Products = []string{"main.aux", "main.bbl", "main.blg", "main.fdb_latexmk", "main.fls", "main.log", "main.out",
	"main.pdf", "main.synctex.gz"}

// Folder is the name of a method's folder, of letters, digits, dots and hyphens.
func Folder(method string) string { return "paper-" + plain(method) }

// A Paper is the files of a folder.
type Paper struct {
	Warnings []string // what must be read before the numbers are used
	files    []file
}

// A file is a document of the folder. A file of LaTeX begins with what it is about.
type file struct{ name, about, text string }

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
	o           Options
	table       *frame.Table
	planned     int    // data sets of the main group
	of          string // " of METHOD" where the table leaves out sets without a result of the method
	ev          *evidence.Evidence
	line        string      // the verdict in one line
	first, rest []string    // verdicts: those for the text, and one for each other method if there are many
	reading     []string    // how to read them
	lacks       string      // what makes the verdicts preliminary; "" for nothing
	rows        []store.Row // of the table
	figures     []figure
	files       []file
}

// A figure is drawn in a file of its own.
type figure struct {
	doc.Figure
	name    string // of its files, and part of its label
	about   string // what it shows, for the text
	caption string // LaTeX
}

// Build makes the files for a method, compared with the other methods of the frame. It is an error if an option has no
// meaning, or if no other method has finished a split of a set that this method has finished.
func Build(f frame.Frame, o Options) (*Paper, error) {
	all, err := f.Table(o.Metric)
	if err != nil {
		return nil, err
	}
	t, without := &all, []string(nil)
	if slices.Contains(all.Methods, o.Method) {
		t, without = compare.Focused(&all, o.Method)
	}
	page, err := compare.NewPage(t, compare.Options{Method: o.Method, Level: o.Level, Region: o.Region})
	if err != nil {
		return nil, err
	}
	verdicts, label := page.Document(), string(labelOf(o.Method))
	t.Complete("compare", label+":compare", &verdicts)
	b := &builder{o: o, table: t, planned: len(mainSets(&all)), ev: page.Evidence,
		lacks: strings.TrimSpace(page.Preliminary()), line: page.Line(),
		rows: slices.Collect(t.All())}
	if without != nil {
		b.of = " of " + o.Method
	}
	b.first, b.rest = page.Sentences()
	for _, block := range verdicts.Blocks {
		if p, ok := block.(doc.Prose); ok { // the last one, whose last paragraph is advice to the author
			b.reading = p.Paragraphs[:len(p.Paragraphs)-1]
		}
	}
	means := table.Build(t, table.Options{OmitPublished: true})
	t.Complete("accuracy", label, &means)
	means.Notes = append(means.Notes, without...)
	if err := b.draw(verdicts); err != nil {
		return nil, err
	}
	err = b.write(means, verdicts)
	return &Paper{t.Warnings, b.files}, err
}

// draw takes two figures from other reports. The diagram of average ranks exists if two methods have a data set
// that counts. The second figure shows differences: from each other method if there are several, and otherwise on
// each data set.
func (b *builder) draw(verdicts doc.Document) error {
	asked := evidence.Options{Level: b.o.Level}
	if slices.Contains(b.table.Whole(), b.o.Method) { // a partial method has no rank, and is in no diagram
		asked.Method = b.o.Method
	}
	ranks, err := compare.NewDiagram(b.table, asked, compare.Wilcoxon)
	if err != nil && !errors.Is(err, frame.ErrNoResults) {
		return err
	}
	if f, ok := firstFigure(ranks); ok {
		caption := tex(`%s; rank 1 is the best~\cite{bench-demsar2006}.`, f.Alt)
		for _, more := range f.Numbers.Legend[1:] {
			caption += tex(" %s", more)
		}
		if asked.Method == "" {
			caption += tex(" Here each method is compared with each.")
		}
		if partial := b.table.Methods[len(b.table.Whole()):]; len(partial) > 0 {
			caption += tex(" Without a rank, since splits or data sets are missing: %s.", frame.Listed(partial))
		}
		f = b.table.MarkOwn([]doc.Block{f})[0].(doc.Figure)
		b.figures = append(b.figures, figure{f, "figure", "average ranks", caption})
	}
	drawn := slices.ContainsFunc(b.ev.Pairs, func(p evidence.Pair) bool { return len(p.Gains) > 0 })
	if f, ok := firstFigure(verdicts); ok && (drawn || len(b.ev.Pairs) == 1) {
		b.figures = append(b.figures, figure{f, "forest", "differences with their intervals",
			tex("%s: %s.", f.Alt, f.About)})
	}
	return nil
}

func firstFigure(d doc.Document) (doc.Figure, bool) {
	for _, block := range d.Blocks {
		if f, ok := block.(doc.Figure); ok {
			return f, true
		}
	}
	return doc.Figure{}, false
}

// write makes the list of files. The references are the papers that the other files cite.
func (b *builder) write(means, verdicts doc.Document) error {
	verdicts.Warnings = nil // the warnings are below the table of means
	err := cmp.Or(
		b.floats("table.tex", "the means of all methods", means, b.table.Remarks()),
		b.floats("compare.tex", b.o.Method+" against each other method", verdicts, b.table.Notes()))
	for _, f := range b.figures {
		err = cmp.Or(err, b.drawing(f))
	}
	found := b.sentences(slices.Concat(b.first, b.rest))
	b.add("sentence.tex", "what is found, for the text", mathematics(b.sentences(b.first))+"\n")
	b.add("sentence.txt", "what is found, against each other method",
		strings.Join(append([]string{b.line}, found...), "\n\n")+"\n")
	b.add("methods.tex", "how it was found", b.methods())
	for _, r := range b.ev.Registered {
		b.add(fileOf(r), "a registered comparison; sha256sum of the file is its hash", r.Text)
	}
	b.add("main.tex", "a page that shows the files of this folder: pdflatex main, bibtex main, pdflatex main twice",
		b.main())
	b.add("references.bib", "the papers that these files cite", b.references())
	list := ""
	for _, f := range b.files {
		list += f.name + ": " + f.about + "\n"
	}
	b.add("README.txt", "", list+fmt.Sprintf("Written by %s: %s\n", doc.OneLine(b.o.Program), doc.OneLine(b.o.Command)))
	return err
}

// add adds a file to the list. A file of LaTeX that package render did not make gets a head.
func (b *builder) add(name, about, text string) {
	if strings.HasSuffix(name, ".tex") && !strings.HasPrefix(text, "%") {
		text = fmt.Sprintf("%% %s. Written by %s, %s:\n%% %s\n", frame.Capital(about), doc.OneLine(b.o.Program),
			b.o.Generated.UTC().Format("2006-01-02 15:04 UTC"), doc.OneLine(b.o.Command)) + text
	}
	b.files = append(b.files, file{name, about, text})
}

func fileOf(r evidence.Registration) string { return "comparison-" + r.Short() + ".toml" }

// floats adds a file with the tables of a report, except details. The legend of the first table is below that table.
// Notes in without are left out, since they are elsewhere.
func (b *builder) floats(name, about string, d doc.Document, without []string) error {
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
	d.Notes = slices.Concat(legend, slices.DeleteFunc(slices.Clone(d.Notes), func(n string) bool {
		return slices.Contains(without, n)
	}))
	d.Blocks, d.Program, d.Command, d.Generated = tables, b.o.Program, b.o.Command, b.o.Generated
	var out strings.Builder
	err := render.LaTeX(&out, d, render.Options{Spanning: true})
	b.add(name, about+"; needs booktabs and graphicx", out.String())
	return err
}

// drawing adds a figure as files by itself, and as a float with its caption.
func (b *builder) drawing(f figure) error {
	for _, format := range render.FigureFormats() {
		var out strings.Builder
		if err := format.Write(&out, f.Figure, doc.ColumnWidth); err != nil {
			return err
		}
		if format.Endings[0] != ".png" {
			b.add(f.name+format.Endings[0], "the drawing alone", out.String())
		}
	}
	b.add(f.name+".tex", f.about+"; needs graphicx, and \\graphicspath where the paper's folder is another one",
		fmt.Sprintf("\\begin{figure}[!htbp]\n\\centering\n\\setbox0=\\hbox{\\includegraphics{%s}}%%\n"+
			"\\leavevmode\\ifdim\\wd0>\\columnwidth\\resizebox{\\columnwidth}{!}{\\box0}\\else\\box0\\fi\n"+
			"\\caption{%s}\n\\label{%s}\n\\end{figure}\n", f.name, f.caption, b.refer(f)))
	return nil
}

func (b *builder) refer(f figure) label { return labelOf(b.o.Method) + label(":"+f.name) }

func (b *builder) main() string {
	see := []string{tex(`Table~\ref{%s} has the means`, labelOf(b.o.Method)),
		tex(`Table~\ref{%s} the comparisons`, labelOf(b.o.Method)+":compare-over")}
	inputs := ""
	for _, f := range b.figures {
		see = append(see, tex(`Figure~\ref{%s} %s`, b.refer(f), f.about))
		inputs += `\input{` + f.name + "}\n"
	}
	return strings.NewReplacer("@METHOD@", render.LaTeXText(b.o.Method), "@SEE@", frame.Listed(see), "@FIGURES@\n",
		inputs).Replace(mainDocument)
}
