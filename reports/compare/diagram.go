package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// Diagram is NewDiagram with its flags.
func Diagram(flags *pflag.FlagSet) frame.Build {
	var o evidence.Options
	levelFlag(flags, &o.Level)
	control := methodFlag(flags, "control", "join only this method, which you named before you looked, with those "+
		"from which its difference is not significant (default each with each)")
	test := flags.String("test", Wilcoxon, "the test of two methods: wilcoxon, as in bench compare, or nemenyi, by "+
		"average ranks")
	return func(t *frame.Table) (d doc.Document, err error) {
		if o.Method, err = control(t); err != nil {
			return d, err
		}
		return NewDiagram(t, o, *test)
	}
}

// NewDiagram is the diagram of critical differences (Demsar 2006, figure 1): the methods on an axis of average ranks.
// Bars join methods between which no difference is significant.
//
// As in all reports, package evidence decides what is significant: by Wilcoxon's test on the values of two methods,
// adjusted for each method with each. Where no result could be significant, there are no bars. The diagram was
// invented for the test of Nemenyi, which compares average ranks. The result of that test for two methods depends on
// the other methods shown (Benavoli, Corani and Mangili 2016), so it is made only on request.
//
// One bar joins a named method with the methods from which its difference is not significant.
func NewDiagram(t *frame.Table, o evidence.Options, test string) (doc.Document, error) {
	if err := t.CheckTests(o.Level, o.Method); err != nil {
		return doc.Document{}, err
	}
	friedman := stats.Friedman(t.Means())
	var j joined
	switch {
	case test == Wilcoxon:
		o.Region = evidence.UsualRegion(t.Metric)
		ev, err := evidence.Compare(t, o)
		if err != nil {
			return doc.Document{}, err
		}
		j = byEvidence(t, ev)
	case test != Nemenyi:
		return doc.Document{}, fmt.Errorf("the test is %q; use %s or %s", test, Wilcoxon, Nemenyi)
	case o.Method != "":
		return doc.Document{}, fmt.Errorf("--test %s compares each method with each; leave the control %s out",
			Nemenyi, o.Method)
	default:
		rank := func(m int) float64 { return frame.Float64(friedman.AverageRanks[m]) }
		j = joined{control: -1, cd: stats.NemenyiCD(o.Level, friedman.Methods, friedman.Datasets)}
		j.alike = func(a, b int) bool { return math.Abs(rank(a)-rank(b)) < j.cd }
		j.joins = fmt.Sprintf("differ by less than the critical difference of %.3f (Nemenyi, level %v, over %s)", j.cd,
			o.Level, strings.Join(t.Counted, ", "))
	}
	d := doc.Document{Title: fmt.Sprintf("Critical differences of average ranks by mean test %s over %s, protocol %s",
		t.Metric.Title, frame.Count(len(t.Counted), "data set"), t.Protocol), Notes: t.Notes()}
	figure, records := diagram(t, friedman, j, o.Level, test)
	d.Blocks = []doc.Block{figure, records}
	return d, nil
}

// The tests of NewDiagram.
const (
	Wilcoxon = "wilcoxon"
	Nemenyi  = "nemenyi"
)

// joined says which methods a bar may join.
type joined struct {
	alike    func(a, b int) bool // by places in the table
	control  int                 // place of the method that all others are compared with; -1 for each with each
	cd       float64             // the critical difference; NaN if the test has none
	joins    string              // what a bar says of the methods that it joins; why there is none if untested
	untested bool
}

// groups are the bars for methods in the order of their ranks.
func (j joined) groups(order []int) [][]int {
	if j.control < 0 {
		return stats.Groups(order, j.alike)
	}
	bar := slices.DeleteFunc(slices.Clone(order), func(m int) bool { return m != j.control && !j.alike(m, j.control) })
	if len(bar) < 2 {
		return nil
	}
	return [][]int{bar}
}

// byEvidence joins methods whose difference is not significant. Where no result could be significant it joins none.
func byEvidence(t *frame.Table, ev *evidence.Evidence) joined {
	alike := func(a, b int) bool {
		p, ok := ev.Between(min(a, b), max(a, b)) // a pair in its own order is not copied
		return ev.Over > 0 && !(ok && p.OfPage() < ev.Level)
	}
	j := joined{alike: alike, control: -1, cd: math.NaN(), untested: ev.Over == 0}
	if !ev.Every {
		j.control = slices.Index(t.Methods, ev.Method)
	}
	switch by := fmt.Sprintf("by Wilcoxon's signed-rank test (adjusted for %s, level %v)", ev.Family(), ev.Level); {
	case ev.Over == 0:
		j.joins = fmt.Sprintf("there are no bars, since no pair is testable: %d data sets are enough for %s", ev.Enough,
			ev.Family())
	case ev.Every:
		j.joins = "have no significant difference " + by
	default:
		j.joins = "have no significant difference from " + ev.Method + " " + by +
			"; bars between other methods are not drawn"
	}
	return j
}

// DiagramOf is the diagram of a table that CheckComparable accepts.
func DiagramOf(t *frame.Table, ev *evidence.Evidence) doc.Figure {
	figure, _ := diagram(t, stats.Friedman(t.Means()), byEvidence(t, ev), ev.Level, Wilcoxon)
	return figure
}

// diagram draws the methods and lists them, the best first. Letters name the bars: methods that share a
// letter have no significant difference.
func diagram(t *frame.Table, f stats.FriedmanTest, j joined, level float64, test string) (doc.Figure, doc.Records) {
	order := stats.Order(f.AverageRanks)
	letters := make([]string, len(t.Methods))
	for i, bar := range j.groups(order) {
		for _, m := range bar {
			letters[m] += letter(i)
		}
	}
	shown, said := t.Drawn(order)
	var names []string
	var ranks []float64
	for _, m := range shown {
		names, ranks = append(names, t.Methods[m]), append(ranks, frame.Float64(f.AverageRanks[m]))
	}
	bars := doc.Map(j.groups(shown), func(bar []int) []int {
		return doc.Map(bar, func(m int) int { return slices.Index(shown, m) })
	})
	note := ""
	legend, drawn := "Bars: methods that share a letter, and no other ones, "+j.joins+".",
		"methods joined by a bar "+j.joins
	if j.untested {
		legend, drawn = frame.Capital(j.joins)+".", j.joins
		note = legend
	}
	about := "A bar joins methods without a significant difference"
	if said != "" {
		drawn += "; drawn are " + said
		about += "; " + said
		note = strings.TrimSpace(note + " Drawn are " + said + ".")
	}
	best := stats.Smallest(f.AverageRanks)
	table := doc.Table{Corner: "Method", Head: []doc.Column{{Name: "average rank"}, {Name: "bars", Kind: doc.Words}},
		Best: "the best, every tied one; decided on exact values.", Legend: []string{legend}}
	records := doc.Records{Name: "cd", Columns: []string{"protocol", "metric", "datasets", "method", "rank", "exact",
		"bars", "test", "critical_difference", "level"}}
	for _, m := range order {
		table.Add(t.Methods[m], doc.Entry{Text: f.AverageRanks[m].FloatString(2), Best: best[m],
			Tip: "exactly " + f.AverageRanks[m].RatString()}, doc.Entry{Text: cmp.Or(letters[m], frame.Absent)})
		records.Add(t.Protocol, t.Metric.Name, t.Counted, t.Methods[m], frame.Float64(f.AverageRanks[m]),
			f.AverageRanks[m].RatString(), letters[m], test, j.cd, level)
	}
	return doc.Figure{Title: "Critical differences", About: about,
		Plot: plot.CriticalDifference(names, ranks, bars, j.cd, note), Numbers: &table,
		Alt: fmt.Sprintf("Average ranks of %s over %s; %s", frame.Count(f.Methods, "method"),
			frame.Count(f.Datasets, "data set"), drawn)}, records
}

// letter names a bar: a to z, then aa, ab and so on.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}
