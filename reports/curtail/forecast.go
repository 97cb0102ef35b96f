package curtail

import (
	"math"

	"github.com/kernelboosting/bench/registry/rng"
)

// known is what the splits of one set so far say of one gain.
type known struct {
	set             int     // its place in the plan
	splits, planned int     // that both methods have, and that they have in the end if no further one fails
	mean, other     float64 // of the gain, and of the values of the opponent
	square          float64 // sum of squared deviations from the mean
	base            float64 // what the variance of a split's gain is proportional to, over sets
}

// These are the strengths of what is known before the splits are seen: as many splits as weigh as much.
const (
	ofSet  = 8  // of the variance that the other sets show, on each set
	ofRule = 16 // of the rule for accuracies, over all sets
)

// rule is the variance of the gain of a split in units of known.base, where nothing is known yet: differences of
// accuracies of the methods of the reference run over the splits of a set (TestRule).
const rule = 1.1

// A model forecasts the means over all splits of a gain, one a set, from those over some splits. For set s, k of K
// splits have the mean m_s. Given the set's true gain t_s, the splits are independent with variance v_s, and
//
//	t_s ~ N(mu, tau^2),   mu flat,   tau on a grid with equal weights
//
// v_s is shrunk to a multiple of base and a noise that all sets share: with few splits a variance says little, and
// without shrinking, sets whose splits happen to agree would look certain. It is drawn from its posterior, so that a
// mean of few splits has the tails of Student's t.
type model struct {
	sets     []known
	variance []float64
	taus     []float64
	weights  []float64 // cumulative posterior of taus
}

// newModel takes the sets that have at least one split. withRule says that rule holds.
func newModel(sets []known, withRule bool) *model {
	m := &model{sets: sets}
	shared, noise := shares(sets, withRule)
	middle := 0.0
	for _, s := range sets {
		v := (ofSet*(shared*s.base+noise) + s.square) / float64(ofSet+s.splits-1)
		m.variance = append(m.variance, v)
		middle += math.Log(max(v, math.SmallestNonzeroFloat64)) / float64(len(sets))
	}
	m.grid(math.Exp(middle / 2))
	return m
}

// shares are the multiple of base and the noise that the variances of all sets share. Noise of the method itself, such
// as that of its random draws, does not shrink with the rows of a set. Each of the two is fitted to what the other one
// leaves, in turn. Without a rule there is no noise.
func shares(sets []known, withRule bool) (shared, noise float64) {
	strength, start := 0.0, 0.0
	if shared = 1; withRule {
		shared, strength, start = rule, ofRule, ofRule*rule
	}
	for _, s := range sets {
		strength += float64(s.splits - 1)
	}
	for range 8 {
		above, weights, sum := 0.0, 0.0, start
		for _, s := range sets {
			v, free := shared*s.base+noise, float64(s.splits-1)
			above, weights = above+(s.square-free*shared*s.base)/(v*v), weights+free/(v*v)
		}
		if noise = 0; withRule && weights > 0 {
			noise = max(0, above/weights)
		}
		for _, s := range sets {
			sum += s.square * shared / max(shared*s.base+noise, math.SmallestNonzeroFloat64)
		}
		shared = sum / max(1, strength)
	}
	return shared, noise
}

// grid computes the posterior of tau: multiples of the typical deviation of a split.
func (m *model) grid(unit float64) {
	var logs []float64
	best := math.Inf(-1)
	for k := -16; k <= 12; k++ {
		tau := unit * math.Pow(2, float64(k)/2)
		_, precision, misfit, logs1 := m.centre(tau)
		l := -(logs1 + math.Log(precision) + misfit) / 2
		m.taus, logs, best = append(m.taus, tau), append(logs, l), max(best, l)
	}
	total := 0.0
	for _, l := range logs {
		total += math.Exp(l - best)
		m.weights = append(m.weights, total)
	}
}

// centre is the mean of mu given tau and its precision, the weighted sum of squares around it, and the sum of the
// logarithms of the variances of the sets' means.
func (m *model) centre(tau float64) (mu, precision, misfit, logs float64) {
	for i, s := range m.sets {
		w := 1 / (tau*tau + m.variance[i]/float64(s.splits))
		mu, precision, logs = mu+w*s.mean, precision+w, logs-math.Log(w)
	}
	mu /= precision
	for i, s := range m.sets {
		misfit += (s.mean - mu) * (s.mean - mu) / (tau*tau + m.variance[i]/float64(s.splits))
	}
	return mu, precision, misfit, logs
}

// draw draws the means over all splits into out, by set. normal gives standard normal numbers by their place, so that
// gains that share a method can share a part of them.
func (m *model) draw(stream *rng.RandomState, normal func(place int) float64, out []float64) {
	u, k := stream.Float64()*m.weights[len(m.weights)-1], 0
	for k+1 < len(m.weights) && m.weights[k] < u {
		k++
	}
	tau := m.taus[k]
	mu, precision, _, _ := m.centre(tau)
	mu += normal(0) / math.Sqrt(precision)
	for i, s := range m.sets {
		out[s.set] = s.mean
		left := float64(s.planned - s.splits)
		if left == 0 {
			continue
		}
		freedom := ofSet + s.splits - 1
		variance := m.variance[i] * float64(freedom) / chiSquared(stream, freedom)
		of, between := float64(s.splits)/variance, 1/(tau*tau)
		truth := (of*s.mean+between*mu)/(of+between) + normal(1+2*s.set)/math.Sqrt(of+between)
		rest := truth + normal(2+2*s.set)*math.Sqrt(variance/left)
		out[s.set] = (float64(s.splits)*s.mean + left*rest) / float64(s.planned)
	}
}

// chiSquared draws a sum of squares of so many standard normal numbers.
func chiSquared(stream *rng.RandomState, freedom int) float64 {
	product, odd := 1.0, 0.0
	for range freedom / 2 {
		product *= 1 - stream.Float64()
	}
	if freedom%2 == 1 {
		x := stream.Norm()
		odd = x * x
	}
	return odd - 2*math.Log(product)
}
