package registry

// A Probability gives the estimated probability of label +1 for a row by its decision value: 1/2 for 0, between 0 and 1, and it does not
// decrease. So 1 / (1 + exp(-score)) belongs to scores that are log-odds. It is for methods whose scores are fitted to be
// probabilities or their log-odds, not for any scores that can be squeezed into [0, 1].
type Probability = func(score float64) float64
