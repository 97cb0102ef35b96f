package stats

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// A Comparison compares the average ranks of methods A and B.
type Comparison struct {
	A, B       int
	Difference *big.Rat // rank of A less that of B: negative where A is better
	Z          float64  // Difference / sqrt(k (k+1) / (6 N))
	P          float64  // of Z, two-sided and not adjusted; Holm and other functions adjust it
	Nemenyi    float64  // P of the largest of all differences: already adjusted for all pairs
}

// AllPairs compares the average ranks of the k methods, each with each, in the order
// (0,1), (0,2), ..., (k-2,k-1), which BergmannHommel expects. Demsar (2006), 3.2.2.
func (t FriedmanTest) AllPairs() []Comparison {
	var out []Comparison
	for a := range t.Methods {
		for b := a + 1; b < t.Methods; b++ {
			out = append(out, t.compare(a, b))
		}
	}
	return out
}

// WithControl compares each other method with the control, which is A of every comparison, in the
// order of the methods. It is an error if there is no such method.
func (t FriedmanTest) WithControl(control int) ([]Comparison, error) {
	if control < 0 || control >= t.Methods {
		return nil, fmt.Errorf("stats: control %d is none of %d methods, which count from 0", control, t.Methods)
	}
	var out []Comparison
	for b := range t.Methods {
		if b != control {
			out = append(out, t.compare(control, b))
		}
	}
	return out, nil
}

func (t FriedmanTest) compare(a, b int) Comparison {
	c := Comparison{A: a, B: b, Difference: minus(t.AverageRanks[a], t.AverageRanks[b])}
	c.Z = float(c.Difference) / rankError(t.Methods, t.Datasets)
	c.P = twoSided(c.Z)
	c.Nemenyi = StudentizedRangeTail(math.Abs(c.Z)*math.Sqrt2, t.Methods, math.Inf(1))
	return c
}

// rankError is the standard error of a difference of two average ranks.
func rankError(methods, datasets int) float64 {
	return math.Sqrt(float64(methods*(methods+1)) / float64(6*datasets))
}

// NemenyiCD returns the critical difference of Nemenyi (1963): average ranks of two among k methods
// over N data sets differ significantly at level alpha where they differ by at least
// q_alpha sqrt(k (k+1) / (6 N)), q_alpha being the studentized range's point over sqrt(2), with
// infinite degrees of freedom (Demsar 2006, Table 5a). It is NaN unless 0 < alpha < 1, k >= 2 and
// N >= 1.
func NemenyiCD(alpha float64, methods, datasets int) float64 {
	if datasets < 1 {
		return math.NaN()
	}
	return StudentizedRangePoint(alpha, methods, math.Inf(1)) / math.Sqrt2 * rankError(methods, datasets)
}

// Groups puts methods that are alike into groups: two methods have a common group if and only if they are alike. alike must
// be symmetric. Groups and their members are in the given order, the best first. Each pair that no group holds yet begins a
// new group. The group then takes in every method that is alike to all of its members. For a critical difference of average
// ranks, groups are the bars of the diagram, and each bar joins neighbours. With a test of two methods, a group may leave
// out methods in between.
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
				if !slices.Contains(places, k) && !slices.ContainsFunc(places, func(p int) bool { return !alike(order[p], m) }) {
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
