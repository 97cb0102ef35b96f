package rff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

func TestWidth(t *testing.T) {
	// On the line 0, 1, 3, 7: nearest others at 1, 1, 2, 4; second nearest at 3, 2, 3, 6.
	x := []float64{0, 1, 3, 7}
	for k, want := range map[int]float64{1: 2, 2: 3.5, 50: (7 + 6 + 4 + 7) / 4.0} {
		got, err := Width(t.Context(), x, 1, k)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("mean distance to neighbour %d is %v (%v), want %v", k, got, err, want)
		}
	}
	for _, x := range [][]float64{{3}, {3, 3, 3}} {
		must.Be(t, must.Get(Width(t.Context(), x, 1, 2))(t), 1, len(x))
	}
}

// bySorting is the definition, row by row.
func bySorting(x []float64, d, k int) float64 {
	n := len(x) / d
	squares, line, sum := make([]float64, n), make([]float64, n), 0.0
	for i := range n {
		for _, v := range x[i*d : (i+1)*d] {
			squares[i] = math.FMA(v, v, squares[i])
		}
	}
	for i := range n {
		vmath.MatVec(line, x, n, d, x[i*d:(i+1)*d])
		for j, v := range line {
			line[j] = max(0, squares[i]+squares[j]-2*v)
		}
		line[i] = -1 // the row itself comes first
		slices.Sort(line)
		sum += math.Sqrt(max(0, line[min(k, n-1)]))
	}
	if !(sum > 0) {
		return 1
	}
	return sum / float64(n)
}

func data(seed uint64, n, d int) []float64 {
	random, x := rand.New(rand.NewPCG(seed, 1)), make([]float64, n*d)
	for i := range x {
		x[i] = math.Round(4 * random.NormFloat64()) // some rows are equal
	}
	return x
}

// TestBySorting: the same bits as sorting all distances, across tiles too.
func TestBySorting(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, seed uint64, n, d, k int) {
		x := data(seed, n, d)
		got, err := Width(context.Background(), x, d, k)
		if want := bySorting(x, d, k); err != nil || got != want {
			t.Fatalf("n=%d d=%d k=%d: width %v (%v), by sorting %v", n, d, k, got, err, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 80).Draw(rt, "n"),
			rapid.IntRange(1, 6).Draw(rt, "d"), rapid.IntRange(1, 90).Draw(rt, "k"))
	})
	check(t, 1, 2*side+37, 3, 50)
	check(t, 2, side+1, 2, side)
}

func TestLate(t *testing.T) {
	const n, d = 20000, 60
	x := data(1, n, d)
	testenv.CheckCancellation(t, func(ctx context.Context) error {
		_, err := Width(ctx, x, d, 50)
		return err
	}, 0, 20*time.Millisecond, 200*time.Millisecond)
}

// A width is remembered under a key that all of its inputs change, and that no change of another place of memory does.
func TestKeysTellInputsApart(t *testing.T) {
	x := make([]float64, 3000) // more than a piece
	for i := range x {
		x[i] = float64(i)
	}
	last := slices.Clone(x)
	last[2999] = math.Nextafter(last[2999], 0)
	keys := map[registry.MemoKey]bool{keyOf(x, 3, 50): true, keyOf(x, 6, 50): true, keyOf(x, 3, 49): true,
		keyOf(x[:2997], 3, 50): true, keyOf(last, 3, 50): true}
	must.Be(t, len(keys), 5)
	if !keys[keyOf(slices.Clone(x), 3, 50)] {
		t.Error("a copy has another key")
	}
}
