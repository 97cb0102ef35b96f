package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The groups of data sets. Only the main group enters the Mean row and the
// average ranks; the others are shown below them.
const (
	GroupMain      = "main"      // also the meaning of an empty Group
	GroupApart     = "apart"     // shown apart, as the paper does for bankmarketing
	GroupGenerated = "generated" // drawn by a generator
)

// StatusOK is the status of a run that has a result; any other is a failure.
const StatusOK = "ok"

// Table2Input is everything Table 2 is made from. Protocol, Datasets, Methods
// and Splits are required; without runs the table is one of dashes and notes.
type Table2Input struct {
	Protocol string    // name of the protocol, such as "table2"
	Datasets []Dataset // rows, in the order shown within their group
	Methods  []string  // columns, in the order shown
	Splits   int       // planned number of splits, numbered from 1
	Selected []int     // the planned splits where they are not 1 to Splits, which is then not read

	Runs      []Run       // at most one for each data set, method and split
	Published []Published // values to compare with
	// PublishedRanks are the average ranks a source prints. They are quoted
	// beside ours and enter no computation.
	PublishedRanks []PublishedRank

	// Changed names the sets whose runs are of other data than their files hold now.
	Changed    []Change
	Impossible []Impossible // cells that no command fills
	Regression []string     // data sets that are not in the table since their targets are numbers

	LeftOut     []string // data sets left to the full command
	FullCommand string   // command that computes everything the table lacks
	Warnings    []string // shown before everything else, after those of Changed
	Notes       []string // the caller's own notes, shown after those of the table
	Provenance  Provenance
}

// Dataset is a row of the table and the facts shown about it; counts of zero are
// unknown and shown as "-".
type Dataset struct {
	Name      string
	File      string // argument of --datasets where that is not Name: the TOML file of a user's set
	Group     string // GroupMain, GroupApart or GroupGenerated
	Rows      int    // examples
	Features  int    // columns after encoding, without the label
	TrainRows int    // training examples of one split
	TestRows  int    // test examples of one split
}

// Run is the outcome of one method on one split of one data set.
type Run struct {
	Dataset, Method string
	Split           int    // a planned one
	Status          string // StatusOK, or "failed", "timeout", ...
	Correct, Test   int    // correctly classified and all test examples; read when ok
	Error           string // reason of a failure
}

// A Change is a data set whose runs in the table are of other data than its file
// holds now: the file, or how it is read, was changed since.
type Change struct {
	Dataset string
	File    string // name of the data file
	Was, Is string // fingerprints of the data, see datasets.Store.Fingerprint
	Command string // computes these runs again on the data of now; "" if none does
}

// String says it on one line, which ends with the command.
func (c Change) String() string {
	s := fmt.Sprintf("The row %s is of the data as it was read then. %s", c.Dataset, changedSince(c.File, c.Is, c.Was))
	if c.Command == "" {
		return s
	}
	return s + ": " + c.Command
}

// changedSince names a file and the fingerprints of its data then and now.
func changedSince(file, is string, was ...string) string {
	return fmt.Sprintf("%s changed since (data was %s, is %.8s)", file, shortened(was), is)
}

// shortened lists fingerprints by their first digits.
func shortened(fingerprints []string) string {
	return strings.Join(each(fingerprints, func(s string) string { return fmt.Sprintf("%.8s", s) }), " and ")
}

// Impossible is a cell that no command fills, and why, as in "the method does not
// solve multiclass sets".
type Impossible struct{ Dataset, Method, Why string }

// Published is a value printed elsewhere, in percent; a Std of NaN is none.
type Published struct {
	Source, Dataset, Method string
	Mean, Std               float64
}

// PublishedRank is an average rank printed elsewhere.
type PublishedRank struct {
	Source, Method string
	Rank           float64
}

// Provenance says where the numbers come from. Empty fields are left out of the
// report.
type Provenance struct {
	Program      string    // name and version of the program
	ProtocolHash string    // hash of the protocol's definition
	Database     string    // path of the database
	Generated    time.Time // when the report was made
	Command      string    // command that made the report
	Environment  []string  // machines and libraries the runs used, one a line
	Queries      []Query   // database queries that return the report's numbers
}

// Query is a database query and what it returns.
type Query struct {
	Title, SQL string
}

type cellKey struct{ dataset, method string }

// check reports the first thing in the input that contradicts itself.
func (in *Table2Input) check() error {
	switch {
	case in.Protocol == "":
		return fmt.Errorf("table2: the protocol has no name; set Protocol")
	case len(in.Datasets) == 0:
		return fmt.Errorf("table2: no data set; name at least one")
	case len(in.Methods) == 0:
		return fmt.Errorf("table2: no method; name at least one")
	case in.Selected == nil && in.Splits < 1:
		return fmt.Errorf("table2: %d planned splits; plan at least 1", in.Splits)
	}
	planned := in.planned()
	if len(planned) == 0 || planned[0] < 1 || len(slices.Compact(slices.Clone(planned))) < len(planned) {
		return fmt.Errorf("table2: selected splits %v; name at least one, each once, from 1", in.Selected)
	}
	datasets := map[string]bool{}
	for _, d := range in.Datasets {
		if d.Name == "" || datasets[d.Name] {
			return fmt.Errorf("table2: data set %q is unnamed or named twice; name each once", d.Name)
		}
		if !slices.Contains([]string{"", GroupMain, GroupApart, GroupGenerated}, d.Group) {
			return fmt.Errorf("table2: data set %s is in group %q; use %s, %s or %s",
				d.Name, d.Group, GroupMain, GroupApart, GroupGenerated)
		}
		datasets[d.Name] = true
	}
	methods := map[string]bool{}
	for _, m := range in.Methods {
		if m == "" || methods[m] {
			return fmt.Errorf("table2: method %q is unnamed or named twice; name each once", m)
		}
		methods[m] = true
	}
	return in.checkRuns(datasets, methods, planned)
}

// planned lists the planned splits in increasing order.
func (in *Table2Input) planned() []int {
	if in.Selected != nil {
		return slices.Sorted(slices.Values(in.Selected))
	}
	var splits []int
	for s := 1; s <= in.Splits; s++ {
		splits = append(splits, s)
	}
	return splits
}

func (in *Table2Input) checkRuns(datasets, methods map[string]bool, planned []int) error {
	type runKey struct {
		cellKey
		split int
	}
	seen := map[runKey]bool{}
	type splitKey struct {
		dataset string
		split   int
	}
	first := map[splitKey]Run{}
	for _, r := range in.Runs {
		where := fmt.Sprintf("table2: run of %s on %s, split %d", r.Method, r.Dataset, r.Split)
		key := runKey{cellKey{r.Dataset, r.Method}, r.Split}
		switch {
		case !datasets[r.Dataset]:
			return fmt.Errorf("%s: the table has no such data set; add it or leave its runs out", where)
		case !methods[r.Method]:
			return fmt.Errorf("%s: the table has no such method; add it or leave its runs out", where)
		case !slices.Contains(planned, r.Split):
			return fmt.Errorf("%s: the planned splits are %s; plan more or leave the run out", where, ranges(planned))
		case seen[key]:
			return fmt.Errorf("%s: given twice; give one run for each data set, method and split", where)
		}
		seen[key] = true
		if r.Status != StatusOK {
			continue
		}
		if r.Test < 1 || r.Correct < 0 || r.Correct > r.Test {
			return fmt.Errorf("%s: %d of %d correct is no accuracy; check the stored counts", where, r.Correct, r.Test)
		}
		split := splitKey{r.Dataset, r.Split}
		if other, ok := first[split]; ok && other.Test != r.Test {
			return fmt.Errorf("%s: %d test examples, but %s has %d; the two did not use the same split",
				where, r.Test, other.Method, other.Test)
		} else if !ok {
			first[split] = r
		}
	}
	return nil
}
