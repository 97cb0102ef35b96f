package registry

import "encoding/json"

// Probabilities declares that decision values of two classes stand for estimated probabilities: of
// gives that of label +1 for a row by its score, and 1/2 for a score of 0. It lies between 0 and 1 and does
// not decrease. So 1 / (1 + exp(-score)) belongs to scores that are log-odds. It is for methods whose
// scores are fitted to be probabilities or their log-odds, not for any scores that can be squeezed into [0, 1].
func Probabilities[P any](of func(score float64) float64) Option[P] {
	return func(r *Raw, _ func(json.RawMessage) (P, error)) { r.Probability = of }
}

// Probability returns the function that [Probabilities] declares; nil if scores stand for no probabilities.
func (s Spec) Probability() func(score float64) float64 { return s.does.Probability }
