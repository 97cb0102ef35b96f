package registry

// A Probability turns a row's decision value into the estimated probability of label +1. It is 1/2 at 0, between 0 and 1,
// and never decreases; for scores that are log-odds it is 1 / (1 + exp(-score)). It is only for methods whose scores are
// fitted to be probabilities or log-odds.
type Probability = func(score float64) float64
