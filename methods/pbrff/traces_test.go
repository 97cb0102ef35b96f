package pbrff

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// trace is one run of the published program, from traces.json.
type trace struct {
	Method      string    `json:"method"`
	Dataset     string    `json:"dataset"`
	Seed        uint32    `json:"seed"`
	Landmarks   int       `json:"n_landmarks"`
	K           int       `json:"K"`
	GammaTimesD float64   `json:"gamma_times_d"`
	Beta        float64   `json:"beta"`
	C           float64   `json:"C"`
	MethodSeed  uint32    `json:"method_seed"`
	Rows        []int     `json:"landmark_rows_first5"`
	Q           []float64 `json:"Q_first_landmark"`
	Features    []float64 `json:"features_test_row0_first5"`
	Accuracy    float64   `json:"test_accuracy_capped_10000_iterations"`
}

// Draws, weights and features are the published program's operations in another order,
// and equal to rounding. Its support vector machine stops after 10,000 iterations and at
// libsvm's tolerance, ours at the optimum, so the accuracies may differ by a few rows.
const (
	weightTol    = 1e-10
	accuracyRows = 2
)

func TestPublishedTraces(t *testing.T) {
	var traces []trace
	testenv.ReadOracle(t, "traces.json", &traces)
	for i, tr := range traces {
		if tr.Method != "PBRFF" {
			continue
		}
		t.Run(fmt.Sprintf("%d-%s-%d", i, tr.Dataset, tr.Seed), func(t *testing.T) {
			train, test := testsplit.Load(t, tr.Dataset, tr.Seed)
			d := train.Shape().D
			drawn := draw(registry.Env{Seed: tr.MethodSeed}.Rand(), train, tr.Landmarks, tr.K)
			for l, row := range tr.Rows {
				if drawn.landmark[l] != row {
					t.Errorf("landmark %d is row %d, published %d", l, drawn.landmark[l], row)
				}
			}
			representations, err := drawn.scale(tr.GammaTimesD/float64(d), true).represent(t.Context(), []float64{tr.Beta})
			if err != nil {
				t.Fatal(err)
			}
			r := representations[0]
			for j, q := range tr.Q {
				if math.Abs(r.q[j]-q) > weightTol*q {
					t.Errorf("q[0][%d] = %v, published %v", j, r.q[j], q)
				}
			}
			for l, want := range tr.Features {
				if got := r.feature(l, test.X.RawRowView(0)); math.Abs(got-want) > weightTol {
					t.Errorf("feature %d of the first test row is %v, published %v", l, got, want)
				}
			}
			raw, err := json.Marshal(Params{Landmarks: tr.Landmarks, K: tr.K, Gamma: tr.GammaTimesD / float64(d), Beta: tr.Beta, C: tr.C})
			if err != nil {
				t.Fatal(err)
			}
			m, err := Spec().Fit(t.Context(), registry.Env{Seed: tr.MethodSeed}, train, raw)
			if err != nil {
				t.Fatal(err)
			}
			correct := testsplit.Correct(t, m, test)
			published := int(math.Round(tr.Accuracy * float64(len(test.Y))))
			t.Logf("correct test rows: %d, published %d of %d", correct, published, len(test.Y))
			if max(correct-published, published-correct) > accuracyRows {
				t.Errorf("%d correct test rows, published %d", correct, published)
			}
		})
	}
}

// feature is phi_l(x) by its definition.
func (r *representation) feature(l int, x []float64) float64 {
	sum := 0.0
	landmark := r.x[r.landmark[l]*r.d:]
	for j := range r.k {
		angle := 0.0
		for f, w := range r.frequencies(l)[j*r.d : (j+1)*r.d] {
			angle += w * (x[f] - landmark[f])
		}
		sum += r.q[l*r.k+j] * math.Cos(angle)
	}
	return sum
}
