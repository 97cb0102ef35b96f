package page

import (
	"errors"

	"github.com/kernelboosting/bench/reports/accuracy"
	"github.com/kernelboosting/bench/reports/cells"
	"github.com/kernelboosting/bench/reports/costs"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/ranking"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/report"
)

// addTable takes the table for readers without a script, and the plots of splits, from report accuracy.
func (p *Page) addTable(o Options) error {
	title, means, splits, err := accuracy.Parts(&p.table)
	if err != nil {
		return err
	}
	p.Static = render.Fragment(title, means)
	for i, f := range splits {
		plot := f.Plot
		if plot == nil {
			continue
		}
		f.Plot = func(width float64) doc.Drawing {
			d := plot(width)
			d.Marks = doc.Map(d.Marks, func(m doc.Mark) doc.Mark { // the numbers below say it
				m.Tip = ""
				return m
			})
			return d
		}
		p.Sets[i].Plot = render.Fragment(title, f)
	}
	return nil
}

// addPart lays blocks out and appends them as a part, or to the last part if that has the same heading. A part with
// a heading is closed.
func addPart(parts *[]part, heading, title string, blocks ...doc.Block) {
	html := render.Fragment(title, blocks...)
	if n := len(*parts); n > 0 && (*parts)[n-1].Heading == heading {
		(*parts)[n-1].HTML += html
		return
	}
	*parts = append(*parts, part{heading, html, heading != ""})
}

// addRanks takes the tables of ranks from their report, where there are ranks.
func (p *Page) addRanks(o Options) error {
	if p.table.CheckComparable() != nil {
		return nil
	}
	d, err := ranking.Ranks.Build(&p.table)
	if err != nil {
		return err
	}
	addPart(&p.Ranks, "Ranks, and how far they depend on the splits", d.Title, shown[doc.Table](d)...)
	return nil
}

// shown returns the blocks of a kind, without their headings.
func shown[B doc.Block](d doc.Document) []doc.Block {
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

// addTimes takes the plot and the table of times from their report, where there are times.
func (p *Page) addTimes(o Options) error {
	d, err := costs.Times.Build(&p.table)
	if errors.Is(err, frame.ErrNoResults) {
		return nil // there are none, and the sections say which cells have some
	}
	if err != nil {
		return err
	}
	addPart(&p.Times, "", d.Title, shown[doc.Figure](d)...)
	addPart(&p.Times, "Times by data set", d.Title, shown[doc.Table](d)...)
	return nil
}

// addGrid takes from report grid what was chosen, a table a method, and where a choice sits on an edge.
func (p *Page) addGrid(o Options) error {
	choices, edges, err := cells.Choices(&p.table)
	if errors.Is(err, frame.ErrNoResults) {
		return nil // no method has a grid of several points
	}
	if err != nil {
		return err
	}
	p.Edges = doc.Map(edges, doc.Flat)
	for _, c := range choices {
		c.Table.Heading = ""
		p.Methods[c.Place].Chosen = render.Fragment("", c.Table)
	}
	return nil
}

// mostScatters bounds the scatters of pairs on the page; `bench report pairs` draws more.
const mostScatters = 6

// addMore takes, folded, what reports tests, pairs and curves say beyond the parts above.
func (p *Page) addMore(o Options) error {
	if p.evidence == nil || p.table.CheckComparable() != nil {
		return nil
	}
	d := ranking.TestsOf(&p.table, p.evidence, report.TestOptions{Level: o.Level, Control: o.Method})
	addPart(&p.More, "Tests of all methods and of pairs", d.Title, append(shown[doc.Prose](d),
		shown[doc.Table](d)...)...)
	d, err := ranking.Pairs.Build(&p.table)
	if err != nil {
		return err
	}
	blocks := shown[doc.Table](d)
	if figures := shown[doc.Figure](d); len(figures) <= mostScatters {
		blocks = append(blocks, figures...)
	}
	addPart(&p.More, "Pairs: data sets won, tied and lost", d.Title, blocks...)
	d, err = curves.Curves.Build(&p.table)
	if errors.Is(err, frame.ErrNoResults) {
		return nil
	}
	if err != nil {
		return err
	}
	addPart(&p.More, "Curves: would more splits or rounds change it?", d.Title,
		append(shown[doc.Figure](d), shown[doc.Prose](d)...)...)
	return nil
}
