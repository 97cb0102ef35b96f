//go:build unix

package mfga

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// adult returns the oracle's training rows of adult and their width.
func adult(b testing.TB) (registry.Data, float64) {
	for _, s := range realSets(b) {
		if s.Dataset == "adult" {
			train, _ := s.parts(b)
			return train, s.Width
		}
	}
	b.Fatal("the oracle has no adult")
	return registry.Data{}, 0
}

// A pass is a step's active set: columns, and how often they were gone through without and with the Hessian.
type pass struct {
	Columns, Short, Full int
}

// passesOf returns the passes of one fit.
func passesOf(b testing.TB, train registry.Data, p Params) []pass {
	t := must.Get(newTaylor(b.Context(), p.kernel(train.Task), train.X.RawMatrix().Data, train.X.RawMatrix().Cols))(b)
	features, step := p.size(train.Task, t.d)
	g := &greedy{taylor: t, active: newActive(train.Task, t, train.Y, features, p.Intercept), features: features,
		step: step}
	var out []pass
	g.active.solver = &watched{g.active.solver.(*logistic), &out}
	must.Get(g.fit(b.Context(), p.Lambda))(b)
	return out
}

type watched struct {
	*logistic
	seen *[]pass
}

func (w *watched) solve(ctx context.Context, k int, lambda float64) error {
	err := w.logistic.solve(ctx, k, lambda)
	*w.seen = append(*w.seen, pass{len(w.solution), w.passes[0], w.passes[1]})
	return err
}

// products does what the passes and the selection of columns multiply, and nothing else.
func products(x, phi []float64, n, d, ld int, passes []pass) {
	v, sums := make([]float64, n), make([]float64, ld)
	b := newBlock(blockRows, ld)
	blocks := func(do func(rows []float64, h, lo int)) {
		for lo := 0; lo < n; lo += blockRows {
			hi := min(lo+blockRows, n)
			do(phi[lo*ld:hi*ld], hi-lo, lo)
		}
	}
	for _, p := range passes {
		wide := (p.Columns + 1 + 7) &^ 7
		curve, theta, part := make([]float64, wide*wide), make([]float64, p.Columns), make([]float64, d)
		for lo := 0; lo < n; lo += blockRows { // the derivatives in 2d + 1 candidates
			hi := min(lo+blockRows, n)
			for range 2 {
				vmath.MatTVec(part, x[lo*d:hi*d], hi-lo, d, v[lo:hi])
			}
		}
		for range p.Short {
			blocks(func(rows []float64, h, lo int) {
				vmath.RowDots(b.moved[:h], rows, ld, h, p.Columns, theta)
				vmath.StridedMatTVec(sums[:p.Columns], rows, ld, h, p.Columns, v[lo:lo+h])
			})
		}
		for i := range p.Full {
			blocks(func(rows []float64, h, _ int) {
				if i > 0 { // the first begins where the last step ended
					vmath.RowDots(b.moved[:h], rows, ld, h, p.Columns, theta)
				}
				vmath.ScaleRows(b.scaled, wide, rows, ld, h, p.Columns, b.root[:h])
				vmath.Outer(curve, wide, b.scaled, wide, h, 0, vmath.Add)
			})
		}
	}
}

// numpyProducts are the same in NumPy, whose product of a matrix with its own transpose is a symmetric one.
const numpyProducts = `
import json, sys, time
import numpy as np
job = json.load(sys.stdin)
n, d, passes = job["n"], job["d"], job["passes"]
rng = np.random.RandomState(1)
x, v, root = rng.randn(n, d), rng.randn(n), rng.rand(n, 1)
best = 1e9
for _ in range(job["repeat"]):
    took = 0.0
    for p in passes:
        a, theta = rng.randn(n, p["Columns"]), rng.randn(p["Columns"])
        begin = time.process_time()
        x.T @ v; x.T @ v
        for _ in range(p["Short"]):
            a @ theta; a.T @ v
        for i in range(p["Full"]):
            if i: a @ theta
            s = root * a
            s.T @ s
            a.T @ v
        took += time.process_time() - begin
    best = min(best, took)
print(best)
`

// BenchmarkAdult is one path to M = 100 on adult, ten columns a step, without the width, in processor time: beside the
// products that it contains, and these beside NumPy's, if BENCH_NUMPY names a Python that has it.
func BenchmarkAdult(b *testing.B) {
	train, width := adult(b)
	p := Params{Features: 100, Lambda: 1e-3, Pool: mergedLinear, Function: Function{Intercept: true, Sigma: width}}
	passes := passesOf(b, train, p)
	b.Log(passes)
	n, d := train.X.Dims()
	const ld = 104
	phi := make([]float64, n*ld)
	for i := range phi {
		phi[i] = float64(i%7) - 3
	}
	var path, alone []float64
	for b.Loop() {
		path = append(path, cputime.Of(func() {
			if err := fitPath(b.Context(), registry.Env{}, train, []Params{p},
				func(int, registry.Model) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}))
		alone = append(alone, cputime.Of(func() { products(train.X.RawMatrix().Data, phi, n, d, ld, passes) }))
	}
	b.ReportMetric(1e3*slices.Min(path), "path-ms")
	b.ReportMetric(1e3*slices.Min(alone), "products-ms")
	b.ReportMetric(slices.Min(path)/slices.Min(alone), "path/products")
	python := os.Getenv("BENCH_NUMPY")
	if python == "" {
		return
	}
	job := must.Get(json.Marshal(map[string]any{"n": n, "d": d, "passes": passes, "repeat": 5}))(b)
	command := exec.CommandContext(b.Context(), python, "-c", numpyProducts)
	command.Stdin, command.Env = bytes.NewReader(job), append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	raw := must.Get(command.Output())(b)
	var seconds float64
	must.Do(b, json.Unmarshal(raw, &seconds))
	b.ReportMetric(seconds/slices.Min(alone), "numpy/products")
}
