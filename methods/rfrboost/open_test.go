package rfrboost

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestEarlyEndIsReported: on features of a million millions the linear models end at gradients that rounding keeps above zero, and the
// fit says so. On features of usual size it has nothing to say.
func TestEarlyEndIsReported(t *testing.T) {
	for scale, said := range map[float64]bool{1e12: true, 1: false} {
		train := toydata.Easy(registry.Binary, 150, 4, 7)
		var x mat.Dense
		x.Scale(scale, train.X)
		train.X = &x
		for i := range 20 {
			train.Y[i] *= -1
		}
		var log bytes.Buffer
		env := registry.Env{Seed: 3, Log: slog.New(slog.NewTextHandler(&log, nil))}
		if _, err := Gradient().Fit(t.Context(), env, train, []byte(`{"rounds":1,"lambda":1e-12,"features":20}`)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), `msg="a linear model of RFRBoost ended before its minimum" lambda=1e-12`); got != said {
			t.Errorf("features times %g: the log is %q", scale, log.String())
		}
	}
}
