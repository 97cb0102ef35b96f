// Package cd is the diagram of critical differences (Demsar 2006, figure 1): the methods on an axis of
// average ranks, with bars that join those that the test of Nemenyi does not tell apart.
//
// Ranks of a choice of methods are those among this choice. The diagram shows ranks alone: how far
// values lie apart is in report accuracy, and which pairs other tests find to differ in report tests.
package cd

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// Options adjust the diagram.
type Options struct {
	Metric string  // "" for the protocol's
	Level  float64 // such as 0.05
	Title  string  // "" for the usual one
	Label  string  // for LaTeX; "" for "tab:cd:" and the protocol
}

// Build returns the document. It is an error if an option has no meaning, if there are fewer than two
// methods or no data set that all have finished, and if stored cells contradict each other.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return doc.Document{}, err
	}
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	if err := t.Comparable(); err != nil {
		return doc.Document{}, err
	}
	friedman, err := stats.Friedman(t.Means())
	if err != nil {
		return doc.Document{}, err
	}
	d := doc.Document{
		Report: "cd", Label: cmp.Or(o.Label, "tab:cd:"+t.Protocol), Warnings: t.Warnings, Notes: t.Notes(), Provenance: t.Provenance,
		Title: cmp.Or(o.Title, fmt.Sprintf("Critical differences of average ranks by mean test %s over %s, protocol %s", t.Metric.Title, frame.Count(len(t.Counted), "data set"), t.Protocol)),
	}
	figure, records := diagram(t, friedman, o.Level)
	d.Blocks = append(append([]doc.Block{figure, doc.Prose{Paragraphs: []string{omnibus(friedman, o.Level)}}}, t.MissingCode()...), records)
	d.Blocks = append(d.Blocks, t.MissingRecords()...)
	return d, nil
}

// omnibus says whether the diagram should be read at all.
func omnibus(f stats.FriedmanTest, level float64) string {
	test := f.ImanDavenportCorrected
	if test.P < level {
		return fmt.Sprintf("The methods do not all rank alike (Iman and Davenport, corrected for ties: p = %s).", frame.PValue(test.P))
	}
	return fmt.Sprintf("The methods are not found to rank differently at all (Iman and Davenport, corrected for ties: p = %s), so that the bars must not be read as evidence.", frame.PValue(test.P))
}

// diagram draws the methods and lists them, the best first, with letters for the bars: methods that share a letter are not told
// apart.
func diagram(t frame.Table, f stats.FriedmanTest, level float64) (doc.Figure, doc.Records) {
	cd := stats.NemenyiCD(level, f.Methods, f.Datasets)
	order := stats.Order(f.AverageRanks)
	rank := func(method int) float64 {
		r, _ := f.AverageRanks[method].Float64()
		return r
	}
	bars := stats.Cliques(order, func(a, b int) bool { return math.Abs(rank(a)-rank(b)) < cd })
	place := map[int]int{}
	var names []string
	var ranks []float64
	for i, m := range order {
		place[m] = i
		names, ranks = append(names, t.Methods[m]), append(ranks, rank(m))
	}
	letters := make([]string, len(order)) // by place
	for i, bar := range bars {
		for k, m := range bar {
			bars[i][k] = place[m]
			letters[place[m]] += letter(i)
		}
	}
	best := stats.Smallest(f.AverageRanks)
	table := doc.Table{Corner: "Method", Head: []doc.Column{{Name: "average rank"}, {Name: "bars", Kind: doc.Words}}, Best: "the best, every tied one; decided on exact values.",
		Legend: []string{fmt.Sprintf("Bars: methods that share a letter differ by less than the critical difference of %.3f (Nemenyi, level %v, over %s).", cd, level, strings.Join(t.Counted, ", "))}}
	records := doc.Records{Name: "cd", Columns: []string{"protocol", "metric", "datasets", "method", "rank", "exact", "bars", "critical_difference", "level"}}
	var rows []doc.Row
	for i, m := range order {
		rows = append(rows, doc.Row{Name: names[i], Entries: []doc.Entry{{Text: f.AverageRanks[m].FloatString(2), Best: best[m], Tip: "exactly " + f.AverageRanks[m].RatString()}, {Text: cmp.Or(letters[i], frame.Absent)}}})
		records.Add(t.Protocol, t.Metric.Name, t.Counted, names[i], ranks[i], f.AverageRanks[m].RatString(), letters[i], cd, level)
	}
	table.Sections = [][]doc.Row{rows}
	return doc.Figure{Title: "Critical differences", About: "A bar joins methods that are not told apart by average rank",
		Plot: plot.CriticalDifference(names, ranks, bars, cd), Numbers: &table,
		Alt: fmt.Sprintf("Average ranks of %s over %s; methods joined by a bar differ by less than %.2f", frame.Count(f.Methods, "method"), frame.Count(f.Datasets, "data set"), cd)}, records
}

// letter names a bar: a to z, then aa, ab and so on.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}
