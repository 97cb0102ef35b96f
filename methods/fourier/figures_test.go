package fourier

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mfeatNoisy is the set mfeat with its channels fou and mor as they are, and all six channels once more with their rows
// permuted, each in its own way: noise that looks like data. It returns the features by channel and the classes.
func mfeatNoisy(t testing.TB) (x *mat.Dense, y []float64, blocks []registry.Block) {
	t.Helper()
	const rows = 2000
	draws := rng.New(1)
	var columns [][]float64
	add := func(name string, permuted bool) {
		table := readTable(t, filepath.Join(testenv.Mirror(t), "mfeat", "mfeat-"+name))
		if len(table) != rows {
			t.Fatalf("mfeat-%s has %d rows, want %d", name, len(table), rows)
		}
		order := make([]int, rows)
		for i := range order {
			order[i] = i
		}
		if permuted {
			order, name = draws.Permutation(rows), name+" permuted"
		}
		blocks = append(blocks, registry.Block{Name: name, From: len(columns), To: len(columns) + len(table[0])})
		for j := range table[0] {
			column := make([]float64, rows)
			for i, r := range order {
				column[i] = table[r][j]
			}
			columns = append(columns, column)
		}
	}
	add("fou", false)
	add("mor", false)
	for _, name := range []string{"fou", "fac", "kar", "pix", "zer", "mor"} {
		add(name, true)
	}
	x, y = mat.NewDense(rows, len(columns), nil), make([]float64, rows)
	for j, column := range columns {
		x.SetCol(j, column)
	}
	for i := range y {
		y[i] = float64(i / 200)
	}
	return x, y, blocks
}

func readTable(t testing.TB, path string) (table [][]float64) {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row []float64
		for _, field := range strings.Fields(lines.Text()) {
			v := must.Get(strconv.ParseFloat(field, 64))(t)
			row = append(row, v)
		}
		table = append(table, row)
	}
	return table
}

// divided divides rows in a drawn order, train of them for training, and standardises by these.
func divided(x *mat.Dense, y []float64, train int, seed uint32) (learn, test registry.Data) {
	n, d := x.Dims()
	order := rng.New(seed).Permutation(n)
	take := func(which []int) registry.Data {
		data := registry.Data{X: mat.NewDense(len(which), d, nil), Y: make([]float64, len(which))}
		for i, r := range which {
			data.X.SetRow(i, x.RawRowView(r))
			data.Y[i] = y[r]
		}
		return data
	}
	learn, test = take(order[:train]), take(order[train:])
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range train {
			mean += learn.X.At(i, j) / float64(train)
		}
		for i := range train {
			square += (learn.X.At(i, j) - mean) * (learn.X.At(i, j) - mean) / float64(train)
		}
		for _, m := range []*mat.Dense{learn.X, test.X} {
			rows, _ := m.Dims()
			for i := range rows {
				m.Set(i, j, (m.At(i, j)-mean)/math.Sqrt(square))
			}
		}
	}
	return learn, test
}

// best is the largest test accuracy, in per cent, of models with the settings.
func best(t testing.TB, spec registry.Spec, learn, test registry.Data, settings ...string) float64 {
	t.Helper()
	most := 0.0
	raws := make([]json.RawMessage, len(settings))
	for i, s := range settings {
		raws[i] = json.RawMessage(s)
	}
	k, n := learn.Shape().Outputs(), len(test.Y)
	must.Do(t, spec.FitAll(t.Context(), registry.Env{Seed: 1}, learn, raws, func(_ int, m registry.Model) error {
		out, right := make([]float64, n*k), 0
		if err := m.Score(context.Background(), test.X, out); err != nil {
			return err
		}
		for i, y := range test.Y {
			top := 0
			for c := range k {
				if out[i*k+c] > out[i*k+top] {
					top = c
				}
			}
			if k == 1 && (out[i] >= 0) == (y > 0) || k > 1 && top == int(y) {
				right++
			}
		}
		most = max(most, 100*float64(right)/float64(n))
		return nil
	}))
	return most
}

// TestMfeatNoisy repeats the paper's picture on 3 splits, 70 % of the rows to learn from: with channels of noise the
// group lasso beats ridge regression on all channels, and that one the product of kernels; learning sigma takes the
// product far beyond. A reference program had 78.2 (RFF-SQL-SKL), 82.5 (RFF-SQL-SQR-MKL), 84.0 (RFF-SQL-MKL); 71.6 with
// sigma fixed, 84.6 learned. Penalties are few, and the best on the test rows counts for every method alike.
func TestMfeatNoisy(t *testing.T) {
	testenv.OnlyThorough(t)
	x, y, blocks := mfeatNoisy(t)
	ordered, gained := 0, 0.0
	for seed := range uint32(3) {
		learn, test := divided(x, y, 1400, seed+1)
		for _, d := range []*registry.Data{&learn, &test} {
			d.Task, d.Classes, d.Blocks = registry.Multiclass, 10, blocks
		}
		skl := best(t, SQLSKL(), learn, test, `{"features":800,"lambda":0.1}`, `{"features":800,"lambda":1}`,
			`{"features":800,"lambda":10}`)
		sqr := best(t, SQLSQRMKL(), learn, test, `{"features":200,"lambda":0.1}`, `{"features":200,"lambda":1}`,
			`{"features":200,"lambda":10}`)
		mkl := best(t, SQLMKL(), learn, test, `{"features":200,"lambda":0.03}`, `{"features":200,"lambda":0.02}`,
			`{"features":200,"lambda":0.01}`)
		fixed := best(t, SQLSKL(), learn, test, `{"lambda":0.1}`, `{"lambda":1}`, `{"lambda":10}`)
		learned := best(t, SKL(), learn, test, `{"lambda":0.1,"rho":1}`)
		t.Logf("split %d: SKL %.1f, SQR-MKL %.1f, SQL-MKL %.1f; 500 features: fixed %.1f, learned %.1f", seed+1, skl,
			sqr, mkl, fixed, learned)
		if mkl > sqr && sqr > skl {
			ordered++
		}
		gained += (learned - fixed) / 3
	}
	if ordered < 3 {
		t.Errorf("SQL-MKL is above SQR-MKL above SKL in %d of 3 splits", ordered)
	}
	if gained < 8 {
		t.Errorf("learning sigma gains %.1f points, want 8", gained)
	}
}

// relevantFew draws n rows of 20 features of which five matter, and classes by the sign of a bent function of these
// with noise.
func relevantFew(draws *rng.RandomState, n int) (x *mat.Dense, y []float64) {
	const d = 20
	x, y = mat.NewDense(n, d, nil), make([]float64, n)
	draws.Norms(x.RawMatrix().Data)
	for i := range n {
		r := x.RawRowView(i)
		y[i] = math.Copysign(1, r[0]*r[1]+math.Sin(2*r[2])+r[3]*r[3]-1+0.5*r[4]+0.3*draws.Norm())
	}
	return x, y
}

// TestMoreDataThanTheExactKernel is the paper's Table 3 in small: random features come near the exact kernel on as many
// rows, with sigma as it is and with the sigma that they learned, and overtake it on eight times as many. A reference
// program had, on data of this kind, 70.4 (exact 73.5) with sigma fixed and 83.7 (85.4) learned at 2000 rows, 76.6
// fixed at 16,000.
func TestMoreDataThanTheExactKernel(t *testing.T) {
	testenv.OnlyThorough(t)
	draws := rng.New(5)
	data := func(n int) registry.Data {
		x, y := relevantFew(draws, n)
		return registry.Data{Task: registry.Binary, Classes: 2, X: x, Y: y}
	}
	test, few, many := data(4000), data(2000), data(16000)
	ridge := []string{`{"features":1000,"lambda":0.3}`, `{"features":1000,"lambda":3}`}
	fixed, large := best(t, SQLSKL(), few, test, ridge...), best(t, SQLSKL(), many, test, ridge...)
	m, err := SKL().Fit(t.Context(), registry.Env{Seed: 1}, few, []byte(`{"features":1000,"lambda":0.3,"rho":1}`))
	must.Do(t, err)
	learned := best(t, SKL(), few, test, `{"features":1000,"lambda":0.3,"rho":1}`)
	usual := m.(*machine).usual(few.X.RawMatrix().Data, 1/math.Sqrt(20))
	exact := max(exactRidge(t, few, test, usual, 0.3), exactRidge(t, few, test, usual, 3))
	exactLearned := exactRidge(t, few, test, m.(*machine).Sigma, 0.3)
	t.Logf("2000 rows: fixed %.1f (exact %.1f), learned %.1f (exact %.1f); 16000 rows: fixed %.1f", fixed, exact,
		learned, exactLearned, large)
	if fixed < exact-5 || learned < exactLearned-5 {
		t.Errorf("random features are more than 5 points below the exact kernel")
	}
	if large <= exact {
		t.Errorf("on 16000 rows random features reach %.1f, the exact kernel on 2000 %.1f", large, exact)
	}
	if learned < fixed+8 {
		t.Errorf("learning sigma takes %.1f to %.1f", fixed, learned)
	}
}

// exactRidge is the accuracy of ridge regression with the kernel exp(-sum_j (sigma_j d_j)^2/2), (K + 2 lambda I) alpha
// = y.
func exactRidge(t *testing.T, learn, test registry.Data, sigma []float64, lambda float64) float64 {
	t.Helper()
	scaled := func(d registry.Data) *mat.Dense {
		x := mat.DenseCopyOf(d.X)
		x.Apply(func(_, j int, v float64) float64 { return sigma[j] * v }, x)
		return x
	}
	kernel := func(a, b *mat.Dense) []float64 {
		n, _ := a.Dims()
		m, d := b.Dims()
		k := make([]float64, n*m)
		vmath.MatMulT(k, a.RawMatrix().Data, n, d, b.RawMatrix().Data, m)
		squares := make([]float64, m)
		for j := range squares {
			squares[j] = floats.Dot(b.RawRowView(j), b.RawRowView(j))
		}
		for i := range n {
			vmath.Gaussian(k[i*m:(i+1)*m], k[i*m:(i+1)*m], squares, floats.Dot(a.RawRowView(i), a.RawRowView(i)), 0.5)
		}
		return k
	}
	a, b := scaled(learn), scaled(test)
	n, m := len(learn.Y), len(test.Y)
	k := kernel(a, a)
	for i := range n {
		k[i*n+i] += 2 * lambda
	}
	f, alpha := solve.NewFactorizer(n), append([]float64(nil), learn.Y...)
	must.Do(t, f.Factor(t.Context(), k))
	must.Do(t, f.Solve(t.Context(), k, alpha))
	out, right := make([]float64, m), 0
	vmath.MatVec(out, kernel(b, a), m, n, alpha)
	for i, y := range test.Y {
		if (out[i] >= 0) == (y > 0) {
			right++
		}
	}
	return 100 * float64(right) / float64(m)
}
