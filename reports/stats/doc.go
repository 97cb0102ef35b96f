// Package stats compares learning methods: ranks, spreads, tests of significance and intervals.
//
// Its functions are pure. Values and differences are exact rationals: accuracies are quotients of
// integer counts, so two methods are tied exactly when their counts say so; with floats, the order
// of a summation would make and break ties. A matrix has one row a data set and one column a method,
// and a larger value is better. A difference is that of two methods on one data set or split.
//
//   - many methods over many data sets: FriedmanPermutation, Friedman and Quade; then AllPairs or WithControl with an
//     adjustment (Holm, WeightedHolm, Shaffer, BergmannHommel), or the critical differences NemenyiCD and
//     BonferroniDunnCD; Groups are the bars of a diagram of critical differences
//   - two methods over many data sets: Wilcoxon and BayesSignedRank
//   - two methods on overlapping splits of one data set: CorrectedT and its Interval
//   - one data set more: Forecast, and ForecastLoss of those that leave a data set out
//   - means that somebody printed: Welch
//   - other data sets of the same kind: ResampledRanks; what so many of them can find: Power, SetsNeeded
//
// Two conventions of average rank are offered. AverageRanks gives tied methods the mean of the ranks
// they span. PaperAverageRanks repeats the computation behind Table 2 of Gautheron et al. (ECML PKDD
// 2020), which a comparison with the printed ranks needs; tests use the first.
//
// P-values are two-sided. Input that has no meaning (an empty or ragged matrix, a nil value, a level
// outside 0 to 1) is an error, or NaN where a function returns a number alone. Input that has a
// meaning and leaves a statistic undefined, such as equal values everywhere, gives NaN there; each
// function says where. Draws of chance come from registry/rng under a seed of the caller's, so that a
// result is repeatable.
//
// The package reads no files, formats nothing, and leaves to its caller which data sets to compare:
// it accepts no missing value.
package stats
