// Package split divides the rows of a data set into parts to learn from and parts to be scored on.
//
//	splitter.go Splitter: the ways of dividing, their sizes, and Split, what comes out
//	split.go    the draws, equal to scikit-learn's index for index
//	parts.go    Parts: the walk over the folds and the whole of a split, standardised
//	target.go   TargetScale: targets of a regression in the unit that methods learn
//
// A split depends on the rows' targets, the splitter and the split's number alone. The package
// trains nothing, and knows neither protocols nor the store.
package split
