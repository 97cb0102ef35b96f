package table

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// mostScatters bounds the pairs that are drawn: those of the first methods of the table.
const mostScatters = 36

// Pairs compares methods two at a time: on how many data sets each wins, ties and loses by its mean,
// and a scatter of the means with one dot a data set.
func Pairs(t *frame.Table) (doc.Document, error) {
	if err := t.CheckComparable(); err != nil {
		return doc.Document{}, err
	}
	means := t.Means()
	records := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "datasets", "a", "b", "won", "tied",
		"lost", "mean_difference"}}
	var figures []doc.Block
	left, whole := 0, t.Whole()
	out := doc.Project("Method", whole, whole, func(a, b int) doc.Entry {
		if a == b {
			return doc.Entry{}
		}
		won, tied, lost, mean := count(means, a, b)
		records.Add(t.Protocol, t.Metric.Name, t.Counted, whole[a], whole[b], won, tied, lost, t.Difference(mean))
		switch {
		case a > b:
		case len(figures) == mostScatters:
			left++
		default:
			figures = append(figures, scatter(t, a, b, fmt.Sprintf("%d won, %d tied, %d lost", won, tied, lost)))
		}
		return doc.Entry{Text: fmt.Sprintf("%d/%d/%d", won, tied, lost)}
	})
	out.Legend = []string{"Won/tied/lost by the method of the row against that of the column, on exact means."}
	var own []string
	if left > 0 {
		own = []string{fmt.Sprintf("%s not drawn; name fewer methods with --methods.", frame.Count(left, "pair"))}
	}
	d := doc.Document{Title: fmt.Sprintf("Data sets won, tied and lost by mean test %s among %s, protocol %s",
		t.Metric.Title, frame.Count(len(t.Counted), "data set"), t.Protocol), Notes: t.Notes(own...)}
	d.Blocks = append([]doc.Block{out}, figures...)
	d.Blocks = append(d.Blocks, records)
	return d, nil
}

// count compares two columns of means. A larger mean is better.
func count(means [][]*big.Rat, a, b int) (won, tied, lost int, mean *big.Rat) {
	differences := doc.Map(means, func(row []*big.Rat) *big.Rat { return new(big.Rat).Sub(row[a], row[b]) })
	won, tied, lost = stats.Signs(differences)
	return won, tied, lost, stats.Mean(differences)
}

// scatter draws the counted sets' means of two methods, a upwards and b to the right.
func scatter(t *frame.Table, a, b int, about string) doc.Figure {
	var points []plot.Point
	numbers := doc.Table{Corner: "Data set", Head: []doc.Column{{Name: t.Methods[a]}, {Name: t.Methods[b]}}}
	for _, s := range t.CountedSets() {
		y, x := frame.Float64(s.Entries[a].Mean), frame.Float64(s.Entries[b].Mean)
		ours, theirs := strconv.FormatFloat(y, 'f', t.Decimals(), 64), strconv.FormatFloat(x, 'f', t.Decimals(), 64)
		points = append(points, plot.Point{Name: s.Name, X: x, Y: y, Tip: fmt.Sprintf("%s: %s %s, %s %s", s.Name,
			t.Methods[a], ours, t.Methods[b], theirs)})
		numbers.Add(s.Name, doc.Texts(ours, theirs)...)
	}
	title := t.Methods[a] + " - " + t.Methods[b]
	return doc.Figure{Title: title, About: about, Numbers: &numbers, Detail: true,
		Alt: fmt.Sprintf("Mean test %s of %s against that of %s, a dot a data set", t.Metric.Title, t.Methods[a],
			t.Methods[b]),
		Plot: plot.Diagonal(points, t.Methods[b], t.Methods[a], "mean "+t.Measured(), t.Metric.Percent)}
}
