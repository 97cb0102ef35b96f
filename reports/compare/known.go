package compare

import (
	"slices"

	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// Known is what stored results say of one method among others.
type Known struct {
	Row          // its row of the leaderboard
	Place    int // number of the row; 0 for a partial method
	Field    int // methods that have every counted set
	Sets     []KnownSet
	Testable bool // see Board
	Level    float64
}

// A KnownSet is a method's standing on a counted set.
type KnownSet struct {
	Name          string
	Place, Of     int // by the mean, of the methods that have the set
	Better, Worse int // methods than which it is significantly better or worse there
}

// KnownOf reads the standing of a method from a table. Sets are tested as `bench compare METHOD` does. It returns false
// where the table has no other method, or lacks the method.
func KnownOf(t *frame.Table, method string, level float64) (Known, bool, error) {
	k := Known{Level: level}
	us := slices.Index(t.Methods, method)
	if us < 0 || len(t.Methods) < 2 || len(t.Counted) == 0 {
		return k, false, nil
	}
	ev, err := evidence.Compare(t, evidence.Options{Method: method, Level: level,
		Region: evidence.UsualRegion(t.Metric)})
	if err != nil {
		return k, false, err
	}
	b, err := Rank(t, ev, us)
	if err != nil {
		return k, false, err
	}
	at := slices.IndexFunc(b.Rows, func(r Row) bool { return r.Method == method })
	k.Row, k.Field, k.Testable = b.Rows[at], b.Field, b.Testable
	if k.Whole {
		k.Place = at + 1
	}
	for _, s := range t.CountedSets() {
		own := s.Entries[us]
		if !own.Has {
			continue
		}
		set := KnownSet{Name: s.Name, Place: 1}
		for m, e := range s.Entries {
			if !e.Has {
				continue
			}
			if set.Of++; t.Metric.Compare(e.Mean, own.Mean) > 0 {
				set.Place++
			}
			if p, ok := ev.Between(us, m); ok {
				set.count(p)
			}
		}
		k.Sets = append(k.Sets, set)
	}
	return k, true, nil
}

// count counts what a pair finds on the set.
func (s *KnownSet) count(p evidence.Pair) {
	for _, on := range p.Sets {
		switch {
		case on.Set.Name != s.Name:
		case on.Verdict == evidence.Better:
			s.Better++
		case on.Verdict == evidence.Worse:
			s.Worse++
		}
	}
}
