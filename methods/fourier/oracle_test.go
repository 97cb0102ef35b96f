package fourier

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/rff"
)

// An embeddingCase is the data and the draws of embeddings.json, which the other files refer to by its seed.
type embeddingCase struct {
	Seed        int
	X           [][]float64
	YRegression []float64     `json:"y_regression"`
	YClass      []float64     `json:"y_class"`
	U           [][]float64   `json:"U"`
	B           []float64     `json:"b"`
	UChannels   [][][]float64 `json:"U_channels"`
	BChannels   [][]float64   `json:"b_channels"`
	Sigma       []float64
	WSingle     []float64 `json:"w_single"`
	WConcat     []float64 `json:"w_concat"`
	Groups      []int
	C           float64
	Kinds       map[string]struct {
		Quantiles []float64   `json:"quantiles_row0"`
		Single    [][]float64 `json:"psi_single_rows0to3"`
		Concat    [][]float64 `json:"psi_concat_rows0to1"`
	}
}

func embeddingCases(t *testing.T) map[int]embeddingCase {
	t.Helper()
	var file struct{ Cases []embeddingCase }
	testenv.ReadOracle(t, "embeddings.json", &file)
	bySeed := map[int]embeddingCase{}
	for _, c := range file.Cases {
		bySeed[c.Seed] = c
	}
	if len(bySeed) == 0 {
		t.Fatal("embeddings.json has no case")
	}
	return bySeed
}

// problem returns the case's problem for a kernel, in the product or the concatenated form.
func (c embeddingCase) problem(t *testing.T, kind, form string, y []float64) *problem {
	t.Helper()
	k := kernel{kind, c.C}
	var sizes []int
	for _, g := range c.Groups {
		if g == len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[g]++
	}
	e := newEmbedding(k, sizes, len(c.B))
	parts, draws := []part{{to: e.inputs, count: len(c.B)}}, slices.Concat(slices.Concat(c.U...), c.B)
	if form != "single" {
		e = newEmbedding(k, sizes, len(c.BChannels[0]))
		parts, draws = nil, nil
		at := 0
		for j, size := range sizes {
			count := len(c.BChannels[j])
			parts = append(parts, part{from: at, to: at + size, at: j * count, count: count})
			draws = append(draws, slices.Concat(c.UChannels[j]...)...)
			at += size
		}
		draws = append(draws, slices.Concat(c.BChannels...)...)
	}
	e.draw(parts, rff.How{}, func() float64 {
		v := draws[0]
		draws = draws[1:]
		return v
	})
	x := slices.Concat(c.X...)
	if kind != gaussian {
		for i, v := range x {
			x[i] = math.Abs(v)
		}
	}
	a := must.Get(k.mapRows(x, len(c.Groups)))(t)
	return &problem{embedding: e, n: len(c.X), a: a, outputs: 1, y: y}
}

func (c embeddingCase) weights(form string) []float64 {
	if form == "single" {
		return c.WSingle
	}
	return c.WConcat
}

// near compares within a tolerance relative to the larger of 1 and the largest wanted value.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	size := 1.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tol*size) {
			t.Errorf("%s: value %d is %v, want %v (off by %.2g, %.2g allowed)", what, i, v, want[i],
				math.Abs(v-want[i]), tol*size)
			return
		}
	}
}

// TestEmbeddingOracle: quantiles and embedded rows of embeddings.json, 1e-13.
func TestEmbeddingOracle(t *testing.T) {
	for seed, c := range embeddingCases(t) {
		for kind, want := range c.Kinds {
			for i, u := range c.U[0] {
				near(t, fmt.Sprintf("%d %s h(%v)", seed, kind, u), []float64{kernel{name: kind}.quantile(u)},
					want.Quantiles[i:i+1], 1e-13)
			}
			for form, rows := range map[string][][]float64{"single": want.Single, "concat": want.Concat} {
				p := c.problem(t, kind, form, c.YRegression)
				w := p.newWork(p.n, true)
				w.embed(p.a, c.Sigma)
				for r, row := range rows {
					got := make([]float64, p.width)
					for k := range got {
						got[k] = w.psi[k*p.n+r]
					}
					near(t, fmt.Sprintf("%d %s %s row %d", seed, kind, form, r), got, row, 1e-13)
				}
			}
		}
	}
}

// lossOf returns a loss and its targets, or nil for a loss of the files that no method has.
func lossOf(name string, c embeddingCase) (loss, []float64) {
	switch name {
	case "halfsquare":
		return square{0.5}, c.YRegression
	case "square":
		return square{1}, c.YRegression
	case "igll":
		return newIGLL(0.1, 10), c.YRegression
	}
	return nil, nil
}

// TestObjectiveOracle: value and gradient in sigma of the rows of objectives.json with l2 penalties, 1e-12.
func TestObjectiveOracle(t *testing.T) {
	cases := embeddingCases(t)
	var file struct {
		Cases []struct {
			Seed         int
			Kind, Form   string
			Loss         string
			PenaltyW     string `json:"penalty_w"`
			PenaltySigma string `json:"penalty_sigma"`
			Lam, Rho     float64
			Value        float64
			GradSigma    []float64 `json:"grad_sigma"`
		}
	}
	testenv.ReadOracle(t, "objectives.json", &file)
	compared := 0
	for _, c := range file.Cases {
		l, y := lossOf(c.Loss, cases[c.Seed])
		if l == nil || c.PenaltyW != "l2" || c.PenaltySigma != "l2" {
			continue
		}
		compared++
		what := fmt.Sprintf("%d %s %s %s", c.Seed, c.Kind, c.Form, c.Loss)
		p := cases[c.Seed].problem(t, c.Kind, c.Form, y)
		gs := make([]float64, p.groups())
		f := must.Get(p.value(t.Context(), l, c.Lam, c.Rho, cases[c.Seed].Sigma, cases[c.Seed].weights(c.Form), gs))(t)
		near(t, what+" value", []float64{f}, []float64{c.Value}, 1e-12)
		near(t, what+" gradient in sigma", gs, c.GradSigma, 1e-12)
	}
	if compared == 0 {
		t.Error("objectives.json has no case")
	}
}

// TestRidgeOracle: eq. (9) with w in closed form, and its gradient, of rff_skl.json, 1e-11; from the closed form of
// either side.
func TestRidgeOracle(t *testing.T) {
	cases := embeddingCases(t)
	var file struct {
		Cases []struct {
			Seed       int
			Kind, Form string
			Lam, Rho   float64
			Value      float64
			GradSigma  []float64 `json:"grad_sigma"`
			W          []float64
			Local      struct{ Value float64 } `json:"local_minimum"`
		}
	}
	testenv.ReadOracle(t, "rff_skl.json", &file)
	for _, c := range file.Cases {
		what := fmt.Sprintf("%d %s %s lambda %v rho %v", c.Seed, c.Kind, c.Form, c.Lam, c.Rho)
		p := cases[c.Seed].problem(t, c.Kind, c.Form, cases[c.Seed].YRegression)
		for _, dual := range []bool{false, true} {
			r := newRidge(p, p.width)
			if dual {
				r = dualRidge(p)
			}
			gs := make([]float64, p.groups())
			f, w := must.Get2(r.profile(t.Context(), c.Lam, c.Rho, cases[c.Seed].Sigma, gs))(t)
			near(t, fmt.Sprint(what, " dual ", dual, " value"), []float64{f}, []float64{c.Value}, 1e-11)
			near(t, fmt.Sprint(what, " dual ", dual, " gradient"), gs, c.GradSigma, 1e-11)
			if len(c.W) == p.width {
				near(t, fmt.Sprint(what, " dual ", dual, " w"), w, c.W, 1e-11)
			}
		}
		l := learner{ridge: newRidge(p, p.width), lambda: c.Lam, rho: c.Rho}
		if _, _, err := l.learn(t.Context(), cases[c.Seed].Sigma, 1000); err != nil {
			t.Fatal(err)
		}
		if !(l.best <= c.Local.Value+1e-6*(1+math.Abs(c.Local.Value))) {
			t.Errorf("%s: learned to %v, the reference to %v", what, l.best, c.Local.Value)
		}
	}
	if len(file.Cases) == 0 {
		t.Error("rff_skl.json has no case")
	}
}

// dualRidge solves by the system of rows whatever their number.
func dualRidge(p *problem) *ridge {
	r := newRidge(p, p.width)
	r.dual, r.order, r.psi = true, p.n, make([]float64, p.n*p.width)
	r.gram = make([]float64, p.n*p.n)
	return r
}

// TestLossOracle: value, derivative and curvature of losses.json, 1e-12.
func TestLossOracle(t *testing.T) {
	var file struct {
		IGLL []struct {
			Epsilon, Gamma       float64
			R, Value, Derivative []float64
			Lipschitz            float64
		}
	}
	testenv.ReadOracle(t, "losses.json", &file)
	for _, c := range file.IGLL {
		l := newIGLL(c.Epsilon, c.Gamma)
		slope, zero := make([]float64, len(c.R)), make([]float64, len(c.R))
		l.derivative(slope, c.R, zero)
		for i, r := range c.R {
			what := fmt.Sprintf("epsilon %v gamma %v r %v", c.Epsilon, c.Gamma, r)
			// its small values are differences of ones
			must.Near(t, l.value(c.R[i:i+1], zero[:1]), c.Value[i], 1e-12*math.Abs(c.Value[i])+1e-15, what)
			must.Near(t, slope[i], c.Derivative[i], 1e-12*math.Abs(c.Derivative[i]), what)
		}
		near(t, "curvature", []float64{l.curvature()}, []float64{c.Lipschitz}, 1e-12)
	}
	if len(file.IGLL) == 0 {
		t.Error("losses.json has no case")
	}
}
