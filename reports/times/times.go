// Package times sets what methods cost beside how good they are: processor time of a cell (the search
// over the grid, the refit and the test, on all threads that the cell used) and the mean of a metric.
//
// A method is on the front if no other is at least as good in no more time. Times of two kinds of
// processor are not compared: only cells of the one that most were computed on have a time here.
// Wall times depend on what else a machine does and are not shown; they are in view `results`.
package times

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/span"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// Options adjust the page.
type Options struct {
	Metric string // "" for the protocol's
	Title  string // "" for the usual one
	Label  string // for LaTeX; "" for "tab:times:" and the protocol
}

// page is the document before it is laid out.
type page struct {
	frame.Table
	cpu     string // the processor that times are of
	others  []string
	seconds map[string][]*float64 // mean seconds of a cell by set, a value a method; nil without any
	timed   []string              // counted sets with times of every whole method
	costs   []cost                // the cheapest first
}

// cost is a whole method over the timed sets.
type cost struct {
	method  string
	cell    float64  // mean seconds of a cell, a set counting once
	whole   float64  // seconds of all cells that were timed, of every set
	value   *big.Rat // mean of the metric
	onFront bool
}

// Build returns the document. It is an error if no data set counts, of several methods fewer than
// two are whole, or no set has times, and if stored cells contradict each other.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	if err := t.Ranked(); err != nil {
		return doc.Document{}, err
	}
	p := page{Table: t, seconds: map[string][]*float64{}}
	p.pickProcessor()
	p.measure()
	if len(p.timed) == 0 {
		return doc.Document{}, fmt.Errorf("%w: no data set has processor times of every method on one kind of processor; name fewer with --methods or --datasets", frame.ErrNoResults)
	}
	p.sum()
	d := doc.Document{
		Report: "times", Label: cmp.Or(o.Label, "tab:times:"+t.Protocol), Warnings: t.Warnings, Notes: t.Notes(p.notes()...), Provenance: t.Provenance,
		Title: cmp.Or(o.Title, fmt.Sprintf("Mean test %s beside processor time over %s, protocol %s", t.Metric.Title, frame.Count(len(p.timed), "data set"), t.Protocol)),
	}
	d.Blocks = []doc.Block{p.figure(), p.bySet()}
	d.Blocks = append(append(d.Blocks, t.MissingCode()...), p.records(), p.setRecords())
	d.Blocks = append(d.Blocks, t.MissingRecords()...)
	return d, nil
}

// pickProcessor takes the kind that most finished cells were computed on, the first by name of equals.
func (p *page) pickProcessor() {
	cells := map[string]int{}
	for _, s := range p.Sets {
		for _, m := range p.Methods {
			for _, r := range p.Cells(s.Name, m) {
				if r.CPUSeconds != nil {
					cells[r.Environment.CPU]++
				}
			}
		}
	}
	for cpu := range cells {
		p.others = append(p.others, cpu)
	}
	slices.SortFunc(p.others, func(a, b string) int { return cmp.Or(cells[b]-cells[a], strings.Compare(a, b)) })
	if len(p.others) > 0 {
		p.cpu, p.others = p.others[0], p.others[1:]
	}
}

// measure fills seconds and timed.
func (p *page) measure() {
	for _, s := range p.Sets {
		whole := s.Counted
		for i, m := range p.Methods {
			sum, n := 0.0, 0
			for _, r := range p.Cells(s.Name, m) {
				if r.Status == store.OK && r.CPUSeconds != nil && r.Environment.CPU == p.cpu {
					sum, n = sum+*r.CPUSeconds, n+1
				}
			}
			var mean *float64
			if n > 0 {
				x := sum / float64(n)
				mean = &x
			}
			whole = whole && (mean != nil || i >= len(p.Whole()))
			p.seconds[s.Name] = append(p.seconds[s.Name], mean)
		}
		if whole {
			p.timed = append(p.timed, s.Name)
		}
	}
}

// sum fills costs.
func (p *page) sum() {
	for i, m := range p.Whole() {
		c := cost{method: m}
		var means []*big.Rat
		for k, s := range p.Sets {
			x := p.seconds[s.Name][i]
			if x != nil {
				c.whole += *x * float64(len(s.Entries[i].Runs))
			}
			if slices.Contains(p.timed, s.Name) {
				c.cell += *x / float64(len(p.timed))
				means = append(means, p.Sets[k].Entries[i].Mean)
			}
		}
		c.value = stats.NewSpread(means).Mean
		p.costs = append(p.costs, c)
	}
	slices.SortStableFunc(p.costs, func(a, b cost) int { return cmp.Compare(a.cell, b.cell) })
	for i := range p.costs {
		c := &p.costs[i]
		c.onFront = !slices.ContainsFunc(p.costs, func(other cost) bool { return p.beats(other, *c) })
	}
}

// beats reports whether a is at least as good as b in no more time, and better in one of them.
func (p *page) beats(a, b cost) bool {
	good, cheap := p.Metric.Compare(a.value, b.value), cmp.Compare(b.cell, a.cell)
	return good >= 0 && cheap >= 0 && good+cheap > 0
}

func (p *page) notes() []string {
	var notes []string
	if len(p.timed) < len(p.Counted) {
		notes = append(notes, fmt.Sprintf("Times are over the sets that every method has times of: %s.", strings.Join(p.timed, ", ")))
	}
	if len(p.others) > 0 {
		notes = append(notes, fmt.Sprintf("Times are those on %s; cells computed on %s have none here.", p.cpu, strings.Join(p.others, ", ")))
	}
	return notes
}

// figure draws the metric against time, with the numbers.
func (p *page) figure() doc.Figure {
	var points []plot.Point
	var front []int
	table := doc.Table{Corner: "Method", Best: "on the front: no other method is at least as good in no more time.",
		Head:   []doc.Column{{Name: "a cell", Long: "processor time of a cell"}, {Name: "all cells"}, {Name: p.Metric.Name}},
		Legend: []string{fmt.Sprintf("A cell: mean processor time on %s of one split, the search over the grid included, a data set counting once (%s); all cells: of every set that is stored.", p.cpu, strings.Join(p.timed, ", "))}}
	var rows []doc.Row
	for i, c := range p.costs {
		value := frame.Text(c.value, p.decimals())
		y, _ := c.value.Float64()
		points = append(points, plot.Point{Name: c.method, X: max(c.cell, 1e-6), Y: y, Tip: fmt.Sprintf("%s: %s in %s", c.method, value, span.Seconds(c.cell))})
		if c.onFront {
			front = append(front, i)
		}
		rows = append(rows, doc.Row{Name: c.method, Entries: []doc.Entry{{Text: span.Seconds(c.cell)}, {Text: span.Seconds(c.whole)}, {Text: value, Best: c.onFront}}})
	}
	table.Sections = [][]doc.Row{rows}
	title := "mean test " + p.Metric.Title
	if p.Metric.Percent {
		title += " (%)"
	}
	return doc.Figure{Title: "Quality against time", About: "The line is the front: what each time reaches at best", Numbers: &table,
		Drawing: plot.Scatter(points, front, plot.Axis{Title: "processor time of a cell, seconds", Log: true}, plot.Axis{Title: title, Percent: p.Metric.Percent}),
		Alt:     fmt.Sprintf("Mean test %s of %s against processor time of a cell", p.Metric.Title, frame.Count(len(p.costs), "method"))}
}

func (p *page) decimals() int {
	if p.Metric.Percent {
		return 2
	}
	return 4
}

// bySet is the table of times by data set.
func (p *page) bySet() doc.Table {
	out := doc.Table{Heading: "By data set", Caption: "Processor time of a cell by data set in seconds, mean over splits", Label: "sets", Corner: "Data set", Best: "the least of its row."}
	for _, m := range p.Methods {
		out.Head = append(out.Head, doc.Column{Name: m})
	}
	var rows []doc.Row
	for _, s := range p.Sets {
		if s.Finished() == 0 {
			continue // a note names it
		}
		row := doc.Row{Name: s.Name}
		least := -1.0
		for _, x := range p.seconds[s.Name][:len(p.Whole())] {
			if x != nil && (least < 0 || *x < least) {
				least = *x
			}
		}
		for i, x := range p.seconds[s.Name] {
			if x == nil {
				row.Entries = append(row.Entries, doc.Entry{Text: frame.Absent})
				continue
			}
			row.Entries = append(row.Entries, doc.Entry{Text: strconv.FormatFloat(*x, 'g', 3, 64), Best: *x == least && i < len(p.Whole()) && len(p.Methods) > 1})
		}
		rows = append(rows, row)
	}
	out.Sections = [][]doc.Row{rows}
	return out
}

func (p *page) records() doc.Records {
	out := doc.Records{Name: "times", Columns: []string{"protocol", "metric", "datasets", "cpu", "method", "cell_cpu_seconds", "all_cpu_seconds", "mean", "front"}}
	for _, c := range p.costs {
		out.Add(p.Protocol, p.Metric.Name, p.timed, p.cpu, c.method, c.cell, c.whole, frame.Float(c.value), c.onFront)
	}
	return out
}

func (p *page) setRecords() doc.Records {
	out := doc.Records{Name: "sets", Columns: []string{"protocol", "cpu", "dataset", "method", "cell_cpu_seconds", "version"}}
	for _, s := range p.Sets {
		for i, m := range p.Methods {
			out.Add(p.Protocol, p.cpu, s.Name, m, p.seconds[s.Name][i], p.Version(s.Name, m))
		}
	}
	return out
}
