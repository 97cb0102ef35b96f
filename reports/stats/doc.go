// Package stats compares learning methods: ranks, spreads, tests of significance and intervals.
//
// Its functions are pure. Values and differences are exact rationals: accuracies are quotients of integer counts, so
// that two methods are tied exactly when their counts are equal. With floats the order of a summation would make and
// break ties. A matrix has one row a data set and one column a method, and a larger value is better. A difference is
// that of two methods on one data set or split.
//
//   - many methods over many data sets: FriedmanPermutation and Friedman, or the critical difference NemenyiCD; Groups
//     are the bars of a diagram of critical differences
//   - two methods over many data sets: Wilcoxon, PseudoMedian with its interval, and BayesSignedRanks
//   - comparisons of several methods over the same data sets, adjusted together: Family, of SignedRanks; tests that are
//     not of the same data sets: Holm
//   - two methods on overlapping splits of one data set: CorrectedT and its Interval
//   - printed means: Welch
//   - a share of trials: Wilson
//
// There are two conventions of average rank. AverageRanks gives tied methods the mean of the ranks that they span.
// PaperAverageRanks repeats the computation behind Table 2 of Gautheron et al. (ECML PKDD 2020), which a comparison
// with the printed ranks needs. Tests use AverageRanks.
//
// P-values are two-sided. Input without a meaning is a fault of the caller: an empty or ragged matrix or a nil value
// makes a function panic, and a level outside 0 to 1 gives NaN where a function returns only a number. Input with a
// meaning can leave a statistic undefined, such as equal values everywhere. Then the statistic is NaN, and each
// function says where. Random draws come from registry/rng with a seed of the caller, so that results are repeatable.
//
// The package reads no files and formats nothing. Its caller decides which data sets to compare: the package accepts
// no missing value.
package stats
