package mfga

import (
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// An output is the function of one target at all stages of its fit. Stage s has the first Counts[s] columns, the
// intercept Bias[s], and Counts[s] coefficients. Theta holds the coefficients of one stage after the other. Before the
// first stage the function is Start. The columns are monomials or cosines.
type output struct {
	Start       float64
	Counts      []int
	Bias        []float64
	Theta       []float64
	Taylor      expansion
	Frequencies []float64 // of cosines, each d + 1

	lambda, open float64 // the penalty, and the largest open of a stage: see solver. They are not saved
}

// An expansion is a list of monomials of inputs with the Gaussian factor of a width.
type expansion struct {
	Width     float64
	Monomials []monomial
}

// expansion returns the given candidates in the form in which a model keeps them.
func (t *taylor) expansion(which []int) expansion {
	out := expansion{Width: t.Width}
	for _, j := range which {
		out.Monomials = append(out.Monomials, t.monomial(j))
	}
	return out
}

// width is the number of columns of the last stage.
func (o *output) width() int {
	if len(o.Counts) == 0 {
		return 0
	}
	return o.Counts[len(o.Counts)-1]
}

// stage returns the last stage with at most t columns, or -1 if there is none.
func (o *output) stage(t int) int {
	at := -1
	for s, count := range o.Counts {
		if count <= t {
			at = s
		}
	}
	return at
}

// A scorer computes an output's scores of blocks of rows.
type scorer struct {
	*output
	d       int
	first   []int // where the coefficients of each stage begin
	cosines *cosines
	factor  []float64
	phi     []float64
}

func (o *output) scorer(d int) *scorer {
	s := &scorer{output: o, d: d, first: make([]int, len(o.Counts)), cosines: newCosines(d),
		factor: make([]float64, blockRows)}
	at := 0
	for i, count := range o.Counts {
		s.first[i] = at
		at += count
	}
	return s
}

// read computes the columns of some rows, at most blockRows.
func (s *scorer) read(x []float64) {
	m, h := s.width(), len(x)/s.d
	if len(s.Frequencies) > 0 {
		s.phi = s.cosines.of(x, s.Frequencies)
		return
	}
	if len(s.phi) < h*m {
		s.phi = make([]float64, h*m)
	}
	factor := s.factor[:h]
	gaussianFactors(factor, x, s.d, s.Taylor.Width)
	fillAll(s.Taylor.Monomials, s.phi, m, x, s.d, factor)
}

// write sets the scores of a stage of the rows that were read.
func (s *scorer) write(dst []float64, stage int) {
	bias := s.Start
	if stage < 0 {
		clear(dst)
	} else {
		m, count := s.width(), s.Counts[stage]
		vmath.RowDots(dst, s.phi[:len(dst)*m], m, len(dst), count, s.Theta[s.first[stage]:][:count])
		bias = s.Bias[stage]
	}
	for i := range dst {
		dst[i] += bias
	}
}

// check reports why the fields of an output that was read do not fit each other or d features.
func (o *output) check(d int) error {
	last, total := 0, 0
	for _, count := range o.Counts {
		if count <= last || count > len(o.Theta) {
			return fmt.Errorf("stages of %v columns do not ascend, or have no coefficients", o.Counts)
		}
		last = count
		total += count
	}
	columns := len(o.Taylor.Monomials)
	if columns == 0 && d+1 > 0 {
		columns = len(o.Frequencies) / (d + 1)
	}
	if last == 0 || len(o.Bias) != len(o.Counts) || total != len(o.Theta) || columns != last ||
		(len(o.Taylor.Monomials) > 0) == (len(o.Frequencies) > 0) || len(o.Frequencies)%(d+1) != 0 {
		return fmt.Errorf("%d stages of %d columns in all, %d intercepts, %d coefficients, %d monomials and %d "+
			"numbers of frequencies do not fit %d features",
			len(o.Counts), total, len(o.Bias), len(o.Theta), len(o.Taylor.Monomials), len(o.Frequencies), d)
	}
	for i, m := range o.Taylor.Monomials {
		if m.J < -1 || m.J >= d || m.K < -1 || m.K >= d || m.J < 0 && (m.Linear || m.K >= 0) {
			return fmt.Errorf("monomial %d of inputs %d and %d is none of %d features", i, m.J, m.K, d)
		}
	}
	return nil
}
