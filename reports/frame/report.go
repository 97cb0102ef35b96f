package frame

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
)

// A Report is a kind of document that is made of a table. The text of its help is a file of cmd/help.
type Report struct {
	Name    string
	Aliases []string // older names that still work
	Summary string   // on one line, no full stop
	Verb    bool     // the report is a command `bench NAME`, and not `bench report NAME`
	Folds   bool     // the report needs the folds of every grid point, which are most of a database

	Protocol string // the default of --protocol, "" for the suite

	// Args names the arguments that the report takes, "" for none. Select checks the arguments before anything is
	// read, and narrows the selection to what they ask for. Select is nil if the report takes no arguments.
	Args   string
	Select func(args []string, s *Selection) error

	// Build is nil for a report with flags of its own: Flags adds these and returns the Build, which reads them when
	// it is called.
	Build Build
	Flags func(*pflag.FlagSet) Build
}

// Build makes a document of a table: its blocks, its title, its notes, and a label or queries if they are not the
// usual ones.
type Build func(t *Table) (doc.Document, error)

// Selection says which cells a frame is read from; a nil list means all that is stored.
type Selection struct {
	Protocol          string
	Methods, Datasets []string
	Also              []string // see Source
}

// Add adds the flags of the report, and returns a function that makes its document of a frame.
func (r Report) Add(flags *pflag.FlagSet) func(Frame) (doc.Document, error) {
	asked := flags.String("metric", "", strings.Join(metric.Names(), ", ")+" (default the protocol's)")
	build := r.Build
	if r.Flags != nil {
		build = r.Flags(flags)
	}
	return func(f Frame) (doc.Document, error) {
		t, err := f.Table(*asked)
		if err != nil {
			return doc.Document{}, err
		}
		d, err := build(&t)
		if err != nil {
			return d, err
		}
		t.Complete(r.Name, "", &d)
		at := slices.IndexFunc(d.Blocks, func(b doc.Block) bool { _, ok := b.(doc.Records); return ok })
		if at < 0 {
			at = len(d.Blocks)
		}
		if t.FullCommand != "" {
			d.Blocks = slices.Insert(d.Blocks, at, doc.Block(doc.Code{Title: "To compute what is missing",
				Language: "sh", Text: t.FullCommand}))
		}
		d.Blocks = append(d.Blocks, t.MissingRecords()...)
		return d, nil
	}
}

// Complete fills in what the documents of all reports have: a label for LaTeX, warnings and provenance. label is "" for
// the document's own or else the usual one.
func (t *Table) Complete(name, label string, d *doc.Document) {
	queries := d.Queries
	d.Blocks = t.MarkOwn(d.Blocks)
	for i, n := range d.Narrow {
		d.Narrow[i].Table = t.markTable(n.Table)
	}
	d.Report, d.Warnings, d.Provenance = name, t.Warnings, t.Provenance
	if queries != nil {
		d.Queries = queries
	}
	d.Label = cmp.Or(label, d.Label, "tab:"+name+":"+t.Protocol)
}
