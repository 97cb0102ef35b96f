package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
)

// Source says what of a database goes into a Table 2. Protocol, Planned and
// Datasets describe the protocol; the rest narrows or annotates. A function that is
// nil knows nothing.
type Source struct {
	Protocol     string
	ProtocolHash string                  // of the protocol as it is now; cells of another are left out
	Published    string                  // source key of the values to compare with; empty for none
	Datasets     []Dataset               // the sets to show, in order; of a protocol usually all
	Only         bool                    // leave out stored sets that are not among Datasets
	Others       func(string) Dataset    // facts about a set that is stored but not among Datasets
	Order        func([]string) []string // order of the methods' columns
	Planned      int                     // number of splits of the protocol
	Splits       []int                   // only these; nil for all
	Methods      []string                // only these, in this order; nil for all that are stored

	Run     Invocation                                // how the commands in the report are spelled
	SetFile func(dataset string) string               // the TOML file of a user's set, as a command names it; "" for a built-in one
	Task    func(dataset string) string               // binary, multiclass or regression; "" if that is not known
	Now     func(dataset string) (Data, bool)         // what a set's files hold now; false if that is not known
	Cannot  func(method, dataset string) (why string) // why a cell cannot be run; "" if it can
}

// Data says what the files of a set hold.
type Data struct {
	Fingerprint string // see datasets.Store.Fingerprint
	File        string // name of the data file, to show
}

// ErrNoResults is wrapped by ReadTable2's error when nothing that was asked for is
// stored.
var ErrNoResults = errors.New("nothing to show")

// ReadTable2 collects the input of Table 2 from a database. Sets of the protocol
// without any result stay in the table as rows of dashes and are named in
// LeftOut; stored sets outside the protocol are added after them, sets of regression
// left out. Cells that other inputs made than the rest of their row or column (an
// older protocol, other data, another version or grid) are left out and noted: a
// table never mixes them.
func ReadTable2(ctx context.Context, db *store.DB, src Source) (Table2Input, error) {
	src.complete()
	results, err := db.Results(ctx, src.Protocol)
	if err != nil {
		return Table2Input{}, err
	}
	in := Table2Input{Protocol: src.Protocol, Datasets: slices.Clone(src.Datasets), Splits: src.Planned}
	if src.Splits != nil {
		in.Splits, in.Selected = max(src.Planned, slices.Max(src.Splits)), src.Splits
	}
	results = in.ofClasses(slices.DeleteFunc(results, src.leavesOut), src)
	together := consistent(results, src)
	in.Changed, in.Warnings, in.Notes = together.changed, together.warnings, together.notes
	if len(together.results) == 0 {
		return in, in.nothing(db.Path(), src)
	}
	var methods, environments []string
	for _, r := range together.results {
		in.addRun(r, src)
		note(&methods, r.Method)
		note(&environments, fmt.Sprintf("bench %s on %s", r.ProgramVersion, r.CPU))
	}
	if in.Methods = src.Methods; in.Methods == nil {
		in.Methods = src.Order(methods)
	}
	sort.Strings(environments)
	in.Provenance.Environment = environments
	for _, q := range store.TableQueries(src.Protocol) {
		in.Provenance.Queries = append(in.Provenance.Queries, Query(q))
	}
	in.whatIsMissing(src)
	return in, in.readPublished(ctx, db, src)
}

// complete makes functions that are nil ones that know nothing.
func (src *Source) complete() {
	if src.SetFile == nil {
		src.SetFile = func(string) string { return "" }
	}
	if src.Task == nil {
		src.Task = func(string) string { return "" }
	}
	if src.Now == nil {
		src.Now = func(string) (Data, bool) { return Data{}, false }
	}
	if src.Cannot == nil {
		src.Cannot = func(string, string) string { return "" }
	}
}

// leavesOut reports whether a cell was not asked for.
func (src *Source) leavesOut(r store.Result) bool {
	return src.Methods != nil && !slices.Contains(src.Methods, r.Method) ||
		src.Splits != nil && !slices.Contains(src.Splits, r.Split) ||
		src.Only && !slices.ContainsFunc(src.Datasets, func(d Dataset) bool { return d.Name == r.Dataset })
}

// ofClasses takes the sets of regression out with their cells, however these ended,
// and names them: a table of accuracies has no place for them.
func (in *Table2Input) ofClasses(results []store.Result, src Source) []store.Result {
	task := map[string]string{} // of the stored cells
	var names []string
	for _, d := range in.Datasets {
		note(&names, d.Name)
	}
	for _, r := range results {
		note(&names, r.Dataset)
		task[r.Dataset] = r.Task
	}
	for _, name := range names {
		if cmp.Or(src.Task(name), task[name]) == regression {
			in.Regression = append(in.Regression, name)
		}
	}
	in.Datasets = slices.DeleteFunc(in.Datasets, func(d Dataset) bool { return slices.Contains(in.Regression, d.Name) })
	return slices.DeleteFunc(results, func(r store.Result) bool {
		return r.Task == regression || slices.Contains(in.Regression, r.Dataset)
	})
}

// regression is how the store spells that task.
const regression = "regression"

// nothing is the error of a table without a cell.
func (in *Table2Input) nothing(path string, src Source) error {
	if len(in.Regression) > 0 && len(in.Datasets) == 0 {
		return fmt.Errorf("%w: %s: the target is a number (regression), and this table is of accuracies; `bench query` shows rmse, mae and r2 of view results",
			ErrNoResults, strings.Join(in.Regression, ", "))
	}
	var sets []string
	if src.Only {
		in.nameFiles(src)
		sets = in.setArguments(nil)
	}
	return fmt.Errorf("%w: %s holds no accuracies of protocol %s for what was asked; `%s` makes them, `bench status` lists what is stored",
		ErrNoResults, path, src.Protocol, src.Run.run(src.Methods, sets, src.Splits, false))
}

func (in *Table2Input) addRun(r store.Result, src Source) {
	run := Run{Dataset: r.Dataset, Method: r.Method, Split: r.Split, Status: string(r.Status), Test: r.TestRows, Error: r.Error}
	if r.Correct != nil {
		run.Correct = *r.Correct
	}
	if !slices.ContainsFunc(in.Datasets, func(d Dataset) bool { return d.Name == r.Dataset }) {
		in.Datasets = append(in.Datasets, src.Others(r.Dataset))
	}
	in.Runs = append(in.Runs, run)
	in.Splits = max(in.Splits, r.Split)
	setSizes(in.Datasets, r)
}

// whatIsMissing says of cells without results whether they can be run, and gives
// the commands that do.
func (in *Table2Input) whatIsMissing(src Source) {
	in.nameFiles(src)
	for _, d := range in.Datasets {
		for _, m := range in.Methods {
			if why := src.Cannot(m, d.Name); why != "" {
				in.Impossible = append(in.Impossible, Impossible{d.Name, m, why})
			}
		}
		stored := slices.ContainsFunc(in.Runs, func(r Run) bool { return r.Dataset == d.Name })
		possible := slices.ContainsFunc(in.Methods, func(m string) bool { return in.impossible(d.Name, m) == "" })
		if !stored && possible {
			in.LeftOut = append(in.LeftOut, d.Name)
		}
	}
	for i, c := range in.Changed {
		in.Changed[i].Command = in.RunAgain(c.Dataset, src.Run)
	}
	in.FullCommand = in.RunMissing(src.Run)
}

// nameFiles notes how commands name the user's own sets.
func (in *Table2Input) nameFiles(src Source) {
	for i, d := range in.Datasets {
		in.Datasets[i].File = cmp.Or(d.File, src.SetFile(d.Name))
	}
}

// note appends v to a list that does not hold it.
func note(list *[]string, v string) {
	if !slices.Contains(*list, v) {
		*list = append(*list, v)
	}
}

func setSizes(sets []Dataset, r store.Result) {
	for i := range sets {
		if sets[i].Name == r.Dataset && r.Status == store.OK {
			sets[i].TrainRows, sets[i].TestRows = r.TrainRows, r.TestRows
		}
	}
}

// readPublished adds the source's values, those of rows and columns that were not
// asked for left out. Printed average ranks are among all methods that the source
// ranks, so they are left out where one of these was not asked for.
func (in *Table2Input) readPublished(ctx context.Context, db *store.DB, src Source) error {
	if src.Published == "" {
		return nil
	}
	rows, err := db.Published(ctx, src.Published)
	if err != nil {
		return err
	}
	ranked := !src.Only
	for _, p := range rows {
		shown := slices.ContainsFunc(in.Datasets, func(d Dataset) bool { return d.Name == p.Dataset })
		switch {
		case p.Dataset == store.AverageRank:
			in.PublishedRanks = append(in.PublishedRanks, PublishedRank{Source: p.Source, Method: p.Method, Rank: p.Mean})
			ranked = ranked && slices.Contains(in.Methods, p.Method)
		case src.Methods != nil && !slices.Contains(src.Methods, p.Method), src.Only && !shown:
		default:
			std := math.NaN() // none printed
			if p.Std != nil {
				std = *p.Std
			}
			in.Published = append(in.Published, Published{Source: p.Source, Dataset: p.Dataset, Method: p.Method, Mean: p.Mean, Std: std})
		}
	}
	if !ranked {
		in.PublishedRanks = nil
	}
	return nil
}
