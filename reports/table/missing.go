package table

import (
	"fmt"
	"math/big"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A policy says how missing cells are ranked. A cell is missing if the method has not finished the compared splits
// of the set.
type policy struct {
	name, legend string
	whole        bool // ranks are of whole methods over the counted sets, as in the table above
	middle       bool // missing methods have the middle rank, between the other methods; else they are last
}

var policies = []policy{
	{name: "whole methods", legend: "ranks as above; methods that lack one of the sets have none", whole: true},
	{name: "missing last", legend: "the missing methods share the last ranks, as if they had failed"},
	{name: "missing middle", legend: "the missing methods have the middle rank, as if nothing were known of them, " +
		"and the others keep their order around it", middle: true},
}

// cellsOf is the means of a set by method, nil for a missing one.
type cellsOf struct {
	means   []*big.Rat
	there   int
	counted bool
}

// missing shows the average ranks under each policy side by side, over the sets of the main group with results of any
// method. It returns nothing if no cell is missing.
func missing(t *frame.Table) (table, records []doc.Block) {
	var sets []cellsOf
	lacks := false
	for _, s := range t.Sets {
		if s.Group != frame.GroupMain || len(s.Splits) == 0 {
			continue
		}
		l := cellsOf{means: make([]*big.Rat, len(s.Entries)), counted: s.Counted}
		for i, c := range s.Entries {
			if c.Has {
				l.means[i] = c.Mean
				l.there++
			}
		}
		lacks = lacks || l.there < len(t.Methods)
		sets = append(sets, l)
	}
	if !lacks || len(t.Methods) < 2 {
		return nil, nil
	}
	values := doc.Records{Name: "missing_policies", Columns: []string{"metric", "policy", "method", "datasets", "rank",
		"exact"}}
	var ranks [][]*big.Rat // by policy
	var names, legend []string
	for i, p := range policies {
		average, over := p.average(t, sets)
		ranks, names = append(ranks, average), append(names, p.name)
		legend = append(legend, fmt.Sprintf("%s: %s; over %s.", p.name, p.legend, frame.Count(over, "data set")))
		for k, m := range t.Methods {
			if rank := ranks[i][k]; rank != nil {
				values.Add(t.Metric.Name, p.name, m, over, rank, rank.RatString())
			}
		}
	}
	best := doc.Map(ranks, stats.Smallest)
	out := doc.Project("Method", t.Methods, names, func(k, p int) doc.Entry {
		return doc.Entry{Text: frame.Text(ranks[p][k], 2), Best: best[p][k]}
	})
	out.Caption, out.Label, out.Legend = "Average rank by what a missing cell means", "missing", legend
	out.Best = "the best, every tied one."
	return []doc.Block{out}, []doc.Block{values}
}

// average is the average rank of each method under the policy, nil for none, and the number of sets behind it.
func (p policy) average(t *frame.Table, sets []cellsOf) (average []*big.Rat, over int) {
	var ranks [][]*big.Rat
	for _, l := range sets {
		switch k := len(t.Whole()); {
		case !p.whole:
			ranks = append(ranks, p.of(t, l.means, l.there))
		case l.counted:
			ranks = append(ranks, append(p.of(t, l.means[:k], k), make([]*big.Rat, len(t.Methods)-k)...))
		}
	}
	average = make([]*big.Rat, len(t.Methods))
	for k := range average {
		if len(ranks) > 0 && ranks[0][k] != nil { // not partial
			average[k] = stats.Mean(doc.Map(ranks, func(row []*big.Rat) *big.Rat { return row[k] }))
		}
	}
	return average, len(ranks)
}

// of ranks the k methods of a set. The ranks add up to k (k+1)/2, whichever cells are missing.
func (p policy) of(t *frame.Table, means []*big.Rat, there int) []*big.Rat {
	var present []*big.Rat
	for _, m := range means {
		if m != nil {
			present = append(present, m)
		}
	}
	k := len(means)
	ranks := stats.MidRanks(t.Ascending(present))
	out := make([]*big.Rat, k)
	for i, next := 0, 0; i < k; i++ {
		switch {
		case means[i] != nil:
			out[i] = ranks[next]
			if next++; p.middle {
				out[i] = new(big.Rat).Add(out[i], big.NewRat(int64(k-there), 2))
			}
		case p.middle:
			out[i] = big.NewRat(int64(k+1), 2)
		default:
			out[i] = big.NewRat(int64(there+1+k), 2)
		}
	}
	return out
}
