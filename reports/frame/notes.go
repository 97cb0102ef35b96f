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

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
)

// Notes says, one sentence a note, which splits and sets the table uses and what it lacks. own are notes of
// the report that shows the table.
func (t *Table) Notes(own ...string) []string {
	return slices.Concat(t.splitNotes(), t.countedNotes(), t.partialNotes(), t.belowNotes(), t.apartNotes(),
		t.gapNotes(), t.skippedNotes(), own, t.other)
}

// NotesOfPairs is Notes for a report that has neither means over data sets nor ranks, and names the splits
// with each value.
func (t *Table) NotesOfPairs(own ...string) []string {
	return slices.Concat(t.apartNotes(), t.gapNotes(), t.skippedNotes(), own, t.other)
}

// cautionNotes say of sets what describing them found that may make their results too good.
func (t *Table) cautionNotes(sets []Dataset) []string {
	var notes []string
	for _, d := range sets {
		if e, err := t.Frame.Sets.Entry(d.Name); err == nil && e.Cautions != nil && t.stored(d.Name) {
			notes = append(notes, fmt.Sprintf("Caution, %s: %s.", d.Name, strings.Join(e.Cautions, "; ")))
		}
	}
	return notes
}

// Remarks are the notes that do not concern the table's values: omitted cells with other inputs, warnings of
// fits, and the origin of imported cells.
func (t *Table) Remarks() []string { return t.other }

// splitNotes names the sets whose methods finished the same splits but fewer than planned, and the sets whose
// methods finished different splits.
func (t *Table) splitNotes() []string {
	byCount := map[int][]string{}
	var unequal []string
	withRuns := 0
	for _, row := range t.Sets {
		n := row.Finished()
		if n > 0 {
			withRuns++
		}
		switch {
		case row.Unequal:
			unequal = append(unequal, fmt.Sprintf("%s (%s)", row.Name, t.unequal(row)))
		case n > 0 && n < len(t.Splits):
			byCount[n] = append(byCount[n], row.Name)
		}
	}
	var notes []string
	for _, n := range slices.Sorted(maps.Keys(byCount)) {
		where := Briefly(byCount[n], "data set")
		if len(byCount[n]) == withRuns && withRuns > 1 {
			where = "every data set with results"
		}
		notes = append(notes, fmt.Sprintf("%d of %s: %s.", n, Count(len(t.Splits), "split"), where))
	}
	if len(unequal) > 0 {
		notes = append(notes, fmt.Sprintf(
			"† The methods finished different splits, so their means are not comparable: no best, not in Mean or "+
				"ranks: %s.",
			Briefly(unequal, "data set")))
	}
	return notes
}

// unequal says how many splits the whole methods finished of a set: each, or the least and the most of many.
func (t *Table) unequal(s Set) string {
	var counts []string
	least, most := len(t.Splits), 0
	for _, c := range s.Entries[:t.whole] {
		n := len(c.Runs)
		counts, least, most = append(counts, fmt.Sprintf("%s %d", c.Method, n)), min(least, n), max(most, n)
	}
	if text := strings.Join(counts, ", "); len(counts) <= fewNames {
		return fmt.Sprintf("%s of %s", text, Count(len(t.Splits), "split"))
	}
	return fmt.Sprintf("%d to %d of %s", least, most, Count(len(t.Splits), "split"))
}

// countedNotes names the sets behind Mean and the ranks, or the sets left out, whichever list is shorter.
func (t *Table) countedNotes() []string {
	not := t.setNames(func(s Set) bool { return s.Group == GroupMain && !s.Counted })
	over := strings.Join(t.Counted, ", ")
	if len(not) < len(t.Counted) {
		over = "all but " + strings.Join(not, ", ")
	}
	switch {
	case len(t.Counted) == 0:
		return []string{"No data set of the main group has a finished split, so there is no Mean and there are no " +
			"average ranks."}
	case len(not) > 0:
		return []string{fmt.Sprintf("Mean and average ranks are over %d of %s: %s.", len(t.Counted),
			Count(len(t.Counted)+len(not), "data set"), over)}
	}
	return nil
}

// partialNotes say which methods lack counted sets, what completes them, and which splits go beyond the
// compared ones.
func (t *Table) partialNotes() []string {
	var notes, partial []string
	for i := t.whole; i < len(t.Methods); i++ {
		partial = append(partial, fmt.Sprintf("%s (%d of %s)", t.Methods[i], t.Coverage(i),
			Count(len(t.Counted), "data set")))
	}
	if partial != nil {
		note := "Partial, so without Mean and ranks: " + Briefly(partial, "method") + "."
		if t.Completes != "" {
			note += " To complete what can be run: `" + t.Completes + "`."
		}
		notes = append(notes, note)
	}
	if surplus := t.missing(Surplus); len(surplus) > 0 {
		where, _ := t.where(surplus)
		notes = append(notes, "Left out, since most methods have not finished these splits: "+where+".")
	}
	return notes
}

// belowNotes names the data sets shown below the ranks.
func (t *Table) belowNotes() []string {
	var notes []string
	for _, g := range []struct{ group, text string }{
		{GroupApart, "Shown apart, not in Mean or ranks: %s."},
		{GroupGenerated, "Generated data sets, not in Mean or ranks: %s."},
	} {
		names := t.setNames(func(s Set) bool {
			return s.Group == g.group && (g.group != GroupApart || s.listed) && s.Finished() > 0
		})
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf(g.text, Briefly(names, "data set")))
		}
	}
	return notes
}

// apartNotes name the sets that the protocol does not name, with what counts them, and the sets with few splits.
func (t *Table) apartNotes() []string {
	var notes, own, few []string
	ask := []string{t.Protocol}
	for _, s := range t.Sets {
		switch {
		case s.Finished() == 0:
		case s.Group == GroupApart && !s.listed:
			own, ask = append(own, s.Name), append(ask, cmp.Or(s.File, s.Name))
		case s.Group == GroupMain && !s.Counted && t.Few(len(s.Splits)):
			few = append(few, fmt.Sprintf("%s (%d)", s.Name, len(s.Splits)))
		}
	}
	if own != nil {
		notes = append(notes, fmt.Sprintf("Shown apart and not counted, since protocol %s does not name them: %s. "+
			"`--datasets %s` counts them.",
			t.Protocol, Briefly(own, "data set"), strings.Join(ask, ",")))
	}
	if few != nil {
		notes = append(notes, fmt.Sprintf("Not counted, since they have less than half of the usual %s: %s.",
			Count(t.usual, "split"), Briefly(few, "data set")))
	}
	return notes
}

func (t *Table) setNames(pick func(Set) bool) []string {
	var names []string
	for _, s := range t.Sets {
		if pick(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// WithoutResults says which sets have no finished split; "" if all have one.
func (t *Table) WithoutResults() string {
	names := t.setNames(func(s Set) bool { return s.Finished() == 0 })
	if names == nil {
		return ""
	}
	return "Without results: " + Briefly(names, "data set") + "."
}

func (t *Table) skippedNotes() []string {
	var notes []string
	if without := t.WithoutResults(); without != "" {
		notes = append(notes, without)
	}
	sets := t.OtherTasks()
	for _, why := range sets.Keys {
		notes = append(notes, fmt.Sprintf("Left out, since %s and has no %s: %s.", why, t.Metric.Name,
			Briefly(sets.Of[why], "data set")))
	}
	return notes
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
	return fmt.Sprintf("%s in %s, of %s on %s", Count(runs, "split"), Count(len(cells), "cell"), t.methodList(methods),
		Briefly(sets, "data set"))
}

// methodList names methods, which are in the table's order.
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

// importedNotes says which cells were not computed with this database but imported, and where they
// were computed: a note for each file and machine.
func importedNotes(rows []store.Row) []string {
	type origin struct{ file, cpu string }
	var methods Groups[origin, string] // of each cell
	for _, r := range rows {
		if r.Imported == "" {
			continue
		}
		key := origin{file: r.Imported}
		if e := r.Environment; e != nil && r.FitSeconds != nil { // without a fit there are scores alone
			key.cpu = cmp.Or(e.CPU, "a processor that was not recorded")
			if e.Cores > 0 {
				key.cpu += fmt.Sprintf(" (%s)", Count(e.Cores, "core"))
			}
		}
		methods.Add(key, r.Method)
	}
	var notes []string
	for _, o := range methods.Keys {
		format := "Imported from %s, test scores of a method elsewhere that were counted here%s: %s of %s."
		if o.cpu != "" {
			format = "Imported from %s, computed on %s: %s of %s. Their times do not compare with those of another " +
				"processor."
		}
		var names []string
		for _, m := range methods.Of[o] {
			AppendUnique(&names, m)
		}
		notes = append(notes, fmt.Sprintf(format, o.file, o.cpu, Count(len(methods.Of[o]), "cell"),
			Briefly(names, "method")))
	}
	return notes
}

// details are the values that end a warning, "key=value key=value", which differ from fit to fit.
var details = regexp.MustCompile(` [\w.-]+=.*$`)

// warningNotes says in one note that fits gave warnings, and quotes the text if it is always the same.
func warningNotes(rows []store.Row) []string {
	var methods, sets, texts []string
	times := 0
	for _, r := range rows {
		for _, w := range r.Warnings {
			AppendUnique(&methods, r.Method)
			AppendUnique(&sets, r.Dataset)
			AppendUnique(&texts, details.ReplaceAllString(w.Text, ""))
			times += w.Times
		}
	}
	if texts == nil {
		return nil
	}
	what := Count(len(texts), "message")
	if len(texts) == 1 {
		what = texts[0]
	}
	return []string{fmt.Sprintf("Fits of %s warn on %s, %s: %s. Table warnings has each.",
		Briefly(methods, "method"), Briefly(sets, "data set"), Count(times, "time"), what)}
}

// findings are warnings about findings against methods of the table. A finding counts if the shown cells have its
// version and data.
func (t *Table) findings() []string {
	shown := func(f store.Finding) bool {
		for _, m := range t.Methods {
			if slices.ContainsFunc(t.rows[cellKey{f.Dataset, m}], func(r store.Row) bool {
				method := r.Method
				if v, ok := t.Pinned(m); ok {
					method = v.Method
				}
				return method == f.Method && r.MethodVersion == f.MethodVersion && r.Fingerprint == f.Fingerprint
			}) {
				return true
			}
		}
		return false
	}
	return store.Describe(slices.DeleteFunc(slices.Clone(t.Frame.found),
		func(f store.Finding) bool { return !shown(f) }))
}

// changedWarnings name the sets whose data changed: a line for each, or one line for many.
func (t *Table) changedWarnings(sets []Dataset) []string {
	var lines []string
	names := map[string]bool{}
	for _, c := range t.Changed {
		lines, names[c.Dataset] = append(lines, c.String()), true
	}
	if len(lines) <= fewNames {
		return lines
	}
	line := fmt.Sprintf("The rows of %s are of the data as it was read then; their files changed since",
		Count(len(lines), "data set"))
	if command := t.runAgain(sets, names); command != "" {
		line += ": " + command
	}
	return []string{line}
}

// String describes the change on one line, which ends with the command.
func (c Change) String() string {
	s := fmt.Sprintf("The row %s is of the data as it was read then. %s", c.Dataset, changedSince(c.File, c.Is, c.Was))
	if c.Command == "" {
		return s
	}
	return s + ": " + c.Command
}
