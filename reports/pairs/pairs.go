// Package pairs compares methods two at a time: on how many data sets each wins, ties and loses by its mean,
// and a scatter of the means with one dot a data set.
//
// Wins are counted on exact means. Reports compare and tests say how sure a win is.
package pairs

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/kernelboosting/bench/reports/stats"
)

// mostScatters bounds the pairs that are drawn: those of the first methods of the table.
const mostScatters = 36

// Build returns the document. It is an error if there are fewer than two whole methods or no data set
// that counts, and if stored cells contradict each other.
func Build(f frame.Frame, o report.Options) (doc.Document, error) {
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	if err := t.Comparable(); err != nil {
		return doc.Document{}, err
	}
	d := doc.Document{
		Report: "pairs", Label: cmp.Or(o.Label, "tab:pairs:"+t.Protocol), Warnings: t.Warnings, Provenance: t.Provenance,
		Title: cmp.Or(o.Title, fmt.Sprintf("Data sets won, tied and lost by mean test %s among %s, protocol %s", t.Metric.Title, frame.Count(len(t.Counted), "data set"), t.Protocol)),
	}
	means := t.Means()
	out := doc.Table{Corner: "Method", Legend: []string{"Won/tied/lost by the method of the row against that of the column, on exact means."}}
	records := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "datasets", "a", "b", "won", "tied", "lost", "mean_difference"}}
	var rows []doc.Row
	var figures []doc.Block
	left := 0
	for a, name := range t.Whole() {
		out.Head = append(out.Head, doc.Column{Name: name})
		row := doc.Row{Name: name}
		for b, other := range t.Whole() {
			if a == b {
				row.Entries = append(row.Entries, doc.Entry{})
				continue
			}
			won, tied, lost, mean := count(means, a, b)
			row.Entries = append(row.Entries, doc.Entry{Text: fmt.Sprintf("%d/%d/%d", won, tied, lost)})
			records.Add(t.Protocol, t.Metric.Name, t.Counted, name, other, won, tied, lost, frame.Float(t.Ascending([]*big.Rat{mean})[0]))
			switch {
			case a > b:
			case len(figures) == mostScatters:
				left++
			default:
				figures = append(figures, scatter(t, a, b, fmt.Sprintf("%d won, %d tied, %d lost", won, tied, lost)))
			}
		}
		rows = append(rows, row)
	}
	out.Sections = [][]doc.Row{rows}
	var own []string
	if left > 0 {
		own = []string{fmt.Sprintf("%s not drawn; name fewer methods with --methods.", frame.Count(left, "pair"))}
	}
	d.Notes = t.Notes(own...)
	d.Blocks = append(append(append([]doc.Block{out}, figures...), t.MissingCode()...), records)
	d.Blocks = append(d.Blocks, t.MissingRecords()...)
	return d, nil
}

// count compares two columns of means. A larger mean is better.
func count(means [][]*big.Rat, a, b int) (won, tied, lost int, mean *big.Rat) {
	var differences []*big.Rat
	for _, row := range means {
		differences = append(differences, new(big.Rat).Sub(row[a], row[b]))
	}
	won, tied, lost = stats.Signs(differences)
	return won, tied, lost, stats.NewSpread(differences).Mean
}

// scatter draws the counted sets' means of two methods, a upwards and b to the right.
func scatter(t frame.Table, a, b int, about string) doc.Figure {
	decimals := 4
	if t.Metric.Percent {
		decimals = 2
	}
	var points []plot.Point
	numbers := doc.Table{Corner: "Data set", Head: []doc.Column{{Name: t.Methods[a]}, {Name: t.Methods[b]}}}
	var rows []doc.Row
	for _, s := range t.Sets {
		if !s.Counted {
			continue
		}
		y, _ := s.Entries[a].Mean.Float64()
		x, _ := s.Entries[b].Mean.Float64()
		ours, theirs := strconv.FormatFloat(y, 'f', decimals, 64), strconv.FormatFloat(x, 'f', decimals, 64)
		points = append(points, plot.Point{Name: s.Name, X: x, Y: y, Tip: fmt.Sprintf("%s: %s %s, %s %s", s.Name, t.Methods[a], ours, t.Methods[b], theirs)})
		rows = append(rows, doc.Row{Name: s.Name, Entries: []doc.Entry{{Text: ours}, {Text: theirs}}})
	}
	numbers.Sections = [][]doc.Row{rows}
	title := t.Methods[a] + " - " + t.Methods[b]
	return doc.Figure{Title: title, About: about, Numbers: &numbers, Detail: true, Alt: fmt.Sprintf("Mean test %s of %s against that of %s, a dot a data set", t.Metric.Title, t.Methods[a], t.Methods[b]),
		Plot: plot.Diagonal(points, t.Methods[b], t.Methods[a], "mean "+t.Measured(), t.Metric.Percent)}
}
