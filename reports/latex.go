package reports

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// The file is a document of its own, and a fragment when another document reads
// it with \input. Inside a document LaTeX has made \@nodocument equal to \relax;
// only when it is not does the file open a document, and \benchtableend, its
// last line, closes what was opened.
const (
	latexOpen = `\expandafter\ifx\csname @nodocument\endcsname\relax
  \let\benchtableend\empty
\else
  \documentclass[11pt]{article}
  \usepackage[a4paper,margin=2cm]{geometry}
  \usepackage{booktabs}
  \pagestyle{empty}
  \def\benchtableend{\end{document}}
  \begin{document}
\fi
`
	latexClose = "\\benchtableend\n"
)

// comparedMethods is the largest number of methods set side by side in a
// comparison, three columns each, in a text block of usual width.
const comparedMethods = 3

func (t *Table2) writeLaTeX(w io.Writer, o RenderOptions) error {
	v := t.view(o)
	out := &strings.Builder{}
	comment := func(format string, args ...any) {
		fmt.Fprintf(out, "%% %s\n", oneLine(fmt.Sprintf(format, args...)))
	}
	comment("Table of mean test accuracies, protocol %s.", t.Protocol)
	for _, f := range t.Provenance.facts() {
		comment("%s: %s", f[0], f[1])
	}
	if t.FullCommand != "" {
		comment("To compute what is missing: %s", t.FullCommand)
	}
	comment(`Compiles alone. To read it into a document: \usepackage{booktabs}, then \input this file.`)
	out.WriteString(latexOpen)
	t.latexMain(out, v, o)
	if !o.OmitPublished {
		for i, c := range t.Comparisons {
			latexComparison(out, c, fmt.Sprintf("%s-published-%d", o.Label, i+1), o)
		}
	}
	out.WriteString(latexClose)
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *Table2) latexMain(out *strings.Builder, v view, o RenderOptions) {
	caption := v.title + ". "
	if v.hasBest {
		caption += "Bold: best of the row, every tied one. "
	}
	size := `\small`
	switch {
	case len(v.methods) > 5 && v.splits:
		size = `\scriptsize\setlength{\tabcolsep}{2pt}`
	case len(v.methods) > 5:
		size = `\footnotesize\setlength{\tabcolsep}{3pt}`
	}
	latexTop(out, caption+strings.Join(v.legend, " "), o.Label, size)
	columns := "l"
	header := []string{""}
	if v.splits {
		columns += "r"
		header = append(header, "splits")
	}
	for _, m := range v.methods {
		columns += "r"
		header = append(header, latexEscape(m))
	}
	fmt.Fprintf(out, "\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n", columns, strings.Join(header, " & "))
	for _, section := range v.sections {
		out.WriteString("\\midrule\n")
		for _, r := range section {
			row := []string{latexEscape(r.name)}
			if v.splits {
				row = append(row, latexEscape(r.splits))
			}
			for _, c := range r.cells {
				row = append(row, latexCell(c))
			}
			fmt.Fprintf(out, "%s \\\\\n", strings.Join(row, " & "))
		}
	}
	out.WriteString("\\bottomrule\n\\end{tabular}\n")
	if len(t.Notes)+len(t.Warnings) > 0 {
		out.WriteString("\\par\\medskip\n\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright\n")
		for _, warning := range t.Warnings {
			fmt.Fprintf(out, "\\textbf{Warning}: %s\\par\n", latexNote(warning))
		}
		for _, note := range t.Notes {
			fmt.Fprintf(out, "%s\\par\n", latexNote(note))
		}
		out.WriteString("\\end{minipage}\n")
	}
	out.WriteString("\\end{table}\n")
}

// latexTop opens a table with its caption; size sets the type below it.
func latexTop(out *strings.Builder, caption, label, size string) {
	fmt.Fprintf(out, "\\begin{table}[htbp]\n\\centering\n\\setlength{\\abovecaptionskip}{0pt}\\setlength{\\belowcaptionskip}{6pt}\n\\caption{%s}\n", latexEscape(strings.TrimSpace(caption)))
	if label != "" {
		fmt.Fprintf(out, "\\label{%s}\n", latexLabel(label))
	}
	out.WriteString(size + "\n")
}

func latexCell(c viewCell) string {
	value := c.value
	if c.best {
		value = `\textbf{` + value + `}`
	}
	if c.std != "" {
		value += ` $\pm$ ` + c.std
	}
	return value
}

func latexComparison(out *strings.Builder, c Comparison, label string, o RenderOptions) {
	latexTop(out, comparisonTitle(c)+". "+strings.Join(comparisonLegend(c), " "), label,
		`\scriptsize\setlength{\tabcolsep}{2pt}`)
	var columns []int
	for i := range c.Methods {
		columns = append(columns, i)
	}
	for block := range slices.Chunk(columns, comparedMethods) {
		if block[0] > 0 {
			out.WriteString("\\par\\medskip\n")
		}
		latexCompared(out, c, block, o)
	}
	out.WriteString("\\end{table}\n")
}

// latexCompared sets the methods of the given columns.
func latexCompared(out *strings.Builder, c Comparison, columns []int, o RenderOptions) {
	fmt.Fprintf(out, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("@{\\hspace{7pt}}rrr", len(columns)))
	for _, i := range columns {
		fmt.Fprintf(out, " & \\multicolumn{3}{c}{%s}", latexEscape(c.Methods[i].Method))
	}
	out.WriteString(" \\\\\n")
	for n := range columns {
		fmt.Fprintf(out, "\\cmidrule(lr){%d-%d}", 3*n+2, 3*n+4)
	}
	out.WriteString("\n" + strings.Repeat(" & ours & publ. & diff.", len(columns)) + " \\\\\n\\midrule\n")
	line := func(name string, cell func(i int) [3]string) {
		out.WriteString(latexEscape(name))
		for _, i := range columns {
			for _, s := range cell(i) {
				out.WriteString(" & " + latexSigned(s))
			}
		}
		out.WriteString(" \\\\\n")
	}
	for _, r := range c.Rows {
		line(r.Dataset, func(i int) [3]string { return r.Cells[i].texts(o.Decimals) })
	}
	out.WriteString("\\midrule\n")
	for _, s := range c.summaryRows(o.Decimals) {
		line(s.name, func(i int) [3]string { return s.cells[i] })
	}
	out.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// latexSigned sets a sign as mathematics, where a minus is not a hyphen.
func latexSigned(s string) string {
	if len(s) > 1 && (s[0] == '-' || s[0] == '+') {
		return "$" + s + "$"
	}
	return latexEscape(s)
}

var latexEscaper = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|", `$|$`,
	`"`, `{\char34}`, "`", `{\char96}`, "--", `-{}-{}`, "''", `'{}'{}`, "±", `$\pm$`, "†", `$\dagger$`,
)

// latexEscape makes text stand for itself. Letters of Western and Central
// European languages pass; other signs LaTeX has no glyph for become "?".
func latexEscape(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case r < 0x7f || r == '±' || r == '†' || r >= 0xc0 && r <= 0x17f:
			return r
		}
		return '?'
	}, s)
	return latexEscaper.Replace(s)
}

// latexNote escapes a note and lets its lists and paths be broken between lines.
func latexNote(s string) string {
	return latexBreaks.ReplaceAllString(latexEscape(s), "$1\\allowbreak{}$2")
}

var latexBreaks = regexp.MustCompile(`([,/])([^ ])`)

// latexLabel keeps the characters that are safe in a \label.
func latexLabel(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(":.-", r) {
			return r
		}
		return '-'
	}, s)
}
