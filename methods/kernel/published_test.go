package kernel

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/registry"
)

// TestFalkonEqualsThePublishedProgram compares scores with testdata/falkon.json, which testdata/falkon.py wrote with
// the program of FALKON's authors, at its minimum. The tolerances, as a share of the largest score, are those of our
// stopping rules: 1e-6 for the square loss, 1e-4 for the logistic one.
func TestFalkonEqualsThePublishedProgram(t *testing.T) {
	type machine struct {
		fits.Problem
		Landmarks     int
		Lambda, Gamma float64
		Loss          string
	}
	fits.Each(t, "testdata/falkon.json", 13, func(t *testing.T, c *machine) {
		cover := must.Get(newCover(t.Context(), c.X, c.X[:c.Landmarks*c.D], c.D, c.Gamma))(t)
		var all []*solution
		for range c.Outputs {
			all = append(all, &solution{lambda: c.Lambda})
		}
		solve, share := cover.falkon, 1e-6
		if c.Loss == "logistic" {
			solve, share = cover.logisticFalkon, 1e-4
		}
		must.Do(t, solve(t.Context(), all, c.Targets(), 200))
		m := cover.machineOf(c.Outputs)
		for _, s := range all {
			m.Coef, m.Bias = append(m.Coef, s.X...), append(m.Bias, 0)
		}
		c.Compare(t, m, share)
	})
}

// TestNystroemEqualsScikitLearn compares scores on real sets with testdata/nystroem.json, which testdata/nystroem.py
// wrote with scikit-learn's Nystroem, Ridge and LogisticRegression. Equal seeds draw equal landmarks, so that this is
// the method as it is run. The tolerance is 1e-6 of the largest score.
func TestNystroemEqualsScikitLearn(t *testing.T) {
	type model struct {
		fits.Problem
		Landmarks     int
		Lambda, Gamma float64
		Seed          uint32
	}
	fits.Each(t, "testdata/nystroem.json", 10, func(t *testing.T, c *model) {
		setting := fmt.Appendf(nil, `{"landmarks":%d,"lambda":%g,"gamma":%g}`, c.Landmarks, c.Lambda, c.Gamma)
		m := must.Get(Nystroem().Fit(t.Context(), registry.Env{Seed: c.Seed}, c.Data, setting))(t)
		c.Compare(t, m, 1e-6)
	})
}
