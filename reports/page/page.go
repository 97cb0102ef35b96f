// Package page is the evidence as a page to read and to work with: `bench report html` writes one file that holds everything and
// loads nothing, `bench publish` the same as static pages, one a data set and a method.
//
// On the way of a number (stored row, frame, Build, document, layout) this package stands beside render and not before it. What
// other reports say is taken from their Build and laid out by render: verdicts, ranks, the diagram, times, plots of splits. A
// document cannot hold what is added here: a table whose rows and columns the reader chooses, with ranks computed again for the
// choice, and what stands behind every cell. So the package has a layout of its own:
//
//	page.go       what is asked, and the parts of other reports
//	data.go       what the script of the page reads: counts, order and settings, as compact JSON
//	printed.go    published values beside ours, with intervals
//	sections.go   a section for each data set and each method
//	write.go      the file, and the pages of a site
//	page.js       choosing, sorting, ranks of the choice, provenance; no library, no network
//
// The script decides nothing by rounded numbers: means come as fractions of whole numbers, and the order of the means on a set as
// places, so that ranks of any choice are exactly those of package stats. It compares methods by nothing but means and ranks;
// tests are computed here, over all methods of the page, and the page says so.
package page

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/reports/accuracy"
	"github.com/kernelboosting/bench/reports/cd"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/grid"
	"github.com/kernelboosting/bench/reports/ranks"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/stats"
	"github.com/kernelboosting/bench/reports/times"
	"golang.org/x/sync/errgroup"
)

// Options adjust the page.
type Options struct {
	Metric string  // "" for accuracy
	Method string  // in question, to which the first verdicts belong; "" for the one with the best average rank
	Level  float64 // of the tests, such as 0.05
	Title  string  // "" for the usual one
	Full   bool    // every method's verdicts have the probabilities on a new set, and not those of the method in question alone

	Program, Command string    // that make the page, as in doc.Provenance
	Generated        time.Time // when
}

// power is the one that `bench compare` plans for unless it is told otherwise.
const power = 0.8

// Page is what is shown, before it is laid out.
type Page struct {
	Title    string
	Lead     string
	Warnings []string
	Verdict  verdict
	Ranks    []part
	Times    []part
	Printed  *printed // nil where nothing printed is set beside the table
	Missing  []frame.Reason
	Command  string // computes what is missing; "" for nothing
	Edges    []string
	Notes    []string
	Facts    [][2]string
	Queries  []doc.Query
	Static   template.HTML // the table for readers without a script
	Sets     []*setSection
	Methods  []*methodSection

	table frame.Table
	run   frame.Invocation
	grids frame.Frame
	data  data
}

// A part is a fragment of another report under a heading.
type part struct {
	Heading string
	HTML    template.HTML
	Closed  bool // behind its heading until it is opened
}

// verdict is what is said of the method in question.
type verdict struct {
	Method  string // "" where there is nothing to compare
	Lines   []string
	Parts   []part
	None    string // why there is none
	Command string // that shows more
}

// Build makes the page of a frame, which needs no folds. It is an error if an option has no meaning, if nothing is stored, and if
// stored cells contradict each other.
func Build(f frame.Frame, o Options) (*Page, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return nil, err
	}
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return nil, err
	}
	p := &Page{table: t, run: f.Run, grids: f, Warnings: each(t.Warnings, doc.Flat), Command: t.FullCommand, Missing: missing(t),
		Title: doc.OneLine(cmp.Or(o.Title, fmt.Sprintf("Test %s, protocol %s", t.Metric.Title, t.Protocol))), Lead: lead(t)}
	for _, step := range []func(frame.Frame, Options) error{p.addTable, p.addVerdict, p.addRanks, p.addTimes, p.addGrid, p.addPrinted} {
		if err := step(f, o); err != nil {
			return nil, err
		}
	}
	p.Notes = each(t.NotesOfPairs(), doc.Flat)[len(t.Reasons()):]
	provenance := t.Provenance
	provenance.Program, provenance.Generated, provenance.Command = o.Program, o.Generated, o.Command
	p.Facts, p.Queries = render.Facts(provenance), provenance.Queries
	p.addData(o.Full)
	p.addSections(o.Full)
	return p, nil
}

// missing has a line a reason, sets of which nothing is stored at the end.
func missing(t frame.Table) []frame.Reason {
	out := t.Reasons()
	if n := len(t.LeftOut); n > 0 {
		out = append(out, frame.Reason{Text: "Nothing is stored", Runs: n * len(t.Methods) * len(t.Splits), Where: "every method on " + strings.Join(t.LeftOut, ", ")})
	}
	return each(out, func(r frame.Reason) frame.Reason {
		return frame.Reason{Text: doc.Flat(r.Text), Runs: r.Runs, Where: doc.Flat(r.Where)}
	})
}

// lead says what the table holds.
func lead(t frame.Table) string {
	finished, planned := 0, len(t.Methods)*len(t.Sets)*len(t.Splits)
	main := 0
	for _, s := range t.Sets {
		if s.Group == frame.GroupMain {
			main++
		}
		for _, c := range s.Entries {
			finished += len(c.Runs)
		}
	}
	text := fmt.Sprintf("%s on %s", frame.Count(len(t.Methods), "method"), frame.Count(main, "data set"))
	if apart := len(t.Sets) - main; apart > 0 {
		text += fmt.Sprintf(" and %d shown apart", apart)
	}
	return fmt.Sprintf("%s, %s each: %d of %d results are there.", text, frame.Count(len(t.Splits), "split"), finished, planned)
}

// addTable takes the table for readers without a script, and the plots of splits, from report accuracy.
func (p *Page) addTable(f frame.Frame, o Options) error {
	d, err := accuracy.Build(f, accuracy.Options{Metric: o.Metric, OmitPublished: false})
	if err != nil {
		return err
	}
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case doc.Table:
			if p.Static == "" && !b.Detail {
				p.Static, err = render.Fragment(d.Title, b)
			}
		case doc.Figure:
			if i := slices.IndexFunc(p.table.Sets, func(s frame.Set) bool { return s.Name == b.Title }); i >= 0 {
				section := p.set(i)
				b.Drawing.Marks = each(b.Drawing.Marks, func(m doc.Mark) doc.Mark { // the numbers below say it
					m.Tip = ""
					return m
				})
				section.Plot, err = render.Fragment(d.Title, b)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// set is the section of a set of the table, made when it is first asked for.
func (p *Page) set(i int) *setSection {
	for len(p.Sets) < len(p.table.Sets) {
		p.Sets = append(p.Sets, &setSection{Set: p.table.Sets[len(p.Sets)]})
	}
	return p.Sets[i]
}

// method is the section of a method of the table, made when it is first asked for.
func (p *Page) method(i int) *methodSection {
	for len(p.Methods) < len(p.table.Methods) {
		p.Methods = append(p.Methods, &methodSection{Name: p.table.Methods[len(p.Methods)]})
	}
	return p.Methods[i]
}

// addVerdict fills the verdicts of the method in question with all that `bench compare` says, and the sentences of the others.
func (p *Page) addVerdict(f frame.Frame, o Options) error {
	t := p.table
	if len(t.Methods) < 2 {
		p.Verdict.None = "There is one method alone, so that there is nothing to compare."
		return nil
	}
	if o.Method == "" {
		o.Method = leader(t)
	}
	options := compare.Options{Method: o.Method, Metric: o.Metric, Level: o.Level, Power: power}
	d, err := compare.Build(f, options)
	if errors.Is(err, frame.ErrNoResults) {
		p.Verdict.None = noVerdict(err)
		return nil
	}
	if err != nil {
		return err
	}
	p.Verdict.Method, p.Verdict.Command = o.Method, p.run.Other("compare", o.Method)
	if err := p.addEvidence(d); err != nil {
		return err
	}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range t.Methods {
		section := p.method(i)
		if m == o.Method {
			section.Verdicts = p.Verdict.Lines
			continue
		}
		work.Go(func() error {
			others := options
			others.Method, others.Brief = m, !o.Full
			lines, err := compare.Verdicts(t, others)
			if errors.Is(err, frame.ErrNoResults) {
				lines, err = []string{noVerdict(err)}, nil
			}
			section.Verdicts = lines
			return err
		})
	}
	return work.Wait()
}

// addEvidence takes from the comparison the sentences, and what they rest on: all of it folded, and the tables of single sets, of
// which there is one an other method, in one part with one legend.
func (p *Page) addEvidence(d doc.Document) error {
	const bySet = "On each data set, with intervals"
	heading, over := "", false
	var tables []doc.Block
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case doc.Prose:
			if p.Verdict.Lines == nil {
				p.Verdict.Lines = b.Paragraphs
				continue
			}
			if len(tables) > 0 {
				if err := p.addPart(&p.Verdict.Parts, bySet, true, d.Title, tables...); err != nil {
					return err
				}
				tables = nil
			}
			heading, b.Heading = b.Heading, ""
			if err := p.addPart(&p.Verdict.Parts, heading, true, d.Title, b); err != nil {
				return err
			}
		case doc.Table:
			heading, b.Heading = b.Heading, ""
			if over {
				if n := len(tables); n > 0 {
					last := tables[n-1].(doc.Table)
					last.Legend, last.Best = nil, ""
					tables[n-1] = last
				}
				tables = append(tables, b)
				continue
			}
			over = true
			if err := p.addPart(&p.Verdict.Parts, heading, true, d.Title, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func noVerdict(err error) string { return "There is no verdict: " + err.Error() + "." }

// addPart lays blocks out and appends them, to the last part where that has the same heading.
func (p *Page) addPart(parts *[]part, heading string, closed bool, title string, blocks ...doc.Block) error {
	html, err := render.Fragment(title, blocks...)
	if err != nil {
		return err
	}
	if n := len(*parts); n > 0 && (*parts)[n-1].Heading == heading {
		(*parts)[n-1].HTML += html
		return nil
	}
	*parts = append(*parts, part{heading, html, closed})
	return nil
}

// leader is the method with the best average rank, of equal ones the first; without ranks the first that has a result.
func leader(t frame.Table) string {
	if means := t.Means(); len(means) > 0 {
		if average, err := stats.AverageRanks(means); err == nil {
			return t.Methods[stats.Order(average)[0]]
		}
	}
	for i, m := range t.Methods {
		if slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return s.Entries[i].Mean != nil }) {
			return m
		}
	}
	return t.Methods[0]
}

// addRanks takes the diagram and the tables of ranks from their reports, where there are ranks.
func (p *Page) addRanks(f frame.Frame, o Options) error {
	if p.table.Comparable() != nil {
		return nil
	}
	d, err := cd.Build(f, cd.Options{Metric: o.Metric, Level: o.Level})
	if err != nil {
		return err
	}
	if err := p.addPart(&p.Ranks, "", false, d.Title, shown[doc.Figure](d)...); err != nil {
		return err
	}
	if err := p.addPart(&p.Ranks, "", false, d.Title, shown[doc.Prose](d)...); err != nil {
		return err
	}
	if d, err = ranks.Build(f, ranks.Options{Metric: o.Metric}); err != nil {
		return err
	}
	return p.addPart(&p.Ranks, "Ranks, and how far they depend on the splits", true, d.Title, shown[doc.Table](d)...)
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
func (p *Page) addTimes(f frame.Frame, o Options) error {
	d, err := times.Build(f, times.Options{Metric: o.Metric})
	if errors.Is(err, frame.ErrNoResults) {
		return nil // there are none, and the sections say which cells have some
	}
	if err != nil {
		return err
	}
	if err := p.addPart(&p.Times, "", false, d.Title, shown[doc.Figure](d)...); err != nil {
		return err
	}
	return p.addPart(&p.Times, "Times by data set", true, d.Title, shown[doc.Table](d)...)
}

// addGrid takes from report grid what was chosen, a table a method, and where a choice sits on an edge.
func (p *Page) addGrid(f frame.Frame, o Options) error {
	d, err := grid.Build(f, grid.Options{Metric: o.Metric})
	if errors.Is(err, frame.ErrNoResults) {
		return nil // no method has a grid of several points
	}
	if err != nil {
		return err
	}
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case doc.Prose:
			p.Edges = each(b.Paragraphs, doc.Flat)
		case doc.Table:
			i := slices.Index(p.table.Methods, b.Heading)
			if i < 0 {
				continue
			}
			b.Heading = ""
			if p.method(i).Chosen, err = render.Fragment(d.Title, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// each returns f of every element.
func each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// fraction writes an exact value as the script reads it.
func fraction(x *big.Rat) string { return x.Num().String() + "/" + x.Denom().String() }

// ids names things by what a link and a file name may hold; no two are equal.
func ids(names []string) []string {
	taken := map[string]bool{}
	out := make([]string, len(names))
	for i, name := range names {
		id := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
		}), "-")
		for id = cmp.Or(id, "unnamed"); taken[id]; {
			id += "-x"
		}
		taken[id], out[i] = true, id
	}
	return out
}
