package evidence

import (
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Versions counts the versions and settings of the two methods of a pair with results on the sets of the comparison
// (frame.Table.Tried), and adjusts its p for them. Who tries seven versions on some sets and reports the best one has
// compared seven times.
type Versions struct {
	Ours, Theirs Nth
	// P is that of the pair in the family of the page and of all its other versions: each other version of a method
	// with the other method of the pair. NaN where the pair is not testable or registered, and without another version.
	P float64
}

// Nth is the place of a method's version among all by their first runs, and how many there are.
type Nth struct{ Number, Of int }

// Compared is the number of comparisons of the pair with another version of one of the methods, and that of the pair.
func (v Versions) Compared() int { return v.Ours.Of + v.Theirs.Of - 1 }

// adjustVersions fills Versions of the pairs. All flips turn the differences of all versions on a set together, so that
// versions that differ little cost little. A version that lacks a set adds nothing to its sums there; that a set ran
// is no result, so that the flips stay as probable. Splits that only the pair has are left out of a version's mean.
func (e *Evidence) adjustVersions(t *frame.Table) error {
	var others []stats.SignedRanks
	sets := e.counted()
	for i := range e.Pairs {
		p := &e.Pairs[i]
		p.Versions = Versions{Nth{1, 1}, Nth{1, 1}, math.NaN()}
		ours, theirs := t.Tried[t.Methods[p.A]], t.Tried[t.Methods[p.B]]
		if len(ours) > 0 && len(theirs) > 0 && ours[0].Method == theirs[0].Method {
			theirs = nil // of two versions of one method each other version counts once
		}
		for side, tried := range [][]frame.Tried{ours, theirs} {
			count := []*Nth{&p.Versions.Ours, &p.Versions.Theirs}[side]
			for _, v := range tried {
				gains, err := p.with(t, e.Options, v, side, sets)
				if err != nil {
					return err
				}
				if gains == nil {
					continue
				}
				others = append(others, stats.NewSignedRanks(gains))
				if count.Of++; v.Earlier {
					count.Number++
				}
			}
		}
	}
	if others == nil {
		return nil
	}
	adjusted := stats.NewFamily(slices.Concat(e.columns, others), seed).Adjusted()
	for _, v := range e.versus {
		if p := &e.Pairs[e.at(v.A, v.B)]; p.Versions.Compared() > 1 && !math.IsNaN(p.Adjusted) {
			p.Versions.P = adjusted[v.At]
		}
	}
	return nil
}

// with are the gains of a pair with another version of its first or second method, by set, nil on a set without it. It
// is nil without a common split of a set of the comparison, and for the version that the other method is itself.
func (p *Pair) with(t *frame.Table, o Options, v frame.Tried, side int, sets []string) (out []*big.Rat, err error) {
	differs := false
	for _, set := range t.Sets {
		if !slices.Contains(p.Over, set.Name) {
			continue
		}
		entries := []frame.Entry{set.Entries[p.A], set.Entries[p.B]}
		entries[side] = v.Entries[set.Name]
		set.Entries = entries
		s, err := (&Pair{A: 0, B: 1}).on(t, &set, o)
		if err != nil {
			return nil, err
		}
		if len(s.Splits) == 0 {
			continue
		}
		if out == nil {
			out = make([]*big.Rat, len(sets))
		}
		out[slices.Index(sets, set.Name)], differs = s.overSets(t, s.Gain), differs || s.Gain.Sign() != 0
	}
	if !differs {
		return nil, nil
	}
	return out, nil
}
