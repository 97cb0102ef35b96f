package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
)

// A Missing is splits that a table lacks of a cell, for one reason; where Method is "", all cells of the set.
type Missing struct {
	Kind            Kind
	Dataset, Method string
	Splits          []int  // nil for all
	Status, Reason  string // what became of the splits, and why
	Done            int    // finished splits of the cell
	Runs            bool   // `bench run` computes the splits
}

// A Kind says how splits are missing.
type Kind int

// Splits of the first kinds are not finished, those of Outdated and Surplus are. Cells of OtherTask cannot exist.
const (
	Failed        Kind = iota // with an error, or without the metric
	Skipped                   // a run left them out, since a prediction exceeded a limit
	CannotRun                 // this program refuses them
	NotRun                    // on a set with other stored cells
	NothingStored             // not run, on a set without stored cells

	Outdated  // of other data than the set's files hold now
	Surplus   // beyond the splits that most methods finished
	OtherTask // the metric does not exist for the set's task
)

// lacks lists what the table lacks of a cell: failed splits, grouped by reason in the order of their first split, and
// splits that did not run. A finished run for which the metric does not exist counts as failed. Of a set whose data
// changed all splits are to run again.
func (t *Table) lacks(dataset, method string, changed bool) []Missing {
	type reason struct {
		kind           Kind
		status, reason string
		runs           bool
	}
	var groups Groups[reason, int]
	why := t.Frame.cannot(method, dataset)
	done, have, key := 0, map[int]bool{}, cellKey{dataset, method}
	for _, r := range t.rows[key] {
		have[r.Split] = true
		if t.Value(r) != nil {
			done++
			continue
		}
		status := string(r.Status)
		if r.Status == result.Failed && r.Class != "" && r.Class != result.ClassError {
			status += ", " + string(r.Class)
		}
		if r.Status == result.OK {
			status = "no " + t.Metric.Name + " is stored"
		}
		groups.Add(reason{Failed, cmp.Or(status, "no status"), r.Error,
			why == "" && (changed || r.Status != result.OK)}, r.Split)
	}
	never := reason{NotRun, "not run", "", true}
	switch {
	case why != "":
		never = reason{CannotRun, "cannot be run", why, false}
	case !t.stored(dataset):
		never.kind = NothingStored
	}
	var open []int
	for _, s := range t.Splits {
		switch skipped := t.Frame.beyond[splitKey{key, s}]; {
		case have[s]:
		case skipped == "" || why != "":
			open = append(open, s)
		default:
			groups.Add(reason{Skipped, "skipped", skipped, changed}, s)
		}
	}
	for _, s := range open { // after the skipped ones
		groups.Add(never, s)
	}
	if changed && why == "" {
		for _, r := range t.rows[key] {
			if t.Value(r) != nil {
				groups.Add(reason{Outdated, "outdated", "", true}, r.Split)
			}
		}
	}
	var out []Missing
	for _, r := range groups.Keys {
		out = append(out, Missing{r.kind, dataset, method, groups.Of[r], r.status, r.reason, done, r.runs})
	}
	return out
}

// complete reports whether the runs of a cell are all finished, and are those of all splits; rows are its rows.
func (t *Table) complete(cell Entry, rows []store.Row) bool {
	return len(cell.Runs)+len(cell.Beyond) == len(rows) && contains(cell.Splits(), t.Splits)
}

// Unfinished lists the splits that are planned and not finished, by set and method.
func (t *Table) Unfinished() []Missing {
	return t.missing(Failed, Skipped, CannotRun, NotRun, NothingStored)
}

func (t *Table) missing(kinds ...Kind) []Missing {
	return slices.DeleteFunc(slices.Clone(t.Missing), func(m Missing) bool { return !slices.Contains(kinds, m.Kind) })
}

func (m Missing) text() string {
	switch {
	case m.Kind == Skipped:
		return m.Reason
	case m.Reason == "":
		return m.Status
	case m.Kind == CannotRun:
		return m.Status + " (" + m.Reason + ")"
	}
	return m.Status + " (" + brief(m.Reason) + ")"
}

// Lacks says on one line how many splits of a cell are finished and what happened to the other splits; "" if all are.
func (t *Table) Lacks(dataset, method string) string {
	var parts []string
	for _, m := range t.Missing {
		if m.Dataset != dataset || m.Method != method || m.Kind > NothingStored {
			continue
		}
		if parts == nil {
			parts = []string{fmt.Sprintf("%d of %s", m.Done, Count(len(t.Splits), "split"))}
		}
		text := m.text() + ": " + splitList(m.Splits)
		if m.Kind == Failed {
			text = m.Status + " on " + splitList(m.Splits) + strings.TrimPrefix(m.text(), m.Status)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// FailedOn reports whether a split of a cell failed.
func (t *Table) FailedOn(dataset, method string) bool {
	return slices.ContainsFunc(t.Missing, func(m Missing) bool {
		return m.Kind == Failed && m.Dataset == dataset && m.Method == method
	})
}

func (t *Table) dropSurplus() {
	for _, m := range t.missing(Surplus) {
		key := cellKey{m.Dataset, m.Method}
		t.rows[key] = without(t.rows[key], func(r store.Row) bool {
			return slices.Contains(m.Splits, r.Split)
		})
	}
}

// NothingStored are the sets without stored cells; only the full command runs them.
func (t *Table) NothingStored() []string {
	var sets []string
	for _, m := range t.missing(NothingStored) {
		AppendUnique(&sets, m.Dataset)
	}
	return sets
}

// OtherTasks are the sets for which the metric does not exist, by the reason.
func (t *Table) OtherTasks() Groups[string, string] {
	var sets Groups[string, string]
	for _, m := range t.missing(OtherTask) {
		sets.Add(m.Reason, m.Dataset)
	}
	return sets
}

// brief puts a message on one line. It cuts a message that is longer than a note may be, and says its length.
func brief(s string) string {
	const longest = 300
	s = doc.OneLine(s)
	n := utf8.RuneCountInString(s)
	if n <= longest {
		return s
	}
	return fmt.Sprintf("%s … of %d characters", string([]rune(s)[:longest]), n)
}

// Groups collects values under keys. Keys are in the order in which they came.
type Groups[K comparable, V any] struct {
	Keys []K
	Of   map[K][]V
}

// Add adds a value to those of a key.
func (g *Groups[K, V]) Add(key K, v V) {
	if g.Of == nil {
		g.Of = map[K][]V{}
	}
	if _, there := g.Of[key]; !there {
		g.Keys = append(g.Keys, key)
	}
	g.Of[key] = append(g.Of[key], v)
}

// MissingRecords says for programs what the table lacks and what is left out of it.
func (t *Table) MissingRecords() []doc.Block {
	missing := doc.Records{Name: "missing", Columns: []string{"dataset", "method", "splits_ok", "splits_planned",
		"splits", "status", "reason"}}
	for _, m := range t.Unfinished() {
		missing.Add(m.Dataset, m.Method, m.Done, len(t.Splits), m.Splits, m.Status, m.Reason)
	}
	changed := doc.Records{Name: "data_changed", Columns: []string{"dataset", "file", "data_was", "data_is", "command"}}
	for _, c := range t.Changed {
		changed.Add(c.Dataset, c.File, c.Was, c.Is, c.Command)
	}
	left := doc.Records{Name: "left_out", Columns: []string{"dataset", "why"}}
	for _, name := range t.NothingStored() {
		left.Add(name, "nothing is stored")
	}
	for _, m := range t.missing(OtherTask) {
		left.Add(m.Dataset, m.Reason)
	}
	return []doc.Block{missing, changed, left}
}
