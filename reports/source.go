package reports

import (
	"context"
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
	Protocol  string
	Published string                  // source key of the values to compare with; empty for none
	Datasets  []Dataset               // the sets to show, in order; of a protocol usually all
	Only      bool                    // leave out stored sets that are not among Datasets
	Others    func(string) Dataset    // facts about a set that is stored but not among Datasets
	Order     func([]string) []string // order of the methods' columns
	Planned   int                     // number of splits of the protocol
	Splits    []int                   // only these; nil for all
	Methods   []string                // only these, in this order; nil for all that are stored
}

// ReadTable2 collects the input of Table 2 from a database. Sets of the protocol
// without any result stay in the table as rows of dashes and are named in
// LeftOut; stored sets outside the protocol are added after them.
func ReadTable2(ctx context.Context, db *store.DB, src Source) (Table2Input, error) {
	results, err := db.Results(ctx, src.Protocol)
	if err != nil {
		return Table2Input{}, err
	}
	in := Table2Input{Protocol: src.Protocol, Datasets: slices.Clone(src.Datasets), Splits: src.Planned}
	if src.Splits != nil {
		in.Splits, in.Selected = max(src.Planned, slices.Max(src.Splits)), src.Splits
	}
	var methods []string
	versions, environments, seen := map[string][]string{}, []string{}, map[string]bool{}
	for _, r := range results {
		if src.Methods != nil && !slices.Contains(src.Methods, r.Method) || src.Splits != nil && !slices.Contains(src.Splits, r.Split) {
			continue
		}
		if r.Correct == nil && r.Status == store.OK {
			continue // a regression set: Table 2 is of accuracies
		}
		run := Run{Dataset: r.Dataset, Method: r.Method, Split: r.Split, Status: string(r.Status), Test: r.TestRows, Error: r.Error}
		if r.Correct != nil {
			run.Correct = *r.Correct
		}
		if !slices.ContainsFunc(in.Datasets, func(d Dataset) bool { return d.Name == r.Dataset }) {
			if src.Only {
				continue
			}
			in.Datasets = append(in.Datasets, src.Others(r.Dataset))
		}
		in.Runs = append(in.Runs, run)
		in.Splits = max(in.Splits, r.Split)
		note(&methods, r.Method)
		seen[r.Dataset] = true
		v := versions[r.Method]
		note(&v, r.MethodVersion)
		versions[r.Method] = v
		note(&environments, fmt.Sprintf("bench %s on %s", r.ProgramVersion, r.CPU))
		setSizes(in.Datasets, r)
	}
	if len(in.Runs) == 0 {
		return in, fmt.Errorf("%s holds no accuracies of protocol %s for what was asked; `bench run --all` makes them, `bench status` lists what is stored", db.Path(), src.Protocol)
	}
	if in.Methods = src.Methods; in.Methods == nil {
		in.Methods = src.Order(methods)
	}
	for _, d := range src.Datasets {
		if !seen[d.Name] {
			in.LeftOut = append(in.LeftOut, d.Name)
		}
	}
	in.Notes = versionNotes(versions)
	sort.Strings(environments)
	in.Provenance.Environment = environments
	for _, q := range store.TableQueries(src.Protocol) {
		in.Provenance.Queries = append(in.Provenance.Queries, Query(q))
	}
	return in, in.readPublished(ctx, db, src)
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

// versionNotes warns of columns that mix versions of a method.
func versionNotes(versions map[string][]string) []string {
	var notes []string
	for m, v := range versions {
		if len(v) > 1 {
			sort.Strings(v)
			notes = append(notes, fmt.Sprintf("%s mixes versions %s; `bench run` brings all cells to the newest.", m, strings.Join(v, ", ")))
		}
	}
	sort.Strings(notes)
	return notes
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
