package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// NemenyiCD returns the critical difference of Nemenyi (1963): average ranks of two among k methods
// over N data sets differ significantly at level alpha where they differ by at least
// q_alpha sqrt(k (k+1) / (6 N)), q_alpha being the studentized range's point over sqrt(2), with
// infinite degrees of freedom (Demsar 2006, Table 5a). It is NaN unless 0 < alpha < 1, k >= 2 and
// N >= 1.
func NemenyiCD(alpha float64, methods, datasets int) float64 {
	if datasets < 1 {
		return math.NaN()
	}
	return StudentizedRangePoint(alpha, methods) / math.Sqrt2 *
		math.Sqrt(float64(methods*(methods+1))/float64(6*datasets))
}

// Groups puts methods that are alike into groups: two methods have a common group if and only if they are alike.
// alike must be symmetric. Groups and their members are in the given order, the best first. Each pair that no group
// holds yet begins a new group. The group then takes in every method that is alike to all of its members. For a
// critical difference of average ranks, groups are the bars of the diagram, and each bar joins neighbours. With a
// test of two methods, a group may leave out methods in between.
func Groups(order []int, alike func(a, b int) bool) [][]int {
	var out [][]int
	covered := map[[2]int]bool{} // by places in the order
	for i, a := range order {
		for j := i + 1; j < len(order); j++ {
			if covered[[2]int{i, j}] || !alike(a, order[j]) {
				continue
			}
			places := []int{i, j}
			for k, m := range order {
				if !slices.Contains(places, k) && !slices.ContainsFunc(places,
					func(p int) bool { return !alike(order[p], m) }) {
					places = append(places, k)
				}
			}
			slices.Sort(places)
			group := make([]int, len(places))
			for n, p := range places {
				group[n] = order[p]
				for _, q := range places[n+1:] {
					covered[[2]int{p, q}] = true
				}
			}
			out = append(out, group)
		}
	}
	return out
}

// StudentizedRangePoint returns the q that the range of k standard normal variables, the studentized range with
// infinite degrees of freedom, exceeds with probability alpha, to about ten digits. It is NaN unless 0 < alpha < 1
// and k >= 2.
func StudentizedRangePoint(alpha float64, k int) float64 {
	if !within(alpha) || k < 2 {
		return math.NaN()
	}
	low, high := 0.0, 1.0
	for rangeTail(high, k) > alpha {
		low, high = high, 2*high
	}
	for high-low > 1e-12*high {
		mid := low + (high-low)/2
		if rangeTail(mid, k) > alpha {
			low = mid
		} else {
			high = mid
		}
	}
	return low + (high-low)/2
}

// rangeTail is the tail of the range of k standard normal variables. Conditioned on the largest
// variable z, all others lie below z, and the range is at most q if none lies below z - q:
//
//	P(R > q) = k integral phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z-q))^(k-1)) dz
//
// The integrand is analytic and falls off like a Gaussian on both sides, where the trapezoidal rule
// converges faster than any power of its step.
func rangeTail(q float64, k int) float64 {
	const step, reach, most = 0.125, 10, 75
	if q > most {
		return 0 // it is less than exp(-q*q/4), which has no double
	}
	last := int((q/2 + 2*reach) / step)
	sum := 0.0
	for i := range last + 1 {
		z := float64(float64(i)*step) - reach
		below := distuv.UnitNormal.CDF(z)
		// Beyond -1 there would be rounding, where q is so large that nothing lies below z - q.
		far := min(distuv.UnitNormal.CDF(z-q)/below, 1)
		// a^m - (a-b)^m = a^m (1 - (1 - b/a)^m) keeps its digits where b is small.
		m := float64(k - 1)
		sum += float64(distuv.UnitNormal.Prob(z) * math.Pow(below, m) * -math.Expm1(m*math.Log1p(-far)))
	}
	return min(float64(k)*step*sum, 1)
}
