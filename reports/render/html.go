package render

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/reports/doc"
)

//go:embed document.html.tmpl
var documentSource string

var documentTemplate = sync.OnceValue(func() *template.Template { return Around(documentSource, nil) })

// The page as the template reads it.
type (
	htmlPage struct {
		Shell
		Doc    doc.Document
		Blocks []htmlBlock
		Facts  [][2]string
	}
	// htmlBlock is a block of the document; figures one after another are one.
	htmlBlock struct {
		Heading         string
		Paragraphs      []string
		Table           *htmlTable
		Figures         []htmlFigure
		CodeTitle, Code string
		Notes           []string // that follow it
	}
	htmlFigure struct {
		Title, About string
		SVG          template.HTML // escaped by svg
		Numbers      *htmlTable
		Wide         bool
	}
	htmlTable struct {
		Label, Class, Caption, Corner string
		Groups                        []htmlGroup // nil without any
		Head                          []htmlHead
		Sections                      [][]htmlRow
		Legend                        []string
		Shaded                        bool
	}
	htmlGroup struct {
		Name string
		Span int
	}
	htmlHead struct{ Name, Class string }
	htmlRow  struct {
		Name    string
		Entries []htmlCell
	}
	htmlCell struct {
		Text, Dev, Tip, Class string
		Best                  bool
	}
)

// HTML writes a document as one page that loads nothing.
func HTML(w io.Writer, d doc.Document, _ Options) error {
	d = d.Clean()
	heading := cmp.Or(d.Heading, d.Title)
	page := htmlPage{Shell: Shell{Title: heading, Heading: heading}, Doc: d, Facts: Facts(d.Provenance)}
	walk(d, func(b doc.Block) { page.add(b, d.Title) }, func() {
		page.Blocks = append(page.Blocks, htmlBlock{Notes: d.Notes})
	})
	return documentTemplate().Execute(w, page)
}

// Fragment writes blocks as a part of a larger page. title is the caption of a table that has none.
func Fragment(title string, blocks ...doc.Block) template.HTML {
	var page htmlPage
	for _, b := range (doc.Document{Blocks: blocks}).Clean().Blocks {
		page.add(b, title)
	}
	var out strings.Builder
	if err := documentTemplate().ExecuteTemplate(&out, "blocks", page.Blocks); err != nil {
		panic(err) // a builder takes everything, and the types of the template are fixed
	}
	return template.HTML(out.String())
}

func (p *htmlPage) add(b doc.Block, title string) {
	switch b := b.(type) {
	case doc.Table:
		if b.Caption == "" && !b.Detail {
			b.Caption = title
		}
		p.Blocks = append(p.Blocks, htmlBlock{Heading: b.Heading, Table: newHTMLTable(b)})
	case doc.Prose:
		p.Blocks = append(p.Blocks, htmlBlock{Heading: b.Heading, Paragraphs: b.Paragraphs})
	case doc.Figure:
		figure := htmlFigure{Title: b.Title, About: b.About, Wide: !b.Detail}
		if b.Plot != nil {
			figure.SVG = template.HTML(svg(b.Plot(usualWidth(b)), b.Alt))
		}
		if b.Numbers != nil {
			figure.Numbers = newHTMLTable(*b.Numbers)
		}
		if n := len(p.Blocks); n == 0 || p.Blocks[n-1].Figures == nil {
			p.Blocks = append(p.Blocks, htmlBlock{})
		}
		last := &p.Blocks[len(p.Blocks)-1]
		last.Figures = append(last.Figures, figure)
	case doc.Code:
		p.Blocks = append(p.Blocks, htmlBlock{CodeTitle: b.Title, Code: strings.TrimSpace(b.Text)})
	}
}

func newHTMLTable(t doc.Table) *htmlTable {
	out := &htmlTable{Label: cmp.Or(t.Caption, t.Corner), Caption: t.Caption, Corner: t.Corner}
	first := map[int]bool{} // columns that begin a group
	if grouped(t) {
		out.Class = "compared"
		for _, g := range allGroups(t.Head) {
			out.Groups = append(out.Groups, htmlGroup{t.Head[g[0]].Group, len(g)})
			first[g[0]] = true
		}
	}
	for i, c := range t.Head {
		class := ""
		switch {
		case c.Kind == doc.Words:
			class, out.Class = "text", "reasons"
		case first[i]:
			class = "first"
		}
		out.Head = append(out.Head, htmlHead{c.Name, class})
	}
	tips := false
	for _, section := range t.Sections {
		var rows []htmlRow
		for _, r := range section {
			row := htmlRow{Name: r.Name}
			for i, c := range r.Entries {
				row.Entries = append(row.Entries, newHTMLCell(c, t.Head[i].Kind, first[i]))
				tips = tips || c.Tip != ""
				out.Shaded = out.Shaded || c.Shade != 0
			}
			rows = append(rows, row)
		}
		out.Sections = append(out.Sections, rows)
	}
	if t.Best != "" {
		out.Legend = append(out.Legend, "Bold: "+t.Best)
	}
	out.Legend = append(out.Legend, t.Legend...)
	if tips && len(t.Legend) > 0 {
		out.Legend = append(out.Legend, "A cell's tooltip says where it comes from.")
	}
	return out
}

func newHTMLCell(c doc.Entry, kind doc.Kind, first bool) htmlCell {
	cell := htmlCell{Text: c.Text, Dev: c.Dev, Tip: c.Tip, Best: c.Best}
	if c.SQL != "" {
		cell.Tip = strings.TrimSpace(cell.Tip + "\n" + c.SQL)
	}
	switch {
	case kind == doc.Quoted:
		cell.Class = "published"
	case kind == doc.Signed:
		cell.Class, cell.Text = shade(c.Shade), minus(c.Text)
	case kind == doc.Words:
		cell.Class = "wrap"
	case first:
		cell.Class = "first"
	}
	return cell
}

// minus writes a number's sign as a minus and not a hyphen.
func minus(s string) string {
	if len(s) > 1 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

func shade(strength int) string {
	switch {
	case strength > 0:
		return "up" + strconv.Itoa(strength)
	case strength < 0:
		return "down" + strconv.Itoa(-strength)
	}
	return ""
}
