// Package compare has the reports that say whether a method is better: than each other method (compare.go,
// verdict.go, tables.go), and who leads (leaderboard.go, board.go). Package evidence tests, this package writes
// sentences and tables.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// Select takes the method in question and those to compare it with.
func Select(args []string, s *frame.Selection) error {
	if len(args) == 0 {
		return errors.New("name the method in question, then those to compare it with, or none for all that are stored")
	}
	if s.Also = args; len(args) > 1 {
		s.Methods = args
	}
	return nil
}

// Compare is the report for the author of a new method: is the method better than other methods, and
// how sure is this?
//
// Package evidence computes the results: tests on each data set and over data sets, adjusted together for
// everything that the page shows, and the sizes of differences. This package writes them as sentences and
// tables. With one other method the page shows every data set. With several other methods data sets are among
// the details.
//
// Splits of one data set are never counted as data sets: they share most of their rows. The package adjusts
// for the comparisons of one page and cannot know of other pages.
func Compare(flags *pflag.FlagSet) frame.Build {
	var o Options
	region, alarm := TestFlags(flags, &o.Level), alarmFlag(flags)
	short := flags.Bool("short", false, "text: the verdict in one line, and nothing else")
	flags.BoolVar(&o.Choices, "choices", false, "of two methods: show the verdict under other choices, one at a time")
	return func(t *frame.Table) (d doc.Document, err error) {
		if o.Method, err = t.Frame.Method(t.Frame.Also[0], t.Frame.Rows); err != nil {
			return d, err
		}
		if *alarm != nil {
			o.Method = t.Frame.Latest(o.Method)
		}
		if o.Region, err = region(); err != nil {
			return d, err
		}
		p, err := NewPage(t, o)
		if err == nil {
			err = p.choose()
		}
		if err != nil {
			return d, err
		}
		if d = p.Document(); *short {
			d.Line = p.Line()
		}
		d.Alarm, err = p.alarm(*alarm)
		return d, err
	}
}

// Options adjust the page.
type Options struct {
	Method string           // the method in question
	Chosen bool             // the data chose the method: see Asked
	Level  float64          // of all tests of the page together, such as 0.05; intervals hold 1 - Level
	Region *evidence.Region // nil for the usual one
	Draws  int              // of the Bayesian signed-rank test; 0 for the usual number
	// Choices shows the table of other choices, which is for two methods, and else a detail.
	Choices bool
}

// A Page is what is found of a method against each other method.
type Page struct {
	*frame.Table
	Evidence *evidence.Evidence
	o        Options
	method   string
	unit     string // " points" or nothing
	region   evidence.Region
	pairs    []evidence.Pair // with the method as A, in the table's order of the other methods
	alone    []string        // methods without a common split
	larger   string          // what the page takes for granted; see fromLarger
	stop     *result.Stop    // why the run of the method ended early
	asksStop bool            // the page asks what that run decided
	choices  []choice        // the page's own and all others; nil for several other methods
}

// Asked are the options for a table with a method in question: the named one, or else the leader. The data chose the
// leader, so that tests are adjusted for each method with each.
func (o Options) Asked(t *frame.Table) Options {
	if o.Chosen = o.Method == ""; o.Chosen {
		first, _ := evidence.Ends(t)
		o.Method = t.Methods[first]
	}
	return o
}

// Evidence compares the methods of a table as the options ask.
func (o Options) Evidence(t *frame.Table) (*evidence.Evidence, error) {
	asked := evidence.Options{Method: o.Method, Level: o.Level, Region: evidence.RegionOr(o.Region, t.Metric)}
	if o.Chosen {
		asked.Method = ""
	}
	ev, err := evidence.Compare(t, asked)
	if err == nil {
		Register(t, ev)
	}
	return ev, err
}

// NewPage compares the options' method with every other method of a table.
func NewPage(t *frame.Table, o Options) (*Page, error) {
	us := slices.Index(t.Methods, o.Method)
	if slices.Contains(t.Frame.Exclude, o.Method) {
		return nil, fmt.Errorf("%w: --exclude leaves %s out", frame.ErrNoResults, o.Method)
	}
	if us < 0 || !slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return len(s.Entries[us].Runs) > 0 }) {
		return nil, fmt.Errorf("%w: no run of %s is finished; `%s` makes them", frame.ErrNoResults, o.Method,
			t.Frame.Run.Command([]string{o.Method}, t.Frame.Datasets, t.Frame.Splits, slices.ContainsFunc(t.Missing,
				func(m frame.Missing) bool { return m.Kind == frame.Failed && m.Method == o.Method })))
	}
	ev, err := o.Evidence(t)
	if err != nil {
		return nil, err
	}
	p, err := PageOf(t, ev, o)
	if err == nil {
		p.larger, err = p.fromLarger()
	}
	return p, err
}

// fromLarger says what a page of some of the stored methods takes for granted; "" where it takes nothing. A method that
// is the first or the last one of all may have been named for that. Then the p of the pair on the leaderboard is beside
// it, unless it is one's own.
func (p *Page) fromLarger() (string, error) {
	all, err := p.Stored()
	if err != nil || all == nil || len(all.Methods) <= len(p.Methods) ||
		!slices.ContainsFunc(p.pairs, func(q evidence.Pair) bool { return q.Registered == nil }) {
		return "", err
	}
	who := "these methods"
	if len(p.Methods) == 2 {
		who = "both"
	}
	stored := map[string]bool{} // a version is none of its own
	for _, m := range all.Methods {
		if version, pinned := all.Pinned(m); pinned {
			m = version.Method
		}
		stored[m] = true
	}
	text := fmt.Sprintf(" Right only if %s were named before the results were seen: %s are stored", who,
		frame.Count(len(stored), "method"))
	pair := []string{p.method, p.Methods[p.pairs[0].B]}
	us, them := slices.Index(all.Methods, pair[0]), slices.Index(all.Methods, pair[1])
	if len(p.pairs) > 1 || slices.Contains(p.Own, pair[0]) || slices.Contains(p.Own, pair[1]) || us < 0 || them < 0 {
		return text + ".", nil
	}
	for _, m := range pair {
		board, err := evidence.Compare(all, evidence.Options{Method: m, Level: p.o.Level, Region: p.region})
		if err != nil {
			return "", err
		}
		if !board.Every {
			continue
		}
		q, _ := board.Between(us, them)
		if math.IsNaN(q.Adjusted) {
			return text + ", and on their leaderboard the pair is not testable.", nil
		}
		return fmt.Sprintf("%s, and on their leaderboard p is %s.", text, frame.PValue(q.Adjusted)), nil
	}
	return text + ".", nil
}

// PageOf selects the comparisons of the options' method from evidence that may hold the comparisons of other methods,
// too. It is an error if no other method has finished a split of a set that the method has finished.
func PageOf(t *frame.Table, ev *evidence.Evidence, o Options) (*Page, error) {
	p := &Page{Table: t, o: o, method: o.Method, Evidence: ev, region: ev.Region}
	switch {
	case t.Metric.Percent:
		p.unit = " points"
	case t.Metric.Unit:
		p.unit = " % of the error"
	}
	us := slices.Index(t.Methods, o.Method)
	for them, name := range t.Methods {
		switch pair, ok := ev.Between(us, them); {
		case ok:
			p.pairs = append(p.pairs, pair)
		case them != us:
			p.alone = append(p.alone, name)
		}
	}
	if len(p.pairs) == 0 {
		makes := ""
		if p.FullCommand != "" {
			makes = fmt.Sprintf("; `%s` makes them", p.FullCommand)
		}
		who := "no other method has"
		if len(p.alone) == 1 {
			who = p.alone[0] + " has not"
		}
		return nil, fmt.Errorf("%w: %s finished the same split of a data set as %s%s", frame.ErrNoResults, who,
			p.method, makes)
	}
	p.takeStop()
	return p, nil
}

// Summary is one sentence of the page: the findings over data sets for each other method.
func (p *Page) Summary() string { return p.Preliminary() + p.summary() }

func (p *Page) other(q *evidence.Pair) string {
	if q.B < 0 {
		return "the mean of the field"
	}
	return p.Methods[q.B]
}

// Each is the heading of the sentences on each other method.
const Each = "Against each other method"

// Document is the whole page, which begins with the plot of the differences.
func (p *Page) Document() doc.Document {
	notes := p.stopNotes()
	if len(p.alone) > 0 {
		notes = slices.Insert(notes, 0, fmt.Sprintf("Without a split that %s has finished too: %s.", p.method,
			frame.Listed(p.alone)))
	}
	d := doc.Document{Label: "tab:compare:" + p.method, Notes: p.NotesOfPairs(notes...),
		Title: fmt.Sprintf("%s against %s by test %s, protocol %s", p.method, p.others(), p.Metric.Title, p.Protocol)}
	add := func(blocks ...doc.Block) { d.Blocks = append(d.Blocks, blocks...) }
	alone := len(p.pairs) == 1
	if alone {
		add(p.forestOfSets(&p.pairs[0]))
	} else {
		add(p.Differences())
	}
	first, rest := p.Sentences()
	add(doc.Prose{Heading: "Verdict", Paragraphs: first}, p.Over())
	if len(rest) > 0 {
		add(doc.Prose{Heading: Each, Paragraphs: rest, Detail: true})
	}
	typical := p.Evidence.Typical(p.pairs, cmp.Or(p.o.Draws, usualDraws))
	records := []doc.Block{p.pairRecords(typical), p.setRecords()}
	if len(p.choices) > 1 {
		add(p.choiceTable())
		records = append(records, p.choiceRecords())
	}
	for i := range p.pairs {
		if add(p.bySet(&p.pairs[i])); !alone {
			add(p.forestOfSets(&p.pairs[i]))
		}
	}
	add(posteriors(p.Evidence, p.Metric, "Against", p.names(), typical),
		doc.Prose{Heading: "How to read this", Paragraphs: p.limits(), Detail: true})
	add(records...)
	return d
}

// others names the methods that the one in question is compared with, where they are few.
func (p *Page) others() string {
	if len(p.pairs) > few {
		return frame.Count(len(p.pairs), "method")
	}
	return frame.Listed(p.names())
}

func (p *Page) names() []string {
	return doc.Map(p.pairs, func(q evidence.Pair) string { return p.other(&q) })
}
