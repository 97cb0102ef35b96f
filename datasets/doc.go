// Package datasets holds the data that methods are compared on: which sets
// there are, where their files come from, and how files become numbers.
//
// A set is described by data, not code: an [Entry], read from a TOML file. The
// entries of the published experiments are compiled in ([Builtin]); a user's own
// set is a TOML file of a few lines beside the data ([Catalogue.Add]):
//
//	name = "mydata"
//	file = "my.csv"
//	label = "class"
//	positive = ["yes"]
//
// A [Directory] is a data directory. It fetches the files of entries from a mirror or
// from their public addresses, checks every file against its SHA-256 whenever it
// reads one, and loads a [Set]: a dense matrix with numeric inputs only and labels
// coded as package registry wants them. Some sets are made by the program itself
// and need no file.
//
// How a file is read, in one rule for every format: columns listed in drop are
// left out; categorical columns become one 0/1 column per level, levels sorted by
// name; the numeric columns come first and the 0/1 columns after them, both in
// file order. A value that is not a finite number is an error that names the file,
// the line and the column, never a gap filled in silently. Column numbers count
// from 0, in TOML files and in errors; negative numbers count from the end. Labels
// that are numbers are compared as numbers, so "1", "+1" and "1.0" are one label.
//
// Numbers are finite decimal numbers; every row has a label, and NA and the like are
// none. A set that would take more memory than [Directory] allows is an error before the
// memory is taken. Only regular files are read.
//
// [Standardiser] centres and scales with the statistics of chosen rows.
//
// The package draws no splits (package harness does), fills in no missing values,
// and never changes what a file says: where the published experiments read a
// damaged file, the damaged reading is the default and the repaired one a variant
// with a name of its own ("australian", "australian-uci").
package datasets
