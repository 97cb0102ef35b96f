package plan

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLaw: no other line is more probable than the one that is fitted; one set, or sets of one size, leave the assumed
// cost; and slopes are cut.
func TestLaw(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	measured := func(byRows, byFeatures, noise float64, shapes ...[2]int) map[string]timing {
		sets := map[string]timing{}
		for i, s := range shapes {
			n, d := float64(s[0]), float64(s[1])
			seconds := math.Pow(n, 1+byRows) * math.Pow(d, 1+byFeatures) * math.Exp(noise*draw.NormFloat64())
			sets[string(rune('a'+i))] = timing{seconds, n * d, 1, s[0], s[1]}
		}
		return sets
	}
	sets := measured(1, -0.5, 0.3, [2]int{100, 10}, [2]int{200, 3}, [2]int{800, 20}, [2]int{400, 60}, [2]int{3000, 8})
	best, known := lawOf(sets)
	if !known || best.byRows < 0.3 || best.byFeatures > -0.1 {
		t.Fatalf("%+v", best)
	}
	surprise := func(l law) float64 {
		sum := (l.byRows*l.byRows + l.byFeatures*l.byFeatures) / (0.5 * 0.5)
		for _, s := range sets {
			off := s.factor() - l.factor(s.rows, s.features)
			sum += off * off / (0.3 * 0.3)
		}
		return sum
	}
	for range 1000 {
		other := best
		other.at += 0.1 * draw.NormFloat64()
		other.byRows += 0.1 * draw.NormFloat64()
		other.byFeatures += 0.1 * draw.NormFloat64()
		if surprise(other) < surprise(best) {
			t.Fatalf("%+v is more probable than %+v", other, best)
		}
	}
	for _, same := range []map[string]timing{measured(1, 1, 0, [2]int{100, 10}), measured(1, 1, 0.3, [2]int{100, 10},
		[2]int{100, 10})} {
		if l, known := lawOf(same); !known || l.byRows != 0 || l.byFeatures != 0 || l.factor(1000, 1) != l.at {
			t.Errorf("one size: %+v", l)
		}
	}
	if l, _ := lawOf(measured(9, -9, 0, [2]int{10, 10}, [2]int{10_000, 10}, [2]int{10, 10_000})); l.byRows != 2 ||
		l.byFeatures != -1 {
		t.Errorf("slopes are not cut: %+v", l)
	}
	if _, known := lawOf(map[string]timing{"old": {1, 1, 1, 100, 0}}); known {
		t.Error("a set of unknown size has a law")
	}
}
