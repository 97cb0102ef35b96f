package leaderboard

import (
	"fmt"
	"math"
	"math/big"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// words are what a row says of its method compared with the asked method.
var words = map[evidence.Verdict]string{
	evidence.Better: "better", evidence.Worse: "worse", evidence.Mixed: "differs both ways", evidence.Open: "not told apart", evidence.Untested: "too few sets",
}

// Word says how a row's method compares with the asked method.
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
	return between(signed(t, r.Gains.Low), signed(t, r.Gains.High))
}

// WinText is the share of wins in percent, without the unit.
func (r Row) WinText() string { return percent(r.Wins) }

// WinRatesText is the interval of the share of wins.
func (r Row) WinRatesText() string {
	return between(percent(frame.Rat(r.WinRates.Low)), percent(frame.Rat(r.WinRates.High)))
}

// signed writes an end of an interval of gains.
func signed(t *frame.Table, x float64) string {
	r := frame.Rat(x)
	if r == nil {
		return frame.Absent
	}
	return frame.Signed(r, decimals(t))
}

// percent writes a share without its unit.
func percent(x *big.Rat) string {
	if x == nil {
		return frame.Absent
	}
	return new(big.Rat).Mul(x, big.NewRat(100, 1)).FloatString(0)
}

// between joins the ends of an interval, "-" for none.
func between(low, high string) string {
	if low == frame.Absent || high == frame.Absent {
		return frame.Absent
	}
	return low + " to " + high
}

// Time is the mean processor time of a cell as people read it.
func (r Row) Time() string {
	if math.IsNaN(r.Seconds) {
		return frame.Absent
	}
	return wording.Seconds(r.Seconds)
}
