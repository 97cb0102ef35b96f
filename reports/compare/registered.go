package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// Register looks for registered comparisons of methods of the table. Those that count become families of their own;
// of the others the evidence says why they do not.
func Register(t *frame.Table, ev *evidence.Evidence) {
	taken := map[string]string{} // by pair, the registration
	for _, c := range t.Frame.Comparisons {
		r := registration{Registration: evidence.Registration{Comparison: c}, t: t, ev: ev}
		for _, m := range c.Methods() {
			r.Columns = append(r.Columns, r.column(m))
		}
		others := r.Columns[1:]
		if !slices.ContainsFunc(others, func(other string) bool { _, ok := r.pair(other); return ok }) {
			continue
		}
		r.Lacks = r.lacks()
		for i, other := range others {
			if by := taken[r.Columns[0]+"\x00"+other]; by != "" && r.Lacks == "" {
				r.Lacks = fmt.Sprintf("its comparison with %s belongs to the earlier registration %s", c.Against[i].ID,
					by)
			}
		}
		if ev.Registered = append(ev.Registered, r.Registration); r.Lacks != "" {
			continue
		}
		ev.Register(r.Columns)
		for _, other := range others {
			taken[r.Columns[0]+"\x00"+other], taken[other+"\x00"+r.Columns[0]] = c.Short(), c.Short()
		}
	}
}

// A registration is a registered comparison on a page.
type registration struct {
	evidence.Registration
	t  *frame.Table
	ev *evidence.Evidence
}

// column is the column of a method, today's or else that of the version; "" for none.
func (r *registration) column(m result.ComparedMethod) string {
	found := ""
	for _, column := range r.t.Methods {
		v, pinned := r.t.Pinned(column)
		if !pinned && column == m.ID || found == "" && v.Method == m.ID && v.Version == m.Version {
			found = column
		}
	}
	return found
}

func (r *registration) pair(other string) (evidence.Pair, bool) {
	return r.ev.Between(slices.Index(r.t.Methods, r.Columns[0]), slices.Index(r.t.Methods, other))
}

// lacks says in words why the registration does not count on this page; "" if it counts.
func (r *registration) lacks() string {
	for i, other := range r.Columns[1:] {
		if _, ok := r.pair(other); !ok {
			return fmt.Sprintf("this page does not compare %s with %s", r.Comparison.Method.ID, r.Against[i].ID)
		}
	}
	region := func(text string) string { return cmp.Or(text, "no size") }
	level, own := fmt.Sprint(r.ev.Level), r.ev.Region.String()
	switch {
	case r.Earlier != "":
		return fmt.Sprintf("%s has an older result: %s", r.Comparison.Method.ID, r.Earlier)
	case r.Protocol.Hash != r.t.Frame.Protocol.Hash:
		return "the protocol has changed since"
	case r.Metric != r.t.Metric.Name:
		return r.differs("is by "+r.Metric, r.t.Metric.Name)
	case fmt.Sprint(r.Level) != level:
		return r.differs("has level "+fmt.Sprint(r.Level), level)
	case r.Equivalence != own:
		return r.differs("takes "+region(r.Equivalence)+" not to matter", region(own))
	}
	for i, m := range r.Methods() {
		if lacks := r.cells(m, r.Columns[i]); lacks != "" {
			return lacks
		}
	}
	for _, other := range r.Columns[1:] {
		p, _ := r.pair(other)
		sets, over := slices.Sorted(slices.Values(r.Sets())), slices.Sorted(slices.Values(p.Over))
		further := slices.ContainsFunc(p.Sets, func(s evidence.SetPair) bool {
			// Equal fits count once, and a comparison that was decided needs no further split: fewer are no other ones.
			fewer := s.Set.Draws || r.decided(s.Set.Name)
			return slices.Contains(sets, s.Set.Name) && !slices.Equal(s.Splits, r.Splits) &&
				(!fewer || slices.ContainsFunc(s.Splits, func(split int) bool {
					return !slices.Contains(r.Splits, split)
				}))
		})
		if further || !slices.Equal(sets, over) {
			return r.differs(fmt.Sprintf("is over %s and splits %s", frame.Count(len(sets), "data set"),
				frame.Ranges(r.Splits)), "others")
		}
	}
	return ""
}

// decided reports whether the run of the comparison ended before a set had all splits, as the registration says.
func (r *registration) decided(set string) bool {
	_, stopped := r.t.Stop(set, r.Columns[0])
	return stopped && r.Until != ""
}

// named says when a method of one's own was named for comparison with the field, if that was before the first result of
// its version on any set of the page.
func (p *Page) named() string {
	us := slices.Index(p.Methods, p.method)
	for _, c := range p.Frame.Comparisons {
		other := slices.ContainsFunc(p.Sets, func(s frame.Set) bool {
			return len(s.Entries[us].Runs) > 0 &&
				(!slices.Contains(c.Sets(), s.Name) || p.Version(s.Name, p.method) != c.Method.Version)
		})
		if c.Against == nil && c.Method.ID == p.method && c.Earlier == "" && !other {
			return ", named on " + c.On() + " before its first result,"
		}
	}
	return ""
}

// differs says what a registration names and what the page has instead, and which command shows what it names.
func (r *registration) differs(names, page string) string {
	return fmt.Sprintf("it %s, and this page has %s; `%s` shows it", names, page, r.command())
}

func (r *registration) command() string {
	var sets []string
	for _, s := range r.Sets() {
		sets = append(sets, cmp.Or(r.t.Frame.Sets.File(s), s))
	}
	how := r.t.Frame.Run
	how.Splits = 0 // splits are always named
	flag, splits := how.OfSplits(r.Splits)
	args := slices.Concat([]string{"compare", r.Comparison.Method.ID}, r.Others(), []string{"--datasets",
		strings.Join(sets, ","), flag, splits, "--metric", r.Metric, "--level", fmt.Sprint(r.Level)})
	if r.Equivalence != "" {
		args = append(args, "--equivalence", r.Equivalence)
	}
	return how.Other(args...)
}

// cells says which cell of a method in a column is not as it is registered, or is missing.
func (r *registration) cells(m result.ComparedMethod, column string) string {
	missing, first := 0, ""
	for _, set := range r.Datasets {
		rows := r.t.Cells(set.ID, column)
		for _, split := range r.Splits {
			i := slices.IndexFunc(rows, func(row result.Run) bool { return row.Split == split })
			switch {
			case i >= 0 && rows[i].MethodVersion != m.Version:
				return fmt.Sprintf("version %s of %s is registered, and %s has version %s", m.Version, m.ID, set.ID,
					rows[i].MethodVersion)
			case i >= 0 && rows[i].Fingerprint != set.Hash:
				return fmt.Sprintf("the data of %s are others", set.ID)
			case i >= 0 && rows[i].Status == result.OK, i < 0 && r.decided(set.ID):
				continue
			}
			if missing++; first == "" {
				first = fmt.Sprintf("%s, split %d", set.ID, split)
			}
		}
	}
	if missing == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d cells of %s have no result on this page, the first of them on %s; `%s` is the page "+
		"of the registration", missing, len(r.Datasets)*len(r.Splits), m.ID, first, r.command())
}

// families names what p-values over data sets are adjusted for.
func families(ev *evidence.Evidence) string {
	if registeredKinds(ev) != nil {
		return ev.Family() + "; a registered comparison for those of its registration alone"
	}
	return ev.Family()
}

// registeredKinds are the kinds of statements of the registrations that count, each with a level of its own.
func registeredKinds(ev *evidence.Evidence) (out []string) {
	for _, r := range ev.Registered {
		if r.Lacks == "" {
			out = append(out, "differences of registration "+r.Short())
			if ev.Region.Exists() {
				out = append(out, "equivalences of it")
			}
		}
	}
	return out
}

// kind marks a sentence where a registration concerns the page.
func (p *Page) kind(q *evidence.Pair) string {
	switch {
	case len(p.Evidence.Registered) == 0:
		return ""
	case q.Registered != nil:
		return "registered"
	}
	return "exploratory"
}

// Registrations say of each registered comparison of the method what it is, or why it does not count.
func (p *Page) Registrations() []string {
	var out []string
	for _, r := range p.Evidence.Registered {
		if !slices.Contains(r.Columns, p.method) {
			continue
		}
		n := 0
		for _, other := range p.Frame.Comparisons {
			if other.Method.ID == r.Method.ID && other.Method.Version == r.Method.Version {
				n++
			}
		}
		among := ""
		if n > 1 { // who registers many comparisons and shows one has chosen it, too
			among = fmt.Sprintf(", one of %d of this version of %s", n, r.Method.ID)
		}
		text := fmt.Sprintf("%s against %s was registered on %s (comparison %s%s)", r.Comparison.Method.ID,
			frame.Listed(r.Others()), r.On(), r.Short(), among)
		if r.Lacks != "" {
			text += ", which does not count here: " + r.Lacks
		} else {
			text += ", before the first result of " + r.Comparison.Method.ID
		}
		out = append(out, text+".")
	}
	return out
}
