package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"pgregory.net/rapid"
)

var nan = math.NaN()

// By hand: the axis goes from -2 to 2, so that zero is in its middle. The region of practical equivalence goes from a
// quarter of the axis to three quarters. The summary is a diamond. A row without an interval has no line, and a row
// without an estimate has only words.
func TestForestByHand(t *testing.T) {
	rows := []ForestRow{
		{Label: "wine", Estimate: -2, Low: -2, High: 0, Text: "0.04"},
		{Label: "pima", Estimate: 2, Low: nan, High: nan},
		{Label: "iono", Estimate: nan, Low: nan, High: nan, Text: "none"},
		{Label: "over sets", Estimate: 0, Low: -1, High: 1, Summary: true},
	}
	d := Forest(rows, ForestOptions{Axis: "difference (points)", Rope: 1, RopeText: "small", Better: "A ahead",
		Worse: "B ahead"})(doc.ColumnWidth)
	var squares, diamonds, intervals, bands []doc.Mark
	zero := nan
	words := ""
	for _, m := range d.Marks {
		switch {
		case m.Shape == doc.Box && m.Role == doc.Band && bands == nil:
			bands = append(bands, m)
		case m.Shape == doc.Box && m.Role == doc.Mean && m.Tip != "":
			squares = append(squares, m)
		case m.Shape == doc.Diamond && m.Tip != "":
			diamonds = append(diamonds, m)
		case m.Shape == doc.Line && m.Role == doc.Mean && m.X2-m.X != 14:
			intervals = append(intervals, m)
		case m.Shape == doc.Line && m.Role == doc.Thin:
			zero = m.X
		case m.Shape == doc.Word:
			words += m.Text + "|"
		}
	}
	if len(squares) != 2 || len(diamonds) != 1 || len(intervals) != 2 || len(bands) != 1 {
		t.Fatalf("%d squares, %d diamonds, %d intervals, %d bands", len(squares), len(diamonds), len(intervals),
			len(bands))
	}
	low, high := squares[0].X+2, squares[1].X+2
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if !near(zero, (low+high)/2) || !near(bands[0].X, zero-(high-low)/4) || !near(bands[0].X2, zero+(high-low)/4) ||
		!near(diamonds[0].X, zero) ||
		!near(intervals[0].X, low) || !near(intervals[0].X2, zero) || !near(intervals[1].X2, bands[0].X2) {
		t.Errorf("-2 at %v, 2 at %v, zero at %v, the region %v to %v, intervals %+v", low, high, zero, bands[0].X,
			bands[0].X2, intervals)
	}
	must.Hold(t, words, "none|", "difference (points)|", "< B ahead|", "A ahead >|", "small|")
}

// An interval that reaches far beyond all estimates ends in an arrow, which the legend explains. The estimates keep
// their room.
func TestForestOfOneWideInterval(t *testing.T) {
	rows := []ForestRow{{Label: "a", Estimate: 1, Low: 0.5, High: 1.5},
		{Label: "b", Estimate: -1, Low: -90, High: math.Inf(1)}}
	arrows, text := 0, ""
	var at [2]float64
	for _, m := range Forest(rows, ForestOptions{Axis: "x"})(doc.PageWidth).Marks {
		if m.Shape == doc.Line && m.Role == doc.Mean && m.Y != m.Y2 {
			arrows++
		}
		if m.Shape == doc.Box && m.Tip != "" {
			at = [2]float64{at[1], m.X}
		}
		text += m.Text
	}
	if arrows != 6 || !strings.Contains(text, "goes on beyond") || at[0]-at[1] < doc.PageWidth/6 {
		t.Errorf("%d strokes of arrows, estimates at %v: %s", arrows, at, text)
	}
}

// Whatever the rows are, all marks are on the sheet and no two words overlap.
func TestForestIsOnItsSheet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) float64 {
			return rapid.OneOf(rapid.Float64Range(-5, 5), rapid.SampledFrom(
				[]float64{nan, 0, 1e6, math.Inf(1), math.Inf(-1), 1e-9})).Draw(t, "number")
		})
		var rows []ForestRow
		for i := range rapid.IntRange(1, 40).Draw(t, "rows") {
			rows = append(rows, ForestRow{Label: fmt.Sprint("data-set-", i), Estimate: number.Draw(t, "estimate"),
				Low: number.Draw(t, "low"), High: number.Draw(t, "high"), Summary: rapid.Bool().Draw(t, "summary"),
				Text: rapid.SampledFrom([]string{"", "p = 0.04"}).Draw(t, "text")})
		}
		onSheet(t, Forest(rows, ForestOptions{Axis: "difference of mean test accuracies (percentage points)",
			Rope: number.Draw(t, "rope"), Better: "GBRFF-random ahead", Worse: "RFF-SQL-MKL-JOINT ahead"}))
	})
}
