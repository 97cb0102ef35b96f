package fourier

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// syrkTime prints the least processor time of five dsyrk of OpenBLAS that add a block of rows to a matrix, on one
// thread.
const syrkTime = `
import json, sys, time
import numpy as np
from scipy.linalg.blas import dsyrk
d, h = map(int, sys.argv[1:3])
a, c = np.asfortranarray(np.random.randn(d, h)), np.zeros((d, d), order="F")
took = []
for _ in range(5):
    start = time.process_time()
    dsyrk(1.0, a, beta=1.0, c=c, overwrite_c=1)
    took.append(time.process_time() - start)
print(json.dumps(min(took)))
`

// BenchmarkBesideSyrk reports the rate of the product of (10), on blocks as it uses them, over that of OpenBLAS on 1000
// rows at a time.
func BenchmarkBesideSyrk(b *testing.B) {
	testenv.Python(b)
	const d, theirRows = 3000, 1000
	a, c := make([]float64, d*rowsAtOnce), make([]float64, d*d)
	rng.New(1).Norms(a)
	ours := 1e9
	for b.Loop() {
		ours = min(ours, cputime.Of(func() { vmath.GramAdd(c, a, d, rowsAtOnce, 0, d) }))
	}
	var theirs float64
	peer(b, syrkTime, &theirs, fmt.Sprint(d), fmt.Sprint(theirRows))
	b.ReportMetric(theirs/theirRows/(ours/rowsAtOnce), "rate/OpenBLAS")
	b.ReportMetric(float64(d)*d*rowsAtOnce/ours/1e9, "GFLOPS")
}

// BenchmarkProfile times a value with its gradient in sigma, and the product alone, with 3000 columns of 20 features.
func BenchmarkProfile(b *testing.B) {
	for _, n := range []int{6000, 12000, 24000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			x := make([]float64, n*20)
			rng.New(2).Norms(x)
			p := &problem{embedding: productEmbedding(rng.New(1), kernel{name: gaussian},
				registry.Shape{D: 20}.Groups(), 3000, rff.How{}), n: n, a: x, outputs: 1, y: x[:n]}
			r, sigma := newRidge(p, p.width), p.usual(x, 0.2)
			a := make([]float64, p.width*rowsAtOnce)
			rng.New(3).Norms(a)
			whole, product := 0.0, 0.0
			for b.Loop() {
				whole += cputime.Of(func() {
					if _, _, err := r.profile(b.Context(), 1, 1, sigma, make([]float64, 20)); err != nil {
						b.Fatal(err)
					}
				})
				product += cputime.Of(func() {
					for lo := 0; lo < n; lo += rowsAtOnce {
						vmath.GramAdd(r.gram, a, p.width, rowsAtOnce, 0, p.width)
					}
				})
			}
			b.ReportMetric(whole/float64(b.N), "cpu-s")
			b.ReportMetric(whole/product, "whole/product")
		})
	}
}
