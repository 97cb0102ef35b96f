package gbrff

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An ensemble is a trained model of any of the methods,
//
//	H(x) = H0 + sum_t Alpha_t sum_j Weight_tj cos(Omega_tj.x - Phase_tj),
//
// j = 1..K, with K = 1 and Weight 1 for GBRFF2. It is not changed after
// the fit.
type ensemble struct {
	D, T, K int
	H0      float64
	Alpha   []float64 // T
	Weight  []float64 // T x K
	Phase   []float64 // T x K
	Omega   []float64 // T x K x D
}

// newEnsemble returns an ensemble of t rounds whose step sizes are still zero and
// whose weights are one.
func newEnsemble(d, t, k int, h0 float64, omega []float64) *ensemble {
	m := &ensemble{
		D: d, T: t, K: k, H0: h0, Omega: omega,
		Alpha: make([]float64, t), Weight: make([]float64, t*k), Phase: make([]float64, t*k),
	}
	for i := range m.Weight {
		m.Weight[i] = 1
	}
	return m
}

// memory is what an ensemble and the vote on its training set take, in bytes.
func memory(s registry.Shape, t, k int) int64 {
	return 8 * (int64(t)*int64(k)*int64(s.D+2) + 3*int64(s.N))
}

func (m *ensemble) round(t int) []float64   { return m.Omega[t*m.K*m.D : (t+1)*m.K*m.D] }
func (m *ensemble) weights(t int) []float64 { return m.Weight[t*m.K : (t+1)*m.K] }
func (m *ensemble) phases(t int) []float64  { return m.Phase[t*m.K : (t+1)*m.K] }
func (m *ensemble) omega(t, j int) []float64 {
	at := (t*m.K + j) * m.D
	return m.Omega[at : at+m.D]
}

// Rounds returns T.
func (m *ensemble) Rounds() int { return m.T }

// Score writes H(x_i) to out.
func (m *ensemble) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return m.sum(ctx, x).Score(x, out)
}

// ScoreStages yields, for each t of at, the vote of the first t rounds. at is ascending, from 0 to T at most.
func (m *ensemble) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	return m.sum(ctx, x).ScoreStages(x, at, yield)
}

// sum returns the vote of the rows x as a sum over rounds.
func (m *ensemble) sum(ctx context.Context, x *mat.Dense) fitting.Sum {
	rows := rowsOf(x)
	return fitting.Sum{Features: m.D, Outputs: 1, Rounds: m.T, Start: m.H0,
		Add: func(scores []float64, from, to int) error {
			return m.advance(ctx, rows, scores, from, to)
		}}
}

// A vote is computed for blockRows rows, and for the cosines of about blockFeatures features, at a time, so that they
// stay in the cache.
const blockRows, blockFeatures = 256, 64

// advance adds the rounds from, from+1, .. to-1 to the scores. A row's score
// depends neither on the other rows nor on how the rounds are divided into calls.
func (m *ensemble) advance(ctx context.Context, x rows, scores []float64, from, to int) error {
	rounds := max(1, blockFeatures/m.K) // that are evaluated together
	room := make([]float64, (rounds*m.K+1)*min(blockRows, x.n))
	err := fitting.Blocks(ctx, x.n, blockRows, func(lo, hi int) {
		block, height := vmath.Pack(x.slice(lo, hi), hi-lo, m.D), hi-lo
		h, cosines := room[:height], room[height:]
		for t := from; t < to; t += rounds {
			end := min(t+rounds, to)
			block.Cosines(cosines[:(end-t)*m.K*height], m.Omega[t*m.K*m.D:end*m.K*m.D], m.Phase[t*m.K:end*m.K])
			for r := t; r < end; r++ {
				m.learner(r, cosines[(r-t)*m.K*height:], h)
				floats.Scale(m.Alpha[r], h)
				floats.Add(scores[lo:hi], h)
			}
		}
	})
	if err != nil {
		return err
	}
	return fitting.CheckFinite("score", scores, 1)
}

// learner sums h^t of a block of rows from the cosines of its features.
func (m *ensemble) learner(t int, cosines, h []float64) {
	clear(h)
	for j, q := range m.weights(t) {
		c := cosines[j*len(h) : (j+1)*len(h)]
		floats.Scale(q, c)
		floats.Add(h, c)
	}
}

// Save implements registry.Saver.
func (m *ensemble) Save(w io.Writer) error { return fitting.Save(w, "gbrff", m) }

func load(r io.Reader) (registry.Model, error) { return fitting.Load(r, "gbrff", (*ensemble).check) }

func (m *ensemble) check() error {
	features := len(m.Weight)
	if m.T < 1 || m.K < 1 || m.D < 1 || len(m.Alpha) != m.T || features/m.T != m.K || features%m.T != 0 ||
		len(m.Phase) != features || len(m.Omega)/features != m.D || len(m.Omega)%features != 0 {
		return fmt.Errorf("t=%d k=%d d=%d do not fit %d step sizes, %d weights, %d phases, %d frequencies",
			m.T, m.K, m.D, len(m.Alpha), len(m.Weight), len(m.Phase), len(m.Omega))
	}
	return nil
}
