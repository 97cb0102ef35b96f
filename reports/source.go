package reports

import (
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
// Datasets describe the protocol; the rest narrows or annotates.
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
}

// ErrNoResults is wrapped by ReadTable2's error when nothing that was asked for is
// stored.
var ErrNoResults = errors.New("nothing to show")

// ReadTable2 collects the input of Table 2 from a database. Sets of the protocol
// without any result stay in the table as rows of dashes and are named in
// LeftOut; stored sets outside the protocol are added after them. Cells that other
// inputs made than the rest of their row or column (an older protocol, other data,
// another version or grid) are left out and noted: a table never mixes them.
func ReadTable2(ctx context.Context, db *store.DB, src Source) (Table2Input, error) {
	results, err := db.Results(ctx, src.Protocol)
	if err != nil {
		return Table2Input{}, err
	}
	in := Table2Input{Protocol: src.Protocol, Datasets: slices.Clone(src.Datasets), Splits: src.Planned}
	if src.Splits != nil {
		in.Splits, in.Selected = max(src.Planned, slices.Max(src.Splits)), src.Splits
	}
	results = slices.DeleteFunc(results, func(r store.Result) bool {
		regression := r.Correct == nil && r.Status == store.OK // Table 2 is of accuracies
		return regression ||
			src.Methods != nil && !slices.Contains(src.Methods, r.Method) ||
			src.Splits != nil && !slices.Contains(src.Splits, r.Split) ||
			src.Only && !slices.ContainsFunc(in.Datasets, func(d Dataset) bool { return d.Name == r.Dataset })
	})
	results, in.Notes = consistent(results, src.ProtocolHash)
	if len(results) == 0 {
		return in, fmt.Errorf("%w: %s holds no accuracies of protocol %s for what was asked; `bench run --all` makes them, `bench status` lists what is stored", ErrNoResults, db.Path(), src.Protocol)
	}
	var methods, environments []string
	seen := map[string]bool{}
	for _, r := range results {
		in.addRun(r, src)
		note(&methods, r.Method)
		note(&environments, fmt.Sprintf("bench %s on %s", r.ProgramVersion, r.CPU))
		seen[r.Dataset] = true
	}
	if in.Methods = src.Methods; in.Methods == nil {
		in.Methods = src.Order(methods)
	}
	for _, d := range src.Datasets {
		if !seen[d.Name] {
			in.LeftOut = append(in.LeftOut, d.Name)
		}
	}
	sort.Strings(environments)
	in.Provenance.Environment = environments
	for _, q := range store.TableQueries(src.Protocol) {
		in.Provenance.Queries = append(in.Provenance.Queries, Query(q))
	}
	return in, in.readPublished(ctx, db, src)
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

// consistent keeps the cells that belong together: those of the protocol as it is
// now, for each set those of the data that was run last, and for each method on it
// those of the version and the grid that were run last. It returns a note for each
// kind of cell that is left out.
func consistent(results []store.Result, protocolHash string) ([]store.Result, []string) {
	type pair struct{ dataset, method string }
	var notes []string
	drop := func(what string, out func(store.Result) bool) {
		before := len(results)
		var of []string
		results = slices.DeleteFunc(results, func(r store.Result) bool {
			if !out(r) {
				return false
			}
			note(&of, r.Method+" on "+r.Dataset)
			return true
		})
		if n := before - len(results); n > 0 {
			notes = append(notes, fmt.Sprintf("Left out, %d cells of %s: %s; `bench run` brings them up to date.", n, what, strings.Join(of, ", ")))
		}
	}
	drop("the protocol as it was before it was edited", func(r store.Result) bool { return protocolHash != "" && r.ProtocolHash != protocolHash })

	data, fits := map[string]store.Result{}, map[pair]store.Result{}
	for _, r := range results {
		if r.StartedAt > data[r.Dataset].StartedAt {
			data[r.Dataset] = r
		}
	}
	drop("data that has changed since", func(r store.Result) bool { return r.Fingerprint != data[r.Dataset].Fingerprint })
	for _, r := range results {
		if key := (pair{r.Dataset, r.Method}); r.StartedAt > fits[key].StartedAt {
			fits[key] = r
		}
	}
	drop("another method version or grid", func(r store.Result) bool {
		newest := fits[pair{r.Dataset, r.Method}]
		return r.MethodVersion != newest.MethodVersion || r.GridHash != newest.GridHash
	})
	return results, notes
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
// asked for left out.
func (in *Table2Input) readPublished(ctx context.Context, db *store.DB, src Source) error {
	if src.Published == "" {
		return nil
	}
	rows, err := db.Published(ctx, src.Published)
	if err != nil {
		return err
	}
	for _, p := range rows {
		shown := slices.ContainsFunc(in.Datasets, func(d Dataset) bool { return d.Name == p.Dataset })
		switch {
		case src.Methods != nil && !slices.Contains(src.Methods, p.Method):
		case p.Dataset == store.AverageRank && !src.Only && slices.Contains(in.Methods, p.Method):
			in.PublishedRanks = append(in.PublishedRanks, PublishedRank{Source: p.Source, Method: p.Method, Rank: p.Mean})
		case p.Dataset == store.AverageRank, src.Only && !shown:
		default:
			std := math.NaN() // none printed
			if p.Std != nil {
				std = *p.Std
			}
			in.Published = append(in.Published, Published{Source: p.Source, Dataset: p.Dataset, Method: p.Method, Mean: p.Mean, Std: std})
		}
	}
	return nil
}
