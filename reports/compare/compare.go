// Package compare is the page for the author of a new method: is the method better than other methods, and
// how sure is this?
//
// Package evidence computes the results: tests on each data set and over data sets, adjusted together for
// everything that the page shows, and the sizes of differences. This package writes them as sentences and
// tables. With one other method the page shows every data set. With several other methods data sets are among
// the details.
//
//	compare.go   the options, and the document
//	verdict.go   sentences
//	tables.go    tables
//	records.go   every number, for programs
//	power.go     the differences that so many data sets can find
//	forest.go    differences and their intervals, drawn
//
// Splits of one data set are never counted as data sets: they share most of their rows. The package adjusts
// for the comparisons of one page and cannot know of other pages.
package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Options adjust the page.
type Options struct {
	Method string // the method in question
	// Chosen says that the data chose the method, as the leader. Then tests are adjusted for each method with
	// each.
	Chosen bool
	Metric string  // "" for the protocol's
	Level  float64 // of all tests of the page together, such as 0.05; intervals hold 1 - Level
	// Power is the power for which needed data sets are counted, such as 0.8.
	Power  float64
	Region *evidence.Region // nil for the usual one
	Draws  int              // of the Bayesian signed-rank test; 0 for 50,000, with a standard error of at most 0.0023
	Title  string           // "" for the usual one
	Label  string           // for LaTeX; "" for "tab:compare:" and the method
}

const (
	usualDraws = 50_000
	none       = -1
)

type page struct {
	frame.Table
	o       Options
	method  string
	unit    string // " points" or nothing
	ev      *evidence.Evidence
	region  evidence.Region
	pairs   []evidence.Pair        // with the method as A, in the table's order of the other methods
	typical []*stats.Probabilities // of each pair
	alone   []string               // methods without a common split
}

// Build returns the document for the method and every other method of the frame. It is an error if an option
// has no meaning, or if the method shares no finished split of a set with another method.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	us := slices.Index(t.Methods, o.Method)
	if us < 0 || !slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return len(s.Entries[us].Runs) > 0 }) {
		return doc.Document{}, fmt.Errorf("%w: no run of %s is finished; `%s` makes them", frame.ErrNoResults, o.Method, f.Run.Command([]string{o.Method}, f.Datasets, f.Splits, false))
	}
	ev, err := o.Evidence(&t)
	if err != nil {
		return doc.Document{}, err
	}
	return Document(t, ev, o)
}

// Evidence compares the methods of a table as the options ask.
func (o Options) Evidence(t *frame.Table) (*evidence.Evidence, error) {
	asked := evidence.Options{Method: o.Method, Level: o.Level, Region: evidence.UsualRegion(t.Metric)}
	if o.Chosen {
		asked.Method = ""
	}
	if o.Region != nil {
		asked.Region = *o.Region
	}
	return evidence.Of(t, asked)
}

// Document is the page of a method from evidence that may hold the comparisons of other methods, too.
func Document(t frame.Table, ev *evidence.Evidence, o Options) (doc.Document, error) {
	p, err := newPage(t, ev, o)
	if err != nil {
		return doc.Document{}, err
	}
	return p.document()
}

// Summary is one sentence of a method's page: the findings over data sets for each other method.
func Summary(t frame.Table, ev *evidence.Evidence, o Options) (string, error) {
	o.Draws = none
	p, err := newPage(t, ev, o)
	if err != nil {
		return "", err
	}
	return p.preliminary() + p.summary(), nil
}

// Sentences are the verdicts of a method's page without probabilities of the typical difference. first are the
// sentences at the top of the page. rest are the sentences among the details, one for each other method.
func Sentences(t frame.Table, ev *evidence.Evidence, o Options) (first, rest []string, err error) {
	o.Draws = none
	p, err := newPage(t, ev, o)
	if err != nil {
		return nil, nil, err
	}
	first, rest = p.verdicts()
	return first, rest, nil
}

// Preliminary says that splits or data sets are missing for the verdicts on a method. It is "" if none are.
func Preliminary(t frame.Table, ev *evidence.Evidence, o Options) (string, error) {
	o.Draws = none
	p, err := newPage(t, ev, o)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(p.preliminary()), nil
}

// newPage selects from evidence the comparisons of the method of the options.
func newPage(t frame.Table, ev *evidence.Evidence, o Options) (*page, error) {
	if !(o.Power > 0 && o.Power < 1) {
		return nil, fmt.Errorf("the power is %v; use a number between 0 and 1, such as 0.8", o.Power)
	}
	p := &page{Table: t, o: o, method: o.Method, ev: ev, region: ev.Region}
	if t.Metric.Percent {
		p.unit = " points"
	}
	us := slices.Index(t.Methods, o.Method)
	typical := make([]*stats.Probabilities, len(ev.Pairs))
	if o.Draws != none {
		var err error
		if typical, err = ev.Typical(func(q evidence.Pair) bool {
			return (q.A == us || q.B == us) && q.Verdict != evidence.Untested // too few data sets tell nothing about the typical difference
		}, cmp.Or(o.Draws, usualDraws)); err != nil {
			return nil, err
		}
	}
	for them, name := range t.Methods {
		i, reversed := p.ev.Between(us, them)
		switch {
		case them == us:
		case i < 0:
			p.alone = append(p.alone, name)
		case reversed:
			p.pairs, p.typical = append(p.pairs, p.ev.Pairs[i].Reversed()), append(p.typical, typical[i].Reversed())
		default:
			p.pairs, p.typical = append(p.pairs, p.ev.Pairs[i]), append(p.typical, typical[i])
		}
	}
	if len(p.pairs) == 0 {
		return nil, fmt.Errorf("%w: no other method has finished the same split of a data set as %s; `%s` makes them", frame.ErrNoResults, p.method, p.FullCommand)
	}
	return p, nil
}

func (p *page) other(q *evidence.Pair) string { return p.Methods[q.B] }

func (p *page) document() (doc.Document, error) {
	d := doc.Document{
		Report: "compare", Label: cmp.Or(p.o.Label, "tab:compare:"+p.method), Warnings: p.Warnings, Provenance: p.Provenance,
		Title: cmp.Or(p.o.Title, fmt.Sprintf("%s beside %s by test %s, protocol %s", p.method, p.others(), p.Metric.Title, p.Protocol)),
		Notes: p.NotesOfPairs(p.notes()...),
	}
	first, rest := p.verdicts()
	d.Blocks = append(d.Blocks, doc.Prose{Heading: "Verdict", Paragraphs: first}, p.overSets())
	if len(rest) > 0 {
		d.Blocks = append(d.Blocks, doc.Prose{Heading: "Against each other method", Paragraphs: rest, Detail: true})
	}
	if len(p.pairs) > 1 {
		d.Blocks = append(d.Blocks, p.forestOfMethods())
	}
	for i := range p.pairs {
		d.Blocks = append(d.Blocks, p.bySet(&p.pairs[i]), p.forestOfSets(&p.pairs[i]))
	}
	power, err := p.power()
	if err != nil {
		return d, err
	}
	d.Blocks = append(d.Blocks, p.bayes(), power, doc.Prose{Heading: "How to read this", Paragraphs: p.limits(), Detail: true})
	d.Blocks = append(append(d.Blocks, p.MissingCode()...), p.pairRecords(), p.setRecords())
	d.Blocks = append(d.Blocks, p.MissingRecords()...)
	return d, nil
}

// others names the methods beside the one in question, where they are few.
func (p *page) others() string {
	if len(p.pairs) > few {
		return frame.Count(len(p.pairs), "method")
	}
	var names []string
	for i := range p.pairs {
		names = append(names, p.other(&p.pairs[i]))
	}
	return frame.Listed(names)
}

// notes say what is missing on the page.
func (p *page) notes() []string {
	if len(p.alone) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Without a split that %s has finished too: %s.", p.method, frame.Listed(p.alone))}
}
