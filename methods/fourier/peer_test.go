package fourier

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry/rng"
)

// peer runs a script with arguments on one thread and decodes what it prints.
func peer(b *testing.B, script string, into any, arguments ...string) {
	b.Helper()
	c := exec.CommandContext(b.Context(), testenv.Python(b),
		append([]string{"-W", "ignore", "-c", script}, arguments...)...)
	c.Env, c.Stderr = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"), os.Stderr
	out := must.Get(c.Output())(b)
	must.Do(b, json.Unmarshal(out, into))
}

// floatsFile writes matrices one after the other to a file.
func floatsFile(b *testing.B, parts ...[]float64) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "floats")
	file := must.Get(os.Create(path))(b)
	for _, part := range parts {
		must.Do(b, binary.Write(file, binary.LittleEndian, part))
	}
	must.Do(b, file.Close())
	return path
}

// clusters is a problem of n rows in classes around centres, of d features in channels of size, every other one of
// which is noise.
func clusters(n, d, size, count, classes int) (*problem, []float64) {
	draws := rng.New(3)
	x, centres, y := make([]float64, n*d), make([]float64, classes*d), make([]float64, classes*n)
	draws.Norms(x)
	draws.Norms(centres)
	for i := range n {
		for k := range d {
			if k/size%2 == 0 {
				x[i*d+k] += 0.7 * centres[i%classes*d+k]
			}
		}
		for c := range classes {
			y[c*n+i] = -1
		}
		y[i%classes*n+i] = 1
	}
	sizes := make([]int, d/size)
	for j := range sizes {
		sizes[j] = size
	}
	p := &problem{embedding: sumEmbedding(rng.New(1), kernel{name: gaussian}, sizes, count, rff.How{}), n: n,
		a: x, outputs: classes, y: y}
	return p, p.usual(x, 1)
}

// groupLassoPeers solves the same problem by an accelerated proximal loop in NumPy (FISTA with restarts, on the matrix
// of products, the gap looked at every ten steps), and scikit-learn's MultiTaskLasso, whose groups are columns across
// classes, to its own tolerance.
const groupLassoPeers = `
import json, sys, time
import numpy as np
from sklearn.linear_model import MultiTaskLasso
n, p, k, d = map(int, sys.argv[2:6])
fractions = json.loads(sys.argv[6])
raw = np.fromfile(sys.argv[1])
psi, y = raw[:p * n].reshape(p, n).T.copy(), raw[p * n:].reshape(k, n).T.copy()
start = time.process_time()
G, q, yy = 2 * psi.T @ psi, 2 * psi.T @ y, (y ** 2).sum(0)
norms = lambda w: np.sqrt((w.reshape(-1, d, k) ** 2).sum(1))
top, step = norms(q).max(), 1 / np.linalg.eigvalsh(G)[-1]
w = np.zeros((p, k))
steps = 0
for f in fractions:
    lam, z, t = f * top, w.copy(), 1.0
    for i in range(100000):
        if i % 10 == 0:
            g = G @ w - q
            value = ((w * (g - q)).sum(0)) / 2 + yy
            s = np.minimum(1, lam / norms(g).max(0))
            dual = -s * s * value - s * ((w * q).sum(0) - 2 * yy)
            primal = value + lam * norms(w).sum(0)
            if (primal - dual <= 1e-6 * primal).all(): break
        v = z - step * (G @ z - q)
        size = norms(v)
        new = (v.reshape(-1, d, k) * np.maximum(0, 1 - lam * step / np.maximum(size, 1e-300))[:, None, :]).reshape(p, k)
        if ((z - new) * (new - w)).sum() > 0: t = 1.0
        ahead = (1 + np.sqrt(1 + 4 * t * t)) / 2
        z = new + (t - 1) / ahead * (new - w)
        w, t, steps = new, ahead, steps + 1
loop = time.process_time() - start
start = time.process_time()
top = np.sqrt(((psi.T @ y) ** 2).sum(1)).max() / n
m = MultiTaskLasso(fit_intercept=False, warm_start=True, tol=1e-6, max_iter=100000)
for f in fractions:
    m.alpha = f * top
    m.fit(psi, y)
print(json.dumps({"loop": loop, "steps": steps, "lasso": time.process_time() - start}))
`

// BenchmarkBesideGroupLasso: ten classes, 1000 rows, eight channels of 200 columns, 20 penalties down to a hundredth of
// lambda_max, to a gap of 1e-6: processor time of the NumPy loop and of scikit-learn over ours.
func BenchmarkBesideGroupLasso(b *testing.B) {
	testenv.Python(b)
	p, sigma := clusters(1000, 48, 6, 200, 10)
	fractions := make([]float64, 20)
	for i := range fractions {
		fractions[i] = math.Pow(10, -2*float64(i+1)/20)
	}
	psi, block := make([]float64, p.width*p.n), p.newWork(p.n, false)
	for lo := 0; lo < p.n; lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, p.n)
		block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
		for k := range p.width {
			copy(psi[k*p.n+lo:k*p.n+hi], block.psi[k*(hi-lo):(k+1)*(hi-lo)])
		}
	}
	path := floatsFile(b, psi, p.y)
	var theirs struct{ Loop, Lasso, Steps float64 }
	list := must.Get(json.Marshal(fractions))(b)
	ours, rounds := 0.0, 0.0
	for b.Loop() {
		ours += cputime.Of(func() {
			l := must.Get(newLasso(b.Context(), p, sigma, square{1}))(b)
			if _, _, err := l.path(b.Context(), fractions); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(l.steps), "steps")
		})
		rounds++
	}
	peer(b, groupLassoPeers, &theirs, path, fmt.Sprint(p.n), fmt.Sprint(p.width), fmt.Sprint(p.outputs), "200",
		string(list))
	b.ReportMetric(ours/rounds, "cpu-s")
	b.ReportMetric(theirs.Steps, "their-steps")
	b.ReportMetric(theirs.Loop/(ours/rounds), "loop/ours")
	b.ReportMetric(theirs.Lasso/(ours/rounds), "MultiTaskLasso/ours")
}
