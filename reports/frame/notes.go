package frame

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
)

// A place says which reports show a note.
type place int

const (
	ofMeans place = iota // reports with means over data sets or ranks
	ofAll                // all reports with notes
	remark               // see Remarks
	warned               // see Warnings
)

// notes are the kinds of sentences about a table, in their order. Each fact of a kind, the values in its text, is one.
var notes = []struct {
	place place
	text  string
	facts func(t *Table) [][]any
}{
	{ofMeans, "%d of %s: %s.", (*Table).fewerSplits},
	{ofMeans, "† The methods finished different splits, so their means are not comparable: no best, not in Mean or " +
		"ranks: %s.", func(t *Table) [][]any {
		unequal := t.setTexts(func(s Set) bool { return s.Unequal }, t.unequal)
		return when(unequal != nil, Briefly(unequal, "data set"))
	}},
	{ofMeans, "No data set of the main group has a finished split, so there is no Mean and there are no average ranks.",
		func(t *Table) [][]any { return when(len(t.Counted) == 0) }},
	{ofMeans, "Mean and average ranks are over %d of %s: %s.", func(t *Table) [][]any {
		not, n := t.setNames(func(s Set) bool { return s.Group == GroupMain && !s.Counted }), len(t.Counted)
		over := strings.Join(t.Counted, ", ")
		if len(not) < n {
			over = "all but " + strings.Join(not, ", ")
		}
		return when(n > 0 && not != nil, n, Count(n+len(not), "data set"), over)
	}},
	{ofMeans, "Partial, so without Mean and ranks: %s.%s", func(t *Table) [][]any {
		var partial []string
		for i, m := range t.Methods[t.whole:] {
			partial = append(partial, fmt.Sprintf("%s (%d of %s)", m, t.Coverage(t.whole+i),
				Count(len(t.Counted), "data set")))
		}
		completes := ""
		if t.Completes != "" {
			completes = " To complete what can be run: `" + t.Completes + "`."
		}
		return when(partial != nil, Briefly(partial, "method"), completes)
	}},
	{ofMeans, "Left out, since most methods have not finished these splits: %s.", func(t *Table) [][]any {
		surplus := t.missing(Surplus)
		where, _ := t.where(surplus)
		return when(len(surplus) > 0, where)
	}},
	{ofMeans, "Shown apart, not in Mean or ranks: %s.", sets(func(s Set) bool {
		return s.Group == GroupApart && s.listed && s.Finished() > 0
	})},
	{ofMeans, "Generated data sets, not in Mean or ranks: %s.", sets(func(s Set) bool {
		return s.Group == GroupGenerated && s.Finished() > 0
	})},
	{ofAll, "Shown apart and not counted, since protocol %s does not name them: %s. `--datasets %s` counts them.",
		func(t *Table) [][]any {
			unlisted := func(s Set) bool { return s.Finished() > 0 && s.Group == GroupApart && !s.listed }
			names := t.setNames(unlisted)
			ask := t.setTexts(unlisted, func(s Set) string { return cmp.Or(s.File, s.Name) })
			return when(names != nil, t.Protocol, Briefly(names, "data set"),
				strings.Join(slices.Insert(ask, 0, t.Protocol), ","))
		}},
	{ofMeans, "Not counted, since they have less than half of the usual %s: %s.", func(t *Table) [][]any {
		few := t.setTexts(func(s Set) bool {
			return s.Finished() > 0 && s.Group == GroupMain && !s.Counted && t.Few(len(s.Splits))
		}, func(s Set) string { return fmt.Sprintf("%s (%d)", s.Name, len(s.Splits)) })
		return when(few != nil, Count(t.usual, "split"), Briefly(few, "data set"))
	}},
	{ofAll, "%s: %s%s.", func(t *Table) (facts [][]any) {
		for _, r := range t.Reasons() {
			each := ""
			if r.Short {
				each = "; `--format json` lists each"
			}
			facts = append(facts, []any{r.Text, r.Where, each})
		}
		return facts
	}},
	{ofAll, withoutResults, sets(func(s Set) bool { return s.Finished() == 0 })},
	{ofAll, "Left out, since %s and has no %s: %s.", func(t *Table) (facts [][]any) {
		sets := t.OtherTasks()
		for _, why := range sets.Keys {
			facts = append(facts, []any{why, t.Metric.Name, Briefly(sets.Of[why], "data set")})
		}
		return facts
	}},

	{remark, "Left out, %s of %s: %s; `bench run` brings them up to date.", func(t *Table) (facts [][]any) {
		for _, d := range t.outdated {
			facts = append(facts, []any{Count(d.cells, "cell"), d.what, d.briefly()})
		}
		return facts
	}},
	{remark, "No %s of methods whose scores are not declared as probabilities: %s.", func(t *Table) [][]any {
		return when(t.undeclared != nil, t.Metric.Name, strings.Join(t.undeclared, ", "))
	}},
	{remark, "Left out, %s of %s stored without %s; `bench run --rerun %s` computes them again.",
		func(t *Table) [][]any {
			d := t.unmeasured
			return when(d.cells > 0, Count(d.cells, "cell"), strings.Join(d.methods, ", "), t.Metric.Name,
				strings.Join(d.methods, ","))
		}},
	{remark, "Fits of %s warn on %s, %s: %s. Table warnings has each.", (*Table).warningsOfFits},
	{remark, "Imported from %s, %s.", (*Table).imported},
	{remark, "Caution, %s: %s.", func(t *Table) (facts [][]any) {
		for _, d := range t.datasets {
			if e, err := t.Frame.Sets.Entry(d.Name); err == nil && e.Cautions != nil && t.stored(d.Name) {
				facts = append(facts, []any{d.Name, strings.Join(e.Cautions, "; ")})
			}
		}
		return facts
	}},

	{warned, "The rows that are tested are those that were learned from: the numbers say how well models fit, and " +
		"nothing of new data.", func(t *Table) [][]any { return when(t.Frame.Protocol.Fits) }},
	{warned, "%s", (*Table).findings},
	{warned, "%s", (*Table).mixedVersions},
	{warned, "%s", (*Table).changes},
	{warned, "Left out, %s of %s: %s.", (*Table).ofOtherData},
}

const withoutResults = "Without results: %s."

// say makes the sentences of a place.
func (t *Table) say(of place) (out []string) {
	for _, n := range notes {
		if n.place != of {
			continue
		}
		for _, fact := range n.facts(t) {
			out = append(out, fmt.Sprintf(n.text, fact...))
		}
	}
	return out
}

// when is one fact, if a condition holds.
func when(holds bool, values ...any) [][]any {
	if !holds {
		return nil
	}
	return [][]any{values}
}

// sets is the fact of the names of some sets, if there are any.
func sets(pick func(Set) bool) func(*Table) [][]any {
	return func(t *Table) [][]any {
		names := t.setNames(pick)
		return when(names != nil, Briefly(names, "data set"))
	}
}

func (t *Table) setNames(pick func(Set) bool) []string {
	return t.setTexts(pick, func(s Set) string { return s.Name })
}

func (t *Table) setTexts(pick func(Set) bool, text func(Set) string) (texts []string) {
	for _, s := range t.Sets {
		if pick(s) {
			texts = append(texts, text(s))
		}
	}
	return texts
}

// Notes says, one sentence a note, which splits and sets the table uses and what it lacks. own are notes of
// the report that shows the table.
func (t *Table) Notes(own ...string) []string {
	return append(t.say(ofMeans), t.NotesOfPairs(own...)...)
}

// NotesOfPairs is Notes for a report that has neither means over data sets nor ranks, and names the splits
// with each value.
func (t *Table) NotesOfPairs(own ...string) []string {
	return slices.Concat(t.say(ofAll), own, t.other)
}

// Remarks are the notes that do not concern the table's values: omitted cells with other inputs, warnings of
// fits, and the origin of imported cells.
func (t *Table) Remarks() []string { return t.other }

// WithoutResults says which sets have no finished split; "" if all have one.
func (t *Table) WithoutResults() string {
	if names := t.setNames(func(s Set) bool { return s.Finished() == 0 }); names != nil {
		return fmt.Sprintf(withoutResults, Briefly(names, "data set"))
	}
	return ""
}

// fewerSplits are the sets whose methods finished the same splits but fewer than planned, by their number.
func (t *Table) fewerSplits() (facts [][]any) {
	byCount := map[int][]string{}
	withRuns := len(t.setNames(func(s Set) bool { return s.Finished() > 0 }))
	for _, row := range t.Sets {
		if n := row.Finished(); !row.Unequal && n > 0 && n < len(t.Splits) {
			byCount[n] = append(byCount[n], row.Name)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(byCount)) {
		where := Briefly(byCount[n], "data set")
		if len(byCount[n]) == withRuns && withRuns > 1 {
			where = "every data set with results"
		}
		facts = append(facts, []any{n, Count(len(t.Splits), "split"), where})
	}
	return facts
}

// unequal says how many splits the whole methods finished of a set: each, or the least and the most of many.
func (t *Table) unequal(s Set) string {
	var counts []string
	least, most := len(t.Splits), 0
	for _, c := range s.Entries[:t.whole] {
		n := len(c.Runs)
		counts, least, most = append(counts, fmt.Sprintf("%s %d", c.Method, n)), min(least, n), max(most, n)
	}
	text := strings.Join(counts, ", ")
	if len(counts) > fewNames {
		text = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("%s (%s of %s)", s.Name, text, Count(len(t.Splits), "split"))
}

// A Reason says why and where splits are missing.
type Reason struct {
	Text  string // "Failed (singular matrix)", "Not run"
	Runs  int    // one a split of a cell
	Where string // methods, data sets and splits, or how many of them
	Short bool   // Where gives numbers only
}

// Reasons lists what is not finished, one entry a kind and reason, in the order of the kinds. Sets of which nothing is
// stored are reported elsewhere.
func (t *Table) Reasons() []Reason {
	var out []Reason
	for kind := Failed; kind <= NotRun; kind++ {
		var groups Groups[string, Missing]
		for _, m := range t.missing(kind) {
			groups.Add(m.text(), m)
		}
		for _, text := range groups.Keys {
			r := Reason{Text: Capital(text)}
			r.Where, r.Short = t.where(groups.Of[text])
			for _, m := range groups.Of[text] {
				r.Runs += len(m.Splits)
			}
			out = append(out, r)
		}
	}
	return out
}

// Capital writes a text with a capital at its beginning.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// where writes cells as blocks of methods on data sets, "A, B on wine, sonar (splits 1-3)". It writes numbers
// where this takes many blocks; short reports this.
func (t *Table) where(cells []Missing) (text string, short bool) {
	const most = 3
	type row struct{ dataset, splits string }
	var methods Groups[row, string]
	for _, c := range cells {
		methods.Add(row{c.Dataset, splitList(c.Splits)}, c.Method)
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
func (t *Table) sum(cells []Missing) string {
	var methods, sets []string
	runs := 0
	for _, c := range cells {
		AppendUnique(&methods, c.Method)
		AppendUnique(&sets, c.Dataset)
		runs += len(c.Splits)
	}
	slices.SortFunc(methods, func(a, b string) int { return slices.Index(t.Methods, a) - slices.Index(t.Methods, b) })
	return fmt.Sprintf("%s, of %s on %s", Count(runs, "cell"), t.methodList(methods), Briefly(sets, "data set"))
}

func (t *Table) methodList(methods []string) string {
	if len(methods) == len(t.Methods) && len(methods) > 1 {
		return "every method"
	}
	return Briefly(methods, "method")
}

func splitList(splits []int) string {
	if len(splits) == 1 {
		return "split " + Ranges(splits)
	}
	return "splits " + Ranges(splits)
}

// fewNames is how many names a note may list.
const fewNames = 5

// Briefly lists a few names, and gives the number of many.
func Briefly(names []string, noun string) string {
	if len(names) > fewNames {
		return Count(len(names), noun)
	}
	return strings.Join(names, ", ")
}

// Ranges writes increasing numbers as "1-3, 7".
func Ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := strconv.Itoa(numbers[i])
		if j > i {
			part += "-" + strconv.Itoa(numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// Count writes a number and what it counts.
func Count(n int, noun string) string { return wording.Count(n, noun) }

// imported are the files from which cells came and the machines that computed them, with these cells.
func (t *Table) imported() (facts [][]any) {
	type origin struct{ file, cpu string }
	var methods Groups[origin, string] // of each cell
	for _, r := range t.taken {
		if r.Imported == "" {
			continue
		}
		key := origin{file: r.Imported}
		if e := r.Environment; e != nil && (r.FitSeconds != nil || r.Status != result.OK) {
			// a cell that ended well without a fit is scores alone
			key.cpu = cmp.Or(e.CPU, "a processor that was not recorded")
			if e.Cores > 0 {
				key.cpu += fmt.Sprintf(" (%s)", Count(e.Cores, "core"))
			}
		}
		methods.Add(key, r.Method)
	}
	for _, o := range methods.Keys {
		var names []string
		for _, m := range methods.Of[o] {
			AppendUnique(&names, m)
		}
		cells := fmt.Sprintf("%s of %s", Count(len(methods.Of[o]), "cell"), Briefly(names, "method"))
		text := "test scores of a method elsewhere that were counted here: " + cells
		if o.cpu != "" {
			text = fmt.Sprintf("computed on %s: %s. Their times do not compare with those of another processor", o.cpu,
				cells)
		}
		facts = append(facts, []any{o.file, text})
	}
	return facts
}

// details are the values that end a warning, "key=value key=value", which differ from fit to fit.
var details = regexp.MustCompile(` [\w.-]+=.*$`)

// warningsOfFits are the methods and sets whose fits gave warnings, and the text if it is always the same.
func (t *Table) warningsOfFits() [][]any {
	var methods, sets, texts []string
	times := 0
	for _, r := range t.taken {
		for _, w := range r.Warnings {
			AppendUnique(&methods, r.Method)
			AppendUnique(&sets, r.Dataset)
			AppendUnique(&texts, details.ReplaceAllString(w.Text, ""))
			times += w.Times
		}
	}
	what := Count(len(texts), "message")
	if len(texts) == 1 {
		what = texts[0]
	}
	return when(texts != nil, Briefly(methods, "method"), Briefly(sets, "data set"), Count(times, "time"), what)
}

// findings are those against methods of the table, in words. A finding counts if the shown cells have its version and
// data.
func (t *Table) findings() (facts [][]any) {
	shown := func(f store.Finding) bool {
		return slices.ContainsFunc(t.Methods, func(m string) bool {
			pinned, _ := t.Pinned(m)
			return slices.ContainsFunc(t.rows[cellKey{f.Dataset, m}], func(r store.Row) bool {
				return cmp.Or(pinned.Method, r.Method) == f.Method && r.MethodVersion == f.MethodVersion &&
					r.Fingerprint == f.Fingerprint
			})
		})
	}
	for _, text := range store.Describe(slices.DeleteFunc(slices.Clone(t.Frame.found),
		func(f store.Finding) bool { return !shown(f) })) {
		facts = append(facts, []any{text})
	}
	return facts
}

// changes are the sets whose data changed: each, or one line for many.
func (t *Table) changes() (facts [][]any) {
	names := map[string]bool{}
	for _, c := range t.Changed {
		facts, names[c.Dataset] = append(facts, []any{c}), true
	}
	if len(facts) <= fewNames {
		return facts
	}
	line := fmt.Sprintf("The rows of %s are of the data as it was read then; their files changed since",
		Count(len(facts), "data set"))
	if command := t.runAgain(names); command != "" {
		line += ": " + command
	}
	return when(true, line)
}

// ofOtherData are the cells that are left out since they ran on other data: those of each set, or of many together.
func (t *Table) ofOtherData() (facts [][]any) {
	var all dropped
	for _, d := range t.otherData {
		facts = append(facts, []any{Count(d.cells, "cell"), d.where(), d.what})
		all.cells += d.cells
		for _, m := range d.methods {
			AppendUnique(&all.methods, m)
		}
		all.sets = append(all.sets, d.sets...)
	}
	if len(facts) > fewNames {
		return when(true, Count(all.cells, "cell"), all.where(), "run on other data than the cells that are shown")
	}
	return facts
}

// String describes the change on one line, which ends with the command.
func (c Change) String() string {
	s := fmt.Sprintf("The row %s is of the data as it was read then. %s", c.Dataset, changedSince(c.File, c.Is, c.Was))
	if c.Command == "" {
		return s
	}
	return s + ": " + c.Command
}
