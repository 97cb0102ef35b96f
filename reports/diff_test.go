package reports_test

import (
	"encoding/json"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/table"
)

// run is a cell of 100 test rows and 200 training rows.
func run(split, correct int, params, scores string) result.Run {
	selected := 0
	return result.Run{
		Planned: result.Planned{
			Protocol: "p", Dataset: "d", Method: "M", MethodVersion: "1", Split: split, Task: "binary",
			Grid: []json.RawMessage{json.RawMessage(params)},
		},
		Status: result.OK, TrainRows: 200, TestRows: 100, Selected: &selected,
		Score: result.Score{N: 100, Correct: &correct}, ScoresHash: scores,
	}
}

// What differs is counted, and the interval is that of Nadeau and Bengio, worked out by hand: differences of 0 to 4
// rows of 100 have mean 0.02, variance 2.5e-4, and with 100 test rows for 200 training rows the error sqrt((1/5
// + 1/2) 2.5e-4) = 0.0132288; Student's t with 4 degrees of freedom has 2.776445 at 97.5 %, so that the interval is
// 0.02 -+ 0.036729. P is 2 P(T > 1.511858) = 0.205106.
func TestLines(t *testing.T) {
	var tally table.Tally
	for split := range 5 {
		tally.Add(run(split+1, 80, `{"c":1}`, "x"), run(split+1, 80+split, `{"c":2}`, "y"))
	}
	lines := tally.Lines()
	if len(lines) != 1 {
		t.Fatal(lines)
	}
	l := lines[0]
	if l.Cells != 5 || l.Counts != 5 || l.Choices != 5 || l.Ends != 0 || l.Metric != "accuracy" || !l.Changed() {
		t.Errorf("%+v", l)
	}
	for what, got := range map[string][2]float64{"a": {l.A, 80}, "b": {l.B, 82}, "low": {l.Low, 2 - 3.6729},
		"high": {l.High, 2 + 3.6729}, "p": {l.P, 0.205106}} {
		near(t, what, got[0], got[1], 1e-4)
	}
}

// Equal cells are no change. Other bits of the scores with equal counts are, and so is a cell that fails on one side.
func TestWhatIsAChange(t *testing.T) {
	failed := run(1, 80, `{}`, "")
	failed.Status, failed.Score = result.Failed, result.Score{}
	for name, c := range map[string]struct {
		b       result.Run
		changed bool
	}{
		"equal":         {run(1, 80, `{}`, "x"), false},
		"unknown bits":  {run(1, 80, `{}`, ""), false},
		"other bits":    {run(1, 80, `{}`, "y"), true},
		"another point": {run(1, 80, `{"c":1}`, "x"), true},
		"another count": {run(1, 81, `{}`, "x"), true},
		"a failed cell": {failed, true},
	} {
		var tally table.Tally
		tally.Add(run(1, 80, `{}`, "x"), c.b)
		lines := tally.Lines()
		if len(lines) != 1 || lines[0].Changed() != c.changed {
			t.Errorf("%s: %+v", name, lines)
		}
	}
}

// An alarm comes true for what it names, and for nothing else. Of five splits, B has 10 rows of 100 less (p < 0.05), 10
// more, or one less on a single split (p = 0.37); a cell of B fails, or one of A; or another grid point was chosen.
func TestAlarms(t *testing.T) {
	failed := run(1, 80, `{}`, "")
	failed.Status, failed.Score = result.Failed, result.Score{}
	every := func(gains [5]int) (a, b []result.Run) {
		for k, gain := range gains {
			a, b = append(a, run(k+1, 80, `{}`, "x")), append(b, run(k+1, 80+gain, `{}`, ""))
		}
		return a, b
	}
	for _, c := range []struct {
		name          string
		gains         [5]int
		a, b          *result.Run
		counts, worse bool
	}{
		{name: "worse", gains: [5]int{-9, -10, -11, -10, -10}, counts: true, worse: true},
		{name: "better", gains: [5]int{9, 10, 11, 10, 10}, counts: true},
		{name: "one row", gains: [5]int{-1}, counts: true},
		{name: "a cell that is lost", b: &failed, counts: true, worse: true},
		{name: "a cell that is won", a: &failed, counts: true},
		{name: "another grid point", b: new(run(1, 80, `{"c":1}`, "x"))},
	} {
		a, b := every(c.gains)
		if c.a != nil {
			a[0] = *c.a
		}
		if c.b != nil {
			b[0] = *c.b
		}
		var tally table.Tally
		for k := range a {
			tally.Add(a[k], b[k])
		}
		l := tally.Lines()[0]
		if !l.Fails() || l.Fails("counts") != c.counts || l.Fails("worse") != c.worse ||
			l.Fails("counts", "worse") != (c.counts || c.worse) {
			t.Errorf("%s: changed %v, counts %v, worse %v: %+v", c.name, l.Fails(), l.Fails("counts"),
				l.Fails("worse"), l)
		}
	}
}
