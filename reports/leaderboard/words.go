package leaderboard

import (
	"fmt"
	"math"
	"math/big"

	"github.com/kernelboosting/bench/internal/span"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// words are what a row says of its method beside the asked one.
var words = map[evidence.Verdict]string{
	evidence.Better: "better", evidence.Worse: "worse", evidence.Mixed: "differs both ways", evidence.Open: "not told apart", evidence.Untested: "too few sets",
}

// Word is what is found of a row's method beside the asked one.
func (b *Board) Word(r Row) string {
	switch {
	case r.Place == b.Asked && b.Named:
		return "itself"
	case r.Place == b.Asked:
		return "leads"
	case r.Against == nil:
		return "no common split"
	case r.Against.Verdict == evidence.Smaller:
		return "smaller than " + b.Matter
	}
	return words[r.Against.Verdict]
}

// Coverage is how many of the sets that count the method has.
func (b *Board) Coverage(r Row) string { return fmt.Sprintf("%d of %d", r.Have, len(b.Sets)) }

func decimals(t *frame.Table) int {
	if t.Metric.Percent {
		return 2
	}
	return 4
}

// GainText is the mean gain with its sign, in the unit of the table.
func (r Row) GainText(t *frame.Table) string {
	if r.Gain == nil {
		return frame.Absent
	}
	return frame.Signed(r.Gain, decimals(t))
}

// GainsText is the interval of the gain.
func (r Row) GainsText(t *frame.Table) string {
	return between(r.Gains, func(x *big.Rat) string { return frame.Signed(x, decimals(t)) })
}

// WinText is the share of wins in percent.
func (r Row) WinText() string {
	if r.Wins == nil {
		return frame.Absent
	}
	return percent(r.Wins) + " %"
}

// WinRatesText is its interval.
func (r Row) WinRatesText() string {
	text := between(r.WinRates, percent)
	if text == frame.Absent {
		return text
	}
	return text + " %"
}

func percent(x *big.Rat) string { return new(big.Rat).Mul(x, big.NewRat(100, 1)).FloatString(0) }

// between writes an interval, "-" for none.
func between(i stats.Interval, text func(*big.Rat) string) string {
	if math.IsNaN(i.Low) || math.IsNaN(i.High) {
		return frame.Absent
	}
	return text(frame.Rat(i.Low)) + " to " + text(frame.Rat(i.High))
}

// Time is the mean processor time of a cell as people read it.
func (r Row) Time() string {
	if math.IsNaN(r.Seconds) {
		return frame.Absent
	}
	return span.Seconds(r.Seconds)
}
