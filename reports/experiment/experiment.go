// Package experiment puts together the page of an experiment (package experiments): the verdicts on its claims,
// then the drawings of its reports, then the numbers behind each verdict.
//
// [Build] asks a [Source] for the rows of each report, and for what is drawn from models or formulas. The package
// reads no database, trains nothing and lays nothing out.
//
// Claims (claims.go, estimate.go, claimtexts.go) are sentences of papers, which stored results decide: a sentence
// holds, fails, or the results are inconclusive.
//
// A claim is a list of comparisons (package experiments). Each comparison is a difference, and a region in which the
// difference lies if the claim is true. The difference is estimated by the mean over the stored data sets. Its
// interval is for other rows of these sets, as if the rows of each were drawn anew and then divided, after Nadeau and
// Bengio (2003) on each set. For other splits of the same rows it would be sqrt(1 + n test/train) times too wide: 3.1
// times for 20 splits that test 30 % (TestIntervalIsForOtherRows). It says nothing about other data sets; `bench
// compare` is for these.
//
//   - A claim holds if every interval at level 1 - alpha lies in its region. This level is enough for all comparisons
//     together (Berger 1982): a false claim has a false comparison, which holds with probability alpha at most.
//   - A claim of k comparisons fails if one interval at level 1 - alpha / k lies outside of its region.
//   - Otherwise it is inconclusive, or not testable where a comparison has too few splits for an interval.
//
// So the probability is at most alpha that a false claim holds, and that a true claim fails; claims_test.go counts.
// Processor times are compared by their ratio, with Student's interval of the mean logarithm over repetitions.
package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/pflag"
)

// A Source is where the parts of an experiment come from. A nil list means the list of the protocol.
type Source struct {
	Cells int                                                   // how many cells the part has
	Rows  func(methods, datasets []string) (frame.Frame, error) // cells of the experiment's splits
	Drawn map[string]Drawn                                      // reports that are not made from a frame, by name
}

// Drawn makes a report with the flags of a show.
type Drawn func(flags, methods, datasets []string) (doc.Document, error)

// Build returns the document of a part of an experiment; quick says that the part is less than the whole. The error
// is a frame.RequestError if the experiment asks for something that does not exist. Errors of the source are
// returned unchanged.
func Build(e *experiments.Experiment, part experiments.Part, quick bool, from Source) (doc.Document, error) {
	d := doc.Document{Report: "experiment", Title: e.Title, Label: "exp:" + e.Name}
	if quick {
		d.Warnings = append(d.Warnings, fmt.Sprintf("This is the quick part of the experiment; `bench experiment "+
			"run %s` computes the whole.", cmp.Or(e.Path, e.Name)))
	}
	rows, err := from.Rows(part.Methods, part.Datasets)
	if err != nil {
		return d, err
	}
	if done := finished(rows); done < from.Cells {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%d of the %d cells of this are stored; `bench experiment run "+
			"%s` computes what it can of the rest.", done, from.Cells, cmp.Or(e.Path, e.Name)))
	}
	decided, err := Decide(rows, e.Claims)
	if err != nil {
		return d, &frame.RequestError{Err: err}
	}
	verdicts := Blocks(decided)
	if verdicts != nil {
		d.Blocks = append(d.Blocks, verdicts[0])
	}
	for i, shown := range e.Shows {
		if shown.Datasets != nil && quick && part.Datasets != nil {
			shown.Datasets = slices.DeleteFunc(slices.Clone(shown.Datasets),
				func(set string) bool { return !slices.Contains(part.Datasets, set) })
			if len(shown.Datasets) == 0 {
				continue
			}
		}
		one, err := show(e, part, shown, from)
		if err != nil {
			return d, err
		}
		add(&d, one, i > 0)
	}
	if verdicts != nil {
		d.Blocks = append(d.Blocks, verdicts[1:]...)
	}
	d.Notes = append(append([]string{"Source: " + e.Source + "."}, e.Notes...), d.Notes...)
	return d, nil
}

// finished is how many cells ended with a result.
func finished(f frame.Frame) int {
	n := 0
	for _, r := range f.Rows {
		if r.Status == result.OK {
			n++
		}
	}
	return n
}

// show is the document of one report. If the show names no methods or sets, the report has those of the part.
func show(e *experiments.Experiment, part experiments.Part, asked experiments.Show, from Source) (doc.Document, error) {
	methods, datasets := asked.Methods, asked.Datasets
	if methods == nil {
		methods = part.Methods
	}
	if datasets == nil {
		datasets = part.Datasets
	}
	if build, ok := from.Drawn[asked.Report]; ok {
		d, err := build(asked.Flags, methods, datasets)
		if err != nil {
			err = fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		return d, err
	}
	wrong := func(format string, args ...any) (doc.Document, error) {
		return doc.Document{}, &frame.RequestError{Err: fmt.Errorf("experiment %s: show: "+format,
			append([]any{e.Name}, args...)...)}
	}
	all := reports.All()
	at := slices.IndexFunc(all, func(r frame.Report) bool {
		return (r.Name == asked.Report || slices.Contains(r.Aliases, asked.Report)) && r.Args == ""
	})
	if at < 0 {
		return wrong("no report is named %q; `bench report` lists them", asked.Report)
	}
	flags := pflag.NewFlagSet(asked.Report, pflag.ContinueOnError)
	build := all[at].Add(flags)
	if err := flags.Parse(asked.Flags); err != nil || flags.NArg() > 0 {
		return wrong("flags of report %s: %v; see `bench report %[1]s --help`", asked.Report, asked.Flags)
	}
	rows, err := from.Rows(methods, datasets)
	if err != nil {
		return doc.Document{}, err
	}
	rows.Protocol.Sweep.Printed = e.Printed
	d, err := build(rows)
	if err != nil {
		return wrong("report %s: %w", asked.Report, err)
	}
	return d, nil
}

// add puts the blocks of a report into a document that has several. Further tables are details: a screen has room for
// the verdicts and one report.
func add(d *doc.Document, one doc.Document, further bool) {
	if d.Environment == nil {
		d.Provenance = one.Provenance
	} else {
		d.Queries = append(d.Queries, one.Queries...)
	}
	d.Warnings, d.Notes = appendNew(d.Warnings, one.Warnings), appendNew(d.Notes, one.Notes)
	for i, b := range one.Blocks {
		if code, ok := b.(doc.Code); ok && code.Language == "sh" {
			continue // commands for missing cells are left out, since `bench experiment run` computes the cells
		}
		if prose, ok := b.(doc.Prose); ok && i == 0 && prose.Heading == "" {
			prose.Heading = one.Title
			b = prose
		}
		if table, ok := b.(doc.Table); ok && further {
			table.Detail = true
			b = table
		}
		d.Blocks = append(d.Blocks, b)
	}
}

// appendNew appends the texts that a list does not hold.
func appendNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
