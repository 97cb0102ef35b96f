package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kernelboosting/bench/reports/doc"
)

// The file is a document by itself, and a fragment if another document reads it with \input.
// Inside a document LaTeX has made \@nodocument equal to \relax. Otherwise the file opens a document,
// and \benchtableend, its last line, closes the document.
const (
	latexOpen = `\expandafter\ifx\csname @nodocument\endcsname\relax
  \let\benchtableend\empty
\else
  \documentclass[11pt]{article}
  \usepackage[a4paper,margin=2cm]{geometry}
  \usepackage{booktabs}%s
  \pagestyle{empty}
  \def\benchtableend{\end{document}}
  \begin{document}
\fi
`
	latexClose = "\\benchtableend\n"
)

// A latexPage is the room for a table, in points. An upright table fits the text block of the article class, which
// is narrower than the text block of the file by itself. A table over two columns fits the narrowest of the usual
// pages; LaTeX makes it smaller in a narrower text.
type latexPage struct{ width, height float64 }

var upright, spanning = latexPage{345, 550}, latexPage{450, 600}

const latexLine = 8 // height of a line of the smallest size, in points

// latexSizes are tried in turn until a table fits; sep is on each side of a column.
var latexSizes = []struct {
	command    string
	sep, digit float64 // digit is the width of one
}{{`\small`, 6, 4.63}, {`\footnotesize\setlength{\tabcolsep}{3pt}`, 3, 4.25},
	{`\scriptsize\setlength{\tabcolsep}{2pt}`, 2, 3.98}}

const groupGap = 7 // points before a group

// LaTeX writes a document's tables for a paper, with the notes below the first one.
func LaTeX(w io.Writer, d doc.Document, o Options) error {
	d = d.Clean().Essential()
	l := &latex{doc: d, page: upright, float: "table"}
	needs, packages := `\usepackage{booktabs}`, ""
	if o.Spanning {
		l.page, l.float = spanning, "table*"
		needs, packages = needs+` \usepackage{graphicx}`, `\usepackage{graphicx}`
	}
	l.comment("%s.", d.Title)
	for _, f := range Facts(d.Provenance) {
		l.comment("%s: %s", f[0], f[1])
	}
	l.comment(`Compiles alone. To read it into a document: %s, then \input this file.`, needs)
	fmt.Fprintf(&l.out, latexOpen, packages)
	notesIn := firstTable(d)
	for i, b := range d.Blocks {
		l.block(b, i == notesIn)
	}
	if notesIn < 0 {
		l.notes(nil)
	}
	l.out.WriteString(latexClose)
	_, err := io.WriteString(w, l.out.String())
	return err
}

type latex struct {
	doc   doc.Document
	page  latexPage
	float string // environment of a table
	out   strings.Builder

	labelled bool // a table has the document's label
}

func (l *latex) comment(format string, args ...any) {
	fmt.Fprintf(&l.out, "%% %s\n", doc.OneLine(fmt.Sprintf(format, args...)))
}

func (l *latex) block(b doc.Block, withNotes bool) {
	switch b := b.(type) {
	case doc.Table:
		l.table(b, withNotes)
	case doc.Prose:
		if b.Heading != "" {
			fmt.Fprintf(&l.out, "\\paragraph{%s}\n", latexNote(b.Heading))
		}
		l.paragraphs(b.Paragraphs)
	case doc.Figure: // LaTeX draws no SVG
		l.paragraphs([]string{b.Title + ". " + b.Alt + "."})
		if b.Numbers != nil {
			numbers := *b.Numbers
			numbers.Caption = b.Title
			l.table(numbers, false)
		}
	case doc.Code:
		l.comment("%s: %s", b.Title, b.Text)
	}
}

func (l *latex) paragraphs(texts []string) {
	for _, t := range texts {
		fmt.Fprintf(&l.out, "\\par{\\raggedright\\noindent %s\\par}\n", latexNote(t))
	}
}

// table sets a table. Columns that do not fit side by side are divided into blocks. The blocks are below each
// other if the page is high enough, and otherwise each block is a table by itself.
func (l *latex) table(t doc.Table, withNotes bool) {
	caption := t.Caption
	if caption == "" {
		caption = l.doc.Title
	}
	caption += ". "
	if t.Best != "" {
		caption += "Bold: " + t.Best + " "
	}
	label := ""
	switch {
	case t.Label != "":
		label = l.doc.Label + "-" + t.Label
	case !l.labelled:
		label, l.labelled = l.doc.Label, true
	}
	size, columns := l.fit(t)
	if len(columns) == 1 {
		l.top(caption+strings.Join(t.Legend, " "), label, size)
		l.tabular(t, columns[0])
		if withNotes {
			l.notes(nil)
		}
		fmt.Fprintf(&l.out, "\\end{%s}\n", l.float)
		return
	}
	rows := 1
	for _, s := range t.Sections {
		rows += len(s)
	}
	block := squeezed*latexLine*float64(rows) + 5*float64(len(t.Sections)) + 12
	together := float64(len(columns))*block+1.5*latexLine*float64(2+len(caption)/80) < l.page.height
	size += fmt.Sprintf("\\renewcommand{\\arraystretch}{%g}", squeezed)
	if !withNotes {
		caption += strings.Join(t.Legend, " ")
	}
	l.top(caption, label, size)
	for i, block := range columns {
		switch {
		case i > 0 && together:
			l.out.WriteString("\\par\\smallskip\n")
		case i > 0:
			fmt.Fprintf(&l.out, "\\end{%s}\n\\addtocounter{table}{-1}\n", l.float)
			l.top("(continued)", "", size)
		}
		l.tabular(t, block)
	}
	if withNotes && l.page == spanning { // a table over two columns is on another page than the text around it
		l.notes(t.Legend)
	}
	fmt.Fprintf(&l.out, "\\end{%s}\n", l.float)
	if withNotes && l.page != spanning { // below the table, which fills its page
		l.notes(t.Legend)
	}
}

// squeezed is how much of their height the lines of a table in blocks keep, so that it fits a page.
const squeezed = 0.95

// notes sets a legend, the warnings and the notes in small type.
func (l *latex) notes(legend []string) {
	var lines []string
	for _, text := range legend {
		lines = append(lines, latexNote(text))
	}
	for _, warning := range l.doc.Warnings {
		lines = append(lines, `\textbf{Warning}: `+latexNote(warning))
	}
	for _, note := range l.doc.Notes {
		lines = append(lines, latexNote(note))
	}
	if len(lines) > 0 {
		fmt.Fprintf(&l.out, "\\par\\medskip\n\\n"+
			"oindent\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright\n%s\\par\n\\end{minipage}\n",
			strings.Join(lines, "\\par\n"))
	}
}

// top opens a table with its caption; size sets the type below it.
func (l *latex) top(caption, label, size string) {
	fmt.Fprintf(&l.out, "\\begin{%s}[!htbp]\n\\centering\n\\setlength{\\abovecaptionskip}{0pt}"+
		"\\setlength{\\belowcaptionskip}{6pt}\n\\emergencystretch=\\hsize\n\\caption{%s}\n",
		l.float, latexNote(strings.TrimSpace(caption)))
	if label != "" {
		fmt.Fprintf(&l.out, "\\label{%s}\n", latexLabel(label))
	}
	l.out.WriteString(size + "\n")
}

// fit picks the largest type in which all columns fit side by side. If there is none, it picks the
// smallest type and divides the columns into blocks.
func (l *latex) fit(t doc.Table) (size string, columns [][]int) {
	names := 0.0
	widths := make([]float64, len(t.Head)) // in digits
	for i, c := range t.Head {
		widths[i] = latexWidth(c.Name)
	}
	for _, section := range t.Sections {
		for _, r := range section {
			names = max(names, latexWidth(r.Name))
			for i, c := range r.Entries {
				width := latexWidth(c.Text)
				if c.Best {
					width *= 1.15
				}
				if c.Dev != "" {
					width += latexWidth(" ± " + c.Dev)
				}
				widths[i] = max(widths[i], width)
			}
		}
	}
	for _, s := range latexSizes {
		const tenth = 10 // blocks counts in whole numbers: tenths of a point
		tenths := make([]int, len(widths))
		for _, g := range allGroups(t.Head) {
			total := 0
			for _, i := range g {
				tenths[i] = int(tenth * (widths[i]*s.digit + 2*s.sep))
				total += tenths[i]
			}
			if grouped(t) {
				name := int(tenth * latexWidth(t.Head[g[0]].Group) * s.digit)
				tenths[g[0]] += tenth*groupGap + max(0, name-total)
			}
		}
		room := int(tenth * (l.page.width - names*s.digit - 2*s.sep))
		size, columns = s.command, blocks(t.Head, tenths, max(1, room))
		if len(columns) == 1 {
			break
		}
	}
	return size, columns
}

// latexWidth estimates the width of a text in digits of Computer Modern.
func latexWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune(".,:;|'li", r):
			w += 0.56
		case r == ' ' || r == '-':
			w += 0.67
		case strings.ContainsRune("±+mwM%†‡", r):
			w += 1.56
		case unicode.IsUpper(r):
			w += 1.45
		case unicode.IsDigit(r):
			w++
		default:
			w += 0.97
		}
	}
	return w
}

// tabular sets some of the columns next to the rows' names.
func (l *latex) tabular(t doc.Table, columns []int) {
	format, names, rules, heads := "l", "", "", ""
	at := 2 // the column of LaTeX, after that of the rows' names
	for _, g := range groups(t.Head, columns) {
		if grouped(t) {
			name := t.Head[g[0]].Group
			format += fmt.Sprintf("@{\\hspace{%dpt}}", groupGap)
			names += fmt.Sprintf(" & \\multicolumn{%d}{c}{%s}", len(g), latexEscape(name))
			if name != "" {
				rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", at, at+len(g)-1)
			}
		}
		for _, i := range g {
			if t.Head[i].Kind == doc.Words {
				format += "l"
			} else {
				format += "r"
			}
			heads += " & " + latexEscape(t.Head[i].Name)
		}
		at += len(g)
	}
	before, after := "", ""
	if l.page == spanning {
		before, after = "\\setbox0=\\hbox{%\n",
			"}%\n\\leavevmode\\ifdim\\wd0>\\textwidth\\resizebox{\\textwidth}{!}{\\box0}\\else\\box0\\fi"
	}
	fmt.Fprintf(&l.out, "%s\\begin{tabular}{%s}\n\\toprule\n", before, format)
	if grouped(t) {
		fmt.Fprintf(&l.out, "%s \\\\\n%s\n", names, rules)
	}
	fmt.Fprintf(&l.out, "%s \\\\\n", heads)
	for _, section := range t.Sections {
		l.out.WriteString("\\midrule\n")
		for _, r := range section {
			l.out.WriteString(latexEscape(r.Name))
			for _, i := range columns {
				l.out.WriteString(" & " + latexCell(r.Entries[i], t.Head[i].Kind))
			}
			l.out.WriteString(" \\\\\n")
		}
	}
	fmt.Fprintf(&l.out, "\\bottomrule\n\\end{tabular}%s\n", after)
}

func latexCell(c doc.Entry, kind doc.Kind) string {
	value := latexEscape(c.Text)
	// as mathematics, where a minus is not a hyphen
	if kind == doc.Signed && len(c.Text) > 1 && strings.ContainsRune("+-", rune(c.Text[0])) {
		value = "$" + c.Text + "$"
	}
	if c.Best {
		value = `\textbf{` + value + `}`
	}
	if c.Dev != "" {
		value += ` $\pm$ ` + latexEscape(c.Dev)
	}
	return value
}

var latexEscaper = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|", `$|$`,
	`"`, `{\char34}`, "`", `{\char96}`, "--", `-{}-{}`, "''", `'{}'{}`, "±", `$\pm$`, "†", `$\dagger$`, "‡",
	`$\ddagger$`,
)

// latexEscape escapes text. Letters of Western and Central
// European languages pass; other signs LaTeX has no glyph for become "?".
func latexEscape(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case r < 0x7f || r == '±' || r == '†' || r == '‡' || r >= 0xc0 && r <= 0x17f:
			return r
		}
		return '?'
	}, s)
	return latexEscaper.Replace(s)
}

// LaTeXText escapes a text of one line for a LaTeX document, where its lists and paths may be broken between lines.
func LaTeXText(s string) string { return latexNote(doc.OneLine(s)) }

// latexNote escapes a note and lets it be broken between lines. Lists and paths may break after their signs. Long
// words, such as commands and names, may break after any sign, and long words without a sign, such as a hash,
// anywhere.
func latexNote(s string) string {
	const long, run = 16, 24 // letters of a long word; letters without a sign up to which TeX's own hyphens suffice
	words := strings.Split(s, " ")
	for i, word := range words {
		signs := ",/"
		if utf8.RuneCountInString(word) > long {
			signs += `-_.:;=&?@+\|`
		}
		var parts []string
		for _, letter := range strings.Split(word, "") {
			if n := len(parts); n > 0 && !strings.ContainsAny(parts[n-1], signs) && len(parts[n-1]) < run {
				parts[n-1] += letter
			} else {
				parts = append(parts, letter)
			}
		}
		for k := range parts {
			parts[k] = latexEscape(parts[k])
		}
		words[i] = strings.Join(parts, `\allowbreak{}`)
	}
	return strings.Join(words, " ")
}

// latexLabel keeps the characters that are safe in a \label.
func latexLabel(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(":.-", r) {
			return r
		}
		return '-'
	}, s)
}
