// Package compare is the page for someone who invented a method: is it better than the others, and
// how sure is that?
//
// The method in question is set beside each other one by itself, over what both have finished. On a
// data set the differences, one a split, go to the t-test that is corrected for overlapping splits,
// and the sets' p-values to Holm's procedure: a set counts as better or worse where the adjusted
// value is below the level. Over data sets the mean differences, one a set, go to Wilcoxon's
// signed-rank test, and the opponents' p-values to Holm's procedure. Both questions are answered a
// second time by a Bayesian test with a region of practical equivalence, since a test that finds no
// difference does not find equality. Last stands how much more evidence would decide.
//
//	compare.go   what is asked, and the document
//	pair.go      what is computed of two methods
//	verdict.go   sentences
//	tables.go    tables and records
//
// Splits of one data set are never counted as data sets of their own: they share most of their
// rows. The package adjusts for the comparisons of one page and cannot know of others.
package compare

import (
	"cmp"
	"fmt"
	"math/big"
	"runtime"
	"slices"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
	"golang.org/x/sync/errgroup"
)

// Options adjust the page.
type Options struct {
	Method string   // the one in question
	Metric string   // "" for accuracy
	Level  float64  // of the tests, such as 0.05; intervals hold 1 - Level
	Power  float64  // with which more evidence is to find a difference, such as 0.8
	Rope   *big.Rat // half-width of the region of practical equivalence, in the unit of the table; nil for one percentage point, or none where the metric is not in percent
	Draws  int      // of the Bayesian signed-rank test; 0 for 50,000, with a standard error of at most 0.0023
	Title  string   // "" for the usual one
	Label  string   // for LaTeX; "" for "tab:compare:" and the method
	Brief  bool     // without what takes longest: the Bayesian test over data sets, and how much more would decide
}

const (
	usualDraws = 50_000
	seed       = 1 // of the draws
)

// page is the document before it is laid out.
type page struct {
	frame.Table
	o      Options
	method string
	unit   string // " points" or nothing
	pairs  []pair // in the table's order of the other methods
	alone  []string
}

// Build returns the document for the method and every other one of the frame. It is an error if an
// option has no meaning, and if the method and no other one have finished the same split of a set.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	p, err := newPage(t, o, f.Run.Command([]string{o.Method}, f.Datasets, f.Splits, false))
	if err != nil {
		return doc.Document{}, err
	}
	return p.document(), nil
}

// Verdicts returns the first lines of the page of a method over a table that stands already: one sentence for all other methods
// where there are several, then one for each.
func Verdicts(t frame.Table, o Options) ([]string, error) {
	p, err := newPage(t, o, t.FullCommand)
	if err != nil {
		return nil, err
	}
	return p.verdicts(), nil
}

// newPage compares the method of the options with every other one of the table; command makes its runs.
func newPage(t frame.Table, o Options, command string) (*page, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return nil, err
	}
	if !(o.Power > 0 && o.Power < 1) {
		return nil, fmt.Errorf("the power is %v; use a number between 0 and 1, such as 0.8", o.Power)
	}
	if o.Rope != nil && o.Rope.Sign() < 0 {
		return nil, fmt.Errorf("the region of practical equivalence is %s wide; use 0 or more", o.Rope.RatString())
	}
	p := &page{Table: t, o: o, method: o.Method}
	p.o.Draws = cmp.Or(o.Draws, usualDraws)
	if t.Metric.Percent {
		p.unit = " points"
		p.o.Rope = cmp.Or(o.Rope, big.NewRat(1, 1))
	}
	us := slices.Index(t.Methods, o.Method)
	if us < 0 || !slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return len(s.Entries[us].Runs) > 0 }) {
		return nil, fmt.Errorf("%w: no run of %s is finished; `%s` makes them", frame.ErrNoResults, o.Method, command)
	}
	return p, p.compare(us)
}

// compare fills the pairs, adjusts their p-values over data sets for their number, and adds the posteriors.
func (p *page) compare(us int) error {
	pairs := make([]pair, len(p.Methods))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for them := range p.Methods {
		if them != us {
			work.Go(func() (err error) {
				pairs[them], err = p.pair(us, them)
				return err
			})
		}
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for them, name := range p.Methods {
		switch {
		case them == us:
		case len(pairs[them].sets) == 0:
			p.alone = append(p.alone, name)
		default:
			p.pairs = append(p.pairs, pairs[them])
		}
	}
	if len(p.pairs) == 0 {
		return fmt.Errorf("%w: no other method has finished the same split of a data set as %s; `%s` makes them", frame.ErrNoResults, p.method, p.FullCommand)
	}
	var tested []*pair
	var ps []float64
	var gains [][]*big.Rat
	for i := range p.pairs {
		if q := &p.pairs[i]; q.tested() {
			tested, ps, gains = append(tested, q), append(ps, q.wilcoxon.P), append(gains, q.gains)
		}
	}
	for i, adjusted := range stats.Holm(ps) {
		tested[i].adjusted = adjusted
	}
	if p.o.Rope == nil || p.o.Brief {
		return nil
	}
	posteriors, err := stats.BayesSignedRanks(gains, p.o.Rope, p.o.Draws, seed)
	for i := range posteriors {
		tested[i].posterior = &posteriors[i]
	}
	return err
}

func (p *page) document() doc.Document {
	d := doc.Document{
		Report: "compare", Label: cmp.Or(p.o.Label, "tab:compare:"+p.method), Warnings: p.Warnings, Provenance: p.Provenance,
		Title: cmp.Or(p.o.Title, fmt.Sprintf("%s beside %s by test %s, protocol %s", p.method, p.others(), p.Metric.Title, p.Protocol)),
		Notes: p.NotesOfPairs(p.notes()...),
	}
	d.Blocks = append(d.Blocks, doc.Prose{Heading: "Verdict", Paragraphs: p.verdicts()}, p.overSets())
	for i := range p.pairs {
		d.Blocks = append(d.Blocks, p.bySet(&p.pairs[i]))
	}
	d.Blocks = append(d.Blocks, doc.Prose{Heading: "What would decide", Paragraphs: p.needs()}, doc.Prose{Heading: "What is not done here", Paragraphs: limits})
	d.Blocks = append(append(d.Blocks, p.MissingCode()...), p.pairRecords(), p.setRecords())
	d.Blocks = append(d.Blocks, p.MissingRecords()...)
	return d
}

// others names the methods beside the one in question, where they are few.
func (p *page) others() string {
	if len(p.pairs) > 3 {
		return frame.Count(len(p.pairs), "method")
	}
	var names []string
	for _, q := range p.pairs {
		names = append(names, q.other)
	}
	return listed(names)
}
