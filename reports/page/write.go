package page

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/render"
)

var (
	//go:embed page.html.tmpl
	source string
	//go:embed exact.js
	exactScript template.JS
	//go:embed table.js
	tableScript template.JS
	//go:embed board.js
	boardScript template.JS
	//go:embed take.js
	takeScript template.JS
	//go:embed why.js
	whyScript template.JS
	//go:embed page.js
	pageScript template.JS
)

// layout is the template of the page. It is parsed when it is first needed. Its function lines returns the data of
// template lines, and many reports whether the page folds n sections into one.
var layout = sync.OnceValue(func() *template.Template {
	return render.Around(source, template.FuncMap{
		"lines": func(corner string, rows []line, of string) lines {
			return lines{corner, of, rows, slices.ContainsFunc(rows, func(l line) bool { return l.Printed != nil })}
		},
		"many": func(n int) bool { return n > 20 },
	})
})

// lines is the table of a section.
type lines struct {
	Corner, Of string // the head of the first column, and the name of the section
	Rows       []line
	Printed    bool // a row has a published value
}

// view is the data of the template for one file.
type view struct {
	render.Shell
	Page     *Page
	Overview bool           // the file has everything except the sections
	Sections bool           // the file has the sections, too
	Set      *setSection    // the section of a file of its own, or nil
	Method   *methodSection // the same
	Data     template.JS
}

// script is the script of a page. The braces make it a block, so that its names cannot clash with other names.
var script = "\"use strict\";\n{\n" + exactScript + tableScript + whyScript + takeScript + boardScript + pageScript +
	"}\n"

// Write writes the page as one file that holds everything and loads nothing.
func (p *Page) Write(w io.Writer) error {
	p.link(func(s *setSection) string { return "#set-" + s.ID }, func(m *methodSection) string {
		return "#method-" + m.ID
	})
	data, err := p.dataFor(everything)
	if err != nil {
		return err
	}
	v := p.view(data)
	if p.many() { // the sections of the sets have the rows, too
		short := *p
		short.Methods = doc.Map(p.Methods, func(m *methodSection) *methodSection {
			m = new(*m)
			m.Rows = nil
			return m
		})
		v.Page = &short
	}
	v.Overview, v.Sections, v.Nav = true, true, p.nav()
	return layout().Execute(w, v)
}

func everything(int, int) bool { return true }

func (p *Page) view(data template.JS) view {
	footer := "Made by bench."
	for _, f := range p.Facts {
		switch f[0] {
		case "program":
			footer = "Made by " + f[1]
		case "generated":
			footer += ", " + f[1]
		}
	}
	return view{Page: p, Shell: render.Shell{Title: p.Title, Heading: p.Title, Lead: p.Lead, Footer: footer,
		Script: script}, Data: data}
}

func (p *Page) nav() [][2]string {
	out := [][2]string{{"Who leads", "#leaders"}, {"Results", "#table"}}
	add := func(is bool, name, link string) {
		if is {
			out = append(out, [2]string{name, link})
		}
	}
	add(len(p.Ranks) > 0, "Ranks", "#ranks")
	add(p.Printed != nil, "Published", "#published")
	add(true, "Missing", "#missing")
	add(len(p.Times) > 0, "Times", "#times")
	add(len(p.Edges) > 0, "Grids", "#edges")
	add(len(p.More) > 0, "Tests, pairs, curves", "#more")
	return append(out, [2]string{"Data sets", "#sets"}, [2]string{"Methods", "#methods"},
		[2]string{"Origin", "#origin"})
}

// link sets all links to sections. set and method return the address of a section.
func (p *Page) link(set func(*setSection) string, method func(*methodSection) string) {
	for _, s := range p.Sets {
		s.Link = set(s)
	}
	for _, m := range p.Methods {
		m.Link = method(m)
	}
	boards := []*board{p.Board}
	for _, tab := range p.Tabs {
		boards = append(boards, tab.Board)
	}
	for _, b := range boards {
		if b == nil {
			continue
		}
		for _, rows := range [][]boardRow{b.Lines, b.Partial} {
			for i := range rows {
				rows[i].Link = p.Methods[rows[i].method].Link
			}
		}
	}
	for s, section := range p.Sets {
		for m, other := range p.Methods {
			section.Rows[m].Link, other.Rows[s].Link = other.Link, section.Link
		}
	}
}

// Mark is the name of the file that lists the files of a site, as in files.Folder.
const Mark = "bench-site.txt"

// Site calls add for each file of a site, with its name, in which slashes separate folders. index.html is the page of
// Write without its sections. The folders sets and methods have a page for each data set and each method.
func (p *Page) Site(add func(name string, content func(io.Writer) error) error) error {
	one := func(name string, v view) error {
		return add(name, func(w io.Writer) error { return layout().Execute(w, v) })
	}
	p.linkSite("")
	data, err := p.dataFor(everything)
	if err != nil {
		return err
	}
	v := p.view(data)
	v.Overview, v.Nav = true, p.nav()
	if err := one("index.html", v); err != nil {
		return err
	}
	p.linkSite("../")
	for i, s := range p.Sets {
		if data, err = p.dataFor(func(set, _ int) bool { return set == i }); err != nil {
			return err
		}
		v := p.section(s.Name, s.About, data)
		v.Set = s
		if err := one("sets/"+s.ID+".html", v); err != nil {
			return err
		}
	}
	for i, m := range p.Methods {
		if data, err = p.dataFor(func(_, method int) bool { return method == i }); err != nil {
			return err
		}
		v := p.section(m.Name, m.About, data)
		v.Method = m
		if err := one("methods/"+m.ID+".html", v); err != nil {
			return err
		}
	}
	return nil
}

// linkSite sets the links to the pages of a site. root is the relative path from a linking page to the site's folder.
func (p *Page) linkSite(root string) {
	p.link(func(s *setSection) string { return root + "sets/" + s.ID + ".html" }, func(m *methodSection) string {
		return root + "methods/" + m.ID + ".html"
	})
}

// section returns the view of a section as a file of its own, with a link back to index.html.
func (p *Page) section(name, about string, data template.JS) view {
	v := p.view(data)
	v.Title, v.Heading, v.Lead, v.Up, v.UpTitle = name+": "+p.Title, name, about, "../index.html", p.Title
	return v
}
