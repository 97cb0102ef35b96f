package stats

import (
	"cmp"
	"math"
	"slices"
)

// The functions below adjust p-values of several hypotheses: each rejects at level alpha the
// hypotheses whose adjusted value is at most alpha, and the probability of one false rejection among
// all is then at most alpha. They keep the order of p. A NaN counts as a hypothesis that is not
// rejected, and stays NaN.

// Bonferroni multiplies each p-value by the number of p-values. With a control it is Bonferroni-Dunn's test.
func Bonferroni(p []float64) []float64 {
	return stepDown(p, func(int) int { return len(p) })
}

// Holm steps down (Holm 1979): the i-th smallest of m p-values is multiplied by m-i+1, the number of
// hypotheses that may still be true.
func Holm(p []float64) []float64 {
	return stepDown(p, func(place int) int { return len(p) - place })
}

// Shaffer adjusts the p-values of all pairs among k methods by Shaffer's static procedure (1986;
// Garcia and Herrera 2008, 2.2). It is Holm's procedure with smaller factors. If some pairs differ, other
// pairs must differ, too, so only the numbers of TrueHypotheses(k) are possible. The factor is the largest of
// these numbers that is at most m-i+1.
func Shaffer(p []float64, k int) []float64 {
	checkPairs(p, k)
	possible := TrueHypotheses(k)
	return stepDown(p, func(place int) int {
		at, found := slices.BinarySearch(possible, len(p)-place)
		if !found {
			at--
		}
		return possible[at]
	})
}

// TrueHypotheses returns, in increasing order, how many of the hypotheses that two of k methods are
// equal can be true together: S(k) = union over j = 1..k of {j(j-1)/2 + x, x in S(k-j)}, with
// S(0) = S(1) = {0}. j is the size of one group of equal methods.
func TrueHypotheses(k int) []int {
	sets := make([][]int, k+1)
	sets[0] = []int{0}
	for n := 1; n <= k; n++ {
		for j := 1; j <= n; j++ {
			for _, x := range sets[n-j] {
				sets[n] = append(sets[n], j*(j-1)/2+x)
			}
		}
		slices.Sort(sets[n])
		sets[n] = slices.Compact(sets[n])
	}
	return sets[k]
}

// MostMethodsBergmannHommel bounds the methods of BergmannHommel, whose work grows like the number of
// partitions of a set: 115,975 for ten methods.
const MostMethodsBergmannHommel = 10

// BergmannHommel adjusts the p-values of all pairs among k methods, in the order of AllPairs, by the
// procedure of Bergmann and Hommel (1988; Garcia and Herrera 2008, 2.3), the most powerful of these.
// A set of hypotheses is exhaustive if exactly these can be true, which is the case for the pairs
// within the groups of a partition of the methods. The adjusted value of a hypothesis is the largest
// |I| min_{j in I} p_j over the exhaustive sets I that hold it, and no smaller than that of a
// hypothesis with a smaller or equal p.
func BergmannHommel(p []float64, k int) []float64 {
	checkPairs(p, k)
	must(k <= MostMethodsBergmannHommel, "Bergmann-Hommel over %d methods is too much work", k)
	adjusted := make([]float64, len(p))
	group := make([]int, k)
	var partitions func(next, groups int)
	partitions = func(next, groups int) {
		if next == k {
			exhaust(p, adjusted, group)
			return
		}
		for g := range groups + 1 {
			group[next] = g
			partitions(next+1, max(groups, g+1))
		}
	}
	partitions(0, 0)
	return monotone(p, func(_, i int) float64 { return adjusted[i] })
}

// exhaust raises the adjusted values of all pairs within groups to at least the number of these pairs
// times the least of their p-values.
func exhaust(p, adjusted []float64, group []int) {
	count, least := 0, 1.0
	within := func(visit func(pair int)) {
		pair := 0
		for a := range group {
			for b := a + 1; b < len(group); b++ {
				if group[a] == group[b] {
					visit(pair)
				}
				pair++
			}
		}
	}
	within(func(pair int) {
		count++
		if p[pair] < least {
			least = p[pair]
		}
	})
	bound := float64(count) * least
	within(func(pair int) { adjusted[pair] = max(adjusted[pair], bound) })
}

// stepDown multiplies each p-value by factor(place), where place is its place in increasing order, from 0.
func stepDown(p []float64, factor func(place int) int) []float64 {
	return monotone(p, func(place, i int) float64 { return float64(factor(place)) * p[i] })
}

// monotone returns adjusted(place, i) for each p[i] at its place in increasing order. No value is smaller than
// a value before it, or larger than 1. Equal p-values share their largest value, so that the order of the
// methods decides nothing.
func monotone(p []float64, adjusted func(place, i int) float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	// Compare has NaN before all numbers, so that it comes last in the order of the negatives.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(-p[b], -p[a]) })
	out, reached := make([]float64, len(p)), 0.0
	for first := 0; first < len(order); {
		end := first
		for ; end < len(order) && cmp.Compare(p[order[end]], p[order[first]]) == 0; end++ {
			if reached = max(reached, adjusted(end, order[end])); math.IsNaN(p[order[first]]) {
				reached = math.NaN() // NaN are the last in the order
			}
		}
		reached = min(1, reached)
		for ; first < end; first++ {
			out[order[first]] = reached
		}
	}
	return out
}

func checkPairs(p []float64, k int) {
	must(k > 1 && len(p) == k*(k-1)/2, "%d p-values are not those of all pairs among %d methods", len(p), k)
}
