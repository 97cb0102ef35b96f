package rff_test

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/rff"

	"github.com/kernelboosting/bench/registry/rng"
)

func place(how rff.How, seed uint32, count, d int) []float64 {
	w, random := make([]float64, count*d), rng.New(seed)
	how.Place(w, count, d, d, random.Norms, random.Float64)
	return w
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// TestOrthogonalBlocks: rows of a block are orthogonal, of the lengths and in the span of what was drawn; the first row
// of a block is the drawn one.
func TestOrthogonalBlocks(t *testing.T) {
	const count, d = 11, 4
	drawn, w := place(rff.How{}, 5, count, d), place(rff.How{Draw: rff.Orthogonal}, 5, count, d)
	for i := range count {
		row := w[i*d : (i+1)*d]
		if before := drawn[i*d : (i+1)*d]; math.Abs(dot(row, row)-dot(before, before)) > 1e-12 {
			t.Errorf("row %d has the squared length %v, drawn was %v", i, dot(row, row), dot(before, before))
		} else if i%d == 0 && math.Abs(dot(row, before)-dot(row, row)) > 1e-12 {
			t.Errorf("row %d is the first of its block, and not what was drawn", i)
		}
		for j := i - i%d; j < i; j++ {
			if v := dot(row, w[j*d:(j+1)*d]); math.Abs(v) > 1e-12 {
				t.Errorf("rows %d and %d of a block have the product %v", j, i, v)
			}
		}
	}
}

// TestHadamardBlocks: where d is a power of two, the rows of a block are orthogonal and have the length sqrt(d). With
// fewer inputs they are the first elements of such rows.
func TestHadamardBlocks(t *testing.T) {
	const d = 8
	w := place(rff.How{Draw: rff.Structured}, 3, 12, d)
	for i := range 12 {
		for j := i - i%d; j <= i; j++ {
			want := 0.0
			if i == j {
				want = d
			}
			must.Near(t, dot(w[i*d:(i+1)*d], w[j*d:(j+1)*d]), want, 1e-12, "rows", j, i)
		}
	}
	for i, row := 0, place(rff.How{Draw: rff.Structured}, 3, 12, 5); i < 12; i++ {
		for j := range 5 {
			must.Be(t, row[i*5+j], w[i*d+j], "row", i)
		}
	}
}

// TestEstimatesTheKernel looks at 16 features over 2000 draws. The mean over draws of the products of features is the
// Gaussian kernel, within four of its errors. Hadamard matrices are biased, since their rows have one length; for 128
// inputs the bias is below 0.01 (Yu et al., Theorem 3, bound it by a multiple of 1/sqrt(d)). Orthogonal frequencies
// have a smaller variance than independent ones (Theorem 1), and pairs a smaller one than random phases at short
// distances.
func TestEstimatesTheKernel(t *testing.T) {
	const count, draws = 16, 2000
	for _, distance := range []float64{0.5, 1, 2} {
		want := math.Exp(-distance * distance / 2)
		variances := map[rff.How]float64{}
		for _, how := range []rff.How{{}, {Draw: rff.Orthogonal}, {Draw: rff.Structured},
			{Pairs: true}, {Draw: rff.Orthogonal, Pairs: true}} {
			d, bias := 16, 0.0
			if how.Draw == rff.Structured {
				d, bias = 128, 0.01
			}
			z := make([]float64, d) // x - x', of unequal elements
			for i := range z {
				z[i] = float64(i + 1)
			}
			length := math.Sqrt(dot(z, z))
			for i := range z {
				z[i] *= distance / length
			}
			sum, squares := 0.0, 0.0
			for seed := range draws {
				w, k := place(how, uint32(seed), count, d), 0.0
				phases := rng.New(uint32(draws + seed))
				for m := range count {
					b := how.Phase(m, phases.Float64)
					k += 2 * math.Cos(b) * math.Cos(dot(w[m*d:(m+1)*d], z)+b) / count
				}
				sum += k
				squares += (k - want) * (k - want)
			}
			variances[how] = squares / draws
			if off := math.Abs(sum/draws - want); off > 4*math.Sqrt(variances[how]/draws)+bias {
				t.Errorf("%+v at distance %v: mean %v over draws, the kernel is %v", how, distance, sum/draws, want)
			}
		}
		if variances[rff.How{Draw: rff.Orthogonal,
			Pairs: true}] > 0.9*variances[rff.How{Pairs: true}] {
			t.Errorf("distance %v: variance %v of orthogonal pairs, %v of independent ones", distance,
				variances[rff.How{Draw: rff.Orthogonal, Pairs: true}],
				variances[rff.How{Pairs: true}])
		}
		if distance <= 1 && variances[rff.How{Pairs: true}] > variances[rff.How{}] {
			t.Errorf("distance %v: variance %v of pairs, %v with random phases", distance,
				variances[rff.How{Pairs: true}], variances[rff.How{}])
		}
	}
}
