package gbdt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// gapped returns a copy of a sample without a share of its values.
func gapped(s *sample, share float64) *sample {
	out := *s
	out.name, out.x = fmt.Sprintf("%s with %v %% of gaps", s.name, 100*share), slices.Clone(s.x)
	rng := rand.New(rand.NewPCG(5, uint64(1000*share)))
	for i := range out.x {
		if rng.Float64() < share {
			out.x[i] = math.NaN()
		}
	}
	return &out
}

// oddGaps are samples whose gaps are not anywhere by chance: columns without any, with one known value beside gaps, of
// gaps alone, with neighbouring numbers of single precision, and rows without any value.
func oddGaps() *sample {
	s := drawn(registry.Binary, 600, 7, 2, 21)
	s.name = "odd gaps"
	for i := range s.n {
		row := s.x[i*s.d : (i+1)*s.d]
		row[1] = math.Copysign(1, row[1])
		if row[1] < 0 {
			row[1] = math.NaN()
		}
		row[2] = math.NaN()
		row[3] = float64(math.Float32frombits(math.Float32bits(1) + uint32(2+min(2, max(-2, math.Round(row[3]))))))
		if i%5 == 0 {
			row[3] = math.NaN()
		}
		if row[4] > 0.3 {
			row[4] = math.NaN()
		}
		if row[5] < -0.3 {
			row[5] = math.NaN()
		}
		if i%37 == 0 {
			for j := range row {
				row[j] = math.NaN()
			}
		}
	}
	return s
}

// holed are the first rows of a sample with further gaps, also in columns that have none in the sample.
func holed(s *sample) *sample { return gapped(s.head(200), 0.3) }

// withGaps are three sets of the catalogue without 1, 10 and 40 % of their values, of two classes, of four and with
// real targets. Each share is taken of each set in make thorough; else of one set, and of its first rows.
func withGaps(t *testing.T) []*sample {
	out := []*sample{oddGaps()}
	shares := []float64{0.01, 0.1, 0.4}
	for i, name := range []string{"pima", "vehicle-multiclass", "year-prediction"} {
		s := catalogued(t, name)
		if !testenv.Thorough(t) {
			out = append(out, gapped(s.head(500), shares[i]))
			continue
		}
		for _, share := range shares {
			out = append(out, gapped(s, share))
		}
	}
	return out
}

// The peers are the libraries themselves: every split and every default direction is theirs. Rows with other gaps are
// scored as they do.
func TestGapsAsXGBoost(t *testing.T) {
	python(t)
	var runs []*peerRun
	var params []DepthwiseParams
	for _, s := range withGaps(t) {
		for _, depth := range []int{1, 3, 6} {
			p := xgboostDefaults
			p.MaxDepth = depth
			runs, params = append(runs, &peerRun{Library: "xgboost", sample: s, other: holed(s), Params: p.python()}),
				append(params, p)
		}
	}
	sameAsXGBoost(t, runs, params)
}

func TestGapsAsLightGBM(t *testing.T) {
	python(t)
	var runs []*peerRun
	var params []LeafwiseParams
	for _, s := range withGaps(t) {
		for _, p := range corners(t)[:4] {
			runs, params = append(runs, &peerRun{Library: "lightgbm", sample: s, other: holed(s), Params: p.python()}),
				append(params, p)
		}
	}
	sameAsLightGBM(t, runs, params)
}
