package curves

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// costs are the times of a table, and what they cost and bring.
type costs struct {
	*frame.Table
	cpu      string // the processor of all times in seconds
	others   []string
	machines []result.Environment            // of all times in yardsticks; nil for times in seconds
	time     func(store.Row) (float64, bool) // of a cell that was timed; false if its time is left out
	cells    map[string][]*float64           // mean time of a cell by set, a value a method; nil without any
	timed    []string                        // counted sets with times of every whole method
	costs    []cost                          // the cheapest first
}

// cost is a whole method over the timed sets.
type cost struct {
	method  string
	cell    float64    // mean time of a cell, a set counting once
	usual   [2]float64 // quartiles over splits of the mean time over sets; NaN without enough splits
	whole   float64    // time of all cells that were timed, of every set
	value   *big.Rat   // mean of the metric
	half    float64    // half the width of the interval of value; NaN for none
	onFront bool
	share   float64 // share of resamples in which the method is on the front; NaN for none
}

// Times compares the cost of methods with their quality: processor time of a cell (the search over
// the grid, the refit and the test, on all threads that the cell used) and the mean of a metric.
//
// A method is on the front if no other method is at least as good in no more time. Resampled data sets show
// how sure this is (front.go), and so do intervals of the means without the effect that a set has on all
// methods. Times are in yardsticks, and there is no front where they are of several machines, which a yardstick makes
// comparable only about. If a machine has no yardstick, times are the seconds of the most frequent processor. Wall
// times depend on the load of a machine and are not shown; view `results` has them.
func Times(t *frame.Table) (doc.Document, error) {
	if err := t.CheckRanked(); err != nil {
		return doc.Document{}, err
	}
	p := inYardsticks(t)
	if p == nil {
		p = inSeconds(t)
	}
	if len(p.timed) == 0 {
		return doc.Document{}, fmt.Errorf("%w: no data set has processor times of every method on one kind of "+
			"processor; name fewer with --methods or --datasets", frame.ErrNoResults)
	}
	p.sum()
	d := doc.Document{Title: fmt.Sprintf("Mean test %s and processor time over %s, protocol %s", t.Metric.Title,
		frame.Count(len(p.timed), "data set"), t.Protocol), Notes: t.Notes(p.notes()...)}
	d.Blocks = append([]doc.Block{p.figure()}, append(p.sureness(), p.bySet())...)
	d.Blocks = append(d.Blocks, p.records(), p.setRecords())
	return d, nil
}

// inSeconds returns the times of a table on the processor of most cells.
func inSeconds(t *frame.Table) *costs {
	p := &costs{Table: t, others: t.Processors()}
	if len(p.others) > 0 {
		p.cpu, p.others = p.others[0], p.others[1:]
	}
	p.time = func(r store.Row) (float64, bool) { return *r.CPUSeconds, r.Environment.CPU == p.cpu }
	return p.fill()
}

// inYardsticks returns the times of a table divided by the yardstick of their machine, nil if one of these has none.
func inYardsticks(t *frame.Table) *costs {
	p := &costs{Table: t, machines: machines(t)}
	p.time = func(r store.Row) (float64, bool) { return *r.CPUSeconds / r.Environment.Yardstick.Low, true }
	if p.machines == nil {
		return nil
	}
	return p.fill()
}

// comparable reports whether times are of one machine, or of one kind of processor.
func (p *costs) comparable() bool { return len(p.machines) < 2 }

func (p *costs) unit() string {
	if p.machines == nil {
		return "seconds"
	}
	return "yardsticks"
}

// column is how the names of columns of times end.
func (p *costs) column() string {
	if p.machines == nil {
		return "cpu_seconds"
	}
	return p.unit()
}

// digits writes a time with three digits, or all before the point.
func digits(x float64) string {
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(max(x, 0.01))))), 64)
}

// fill takes the time of each cell that has one from its row, or leaves the cell out.
func (p *costs) fill() *costs {
	p.cells = map[string][]*float64{}
	for _, s := range p.Sets {
		whole := s.Counted
		for i, m := range p.Methods {
			sum, n := 0.0, 0
			for _, r := range p.Cells(s.Name, m) {
				if !timed(r) {
					continue
				}
				if x, takes := p.time(r); takes {
					sum, n = sum+x, n+1
				}
			}
			var mean *float64
			if n > 0 {
				mean = new(sum / float64(n))
			}
			whole = whole && (mean != nil || i >= len(p.Whole()))
			p.cells[s.Name] = append(p.cells[s.Name], mean)
		}
		if whole {
			p.timed = append(p.timed, s.Name)
		}
	}
	return p
}

func timed(r store.Row) bool { return r.Status == result.OK && r.CPUSeconds != nil }

// Costs are mean processor times of a cell: on one kind of processor, and in yardsticks of all machines.
type Costs struct {
	CPU     string
	Sets    []string           // the sets with times of every method; each set counts once
	Seconds map[string]float64 // on CPU, by method; nil if no set has times of every whole method
	// Yardsticks are times divided by the yardstick of their machine, by method. It is nil unless each machine that
	// computed a cell has a yardstick. Then Sets are those of Yardsticks, and Machines the machines.
	Yardsticks map[string]float64
	Machines   []result.Environment // their programs are ""
}

// PerCell returns the times of a cell, by method.
func PerCell(t *frame.Table) Costs {
	p := inSeconds(t)
	out := Costs{CPU: p.cpu, Sets: p.timed, Seconds: p.perCell()}
	if p := inYardsticks(t); p != nil {
		out.Machines, out.Sets, out.Yardsticks = p.machines, p.timed, p.perCell()
	}
	return out
}

// machines are those of all times, nil if one of them has no yardstick.
func machines(t *frame.Table) (out []result.Environment) {
	for r := range t.All() {
		if !timed(r) {
			continue
		}
		e := *r.Environment
		if !e.Yardstick.Known() {
			return nil
		}
		machine := result.Environment{CPU: e.CPU, Cores: e.Cores, OS: e.OS, Arch: e.Arch, Yardstick: e.Yardstick}
		if !slices.Contains(out, machine) {
			out = append(out, machine)
		}
	}
	return out
}

// About says what the times are, for a legend.
func (c Costs) About() string {
	of := fmt.Sprintf("a data set counting once (%s)", frame.Count(len(c.Sets), "set"))
	if c.Yardsticks == nil {
		return fmt.Sprintf("Time: mean processor time of a cell on %s, %s. It is in seconds, since the yardstick of a "+
			"machine of these cells is not known; `bench run` on the machine measures it.", c.CPU, of)
	}
	return fmt.Sprintf("Time: mean processor time of a cell in yardsticks, %s. %s", of, defined(c.Machines))
}

// defined says what a yardstick is, for a legend.
func defined(machines []result.Environment) string {
	const most = 3
	var each []string
	for _, m := range machines[:min(most, len(machines))] {
		each = append(each, fmt.Sprintf("%.3g ms on %s with %s", 1000*m.Yardstick.Low,
			cmp.Or(m.CPU, "an unknown processor"), frame.Count(m.Cores, "core")))
	}
	if more := len(machines) - most; more > 0 {
		each = append(each, frame.Count(more, "other machine"))
	}
	return fmt.Sprintf("A yardstick is the processor time of a piece of work that is the same on every machine: %s.",
		frame.Listed(each))
}

// Text is the time of a cell of a method for people, in yardsticks if all machines have one, and "-" for none.
func (c Costs) Text(method string) string {
	if x, known := c.Yardsticks[method]; known {
		return digits(x)
	}
	if x, known := c.Seconds[method]; known && c.Yardsticks == nil {
		return wording.Seconds(x)
	}
	return frame.Absent
}

// perCell returns the mean time of a cell by method, over the sets with times of every whole method.
func (p *costs) perCell() (out map[string]float64) {
	for i, m := range p.Methods {
		sum, n := 0.0, 0
		for _, set := range p.timed {
			if x := p.cells[set][i]; x != nil {
				sum, n = sum+*x/float64(len(p.timed)), n+1
			}
		}
		if n > 0 && n == len(p.timed) {
			if out == nil {
				out = map[string]float64{}
			}
			out[m] = sum
		}
	}
	return out
}

func (p *costs) sum() {
	for i, m := range p.Whole() {
		c := cost{method: m, half: math.NaN(), share: math.NaN(), usual: p.quartiles(m)}
		var means []*big.Rat
		for k, s := range p.Sets {
			x := p.cells[s.Name][i]
			if x != nil {
				c.whole += *x * float64(len(s.Entries[i].Runs))
			}
			if slices.Contains(p.timed, s.Name) {
				c.cell += *x / float64(len(p.timed))
				means = append(means, p.Sets[k].Entries[i].Mean)
			}
		}
		c.value = stats.Mean(means)
		p.costs = append(p.costs, c)
	}
	p.resample()
	slices.SortStableFunc(p.costs, func(a, b cost) int { return cmp.Compare(a.cell, b.cell) })
	for i := range p.costs {
		c := &p.costs[i]
		c.onFront = p.comparable() && !slices.ContainsFunc(p.costs, func(other cost) bool { return p.beats(other, *c) })
	}
}

// beats reports whether a is at least as good as b in no more time, and a is better or faster.
func (p *costs) beats(a, b cost) bool {
	good, cheap := p.Metric.Compare(a.value, b.value), cmp.Compare(b.cell, a.cell)
	return good >= 0 && cheap >= 0 && good+cheap > 0
}

func (p *costs) notes() []string {
	var notes []string
	if len(p.timed) < len(p.Counted) {
		notes = append(notes, fmt.Sprintf("Times are over the sets that every method has times of: %s.",
			strings.Join(p.timed, ", ")))
	}
	if len(p.others) > 0 {
		notes = append(notes, fmt.Sprintf("Times are those on %s; cells computed on %s have none here.", p.cpu,
			strings.Join(p.others, ", ")))
	}
	if !p.comparable() {
		notes = append(notes, fmt.Sprintf("No front is drawn: the times are of %s, and yardsticks compare machines "+
			"only about.", frame.Count(len(p.machines), "machine")))
	}
	return notes
}

func (p *costs) figure() doc.Figure {
	var points []plot.Point
	of := "in seconds on " + p.cpu
	text := plot.Legend{Front: "on the front", Line: "best for its time"}
	if p.machines != nil {
		of = "in yardsticks"
		text.More = []string{defined(p.machines)}
	}
	table := doc.Table{Corner: "Method",
		Head: []doc.Column{{Name: "a cell", Long: "processor time of a cell"}, {Name: "quartiles", Kind: doc.Words},
			{Name: "all cells"}, {Name: p.Metric.Name}, {Name: "±"}, {Name: "front"}},
		Legend: append([]string{fmt.Sprintf("A cell: mean processor time %s of one split, the search over the grid "+
			"included, a data set counting once (%s); all cells: of every set that is stored.", of,
			strings.Join(p.timed, ", "))}, text.More...)}
	about := "The methods, by what they take and how good they are"
	if p.comparable() {
		table.Best = "on the front: no other method is at least as good in no more time."
		about = "The line is the front: what each time reaches at best"
	} else {
		text.Front, text.Line = "", ""
	}
	for _, c := range p.costs {
		value := frame.Text(c.value, p.Decimals())
		y, _ := c.value.Float64()
		point := plot.Point{Name: c.method, X: max(c.cell, leastTime), Y: y, Front: c.onFront,
			Tip: fmt.Sprintf("%s: %s in %s %s", c.method, value, digits(c.cell), p.unit())}
		quartiles := doc.Entry{Text: frame.Absent}
		if low, high := max(c.usual[0], leastTime), max(c.usual[1], leastTime); low < high {
			point.Across, text.Across = [2]float64{low, high}, "middle half of the splits"
			quartiles.Text = digits(c.usual[0]) + " to " + digits(c.usual[1])
		}
		if c.half > 0 {
			point.Up, text.Up = [2]float64{y - c.half, y + c.half}, fmt.Sprintf(
				"%g %% interval over sets, differences of sets taken out", 100*level)
		}
		if !c.onFront {
			text.Other = map[bool]string{true: "not on it", false: "a method"}[p.comparable()]
		}
		points = append(points, point)
		table.Add(c.method, doc.Entry{Text: digits(c.cell)}, quartiles, doc.Entry{Text: digits(c.whole)},
			doc.Entry{Text: value, Best: c.onFront}, doc.Entry{Text: frame.Number(c.half, p.Decimals())},
			doc.Entry{Text: frame.Probability(c.share)})
	}
	if text.Across != "" {
		table.Legend = append(table.Legend, "Quartiles: of the splits, by the mean time over these sets.")
	}
	if text.Up != "" {
		table.Legend = append(table.Legend, fmt.Sprintf("±: half a %g %% interval of the mean over sets, without "+
			"what all methods of a set share (Cousineau 2005, Morey 2008).", 100*level))
	}
	if p.resampled() {
		table.Legend = append(table.Legend, fmt.Sprintf("Front: share of %d resamples of the sets in which the "+
			"method is on the front.", resamples))
	}
	return doc.Figure{Title: "Quality against time", About: about, Numbers: &table, Plot: plot.Scatter(points,
		plot.Axis{Title: fmt.Sprintf("processor time of a cell (%s)", p.unit()), Log: true},
		plot.Axis{Title: "mean " + p.Measured(), Percent: p.Metric.Percent}, text),
		Alt: fmt.Sprintf("Mean test %s of %s against processor time of a cell", p.Metric.Title,
			frame.Count(len(p.costs), "method"))}
}

// leastTime is the shortest time that is drawn, since zero has no place on a logarithmic axis.
const leastTime = 1e-6

func (p *costs) bySet() doc.Table {
	var sets []string // a note names the others
	for _, s := range p.Sets {
		if s.Finished() > 0 {
			sets = append(sets, s.Name)
		}
	}
	out := doc.Project("Data set", sets, p.Methods, func(r, m int) doc.Entry {
		times := p.cells[sets[r]]
		if times[m] == nil {
			return doc.Entry{Text: frame.Absent}
		}
		faster := func(x *float64) bool { return x != nil && *x < *times[m] }
		return doc.Entry{Text: digits(*times[m]), Best: p.comparable() &&
			len(p.Methods) > 1 && m < len(p.Whole()) && !slices.ContainsFunc(times[:len(p.Whole())], faster)}
	})
	out.Heading, out.Label = "By data set", "sets"
	out.Caption = fmt.Sprintf("Processor time of a cell by data set in %s, mean over splits", p.unit())
	if p.comparable() {
		out.Best = "the least of its row."
	}
	return out
}

func (p *costs) records() doc.Records {
	unit := p.column()
	out := doc.Records{Name: "times", Columns: []string{"protocol", "metric", "datasets", "cpu", "method",
		"cell_" + unit, "lower_" + unit, "upper_" + unit, "all_" + unit, "mean", "half_width", "front", "front_share"}}
	for _, c := range p.costs {
		out.Add(p.Protocol, p.Metric.Name, p.timed, p.cpu, c.method, c.cell, c.usual[0], c.usual[1], c.whole, c.value,
			c.half, c.onFront, c.share)
	}
	return out
}

func (p *costs) setRecords() doc.Records {
	out := doc.Records{Name: "sets", Columns: []string{"protocol", "cpu", "dataset", "method", "cell_" + p.column(),
		"version"}}
	for _, s := range p.Sets {
		for i, m := range p.Methods {
			out.Add(p.Protocol, p.cpu, s.Name, m, p.cells[s.Name][i], p.Version(s.Name, m))
		}
	}
	return out
}
