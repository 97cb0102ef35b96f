package reports_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/cells"
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

// What differs is counted, and the interval is that of Nadeau and Bengio, worked out by hand: differences of 1, 2
// and 3 rows of 100 have mean 0.02, variance 1e-4, and with 100 test rows for 200 training rows the error sqrt((1/3
// + 1/2) 1e-4) = 0.0091287; Student's t with 2 degrees of freedom has 4.302653 at 97.5 %, so that the interval is
// 0.02 -+ 0.039278. P is 2 P(T > 2.19089) = 0.159895.
func TestLines(t *testing.T) {
	var tally cells.Tally
	for split, gain := range []int{1, 2, 3} {
		tally.Add(run(split+1, 80, `{"c":1}`, "x"), run(split+1, 80+gain, `{"c":2}`, "y"))
	}
	lines := tally.Lines()
	if len(lines) != 1 {
		t.Fatal(lines)
	}
	l := lines[0]
	if l.Cells != 3 || l.Counts != 3 || l.Choices != 3 || l.Ends != 0 || l.Metric != "accuracy" || !l.Changed() {
		t.Errorf("%+v", l)
	}
	for what, got := range map[string][2]float64{"a": {l.A, 80}, "b": {l.B, 82}, "low": {l.Low, 2 - 3.9278},
		"high": {l.High, 2 + 3.9278}, "p": {l.P, 0.159895}} {
		if math.Abs(got[0]-got[1]) > 1e-4 {
			t.Errorf("%s = %v, want %v", what, got[0], got[1])
		}
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
		var tally cells.Tally
		tally.Add(run(1, 80, `{}`, "x"), c.b)
		lines := tally.Lines()
		if len(lines) != 1 || lines[0].Changed() != c.changed {
			t.Errorf("%s: %+v", name, lines)
		}
	}
}
