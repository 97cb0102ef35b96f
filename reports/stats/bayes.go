package stats

import (
	"math/big"
	"sort"

	"github.com/kernelboosting/bench/registry/rng"
)

// Probabilities say how sure it is, given the data, that a difference is below the region of
// practical equivalence, within it, or above it. They add up to 1.
type Probabilities struct{ Below, Within, Above float64 }

// BayesSignedRanks is the Bayesian signed-rank test over data sets (Benavoli et al. 2014; 2017,
// 4.2.1). The distribution of a difference is unknown and has a Dirichlet process as prior, of
// strength s = 1/2 with all its mass at a difference z_0 = 0, as published and as in the authors'
// programs. Given differences z_1..z_q, weights (w_0..w_q) have a Dirichlet distribution with
// parameters (s, 1, .., 1), and the probability that the mean of two independent differences is above
// the region of practical equivalence [-rope, rope] is
//
//	above = sum_ij w_i w_j ([z_i + z_j > 2 rope] + [z_i + z_j = 2 rope] / 2)
//
// The probability below is defined alike, and within is the rest. A sum exactly on an edge counts half on either
// side, as in baycomp. Comparisons are exact. Each draw of weights is a vote for the largest of the three
// probabilities, and for the region on a tie. The result is the shares of the votes. With rope = 0 only below and
// above are compared, and a tie is half a vote for each. Equal seeds give equal results; the standard error of a
// share is at most 1/(2 sqrt(draws)).
//
// Drawing takes most of the time, and lists of differences of equal length have the same draws. Many lists
// therefore take hardly longer than one list.
func BayesSignedRanks(lists [][]*big.Rat, rope *big.Rat, draws int, seed uint32) []Probabilities {
	must(rope != nil && rope.Sign() >= 0 && draws > 0, "no posterior with a region of %v and %d draws", rope, draws)
	out, byLength := make([]Probabilities, len(lists)), map[int][]int{}
	for i, differences := range lists {
		checkDifferences(differences)
		byLength[len(differences)] = append(byLength[len(differences)], i)
	}
	for length, some := range byLength {
		stream, normal := rng.New(seed), make([]float64, 2*length+1)
		pairs := make([]*walsh, len(some))
		for k, i := range some {
			pairs[k] = newWalsh(lists[i], rope)
		}
		for range draws {
			for j := range normal {
				normal[j] = stream.Norm()
			}
			for k, i := range some {
				out[i].vote(pairs[k], normal, rope.Sign() == 0)
			}
		}
	}
	n := float64(draws)
	for i, votes := range out {
		out[i] = Probabilities{votes.Below / n, votes.Within / n, votes.Above / n}
	}
	return out
}

// vote adds the vote of one draw. point says that the region has no width.
func (p *Probabilities) vote(w *walsh, normal []float64, point bool) {
	below, within, above := w.draw(normal)
	switch {
	case point && below == above:
		p.Below, p.Above = p.Below+0.5, p.Above+0.5
	case point && below > above, below > within && below > above:
		p.Below++
	case point, above > within && above > below:
		p.Above++
	default:
		p.Within++
	}
}

// A walsh says for all sums z_i + z_j of sorted differences whether they are below, within or above the region. For
// a given i the sum grows with j, so each edge of the region is a place in the order of j. An edge is kept as two
// places: the first j whose sum is at least at the edge, and the first j whose sum is beyond the edge. They differ
// if sums lie exactly on the edge.
type walsh struct {
	prior int // place of the prior's difference z_0 in the order
	// edges for each i: sums with j < below[i][0] are below the region, with j >= above[i][1] above
	below, above [][2]int
	upTo         []float64 // upTo[j] adds up the first j weights of a draw
}

func newWalsh(differences []*big.Rat, rope *big.Rat) *walsh {
	all := append([]*big.Rat{new(big.Rat)}, differences...)
	order := Order(all)
	n := len(all)
	w := &walsh{below: make([][2]int, n), above: make([][2]int, n), upTo: make([]float64, n+1)}
	most := product(whole(2), rope)
	least := new(big.Rat).Neg(most)
	for i, at := range order {
		if at == 0 {
			w.prior = i
		}
		edge := func(bound *big.Rat) [2]int {
			from := func(sign int) int {
				return sort.Search(n, func(j int) bool {
					return new(big.Rat).Add(all[at], all[order[j]]).Cmp(bound) >= sign
				})
			}
			return [2]int{from(0), from(1)}
		}
		w.below[i], w.above[i] = edge(least), edge(most)
	}
	return w
}

// draw returns the three probabilities, up to a common factor, for weights from 2n-1 standard normal values. The
// sum of two squared normal values is twice a gamma variable of shape 1, and one squared value is twice a gamma
// variable of shape 1/2. Gamma variables divided by their sum have a Dirichlet distribution.
func (w *walsh) draw(normal []float64) (below, within, above float64) {
	n := len(w.below)
	for i := range n {
		x := normal[0]
		weight := x * x
		if normal = normal[1:]; i != w.prior {
			weight += float64(normal[0] * normal[0])
			normal = normal[1:]
		}
		w.upTo[i+1] = w.upTo[i] + weight
	}
	half := func(edge [2]int) float64 { return (w.upTo[edge[0]] + w.upTo[edge[1]]) / 2 }
	for i := range n {
		weight := w.upTo[i+1] - w.upTo[i]
		low, high := half(w.below[i]), half(w.above[i])
		below += float64(weight * low)
		within += float64(weight * (high - low))
		above += float64(weight * (w.upTo[n] - high))
	}
	return below, within, above
}
