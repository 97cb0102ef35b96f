package published

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// A Trace is one run of the program of the 2020 paper on a split of a real set, from traces.json. Which fields have
// values depends on the method.
type Trace struct {
	Method      string  `json:"method"`
	Dataset     string  `json:"dataset"`
	Seed        uint32  `json:"seed"`
	MethodSeed  uint32  `json:"method_seed"`
	GammaTimesD float64 `json:"gamma_times_d"`
	Beta        float64 `json:"beta"`
	K           int     `json:"K"`

	T            int       `json:"T"` // of GBRFF1 and GBRFF2
	Lambda       float64   `json:"lambda_"`
	H0           float64   `json:"H0"`
	B            []float64 `json:"b"`
	Alpha        []float64 `json:"alpha"`
	Omega0       []float64 `json:"omega_0"`
	Landmark0    []float64 `json:"landmark_0"`
	Q0           []float64 `json:"q_0"`
	TrainLoss    []float64 `json:"train_exp_loss"`
	TestAccuracy []float64 `json:"test_accuracy_by_t"`
	Decision     []float64 `json:"decision_test_first5"`

	C        float64 `json:"C"` // of GFC and PBRFF
	Accuracy float64 `json:"test_accuracy"`
	Capped   float64 `json:"test_accuracy_capped_10000_iterations"`

	Features int       `json:"num_features"` // of GFC
	Start    []float64 `json:"init_spectrum_0"`
	W0       []float64 `json:"W_0"`

	Landmarks int       `json:"n_landmarks"` // of PBRFF
	Rows      []int     `json:"landmark_rows_first5"`
	Q         []float64 `json:"Q_first_landmark"`
	Row0      []float64 `json:"features_test_row0_first5"`
}

// EachTrace runs a test on every trace of some methods, with the parts of its split.
func EachTrace(t *testing.T, methods string, do func(t *testing.T, tr Trace, train, test registry.Data)) {
	t.Helper()
	var traces []Trace
	testenv.ReadOracle(t, "traces.json", &traces)
	for i, tr := range traces {
		if !slices.Contains(strings.Fields(methods), tr.Method) {
			continue
		}
		t.Run(fmt.Sprintf("%d-%s-%s-%d", i, tr.Method, tr.Dataset, tr.Seed), func(t *testing.T) {
			train, test := fits.Load(t, tr.Dataset, tr.Seed)
			do(t, tr, train, test)
		})
	}
}

// Near reports counts of correct rows, ours and that of a share of all, that are more than some rows apart.
func Near(t *testing.T, correct int, share float64, test registry.Data, most int) {
	t.Helper()
	theirs := int(math.Round(share * float64(len(test.Y))))
	t.Logf("correct test rows: %d, published %d of %d", correct, theirs, len(test.Y))
	if max(correct-theirs, theirs-correct) > most {
		t.Errorf("%d correct test rows, published %d; at most %d apart are allowed", correct, theirs, most)
	}
}
