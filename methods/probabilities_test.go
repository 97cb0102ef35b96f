package methods_test

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestProbabilities: a score of 0 stands for 1/2, and on the training rows the mean probability is the
// share of +1, which a fit to the likelihood or a leaf's shares make so; it is not with a sign or a factor that is
// wrong.
func TestProbabilities(t *testing.T) {
	for _, spec := range methods.All().All() {
		of := spec.Probability
		if of == nil {
			continue
		}
		if of(0) != 0.5 || of(1) <= 0.5 || of(-1) >= 0.5 || math.Abs(of(0.75)+of(-0.75)-1) > 1e-15 {
			t.Errorf("%s: probabilities of scores -1, 0 and 1 are %v, %v and %v", spec.Name, of(-1), of(0), of(1))
		}
		d := noisy(registry.Binary, 400, 4, 3)
		scores := fits.FitAndScore(t, spec, 0, d, "")
		mean, share, spread := 0.0, 0.0, 0.0
		for i, s := range scores {
			mean += of(s) / 400
			spread += math.Abs(of(s)-0.5) / 400
			if d.Y[i] > 0 {
				share += 1.0 / 400
			}
		}
		if math.Abs(mean-share) > 0.01 || spread < 0.05 {
			t.Errorf("%s: the mean probability of +1 is %v and its share %v", spec.Name, mean, share)
		}
	}
}
