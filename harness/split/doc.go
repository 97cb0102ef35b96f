// Package split divides the rows of a data set into training rows and rows to score.
//
//	splitter.go Splitter: the ways of dividing, their sizes, and the resulting Split
//	split.go    the random draws, equal to scikit-learn's index for index
//	parts.go    Parts: the folds and the whole of a split, with columns and targets in the unit that methods learn
//
// A split depends only on the targets of the rows, the splitter and the split's number. The package trains
// nothing, and knows neither protocols nor the store.
package split
