package protocol

import (
	"fmt"
	"strings"
)

// An Outline is the start of a user's own protocol. Its values are not checked here: Parse checks the text.
type Outline struct {
	Splits, Folds     int
	Metric            string   // "" for the default
	Datasets, Methods []string // Methods nil for all
}

// TOML writes the outline as the file of a protocol, with a comment on each key.
func (o Outline) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "title    = \"%d splits of %d data sets\"\n", o.Splits, len(o.Datasets))
	fmt.Fprintf(&b, "splits   = %d\n", o.Splits)
	fmt.Fprintf(&b, "datasets = [%s]\n", quoted(o.Datasets))
	if o.Methods != nil {
		fmt.Fprintf(&b, "columns  = [%s]\nonly_columns = true # a run takes these methods; others are named with "+
			"--methods\n", quoted(o.Methods))
	}
	fmt.Fprintf(&b, `
# What is below decides results. Changing it makes other cells; the keys above change none.
[semantics]
split         = "stratified" # each split draws its test rows anew, with the classes' shares kept
test_fraction = 0.3 # of the rows
folds         = %d # of the cross-validation within the training rows that chooses grid points
method_seed   = 1 # of each fit's generator
standardise   = true # each column, by the training rows
`, o.Folds)
	if o.Metric != "" {
		fmt.Fprintf(&b, "metric        = %q # chooses grid points, and reports are of it\n", o.Metric)
	}
	b.WriteString(`
# For one method alone, other parameters or another grid (bench methods show NAME lists them):
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
