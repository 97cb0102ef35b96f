package frame

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/stats"
)

// Tried are the results of one version or setting of a method that are not those of its column: what its author has
// also seen on these sets.
type Tried struct {
	Method  string           // which the column can be a version of
	Version string           // without libraries
	Setting int              // number among the settings of this version, from 1
	Entries map[string]Entry // by data set
	Earlier bool             // it first ran before what the column holds
	since   string
}

// readTried reads all attempts of the methods that a request names as arguments.
func (f *Frame) readTried(ctx context.Context, from Rows, rows []store.Row) error {
	f.tried = map[string][]store.Row{}
	for _, asked := range f.Also {
		column, err := f.Method(asked, rows)
		if err != nil {
			return err
		}
		method := cmp.Or(f.pinned[column].Method, column)
		if f.tried[column], err = from.AttemptsOf(ctx, f.Protocol.Name, method); err != nil {
			return err
		}
	}
	return nil
}

// addTried fills Tried of a complete table. A version counts without the libraries of a plugin. Each grid or list of
// parameters with which it ran is a setting. These depend on the data set, so that on each set they are numbered in the
// order of their first runs, and equal numbers are taken together. Versions under another name, such as variants that a
// protocol declares, are methods of their own. The results are those on the table's data and compared splits. A version
// whose results are all among those of the column, or of another version, is no further one: a changed comment is not.
func (t *Table) addTried() {
	t.Tried = map[string][]Tried{}
	for column, rows := range t.Frame.tried {
		us := slices.Index(t.Methods, column)
		if us < 0 {
			continue
		}
		now := Tried{Entries: map[string]Entry{}, since: "~"} // a column of several versions is the last one
		for _, s := range t.Sets {
			now.Entries[s.Name] = s.Entries[us]
		}
		var others []Tried
		for _, v := range t.versionsOf(rows) {
			switch {
			case v.in(now):
				now.since = min(now.since, v.since)
			case !slices.ContainsFunc(others, v.in):
				others = slices.DeleteFunc(others, func(o Tried) bool { return o.in(v) })
				others = append(others, v)
			}
		}
		for i := range others {
			others[i].Earlier = others[i].since < now.since
		}
		t.Tried[column] = others
	}
}

// in reports whether all results of a version are among those of another.
func (v Tried) in(other Tried) bool {
	for set, e := range v.Entries {
		for _, r := range e.Runs {
			if !slices.ContainsFunc(other.Entries[set].Runs, func(o Run) bool {
				return o.Split == r.Split && o.Value.Cmp(r.Value) == 0
			}) {
				return false
			}
		}
	}
	return true
}

// versionsOf groups attempts that may be in the table by version and setting, in the order of their first runs.
func (t *Table) versionsOf(rows []store.Row) (out []Tried) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b store.Row) int { return strings.Compare(a.StartedAt, b.StartedAt) })
	type setting struct {
		version string
		number  int
	}
	at, grids := map[setting]int{}, map[[2]string][]string{} // grids of a version on a set
	for n := range rows {
		r := &rows[n]
		value := t.Value(*r)
		if value == nil || !t.tests(*r) {
			continue
		}
		own, _ := registry.Libraries(r.MethodVersion)
		on := [2]string{own, r.Dataset}
		if !slices.Contains(grids[on], r.GridHash) {
			grids[on] = append(grids[on], r.GridHash)
		}
		key := setting{own, 1 + slices.Index(grids[on], r.GridHash)}
		i, known := at[key]
		if !known {
			i, at[key] = len(out), len(out)
			out = append(out, Tried{Method: r.Method, Version: own, Setting: key.number, Entries: map[string]Entry{},
				since: r.StartedAt})
		}
		e := out[i].Entries[r.Dataset]
		e.Runs = slices.DeleteFunc(e.Runs, func(o Run) bool { return o.Split == r.Split }) // the last attempt stays
		e.Runs = append(e.Runs, Run{r.Split, value, &r.Score, r.ScoresHash})
		out[i].Entries[r.Dataset] = e
	}
	for _, v := range out {
		for set, e := range v.Entries {
			slices.SortFunc(e.Runs, func(a, b Run) int { return a.Split - b.Split })
			e.summarise()
			v.Entries[set] = e
		}
	}
	return out
}

// tests reports whether an attempt tested what the table shows: its protocol, a set with the same data, and one of the
// splits that are compared on it.
func (t *Table) tests(r store.Row) bool {
	i := slices.IndexFunc(t.Sets, func(s Set) bool { return s.Name == r.Dataset })
	if i < 0 || len(t.Sets[i].Splits) > 0 && !slices.Contains(t.Sets[i].Splits, r.Split) {
		return false
	}
	for _, m := range t.Methods {
		for _, shown := range t.rows[cellKey{r.Dataset, m}] {
			return shown.Fingerprint == r.Fingerprint && shown.ProtocolHash == r.ProtocolHash
		}
	}
	return false
}

// A Standing is a version of a method among the other methods of a table.
type Standing struct {
	Name      string   // of the version, and of its setting where this is not the first one
	Now       bool     // the column holds it
	Sets      int      // counted sets on which it has results
	Mean      *big.Rat // over them; nil without any
	Place, Of int      // by Mean on its splits, among the methods that have all of these
}

// Standings are the versions of a column, in the order of their first runs.
func (t *Table) Standings(column string) (out []Standing) {
	us := slices.Index(t.Methods, column)
	if us < 0 {
		return nil
	}
	now := Tried{Entries: map[string]Entry{}}
	var versions []string
	for _, s := range t.Sets {
		now.Entries[s.Name] = s.Entries[us]
		for _, v := range t.versions(s.Name, column) {
			own, _ := registry.Libraries(v)
			AppendUnique(&versions, own)
		}
	}
	now.Version = strings.Join(versions, " and ")
	after := slices.IndexFunc(t.Tried[column], func(v Tried) bool { return !v.Earlier })
	if after < 0 {
		after = len(t.Tried[column])
	}
	for i, v := range slices.Insert(slices.Clone(t.Tried[column]), after, now) {
		s := t.standing(v, us)
		s.Now = i == after
		out = append(out, s)
	}
	return out
}

// standing ranks one version in the place of a method. Each other method counts with the same splits.
func (t *Table) standing(v Tried, us int) (out Standing) {
	if out.Name = v.Version; v.Setting > 1 {
		out.Name += fmt.Sprintf(", setting %d", v.Setting)
	}
	mean := func(of func(Set) Entry) (*big.Rat, int) {
		var means []*big.Rat
		for _, s := range t.CountedSets() {
			splits, runs := v.Entries[s.Name].Splits(), slices.Clone(of(s).Runs)
			runs = slices.DeleteFunc(runs, func(r Run) bool { return !slices.Contains(splits, r.Split) })
			if len(runs) < len(splits) {
				return nil, 0
			}
			if len(runs) > 0 {
				means = append(means, stats.Mean(doc.Map(runs, func(r Run) *big.Rat { return r.Value })))
			}
		}
		return stats.Mean(means), len(means)
	}
	if out.Mean, out.Sets = mean(func(s Set) Entry { return v.Entries[s.Name] }); out.Sets == 0 {
		return out
	}
	out.Place, out.Of = 1, 1
	for m := range t.Methods {
		if other, sets := mean(func(s Set) Entry { return s.Entries[m] }); m != us && sets > 0 {
			if out.Of++; t.Metric.Compare(other, out.Mean) > 0 {
				out.Place++
			}
		}
	}
	return out
}
