package protocol

import (
	"fmt"
	"strings"
)

// An Outline is the start of a user's own protocol. Its values are not checked here: Parse checks the text.
type Outline struct {
	Splits, Folds     int
	Metric            string   // "" for the default
	Datasets, Methods []string // nil Methods for all methods
}

// TOML returns the outline as the text of a protocol's file, with comments on its keys.
func (o Outline) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "title    = \"%d splits of %d data sets\"\n", o.Splits, len(o.Datasets))
	fmt.Fprintf(&b, "splits   = %d\n", o.Splits)
	fmt.Fprintf(&b, "datasets = [%s]\n", quoted(o.Datasets))
	if o.Methods != nil {
		fmt.Fprintf(&b, "columns  = [%s]\nonly_columns = true # a run takes these methods only; --methods names "+
			"others\n", quoted(o.Methods))
	}
	fmt.Fprintf(&b, `
# The keys below decide results: with other values a run computes other cells. The keys above change no cell.
[semantics]
split         = "stratified" # each split draws its test rows anew, and classes keep their shares
test_fraction = 0.3 # the share of the rows that is tested
folds         = %d # of the cross-validation on the training rows, which chooses the grid point
method_seed   = 1 # for the random numbers of each fit
standardise   = true # centre and scale each column by the training rows
`, o.Folds)
	if o.Metric != "" {
		fmt.Fprintf(&b, "metric        = %q # chooses the grid point, and reports show it\n", o.Metric)
	}
	b.WriteString(`
# One method can have other parameters or another grid; bench methods show NAME lists its own:
#
# [methods.GBRFF2]
# params = { rounds = 200 }
# grid   = [{ name = "gamma", values = [0.5, 1.0], per = "feature" }]
`)
	return b.String()
}

// quoted lists names as strings of TOML. Names and paths have no control characters (wording.CheckName).
func quoted(names []string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(parts, ", ")
}
