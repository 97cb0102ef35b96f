// Package page makes an interactive page of all results. `bench report html` writes the page as one file that holds
// everything and loads nothing. `bench report html -o FOLDER/` writes the same content as static pages, with a page
// for each data set and each method.
//
// Other reports compute verdicts, ranks, times and plots of splits. The page takes these from their documents, and
// package render lays them out. The page adds a table whose rows and columns the reader chooses, with new ranks for
// each choice, and the runs behind every cell. A doc.Document cannot hold these parts, so this package has a layout
// of its own:
//
//	page.go       what is asked, and the page as data
//	verdict.go    who leads, and the verdicts on methods, all from one family of tests
//	parts.go      what is taken from other reports
//	data.go       what the script of the page reads: counts, order and grid points, as compact JSON
//	printed.go    published values and ours, with intervals
//	sections.go   a section for each data set and each method
//	write.go      the file, and the pages of a site
//	groups.go     groups of methods and sets, each with its tests
//	exact.js, table.js, why.js, page.js
//	              means and ranks of the reader's choice, the table, what is behind a number, choosing and sorting
//	board.js      sorting of the leaderboard
//	take.js       tables and figures to copy and to download
//
// The script uses no library and no network, and decides nothing by rounded numbers. It gets means as fractions of
// whole numbers, and the order of the means on a set as places. So means and ranks are exact for any choice. The
// script tests nothing: what the page says of all its methods comes from one evidence.Evidence, and what it says of
// a group from another. For a choice that is no group the page names the command that tests it.
package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math/big"
	"strings"
	"time"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
)

// Options adjust the page.
type Options struct {
	Metric string  // "" for the protocol's
	Method string  // the method in question, named before the data were seen; "" for the method that leads
	Level  float64 // of the tests, such as 0.05
	Title  string  // "" for the usual one
	Groups Groups

	Program, Command string    // the program and the command that make the page, as in doc.Provenance
	Generated        time.Time // when the page is made

	draws int // number of draws of the Bayesian test, smaller in tests; 0 for the usual number
}

// Page is what is shown, before it is laid out.
type Page struct {
	Title    string
	Lead     string
	Warnings []string
	Warned   string // sums up several warnings or a long one, on one line; "" where there is a short one or none
	Verdict  verdict
	Board    *board          // nil where there is nothing to compare
	Diagrams []template.HTML // of each group of methods on each group of sets, as in groupsData
	Ranks    []part
	Times    []part
	More     []part       // what the other reports say
	Printed  *printedPart // nil where nothing printed is compared with the table
	Missing  []frame.Reason
	Command  string // computes what is missing; "" for nothing
	Edges    []string
	Notes    []string
	Facts    [][2]string
	Queries  []doc.Query
	Static   template.HTML // the table for readers without a script
	Sets     []*setSection
	Methods  []*methodSection

	table    frame.Table
	evidence *evidence.Evidence // nil where there is nothing to compare
	data     data
}

// A part is a fragment of another report under a heading.
type part struct {
	Heading string
	HTML    template.HTML
	Closed  bool // behind its heading until it is opened
}

// Build makes the page of a frame. The frame needs no folds. It is an error if an option has no meaning, if nothing is
// stored, or if stored cells contradict each other.
func Build(f frame.Frame, o Options) (*Page, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return nil, err
	}
	t, err := f.Table(o.Metric)
	if err != nil {
		return nil, err
	}
	p := &Page{table: t, Warnings: doc.Map(t.Warnings, doc.Flat), Command: t.FullCommand, Missing: missing(t),
		Warned: warned(t.Warnings),
		Title:  doc.OneLine(cmp.Or(o.Title, fmt.Sprintf("Test %s, protocol %s", t.Metric.Title, t.Protocol))),
		Lead:   lead(t)}
	p.Sets = doc.Map(t.Sets, func(s frame.Set) *setSection { return &setSection{Set: s} })
	p.Methods = doc.Map(t.Methods, func(m string) *methodSection { return &methodSection{Name: m} })
	for _, step := range []func(Options) error{p.addTable, p.addVerdict, p.addRanks, p.addTimes,
		p.addGrid, p.addPrinted, p.addMore} {
		if err := step(o); err != nil {
			return nil, err
		}
	}
	p.Notes = doc.Map(t.NotesOfPairs(), doc.Flat)[len(t.Reasons()):]
	provenance := t.Provenance
	provenance.Program, provenance.Generated, provenance.Command = o.Program, o.Generated, o.Command
	p.Facts, p.Queries = render.Facts(provenance), provenance.Queries
	if err := p.addData(o); err != nil {
		return nil, err
	}
	p.addSections()
	return p, nil
}

// warned is one line that sums up several warnings or for a long one: the beginning of the first warning,
// without its command.
func warned(warnings []string) string {
	const most = 140
	if len(warnings) == 0 || len(warnings) == 1 && len(warnings[0]) <= most {
		return ""
	}
	text, _, _ := strings.Cut(doc.Flat(warnings[0]), ": bench ")
	if letters := []rune(text); len(letters) > most {
		text = string(letters[:most])
	}
	if text += " …"; len(warnings) > 1 {
		text += fmt.Sprintf(" and %d more", len(warnings)-1)
	}
	return text
}

// missing has a line for each reason. Sets without stored cells are last.
func missing(t frame.Table) []frame.Reason {
	out := t.Reasons()
	if sets := t.NothingStored(); sets != nil {
		out = append(out, frame.Reason{Text: "Nothing is stored", Runs: len(sets) * len(t.Methods) * len(t.Splits),
			Where: "every method on " + frame.Briefly(sets, "data set")})
	}
	return doc.Map(out, func(r frame.Reason) frame.Reason {
		return frame.Reason{Text: doc.Flat(r.Text), Runs: r.Runs, Where: doc.Flat(r.Where)}
	})
}

func lead(t frame.Table) string {
	finished, planned := t.Done()
	main := 0
	for _, s := range t.Sets {
		if s.Group == frame.GroupMain {
			main++
		}
	}
	text := fmt.Sprintf("%s on %s", frame.Count(len(t.Methods), "method"), frame.Count(main, "data set"))
	if apart := len(t.Sets) - main; apart > 0 {
		text += fmt.Sprintf(" and %d shown apart", apart)
	}
	return fmt.Sprintf("%s, %s each: %d of %d results are there.", text, frame.Count(len(t.Splits), "split"), finished,
		planned)
}

// fraction writes an exact value as the script reads it.
func fraction(x *big.Rat) string { return x.Num().String() + "/" + x.Denom().String() }

// ids makes from names the texts that links and file names use for them. No two texts are equal.
func ids(names []string) []string {
	taken := map[string]bool{}
	out := make([]string, len(names))
	for i, name := range names {
		id := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
		}), "-")
		for id = wording.FileName(cmp.Or(id, "unnamed")); taken[id]; {
			id += "-x"
		}
		taken[id], out[i] = true, id
	}
	return out
}
