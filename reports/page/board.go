package page

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/leaderboard"
)

// board is the first screen: a row a method, the leader first.
type board struct {
	*leaderboard.Board
	Points  bool   // gains are in percentage points
	Than    string // the method with which the other methods are compared: the leader, or the named method
	Lines   []boardRow
	Partial []boardRow
	Legend  []string

	rows []leaderboard.Row
}

// boardRow is a row as text, with the values that it is sorted by, and the drawing of its gain in units of a drawing.
type boardRow struct {
	leaderboard.Row
	Link                                          string
	GainText, GainsText, Word, Class, P, Have     string
	SortGain, SortP, SortWins, SortRank, SortTime string // "" sorts last
	Drawn                                         bool
	From, To, At, Zero                            float64
}

const boardWidth = 150.0

// boardClasses are the style classes of rows by the verdict on the method in question.
var boardClasses = map[evidence.Verdict]string{evidence.Better: "up", evidence.Worse: "down", evidence.Open: "open", evidence.Smaller: "open", evidence.Mixed: "open"}

// newBoard lays a board out.
func (p *Page) newBoard(b *leaderboard.Board) *board {
	t := &p.table
	out := &board{Board: b, Points: t.Metric.Percent, Than: t.Methods[b.Asked], Legend: b.Legend(t, p.evidence), rows: b.Rows}
	if !b.Named {
		out.Than = "the leader"
	}
	low, high := 0.0, 0.0
	for _, r := range b.Rows {
		for _, x := range []float64{number(r.Gain), r.Gains.Low, r.Gains.High} {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	at := func(x float64) float64 { return 4 + (boardWidth-8)*(x-low)/max(high-low, 1e-300) }
	for _, r := range b.Rows {
		line := boardRow{Row: r, GainText: minus(r.GainText(t)), GainsText: minus(r.GainsText(t)), Word: b.Word(r), Have: b.Coverage(r), SortGain: exact(number(r.Gain)),
			SortWins: exact(number(r.Wins)), SortRank: exact(number(r.Rank)), SortTime: exact(r.Seconds)}
		switch {
		case r.Place == b.Asked:
			line.Class, line.SortP = "asked", "2"
		case r.Against != nil:
			line.Class = boardClasses[r.Against.Verdict]
			if !math.IsNaN(r.Against.Adjusted) {
				line.P, line.SortP = "p "+frame.PValue(r.Against.Adjusted), exact(r.Against.Adjusted)
			}
		}
		if r.Gain != nil {
			line.Drawn, line.At, line.Zero = true, at(number(r.Gain)), at(0)
			if line.From, line.To = line.At, line.At; !math.IsNaN(r.Gains.Low) {
				line.From, line.To = at(r.Gains.Low), at(r.Gains.High)
			}
		}
		if r.Whole {
			out.Lines = append(out.Lines, line)
		} else {
			out.Partial = append(out.Partial, line)
		}
	}
	return out
}

// minus writes negative numbers with a true minus. The text "-" of an absent value stays.
func minus(text string) string {
	if text == frame.Absent {
		return text
	}
	return strings.ReplaceAll(text, "-", "−")
}

// number is the nearest float64; NaN for none.
func number(x *big.Rat) float64 {
	if x == nil {
		return math.NaN()
	}
	f, _ := x.Float64()
	return f
}

// exact writes a number for the script; "" for none.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
