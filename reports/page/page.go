// Package page makes an interactive page of all results. `bench report html` writes the page as one file that holds
// everything and loads nothing. `bench report html -o FOLDER/` writes the same content as static pages, with a page
// for each data set and each method.
//
// Other reports compute verdicts, ranks, times and plots of splits. The page takes these from their documents, and
// package render lays them out. The page adds a table whose rows and columns the reader chooses, with new ranks for
// each choice (exact.js), and a dialog with the runs of each cell (why.js). A doc.Document cannot hold these parts, so
// this package has a layout of its own.
//
// The script uses no library and no network. It gets means as fractions of integers, and the order of the means on a
// set as integers. So means and ranks are exact for any choice. The script computes no test. The tests of all methods
// come from one evidence.Evidence, and those of a group from another. For any other choice of methods and sets the page
// shows the command that computes the tests.
package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
)

// Options adjust the page.
type Options struct {
	Metric string  // "" for the protocol's
	Method string  // the method in question, named before the data were seen; "" for the method that leads
	Level  float64 // of the tests, in (0, 1)
	Groups Groups

	Program, Command string    // the program and the command that make the page, as in doc.Provenance
	Generated        time.Time // when the page is made

	draws int // number of draws of the Bayesian test, smaller in tests; 0 for the usual number
}

// Page is the content of the page, before it is laid out.
type Page struct {
	Title       string
	Lead        string
	Warnings    []string
	WarningLine string // sums up Warnings on one line; "" for no warning, and for a single short one
	Verdict     verdict
	Board       *board          // nil if there is nothing to compare
	Tabs        []boardTab      // leaderboards of groups of sets, and of groups of methods
	Diagrams    []template.HTML // of average ranks, in the order of groupsData.Counted
	Ranks       []part
	Times       []part
	More        []part       // from reports tests, pairs and curves
	Printed     *printedPart // nil if there are no published values
	Missing     []frame.Reason
	Command     string   // computes the missing results; "" if there are none
	Edges       []string // chosen grid points on the edge of their grid: a summary, then each case
	Notes       []string
	Facts       [][2]string   // name and value of each fact on how the page was made
	Queries     []doc.Query   // that return the results from the database
	Static      template.HTML // the table for readers without a script
	Sets        []*setSection
	Methods     []*methodSection

	table    frame.Table
	evidence *evidence.Evidence // nil if there is nothing to compare
	data     data
}

// A part is a fragment of another report, with a heading.
type part struct {
	Heading string
	HTML    template.HTML
	Closed  bool // only the heading is seen until the reader opens the part
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
	if slices.Contains(t.Methods, o.Method) { // as on the leaderboard with --focus
		t = t.Apart(compare.Without(&t, o.Method))
	}
	p := &Page{table: t, Warnings: doc.Map(t.Warnings, doc.Flat), Command: t.FullCommand,
		Missing: missing(t), WarningLine: warningLine(t.Warnings),
		Title: doc.OneLine(fmt.Sprintf("Test %s, protocol %s", t.Metric.Title, t.Protocol)),
		Lead:  lead(t)}
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

// warningLine sums up the warnings on one line: the beginning of the first warning without its command, and the number
// of the others. It is "" for no warning, and for a single short one, which the page shows as it is.
func warningLine(warnings []string) string {
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

// missing lists the reasons why results are missing. The last one is about the sets without stored cells.
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

// lead counts the methods, the data sets, the splits, and the finished ones of the planned results.
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
	return fmt.Sprintf("%s, %s each: %d of %d results are finished.", text, frame.Count(len(t.Splits), "split"),
		finished, planned)
}

// fraction writes an exact value as the script reads it.
func fraction(x *big.Rat) string { return x.Num().String() + "/" + x.Denom().String() }

// ids returns an identifier for each name, which links and file names can use. All identifiers are different.
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
