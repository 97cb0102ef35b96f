// Package report says what a report is: a name, help, flags, and a function that makes a document of a table. Package
// reports lists the reports.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Report is a kind of document that is made from stored results. The text of its help is a file of cmd/help.
type Report struct {
	Name    string
	Aliases []string // older names that still work
	Summary string   // on one line, no full stop
	Verb    bool     // the report is a command `bench NAME`, and not `bench report NAME`

	Protocol string // the default of --protocol, "" for the suite

	// Args names the arguments that the report takes, "" for none. Select checks the arguments before anything is
	// read, and narrows the selection to what they ask for. Select is nil if the report takes no arguments.
	Args   string
	Select func(args []string, s *Selection) error

	Folds bool // the report needs the folds of every grid point, which are most of a database

	// Build is nil for a report with flags of its own: Flags adds these and returns the Build, which reads them when
	// it is called.
	Build Build
	Flags func(*pflag.FlagSet) Build
}

// Build makes a document of a table: its blocks, its title, its notes, and a label or queries if they are not the
// usual ones.
type Build func(t *frame.Table) (doc.Document, error)

// Selection says which cells a frame is read from; a nil list means all that is stored.
type Selection struct {
	Protocol          string
	Methods, Datasets []string
	Also              []string // see frame.Source
}

// Add adds the flags of the report, and returns a function that makes its document of a frame.
func (r Report) Add(flags *pflag.FlagSet) func(frame.Frame) (doc.Document, error) {
	names := doc.Map(metric.All(), func(m metric.Metric) string { return m.Name })
	asked := flags.String("metric", "", strings.Join(names, ", ")+" (default the protocol's)")
	build := r.Build
	if r.Flags != nil {
		build = r.Flags(flags)
	}
	return func(f frame.Frame) (doc.Document, error) {
		t, err := f.Table(*asked)
		if err != nil {
			return doc.Document{}, err
		}
		d, err := build(&t)
		if err != nil {
			return d, err
		}
		Complete(r.Name, "", &t, &d)
		at := slices.IndexFunc(d.Blocks, func(b doc.Block) bool { _, ok := b.(doc.Records); return ok })
		if at < 0 {
			at = len(d.Blocks)
		}
		d.Blocks = slices.Concat(d.Blocks[:at], t.MissingCode(), d.Blocks[at:], t.MissingRecords())
		return d, nil
	}
}

// Complete fills in what the documents of all reports have: a label for LaTeX, warnings and provenance. label is "" for
// the document's own or else the usual one.
func Complete(name, label string, t *frame.Table, d *doc.Document) {
	queries := d.Queries
	d.Report, d.Warnings, d.Provenance = name, t.Warnings, t.Provenance
	if queries != nil {
		d.Queries = queries
	}
	d.Label = cmp.Or(label, d.Label, "tab:"+name+":"+t.Protocol)
}

// Tests is the Flags of a report that tests the methods of a table. control is the flag that names a method.
func Tests(control, usage string, build func(*frame.Table, evidence.Options) (doc.Document, error),
) func(*pflag.FlagSet) Build {
	return func(flags *pflag.FlagSet) Build {
		var o evidence.Options
		region, method := TestFlags(flags, &o.Level), MethodFlag(flags, control, usage)
		return func(t *frame.Table) (d doc.Document, err error) {
			if o.Method, err = method(t); err != nil {
				return d, err
			}
			asked, err := region()
			if err != nil {
				return d, err
			}
			o.Region = evidence.RegionOr(asked, t.Metric)
			return build(t, o)
		}
	}
}

// MethodFlag adds a flag that names a method, and returns a function that finds the method's column; "" if the flag is
// not given.
func MethodFlag(flags *pflag.FlagSet, name, usage string) func(*frame.Table) (string, error) {
	var method string
	flags.StringVar(&method, name, "", usage)
	return func(t *frame.Table) (string, error) {
		if method == "" {
			return "", nil
		}
		return t.Frame.Method(method, t.Frame.Rows)
	}
}

// UsualLevel is the level of tests where none is asked for.
const UsualLevel = 0.05

// LevelFlag adds --level.
func LevelFlag(flags *pflag.FlagSet, level *float64) {
	flags.Float64Var(level, "level", UsualLevel, "level of the tests")
}

// TestFlags adds --level and --equivalence, the flags that say what a test takes to be a difference. It returns a
// function that reads --equivalence. The region is nil if the flag is not given.
func TestFlags(flags *pflag.FlagSet, level *float64) (region func() (*evidence.Region, error)) {
	LevelFlag(flags, level)
	var text string
	flags.StringVar(&text, "equivalence", "", "largest difference that does not matter, as 0.5 or as a share of the "+
		"error 10% (default 1 percentage point; of metrics not in percent none)")
	return func() (*evidence.Region, error) {
		if text == "" {
			return nil, nil
		}
		region, err := evidence.ParseRegion(text)
		if err != nil {
			return nil, fmt.Errorf("--equivalence: %w", err)
		}
		return &region, nil
	}
}

// UsualDraws is the number of draws of the Bayesian signed-rank test, with a standard error of at most 0.005.
const UsualDraws = 10_000

// Posteriors is the table of the posteriors of typical differences, a row a pair by its name, in the order of the
// pairs.
func Posteriors(ev *evidence.Evidence, m metric.Metric, corner string, names []string,
	posteriors []*stats.Probabilities) doc.Table {
	out := doc.Table{Heading: "The typical difference by Bayes", Caption: "Probabilities of the typical difference",
		Label: "bayes", Corner: corner, Detail: true}
	if !ev.Region.Exists() {
		out.Legend = []string{"There are no such probabilities without a size that does not matter; --equivalence " +
			"sets one."}
		return out
	}
	out.Head = []doc.Column{{Name: "above"}, {Name: "within"}, {Name: "below"}}
	for i, name := range names {
		row := doc.Texts(frame.Absent, frame.Absent, frame.Absent)
		if x := posteriors[i]; x != nil {
			row = doc.Texts(frame.Probability(x.Above), frame.Probability(x.Within), frame.Probability(x.Below))
		}
		out.Add(name, row...)
	}
	out.Legend = []string{fmt.Sprintf("Posterior of the typical difference over sets by the Bayesian signed-rank "+
		"test: by more than %s in favour of the first method or against it, or within. It is no prediction of a "+
		"single set, and no verdict is made from it.", ev.Region.Text(m))}
	return out
}
