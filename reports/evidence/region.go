package evidence

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/frame"
)

type rat = big.Rat

var (
	zero = new(rat)
	one  = big.NewRat(1, 1)
)

// A Region of practical equivalence holds the differences that do not matter, in both directions and with its
// edges. The zero value is no region: every difference matters.
type Region struct {
	Width    *big.Rat // half its width: the largest difference that does not matter; nil for no region
	Relative bool     // Width is a share of the error of both methods on the set, and not in the unit of the table
}

// Exists reports whether there is a region.
func (r Region) Exists() bool { return r.Width != nil }

func (r Region) check() error {
	if r.Exists() && r.Width.Sign() < 0 {
		return fmt.Errorf("the region of practical equivalence is %s wide; use 0 or more", r.Width.RatString())
	}
	return nil
}

// UsualRegion is one percentage point, and no region for a metric that is not in percent.
func UsualRegion(m metric.Metric) Region {
	if m.Percent {
		return Region{Width: big.NewRat(1, 1)}
	}
	return Region{}
}

// RegionOr is the asked region, and the usual one of a metric where none is asked for.
func RegionOr(asked *Region, m metric.Metric) Region {
	if asked != nil {
		return *asked
	}
	return UsualRegion(m)
}

// ParseRegion reads "0.5", in the unit of the table, or "10%", a share of the error.
func ParseRegion(text string) (Region, error) {
	number, relative := strings.CutSuffix(strings.TrimSpace(text), "%")
	width, ok := new(big.Rat).SetString(strings.TrimSpace(number))
	if !ok || width.Sign() < 0 || strings.ContainsAny(number, "_xXpP/") {
		return Region{}, fmt.Errorf("%q is no size of a difference; give one in the unit of the table such as 0.5, "+
			"or a share of the error such as 10%%", text)
	}
	if math.IsInf(frame.Float64(width), 0) {
		return Region{}, fmt.Errorf("%q is larger than any difference", text)
	}
	if relative {
		width.Quo(width, big.NewRat(100, 1))
	}
	return Region{Width: width, Relative: relative}, nil
}

// String writes a region as ParseRegion reads it; "" for none.
func (r Region) String() string {
	if !r.Exists() {
		return ""
	}
	width, percent := r.Width, ""
	if r.Relative {
		width, percent = new(big.Rat).Mul(width, big.NewRat(100, 1)), "%"
	}
	digits, _ := width.FloatPrec()
	return width.FloatString(digits) + percent
}

// Text names the region's width: "1 point", "0.5 points", "10 % of the error", "0.01".
func (r Region) Text(m metric.Metric) string {
	switch {
	case !r.Exists():
		return "any size"
	case r.Relative:
		return frame.Decimal(new(big.Rat).Mul(r.Width, big.NewRat(100, 1))) + " % of the error"
	case m.Percent && r.Width.Cmp(one) == 0:
		return "1 point"
	case m.Percent:
		return frame.Decimal(r.Width) + " points"
	}
	return frame.Decimal(r.Width)
}

// on is half the width of the region for two means on a data set, in the unit of the table. The error of a
// mean is its distance from the best possible value: 100 % or 1 where larger is better, 0 where smaller is
// better.
func (r Region) on(m metric.Metric, ours, theirs *big.Rat) *big.Rat {
	switch {
	case !r.Exists():
		return zero
	case !r.Relative:
		return r.Width
	}
	best := new(big.Rat)
	if m.Better == metric.Higher {
		if best.SetInt64(1); m.Percent {
			best.SetInt64(100)
		}
	}
	middle := new(big.Rat).Add(ours, theirs)
	middle.Quo(middle, big.NewRat(2, 1))
	return best.Mul(best.Abs(best.Sub(best, middle)), r.Width)
}
