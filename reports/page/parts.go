package page

import (
	"errors"
	"fmt"
	"html/template"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/table"
)

// mostDetailed is the largest number of methods of which the page has every detail. Of more methods it leaves out what
// grows with their pairs and is written twice or is a command away: the tables of all pairs, and drawings of numbers
// that are in a table.
const mostDetailed = 20

func (p *Page) many() bool { return len(p.table.Methods) > mostDetailed }

// addTable takes the table for readers without a script, and the plots of splits, from report accuracy.
func (p *Page) addTable(o Options) error {
	title, means, splits := table.Parts(&p.table)
	for _, section := range means.Sections {
		for _, row := range section {
			for i := range row.Entries { // readers without a script cannot open them
				row.Entries[i].Tip, row.Entries[i].SQL = "", ""
			}
		}
	}
	p.Static = render.Fragment(title, means)
	for i, f := range splits {
		plot := f.Plot
		if plot == nil {
			continue
		}
		if p.many() {
			f.Numbers = nil // the table of the section has the means
		}
		f.Plot = func(width float64) doc.Drawing {
			d := plot(width)
			d.Marks = doc.Map(d.Marks, func(m doc.Mark) doc.Mark { // the table of the section has these numbers
				m.Tip = ""
				return m
			})
			return d
		}
		p.Sets[i].Plot = render.Fragment(title, f)
	}
	return nil
}

// addPart lays blocks out and appends them as a part. If the last part has the same heading, it appends them to this
// part. A part with a heading is closed at first.
func addPart(parts *[]part, heading, title string, blocks ...doc.Block) {
	addHTML(parts, heading, render.Fragment(title, blocks...))
}

func addHTML(parts *[]part, heading string, html template.HTML) {
	if n := len(*parts); n > 0 && (*parts)[n-1].Heading == heading {
		(*parts)[n-1].HTML += html
		return
	}
	*parts = append(*parts, part{heading, html, heading != ""})
}

func (p *Page) addRanks(o Options) error {
	if p.table.CheckComparable() != nil {
		return nil
	}
	d, err := table.Ranks(&p.table)
	if err != nil {
		return err
	}
	addPart(&p.Ranks, "Ranks, and how far they depend on the splits", d.Title, blocksOf[doc.Table](d)...)
	return nil
}

// blocksOf returns the blocks of type B. Tables and prose lose their headings.
func blocksOf[B doc.Block](d doc.Document) []doc.Block {
	var out []doc.Block
	for _, b := range d.Blocks {
		if _, ok := b.(B); !ok {
			continue
		}
		switch x := b.(type) {
		case doc.Table:
			x.Heading = ""
			b = x
		case doc.Prose:
			x.Heading = ""
			b = x
		}
		out = append(out, b)
	}
	return out
}

func (p *Page) addTimes(o Options) error {
	d, err := curves.Times(&p.table)
	if errors.Is(err, frame.ErrNoResults) {
		return nil // the sections still have the time of each cell that has one
	}
	if err != nil {
		return err
	}
	addPart(&p.Times, "", d.Title, blocksOf[doc.Figure](d)...)
	addPart(&p.Times, "Times by data set", d.Title, blocksOf[doc.Table](d)...)
	return nil
}

// addGrid takes from report grid a table of the chosen grid points for each method, and the sentences on choices at the
// edge of a grid.
func (p *Page) addGrid(o Options) error {
	choices, edges, err := table.Choices(&p.table)
	if errors.Is(err, frame.ErrNoResults) {
		return nil // no method has a grid of several points
	}
	if err != nil {
		return err
	}
	p.Edges = doc.Map(edges, doc.Flat)
	for _, c := range choices {
		if p.many() {
			command := p.table.Frame.Run.Other("report", "grid", "--methods", p.table.Methods[c.Place])
			p.Methods[c.Place].Chosen = render.Fragment("", doc.Prose{Paragraphs: []string{
				"How often each value of the grid was chosen: " + command}})
			continue
		}
		c.Table.Heading = ""
		p.Methods[c.Place].Chosen = render.Fragment("", c.Table)
	}
	return nil
}

// mostScatters is the largest number of scatter plots of pairs on the page. If report pairs has more, the page has
// none.
const mostScatters = 6

func (p *Page) addMore(o Options) error {
	if p.evidence == nil || p.table.CheckComparable() != nil {
		return nil
	}
	if p.many() {
		addPart(&p.More, "Tests of all methods", "", append(compare.Overall(&p.table, p.evidence),
			doc.Prose{Paragraphs: []string{fmt.Sprintf("The section of each method compares it with each other one. "+
				"This command prints all pairs, with their posteriors: %s", p.table.Frame.Run.Other("report",
				"tests"))}})...)
	} else {
		d := compare.TestsOf(&p.table, p.evidence)
		addPart(&p.More, "Tests of all methods and of pairs", d.Title, append(blocksOf[doc.Prose](d),
			blocksOf[doc.Table](d)...)...)
	}
	d, err := table.Pairs(&p.table)
	if err != nil {
		return err
	}
	blocks := blocksOf[doc.Table](d)
	if figures := blocksOf[doc.Figure](d); len(figures) <= mostScatters {
		blocks = append(blocks, figures...)
	}
	addPart(&p.More, "Pairs: data sets won, tied and lost", d.Title, blocks...)
	d, err = curves.Curves(&p.table)
	if errors.Is(err, frame.ErrNoResults) {
		return nil
	}
	if err != nil {
		return err
	}
	addPart(&p.More, "Curves: would more splits or rounds change it?", d.Title,
		append(blocksOf[doc.Figure](d), blocksOf[doc.Prose](d)...)...)
	return nil
}
