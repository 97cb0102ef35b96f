package stats

import (
	"math"
	"math/big"
)

// Shares counts the differences below, within and above a region of equivalence. A difference exactly on an edge counts half
// on either side of the edge, so that counts may be halves.
type Shares [3]float64

// SharesOf counts each difference beside its own region [-rope, rope].
func SharesOf(differences, ropes []*big.Rat) Shares {
	var n Shares
	for i, d := range differences {
		for k, share := range sides(d, ropes[i]) {
			n[k] += share
		}
	}
	return n
}

// sides is the Shares of a single difference.
func sides(d, rope *big.Rat) Shares {
	switch c := new(big.Rat).Abs(d).Cmp(rope); {
	case c < 0:
		return Shares{0, 1, 0}
	case c == 0 && d.Sign() == 0: // a region without width
		return Shares{0.5, 0, 0.5}
	case c == 0 && d.Sign() < 0:
		return Shares{0.5, 0.5, 0}
	case c == 0:
		return Shares{0, 0.5, 0.5}
	case d.Sign() < 0:
		return Shares{1, 0, 0}
	}
	return Shares{0, 0, 1}
}

// Forecast is the probability that the difference on one more data set of the same kind lies below, within or above its
// region: the rule of succession of Laplace, (n_k + 1) / (n + 3), which is the mean of a Dirichlet posterior with a flat
// prior over the three.
func (n Shares) Forecast() Probabilities {
	total := n[0] + n[1] + n[2] + 3
	return Probabilities{Below: (n[0] + 1) / total, Within: (n[1] + 1) / total, Above: (n[2] + 1) / total}
}

// UniformLoss is the log loss of a forecast that gives each of the three sides the same probability.
var UniformLoss = math.Log(3)

// ForecastLoss is the mean log loss of forecasts that leave one data set out: each difference is forecast from the other
// differences of its list. It is NaN where no list has two differences. A forecast is worth printing where its loss is below
// UniformLoss.
func ForecastLoss(lists, ropes [][]*big.Rat) float64 {
	loss, n := 0.0, 0
	for l, differences := range lists {
		if len(differences) < 2 {
			continue
		}
		all := SharesOf(differences, ropes[l])
		for i, d := range differences {
			seen := sides(d, ropes[l][i])
			left := Shares{all[0] - seen[0], all[1] - seen[1], all[2] - seen[2]}.Forecast()
			loss -= seen[0]*math.Log(left.Below) + seen[1]*math.Log(left.Within) + seen[2]*math.Log(left.Above)
			n++
		}
	}
	return loss / float64(n)
}
