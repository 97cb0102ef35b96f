package curves

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
)

// sweepOptions adjust the page.
type sweepOptions struct {
	Times   bool // processor times in place of the metric
	Against bool // the metric against processor times in place of the quantity
	Each    bool // a drawing for each data set in place of the mean
	Bars    bool // bars in place of lines
	Log     bool // the quantity on an axis of logarithms
}

type page struct {
	sweepOptions
	Lines
	printed []experiments.Point
}

// Sweep draws how results change with one quantity, such as the number of landmarks, training rows or random features.
//
// A protocol says what is swept (docs/reference/protocols.md): columns that are one method at several values, or
// data sets with different numbers of rows. [Lines] arranges a table by series and value. It draws the mean of
// a metric, or processor times and the power of the quantity with which times grow. Sets that some point lacks are
// left out and named, so that all points are means over the same sets. Package experiment uses the same Lines.
func Sweep(flags *pflag.FlagSet) frame.Build {
	var o sweepOptions
	flags.BoolVar(&o.Times, "times", false, "processor times in place of the metric")
	flags.BoolVar(&o.Against, "against-times", false, "the metric against processor times in place of the quantity")
	flags.BoolVar(&o.Each, "each", false, "a drawing for each data set in place of the mean over them")
	flags.BoolVar(&o.Bars, "bars", false, "bars in place of lines")
	flags.BoolVar(&o.Log, "log", false, "the quantity on an axis of logarithms")
	return func(t *frame.Table) (doc.Document, error) { return sweep(t, o) }
}

func sweep(t *frame.Table, o sweepOptions) (doc.Document, error) {
	swept := t.Frame.Protocol.Sweep
	if swept.Name == "" && !swept.Datasets {
		return doc.Document{}, fmt.Errorf("protocol %s sweeps nothing: it has no [sweep]; "+
			"docs/reference/protocols.md says which built-in ones do, and how to write one", t.Protocol)
	}
	p := page{o, LinesOf(t, swept), swept.Printed}
	if len(p.Sets) == 0 {
		return doc.Document{}, fmt.Errorf("%w: no data set has runs at every point of the sweep; run the rest, or "+
			"name some series with --methods", frame.ErrNoResults)
	}
	d := doc.Document{Title: p.title(), Notes: t.Notes(p.notes()...)}
	d.Blocks = []doc.Block{p.figure("")}
	if o.Each {
		d.Blocks = nil
		for _, set := range p.Sets {
			one := p
			one.Sets = []string{set}
			d.Blocks = append(d.Blocks, one.figure(set))
		}
	}
	if o.Times {
		d.Blocks = append(d.Blocks, p.Slopes(p.quantity()))
	}
	d.Blocks = append(d.Blocks, p.records())
	return d, nil
}

// quantity is what the axis of values is called.
func (p page) quantity() string {
	switch {
	case p.Lines.Title != "":
		return p.Lines.Title
	case p.Quantity == "" || p.OverSets && p.Quantity == "rows" || p.Quantity == "train_rows":
		return "training rows"
	case p.OverSets:
		return p.Quantity
	}
	return "number of " + p.Quantity
}

func (p page) title() string {
	what := "Mean test " + p.Table.Metric.Title
	if p.Times {
		what = "Processor time"
	}
	return fmt.Sprintf("%s by %s, protocol %s", what, p.quantity(), p.Table.Protocol)
}

func (p page) notes() []string {
	var notes []string
	if p.Times || p.Against {
		notes = append(notes, timesOn(p.CPU))
	}
	if where, ratio := p.outlier(); p.Times && ratio > tooMuch {
		notes = append(notes, fmt.Sprintf("The machine was busy, or a time is an outlier: of %s the longest time is "+
			"%.1f times the median.", where, ratio))
	}
	if !p.Times && !p.OverSets && !p.Each && len(p.Sets) > 1 {
		notes = append(notes, fmt.Sprintf("Means are over %s: %s.", frame.Count(len(p.Sets), "data set"),
			strings.Join(p.Sets, ", ")))
	}
	if len(p.Dropped) > 0 {
		notes = append(notes, fmt.Sprintf("Left out, since some point of some series has no run there: %s.",
			strings.Join(p.Dropped, ", ")))
	}
	return notes
}

func timesOn(cpu string) string {
	return fmt.Sprintf("Times are processor seconds of a cell (search, refit and test) on %s: the median over splits.",
		cpu)
}

// tooMuch is the largest ratio of a repetition to the median that gives no note.
const tooMuch = 1.5

// outlier is the point with the largest ratio of its longest time to its median, among points with three
// repetitions or more.
func (p page) outlier() (where string, ratio float64) {
	for _, name := range p.Names {
		for _, x := range p.Xs(name) {
			if a, ok := p.Median(name, x); ok && a.Runs > 2 && a.High/a.Value > ratio {
				where, ratio = fmt.Sprintf("%s at %g", name, x), a.High/a.Value
			}
		}
	}
	return where, ratio
}

// at returns what is drawn of a series at a value.
func (p page) at(series string, x float64) (Average, bool) {
	if p.Times {
		return p.Median(series, x)
	}
	return p.Mean(series, x, p.Measured())
}

func (p page) yAxis() plot.Axis {
	if p.Times {
		return plot.Axis{Title: "processor seconds", Log: true}
	}
	return plot.Axis{Title: "mean " + p.Table.Measured(), Percent: p.Table.Metric.Percent}
}

// interval says what the intervals of points are.
func (p page) interval() string {
	if p.Times {
		return "from the least to the largest of the splits"
	}
	of := "rows of the same sets"
	if slices.ContainsFunc(p.Table.Sets, func(s frame.Set) bool { return s.Draws && slices.Contains(p.Sets, s.Name) }) {
		of = "draws of the methods"
	}
	return fmt.Sprintf("%g %% interval for other %s", 100*level, of)
}

func (p page) figure(set string) doc.Figure {
	xs := p.All()
	if p.Each && p.OverSets {
		xs = slices.DeleteFunc(xs, func(x float64) bool {
			return !slices.ContainsFunc(p.Names, func(s string) bool { return len(p.SetsAt(s, x)) > 0 })
		})
	}
	f := doc.Figure{Name: "sweep", Title: "By " + p.quantity(), Numbers: p.table(xs), About: p.title(),
		Alt: fmt.Sprintf("%s: %s", p.title(), strings.Join(p.Names, ", "))}
	if set != "" {
		f.Name, f.Title, f.About = "sweep-"+set, set, p.title()+", on "+set
	}
	curves, printed := p.curves(xs)
	x := plot.Axis{Title: p.quantity(), Log: p.Log || p.Times || p.OverSets, Whole: true}
	switch {
	case p.Bars:
		if series, names, best := p.groups(xs); series != nil {
			f.Plot = plot.Groups(names, series, best, p.interval(), p.quantity(), p.yAxis())
		}
	case p.Against:
		f.Plot = p.against(curves)
	case len(curves) > 0:
		f.Plot = plot.Curves(curves, printed, "printed", p.interval(), x, p.yAxis())
	}
	return f
}

func (p page) against(curves []plot.Curve) doc.Plot {
	return plot.Curves(curves, nil, "", p.interval(), plot.Axis{Title: "processor seconds of a cell", Log: true},
		p.yAxis())
}

// curves are the lines of a drawing, and the printed points.
func (p page) curves(xs []float64) (curves []plot.Curve, printed []plot.Point) {
	for _, name := range p.Names {
		c := plot.Curve{Name: name}
		for _, x := range xs {
			a, ok := p.at(name, x)
			if !ok {
				continue
			}
			at := a.point(x)
			if p.Against {
				time, ok := p.Median(name, x)
				if !ok {
					continue
				}
				at.X = time.Value
			}
			c.Points = append(c.Points, at)
		}
		if c.Points != nil {
			curves = append(curves, c)
		}
	}
	for _, v := range p.printed {
		printed = append(printed, plot.Point{X: v.At, Y: v.Value, Tip: fmt.Sprintf("%s at %g, printed: %g", v.Series,
			v.At, v.Value)})
	}
	return curves, printed
}

// point is an average as it is drawn at a value.
func (a Average) point(x float64) plot.Point {
	p := plot.Point{X: x, Y: a.Value}
	if a.Low < a.High && !math.IsInf(a.High, 0) {
		p.Up = [2]float64{a.Low, a.High}
	}
	return p
}

// groups returns the bars of the values that every series has. best says on how many sets each series is the best.
func (p page) groups(xs []float64) (series []plot.Series, names, best []string) {
	xs = slices.DeleteFunc(slices.Clone(xs), func(x float64) bool {
		return slices.ContainsFunc(p.Names, func(name string) bool { _, ok := p.at(name, x); return !ok })
	})
	if len(xs) == 0 {
		return nil, nil, nil
	}
	for _, name := range p.Names {
		s := plot.Series{Name: name}
		for _, x := range xs {
			a, _ := p.at(name, x)
			s.Values = append(s.Values, a.point(x))
		}
		series = append(series, s)
	}
	for _, x := range xs {
		names, best = append(names, frame.Short(x)), append(best, strings.Join(p.wins(x), " : "))
	}
	return series, names, best
}

// wins counts for each series the sets on which its mean is the best at a value; a tie counts for each.
func (p page) wins(x float64) []string {
	wins := make([]int, len(p.Names))
	for _, set := range p.Sets {
		var means []float64
		top := math.Inf(-1)
		for _, name := range p.Names {
			v := stat.Mean(sorted(p.Splits(name, x, set, p.Measured())), nil)
			if p.Table.Metric.Better == metric.Lower {
				v = -v
			}
			means, top = append(means, v), max(top, v)
		}
		for i, v := range means {
			if v == top {
				wins[i]++
			}
		}
	}
	texts := make([]string, len(wins))
	for i, n := range wins {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

func (p page) table(xs []float64) *doc.Table {
	t := &doc.Table{Corner: "Series"}
	decimals := 4
	switch {
	case p.Times:
		decimals = 3
	case p.Table.Metric.Percent:
		decimals = 2
	}
	for _, x := range xs {
		t.Head = append(t.Head, doc.Column{Name: frame.Short(x)})
	}
	add := func(name string, text func(x float64) string) {
		row := make([]doc.Entry, len(xs))
		for i, x := range xs {
			row[i].Text = cmp.Or(text(x), frame.Absent)
		}
		t.Add(name, row...)
	}
	for _, name := range p.Names {
		add(name, func(x float64) string {
			if a, ok := p.at(name, x); ok {
				return strconv.FormatFloat(a.Value, 'f', decimals, 64)
			}
			return ""
		})
	}
	if p.printed != nil {
		t.Sections = append(t.Sections, nil)
	}
	for _, name := range p.Names {
		of := slices.DeleteFunc(slices.Clone(p.printed), func(v experiments.Point) bool {
			return v.Series != name || !slices.Contains(xs, v.At)
		})
		if len(of) == 0 {
			continue
		}
		add(name+", printed", func(x float64) string {
			if i := slices.IndexFunc(of, func(v experiments.Point) bool { return v.At == x }); i >= 0 {
				return frame.Short(of[i].Value)
			}
			return ""
		})
	}
	if p.Bars && !p.OverSets {
		t.Sections = append(t.Sections, nil)
		add("sets won", func(x float64) string { return strings.Join(p.wins(x), ":") })
		t.Legend = append(t.Legend, fmt.Sprintf("Sets won: on how many data sets each series has the best mean, in "+
			"the order %s; ties count for each.", strings.Join(p.Names, ", ")))
	}
	return t
}

// Slopes is the table of the powers of the quantity with which times grow, over the upper half of the values.
// quantity is what its legend calls the quantity.
func (l Lines) Slopes(quantity string) doc.Table {
	t := doc.Table{Heading: "How times grow", Corner: "Series", Head: []doc.Column{{Name: "power"}, {Name: "least"},
		{Name: "most"}, {Name: "declared"}, {Name: "from"}, {Name: "to"}},
		Legend: []string{fmt.Sprintf("Power: the slope of log time over log of the %s by least squares over the "+
			"upper half of the values, the median over splits, with the least and the most.", quantity),
			"Declared: the same slope of the predictions that these cells were planned with."}}
	for _, name := range l.Names {
		from, to := l.UpperHalf(name)
		s := sorted(l.Powers(name, from, to, l.Seconds()))
		if len(s) == 0 {
			continue
		}
		declared := frame.Absent
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
		if d := sorted(l.Powers(name, from, to, l.Declared())); len(d) > 0 {
			declared = number(median(d))
		}
		t.Add(name, doc.Texts(number(median(s)), number(s[0]), number(s[len(s)-1]), declared, frame.Short(from),
			frame.Short(to))...)
	}
	return t
}

// UpperHalf returns the ends of the upper half of the values at which a series has runs. Growth is read there,
// since the time that does not grow, such as that of reading data, weighs least there. Of two values both count,
// and of none the ends are 0.
func (l Lines) UpperHalf(series string) (from, to float64) {
	xs := l.Xs(series)
	switch n := len(xs); {
	case n == 0:
		return 0, 0
	case n < 3:
		return xs[0], xs[n-1]
	default:
		return xs[n/2], xs[n-1]
	}
}

// Powers says how fast a measure grows, such as processor time. For each split it fits the logarithm of the measure
// over the logarithm of the swept quantity, and returns the slope. It uses the values of the quantity between from
// and to, and leaves out splits without a measure at one of them. The result is empty if there are fewer than two
// values.
func (l Lines) Powers(series string, from, to float64, of Measure) map[int]float64 {
	var logX []float64
	logT := map[int][]float64{}
	for _, x := range l.Xs(series) {
		if x < from || x > to {
			continue
		}
		logX = append(logX, math.Log(x))
		for split, v := range l.logs(series, x, of) {
			logT[split] = append(logT[split], v)
		}
	}
	out := map[int]float64{}
	for split, ys := range logT {
		if len(ys) == len(logX) && len(ys) > 1 {
			_, out[split] = stat.LinearRegression(logX, ys, nil, false)
		}
	}
	return out
}

func (p page) records() doc.Records {
	r := doc.Records{Name: "sweep", Columns: []string{"protocol", "metric", "series", "quantity", "value", "dataset",
		"split", "result", "cpu_seconds", "version"}}
	for _, name := range p.Names {
		for _, x := range p.Xs(name) {
			for _, set := range p.SetsAt(name, x) {
				seconds := p.Splits(name, x, set, p.Seconds())
				values := p.Splits(name, x, set, p.Measured())
				for _, split := range slices.Sorted(maps.Keys(values)) {
					var cpu any
					if s, ok := seconds[split]; ok {
						cpu = s
					}
					r.Add(p.Table.Protocol, p.Table.Metric.Name, name, p.Quantity, x, set, split, values[split], cpu,
						p.Version(name, x, set))
				}
			}
		}
	}
	return r
}
