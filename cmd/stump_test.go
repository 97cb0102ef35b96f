package cmd_test

import (
	"context"
	"os"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

type stumpParams struct {
	Feature int `json:"feature" range:"[0,)" means:"the feature that is looked at"`
}

// stump is a method that a newcomer writes and changes without raising its version: it scores rows
// by one feature, in the direction of the classes' means, moved by a constant.
func stump(moved float64) registry.Spec {
	return stumpThat(func(ctx context.Context, _ registry.Env, train registry.Data,
		p stumpParams) (registry.Model, error) {
		slope := 0.0
		for i, y := range train.Y {
			slope += y * train.X.At(i, p.Feature)
		}
		return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
			for i := range out {
				out[i] = slope*x.At(i, p.Feature) + moved
			}
			return nil
		}), ctx.Err()
	})
}

func stumpThat(fit registry.FitFunc[stumpParams]) registry.Spec {
	return registry.Define(registry.Spec{
		Name: "StumpBoost", Version: "1", Tasks: registry.Binary, Source: "this test",
	}, stumpParams{}, registry.Grid{{Name: "feature", Values: registry.Values(0, 1)}}, fit)
}

// blocked is stump whose fits end only when they are stopped.
func blocked() registry.Spec {
	return stumpThat(func(ctx context.Context, _ registry.Env, _ registry.Data, _ stumpParams) (registry.Model,
		error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

// TestInterruptedVerify: an interrupt ends cells that would go on, and what was compared before is printed.
func TestInterruptedVerify(t *testing.T) {
	p := newProcess(t)
	p.program = "bench-first"
	p.run(t, "run", "--methods", "StumpBoost", "--datasets", "swiss", "--splits", "3")
	p.run(t, "run", "--methods", "CART", "--datasets", "swiss", "--splits", "1")
	p.program = "bench-blocked"
	c := p.begin(t, "verify", "--sample", "100%", "--jobs", "4")
	must.Hold(t, c.said.awaits(t, "1/4 cells,"), "CART on swiss, split 1", "now StumpBoost on swiss, split ")
	must.Do(t, c.Process.Signal(os.Interrupt))
	c.ends(130, "4 of 4 cells are run again", "stopping", "CART: 1 cell compared, 0 differ",
		"1 of 1 cell equal the stored ones, bit for bit; 3 cells were not compared")
}
