// Package stats ranks learning methods over data sets.
//
// Its functions are pure: they read a matrix of exact rationals, one row a data
// set, one column a method, a larger value being better, and return exact
// rationals. Accuracies are quotients of integer counts, so two methods are tied
// exactly when their counts say so; with floats, the order of a summation would
// make and break ties.
//
// Two conventions of average rank are offered. AverageRanks gives tied methods
// the mean of the ranks they span. PaperAverageRanks repeats the computation
// behind Table 2 of Gautheron et al. (ECML PKDD 2020), which a comparison with
// the printed ranks needs.
//
// The package reads no files, formats nothing, and leaves to its caller which
// data sets to compare: it accepts no missing value.
package stats
