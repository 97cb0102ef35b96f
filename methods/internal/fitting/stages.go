package fitting

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// CheckStages reports why a model with stages from first to last has no stages `at`.
func CheckStages(at []int, first, last int) error {
	if len(at) > 0 && (!slices.IsSorted(at) || at[0] < first || at[len(at)-1] > last) {
		return fmt.Errorf("stages %v: they must ascend within %d..%d", at, first, last)
	}
	return nil
}

// A Sum is the scores of some rows as a sum over rounds. Models implement Score and ScoreStages with it. The sum of a
// row does not depend on how the rounds are divided into calls of Add.
type Sum struct {
	Features, Outputs, Rounds int
	// the least number of rounds that scores anything
	Least int
	Start float64                                    // every score before the first round
	Add   func(scores []float64, from, to int) error // adds the rounds from .. to - 1
}

// Score writes the sum of all rounds to out.
func (s Sum) Score(x *mat.Dense, out []float64) error {
	if err := CheckScoring(x, s.Features, s.Outputs, len(out)); err != nil {
		return err
	}
	s.begin(out)
	return s.Add(out, 0, s.Rounds)
}

// ScoreStages yields, for each t of the ascending list at, the sums of the first t rounds. The scores are valid only
// during the call of yield.
func (s Sum) ScoreStages(x *mat.Dense, at []int, yield func(t int, scores []float64) error) error {
	if err := CheckStages(at, s.Least, s.Rounds); err != nil {
		return err
	}
	scores := make([]float64, x.RawMatrix().Rows*s.Outputs)
	if err := CheckScoring(x, s.Features, s.Outputs, len(scores)); err != nil {
		return err
	}
	s.begin(scores)
	done := 0
	for _, t := range at {
		if err := s.Add(scores, done, t); err != nil {
			return err
		}
		done = t
		if err := yield(t, scores); err != nil {
			return err
		}
	}
	return nil
}

func (s Sum) begin(scores []float64) {
	for i := range scores {
		scores[i] = s.Start
	}
}
