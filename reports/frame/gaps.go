package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
)

// Gap is a cell with fewer finished splits than planned.
type Gap struct {
	Dataset, Method string
	Done, Planned   int
	Beyond          []Failure // splits without a run that runs skipped; Status says why
	NotRun          []int     // other splits without a run
	Why             string    // why NotRun cannot run; "" if they can
	Failures        []Failure
}

// Failure groups the splits of a cell that failed in the same way.
type Failure struct {
	Status, Error string
	Splits        []int
}

// newGap divides a cell's unfinished splits into failed splits, grouped by reason in the order of their first
// split, and splits that did not run. A finished run for which the metric does not exist counts as failed.
func (t *Table) newGap(dataset, method string, rows []store.Row) Gap {
	g := Gap{Dataset: dataset, Method: method, Planned: len(t.Splits), Why: t.cannot[cellKey{dataset, method}]}
	have := map[int]bool{}
	type reason struct{ status, err string }
	var failed Groups[reason, int]
	var beyond Groups[string, int]
	for _, r := range rows {
		have[r.Split] = true
		if t.Value(r) != nil {
			g.Done++
			continue
		}
		why := reason{string(r.Status), r.Error}
		if r.Status == result.Failed && r.Class != "" && r.Class != result.ClassError {
			why.status += ", " + string(r.Class)
		}
		if r.Status == result.OK {
			why = reason{status: "no " + t.Metric.Name + " is stored"}
		}
		failed.Add(why, r.Split)
	}
	for _, s := range t.Splits {
		switch why := t.beyond[cellKey{dataset, method}][s]; {
		case have[s]:
		case why == "" || g.Why != "":
			g.NotRun = append(g.NotRun, s)
		default:
			beyond.Add(why, s)
		}
	}
	for _, why := range failed.Keys {
		g.Failures = append(g.Failures, Failure{why.status, why.err, failed.Of[why]})
	}
	for _, why := range beyond.Keys {
		g.Beyond = append(g.Beyond, Failure{Status: why, Splits: beyond.Of[why]})
	}
	return g
}

// whyBeyond says for skipped cells what they were predicted to need, and which option skipped them.
func whyBeyond(left []result.Exclusion) map[cellKey]map[int]string {
	out := map[cellKey]map[int]string{}
	for _, l := range left {
		key := cellKey{l.Dataset, l.Method}
		if out[key] == nil {
			out[key] = map[int]string{}
		}
		out[key][l.Split] = l.Why.String()
	}
	return out
}

// Describe says on one line how many splits are finished and what happened to the other splits.
func (g Gap) Describe() string {
	parts := []string{fmt.Sprintf("%d of %s", g.Done, Count(g.Planned, "split"))}
	for _, f := range g.Failures {
		text := fmt.Sprintf("%s on %s", cmp.Or(f.Status, "no status"), splitList(f.Splits))
		if f.Error != "" {
			text += " (" + brief(f.Error) + ")"
		}
		parts = append(parts, text)
	}
	for _, l := range g.Beyond {
		parts = append(parts, l.Status+": "+splitList(l.Splits))
	}
	if len(g.NotRun) > 0 {
		parts = append(parts, g.notRun()+": "+splitList(g.NotRun))
	}
	return strings.Join(parts, "; ")
}

func (g Gap) notRun() string {
	if g.Why != "" {
		return "cannot be run (" + g.Why + ")"
	}
	return "not run"
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

// A Reason says why and where splits are missing.
type Reason struct {
	Text  string // "Failed (singular matrix)", "Not run"
	Runs  int    // one a split of a cell
	Where string // methods, data sets and splits, or how many of them
	Short bool   // Where gives numbers only
}

// Reasons lists all gaps, one entry a status and reason. Failures come first, in their order, then skipped
// cells, then cells that cannot run, then cells that did not run. Cells without a run on sets in Skipped are
// reported elsewhere.
func (t *Table) Reasons() []Reason {
	var failed, left, cannot, notRun Groups[string, gapCell]
	for _, g := range t.Gaps {
		for _, f := range g.Failures {
			text := cmp.Or(f.Status, "no status")
			if f.Error != "" {
				text += " (" + brief(f.Error) + ")"
			}
			failed.Add(text, gapCell{g.Method, g.Dataset, f.Splits})
		}
		for _, l := range g.Beyond {
			left.Add(l.Status, gapCell{g.Method, g.Dataset, l.Splits})
		}
		switch missing := (gapCell{g.Method, g.Dataset, g.NotRun}); {
		case len(g.NotRun) == 0:
		case g.Why != "":
			cannot.Add(g.notRun(), missing)
		case g.Done > 0 || len(g.Failures) > 0 || !slices.Contains(t.Skipped, g.Dataset):
			notRun.Add(g.notRun(), missing)
		}
	}
	var out []Reason
	for _, groups := range []Groups[string, gapCell]{failed, left, cannot, notRun} {
		for _, text := range groups.Keys {
			r := Reason{Text: capital(text)}
			r.Where, r.Short = t.where(groups.Of[text])
			for _, c := range groups.Of[text] {
				r.Runs += len(c.splits)
			}
			out = append(out, r)
		}
	}
	return out
}

func (t *Table) gapNotes() []string {
	var notes []string
	for _, r := range t.Reasons() {
		each := ""
		if r.Short {
			each = "; `--format json` lists each"
		}
		notes = append(notes, r.Text+": "+r.Where+each+".")
	}
	return notes
}

func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// gapCell is splits of a cell.
type gapCell struct {
	method, dataset string
	splits          []int
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

// where writes cells as blocks of methods on data sets, "A, B on wine, sonar (splits 1-3)". It writes numbers
// where this takes many blocks; short reports this.
func (t *Table) where(cells []gapCell) (text string, short bool) {
	const most = 3
	type row struct{ dataset, splits string }
	var methods Groups[row, string]
	for _, c := range cells {
		methods.Add(row{c.dataset, splitList(c.splits)}, c.method)
	}
	type block struct{ methods, splits string }
	var sets Groups[block, string]
	for _, r := range methods.Keys {
		sets.Add(block{t.methodList(methods.Of[r]), r.splits}, r.dataset)
	}
	if len(sets.Keys) > most {
		return t.sum(cells), true
	}
	var parts []string
	for _, b := range sets.Keys {
		short = short || len(sets.Of[b]) > fewNames
		parts = append(parts, fmt.Sprintf("%s on %s (%s)", b.methods, Briefly(sets.Of[b], "data set"), b.splits))
	}
	return strings.Join(parts, "; "), short
}

// sum says how many cells there are, and of which methods and data sets.
func (t *Table) sum(cells []gapCell) string {
	var methods, sets []string
	runs := 0
	for _, c := range cells {
		Note(&methods, c.method)
		Note(&sets, c.dataset)
		runs += len(c.splits)
	}
	slices.SortFunc(methods, func(a, b string) int { return slices.Index(t.Methods, a) - slices.Index(t.Methods, b) })
	return fmt.Sprintf("%s in %s, of %s on %s", Count(runs, "split"), Count(len(cells), "cell"), t.methodList(methods), Briefly(sets, "data set"))
}

// methodList names methods, which are in the table's order.
func (t *Table) methodList(methods []string) string {
	if len(methods) == len(t.Methods) && len(methods) > 1 {
		return "every method"
	}
	return Briefly(methods, "method")
}

// End appends to a document what ends every report: the command that computes what the table lacks, the report's records, and
// the records of what is missing.
func (t *Table) End(d *doc.Document, records ...doc.Block) {
	d.Blocks = slices.Concat(d.Blocks, t.MissingCode(), records, t.MissingRecords())
}

// MissingCode is the command that computes what the table lacks; nothing if there is none.
func (t *Table) MissingCode() []doc.Block {
	if t.FullCommand == "" {
		return nil
	}
	return []doc.Block{doc.Code{Title: "To compute what is missing", Language: "sh", Text: t.FullCommand}}
}

// MissingRecords says for programs what the table lacks and what is left out of it.
func (t *Table) MissingRecords() []doc.Block {
	missing := doc.Records{Name: "missing", Columns: []string{"dataset", "method", "splits_ok", "splits_planned", "splits", "status", "reason"}}
	for _, g := range t.Gaps {
		for _, f := range g.Failures {
			missing.Add(g.Dataset, g.Method, g.Done, g.Planned, f.Splits, f.Status, f.Error)
		}
		if len(g.NotRun) > 0 {
			status := "not run"
			if g.Why != "" {
				status = "cannot be run"
			}
			missing.Add(g.Dataset, g.Method, g.Done, g.Planned, g.NotRun, status, g.Why)
		}
	}
	changed := doc.Records{Name: "data_changed", Columns: []string{"dataset", "file", "data_was", "data_is", "command"}}
	for _, c := range t.Changed {
		changed.Add(c.Dataset, c.File, c.Was, c.Is, c.Command)
	}
	left := doc.Records{Name: "left_out", Columns: []string{"dataset", "why"}}
	for _, name := range t.Skipped {
		left.Add(name, "nothing is stored")
	}
	for _, w := range t.Without {
		for _, name := range w.Sets {
			left.Add(name, w.Why)
		}
	}
	return []doc.Block{missing, changed, left}
}
