package render_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/render"
)

// drawings are figures as reports make them, to be looked at: `go test ./reports/render -run Drawings -draw DIR`
// writes them as PNG.
func drawings() map[string]doc.Figure {
	nan := math.NaN()
	var forest []plot.ForestRow
	for i, set := range []string{"wine", "sonar", "newthyroid", "heart", "bupa", "iono", "australian", "german",
		"spambase"} {
		x := []float64{-0.4, 0.9, 1.6, 0.3, -0.2, -4.3, 0.6, 0.2, -2.5}[i]
		half := []float64{1.1, 3.5, 1.9, 2.4, nan, 1.4, 1, 1.2, 0.4}[i]
		forest = append(forest, plot.ForestRow{Label: set, Estimate: x, Low: x - half, High: x + half,
			Text: fmt.Sprintf("%.2f", math.Exp(-math.Abs(x)))})
	}
	forest = append(forest, plot.ForestRow{Label: "over 9 sets", Estimate: -0.4, Low: -1.9, High: 1,
		Summary: true, Text: "0.57"})
	overview := []plot.ForestRow{}
	for i, m := range []string{"LGBM", "BMKR", "GBRFF1", "PBRFF", "GFC"} {
		x := []float64{0.06, 0.7, 1.1, 1, 3.2}[i]
		overview = append(overview, plot.ForestRow{Label: m, Estimate: x, Low: x - 0.9, High: x + 1.1,
			Text: []string{"0.93", "0.21", "0.01", "0.07", "<0.0001"}[i]})
	}
	options := plot.ForestOptions{Axis: "difference of mean test accuracy (points)", Rope: 1,
		RopeText: "within 1 point", Interval: "95 % interval", Single: "a data set", Summary: "mean over sets",
		Better: "GBRFF2 ahead", Worse: "LGBM ahead"}
	against := options
	against.Worse, against.Single = "the other ahead", "mean over sets"
	names, ranks, bars := make([]string, 30), make([]float64, 30), [][]int{}
	for i := range names {
		names[i], ranks[i] = fmt.Sprintf("Method-%d", i+1), 1.5+0.9*float64(i)
		if i%2 == 0 && i < 28 {
			var bar []int
			for k := i; k <= min(29, i+9); k++ {
				bar = append(bar, k)
			}
			bars = append(bars, bar)
		}
	}
	return map[string]doc.Figure{
		"forest":   {Alt: "differences", Plot: plot.Forest(forest, options)},
		"overview": {Alt: "differences", Plot: plot.Forest(overview, against)},
		"cd":       {Alt: "ranks", Plot: plot.CriticalDifference(names, ranks, bars, 8.2, "")},
		"cd-six": {Alt: "ranks", Plot: plot.CriticalDifference([]string{"GBRFF2", "BMKR", "PBRFF", "LGBM", "GBRFF1",
			"GFC"}, []float64{2.47, 3.07, 3.43, 3.53, 3.63, 4.87}, [][]int{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}}, 1.95,
			"")},
	}
}

var draw = flag.String("draw", "", "write the drawings to this folder")

// Drawings are what they were, at the width of a column and of a page.
func TestDrawings(t *testing.T) {
	for name, figure := range drawings() {
		for width, units := range map[string]float64{"column": doc.ColumnWidth, "page": doc.PageWidth} {
			for _, format := range render.FigureFormats() {
				var out strings.Builder
				must.Do(t, format.Write(&out, figure, units))
				file := name + "-" + width + format.Endings[0]
				if *draw != "" {
					must.Do(t, os.WriteFile(filepath.Join(*draw, file), []byte(out.String()), 0o644))
				}
				if format.Name == "svg" {
					golden(t, file, out.String())
				}
			}
		}
	}
}
