package stats

import (
	"errors"
	"math"
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"
)

// Needed says how many data sets or splits would decide a difference, were it real and as large as
// seen. It is a plan for more runs and no evidence by itself: the difference that was seen is itself
// uncertain.
type Needed struct {
	Reachable bool
	Count     int     // in all; 0 where the power is not reached
	More      int     // beyond those that are there; 0 where there are enough
	Limit     float64 // the power that ever more of them approach; NaN of one split
}

// MostNeeded bounds what SplitsNeeded counts: a difference that takes more splits is not reachable.
const MostNeeded = 1_000_000

var errPower = errors.New("stats: a level and a power are probabilities; give numbers between 0 and 1, 0.05 and 0.8 for instance")

// SplitsNeeded returns the least number of splits with which CorrectedT at level alpha finds the
// difference with the given power, if mean and standard deviation stay as they are. With n splits
// t is noncentral with n-1 degrees of freedom and centre |Mean| / sqrt((1/n + Ratio) s^2). Splits of
// the same rows overlap, so that the centre does not exceed |Mean| / (s sqrt(Ratio)): a small
// difference is never decided by more splits, only by more data.
//
// A mean of zero and a single split reach nothing; equal differences other than zero take two splits.
// It is an error if alpha or power is outside 0 to 1.
func SplitsNeeded(t CorrectedTTest, alpha, power float64) (Needed, error) {
	if !within(alpha) || !within(power) {
		return Needed{}, errPower
	}
	if math.IsNaN(t.Std) {
		return Needed{Limit: math.NaN()}, nil
	}
	if t.Mean.Sign() == 0 {
		return Needed{Limit: alpha}, nil
	}
	size := math.Abs(float(t.Mean))
	z := upperNormal(alpha / 2)
	most := size / (t.Std * math.Sqrt(float(t.Ratio)))
	needed := Needed{Limit: distuv.UnitNormal.CDF(most-z) + distuv.UnitNormal.CDF(-most-z)}
	enough := func(n int) bool { return tPower(size/t.errorOver(n), n-1, alpha) >= power }
	if !enough(MostNeeded) {
		return needed, nil
	}
	low, high := 1, 2 // low is not enough, one split has no deviation
	for !enough(high) {
		low, high = high, min(2*high, MostNeeded)
	}
	for high-low > 1 {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	needed.Reachable, needed.Count, needed.More = true, high, max(0, high-t.N)
	return needed, nil
}

// tPower is the probability that a noncentral t variable with df degrees of freedom lies beyond the
// two-sided point of the central one at alpha. Where the centre is far from zero, the normal part of the
// variable is next to nothing beside it, and its root of a chi-square alone decides.
func tPower(centre float64, df int, alpha float64) float64 {
	const steep = 300
	nu := float64(df)
	point := -distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(alpha / 2)
	if centre > steep {
		ratio := centre / point
		return distuv.ChiSquared{K: nu}.CDF(nu * ratio * ratio)
	}
	return overChi(nu, centre, func(s float64) float64 {
		return distuv.UnitNormal.CDF(centre-float64(point*s)) + distuv.UnitNormal.CDF(-centre-float64(point*s))
	})
}

// WilcoxonNeeded returns the number of data sets with which the signed-rank test at level alpha finds
// the difference with the given power, by the formula of Noether (1987),
//
//	N = (z_alpha/2 + z_beta)^2 / (3 (p - 1/2)^2),    p = P(D + D' > 0)
//
// rounded up. p is the share, among pairs of two of the differences, of sums above zero, half of those
// equal to it counted. The formula holds for large N. Nothing is reached where p is 1/2 or there is
// one difference alone. It is an error if there is none, or alpha or power is outside 0 to 1.
func WilcoxonNeeded(differences []*big.Rat, alpha, power float64) (Needed, error) {
	if err := checkDifferences(differences); err != nil {
		return Needed{}, err
	}
	twice, pairs := 0, 0 // twice the excess of sums above zero over half of the pairs
	for i, d := range differences {
		for _, other := range differences[:i] {
			twice += new(big.Rat).Add(d, other).Sign()
			pairs++
		}
	}
	return noether(twice, pairs, len(differences), 3, alpha, power)
}

// SignNeeded is WilcoxonNeeded for the sign test: N = (z_alpha/2 + z_beta)^2 / (4 (p - 1/2)^2), p
// being the share of differences above zero, half of those equal to it counted.
func SignNeeded(differences []*big.Rat, alpha, power float64) (Needed, error) {
	if err := checkDifferences(differences); err != nil {
		return Needed{}, err
	}
	plus, _, minus := Signs(differences)
	return noether(plus-minus, len(differences), len(differences), 4, alpha, power)
}

// noether applies the formula with p - 1/2 = twice / (2 of).
func noether(twice, of, there int, factor, alpha, power float64) (Needed, error) {
	if !within(alpha) || !within(power) {
		return Needed{}, errPower
	}
	if twice == 0 {
		return Needed{Limit: alpha}, nil
	}
	excess := float64(twice) / float64(2*of)
	z := max(0, upperNormal(alpha/2)+upperNormal(1-power))
	count := int(math.Ceil(z * z / (factor * excess * excess)))
	return Needed{Reachable: true, Count: max(1, count), More: max(0, count-there), Limit: 1}, nil
}
