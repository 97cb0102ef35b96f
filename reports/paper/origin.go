package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// tests says what is tested, how p-values are adjusted, and which differences are too small to matter.
func (b *builder) tests() string {
	text := b.singles() + " " + b.over() + " " + b.adjusted() + " " + b.region()
	if b.ev.Forecasts() && b.rest == nil { // the text has forecasts
		text += tex(" The forecast for one more data set is Laplace's rule of succession on the counts of data sets by mean; leaving out each data set in turn, its log loss is %.2f, and %.2f for equal probabilities.",
			b.ev.Loss, stats.UniformLoss)
	}
	return text
}

func (b *builder) singles() string {
	if b.ev.Sets == 0 {
		return fmt.Sprintf("There is no test on a single data set: that needs %d splits with other rows.", stats.FewestSplits)
	}
	text := `On a data set the differences of two methods, one a split, go to the $t$-test whose variance is corrected for splits that share training rows~\cite{bench-nadeau2003}.`
	if slices.ContainsFunc(b.table.Sets, func(s frame.Set) bool { return s.Draws && s.Finished() > 0 }) {
		text += " There is none on a data set that is divided once."
	}
	return text
}

// over says which methods are compared over data sets.
func (b *builder) over() string {
	few, most := 0, 0
	for _, p := range b.ev.Pairs {
		if n := len(p.Gains); n > 0 && n < b.ev.Fewest {
			few, most = few+1, max(most, n)
		}
	}
	if b.ev.Over == 0 {
		among := "and"
		if len(b.ev.Pairs) > 1 {
			among = "among so many comparisons, and"
		}
		return tex("There is no test over data sets: fewer than %d cannot show a difference %s no comparison has more than %d.", b.ev.Fewest, among, most)
	}
	text := `Over data sets their mean differences, one a data set, go to Wilcoxon's exact signed-rank test~\cite{bench-wilcoxon1945,bench-demsar2006}; intervals are those of Student's $t$ over data sets, of one comparison by itself.`
	if few > 0 {
		text += tex(" %s are over fewer than %d data sets, too few for a test.", frame.Count(few, "comparison"), b.ev.Fewest)
	}
	return text
}

func (b *builder) adjusted() string {
	var of []string
	if b.ev.Over > 0 {
		of = append(of, frame.Count(b.ev.Over, "comparison")+" over data sets")
	}
	if b.ev.Sets > 0 {
		of = append(of, frame.Count(b.ev.Sets, "test")+" on single data sets")
	}
	if of == nil {
		return ""
	}
	text := tex(`The $p$-values of %s are adjusted together by Holm's procedure~\cite{bench-holm1979}`, frame.Listed(of))
	if len(of) > 1 {
		text += tex(` with weights, of which the comparisons over data sets have %s~\%%`, percent(b.ev.Share()))
	}
	return text + tex("; the level is %v. They are those of %s beside each other method, which is right if %s was chosen before the results were seen.", b.ev.Level, b.o.Method, b.o.Method)
}

func (b *builder) region() string {
	if !b.ev.Region.Exists() {
		return "No size of a difference is taken to be too small to matter: a method is called better or worse where a difference is found."
	}
	return tex(`Differences of up to %s are taken not to matter (region of practical equivalence~\cite{bench-benavoli2017}): a method is called better or worse where a difference is found and the mean lies beyond that, `+
		`and a difference is called smaller than what matters where it is found and lies within, or where two one-sided $t$-tests exclude a mean beyond it and most data sets lie within.`, b.ev.Region.Text(b.table.Metric))
}

// A tally is cells by a text.
type tally = frame.Groups[string, store.Row]

// listed writes the texts of a tally, each with the number of its cells where there are several.
func listed(t tally) string {
	if len(t.Keys) == 1 {
		return t.Keys[0]
	}
	parts := doc.Each(t.Keys, func(k string) string { return fmt.Sprintf("%s (%s)", k, frame.Count(len(t.Of[k]), "cell")) })
	return frame.Listed(parts)
}

// origin says which programs computed the cells, when and on what, and which were imported.
func (b *builder) origin() string {
	var by, on, from tally
	var days []string
	imported := 0
	for _, r := range b.rows {
		if r.Imported != "" {
			imported++
			from.Add(r.Imported, r)
		}
		if scored(r) {
			continue
		}
		by.Add(program(r.Environment), r)
		on.Add(machine(r.Environment), r)
		if len(r.StartedAt) >= len("2006-01-02") {
			days = append(days, r.StartedAt[:len("2006-01-02")])
		}
	}
	text := ""
	if by.Keys != nil {
		text = tex(`A cell is one method on one split of one data set. The cells were computed by %s, on %s`, listed(by), listed(on))
		if days != nil {
			text += period(slices.Min(days), slices.Max(days))
		}
		text += ". "
	}
	if imported > 0 {
		text += tex("Imported, and not computed into this database: %d of %s, from %s. ", imported, frame.Count(len(b.rows), "cell"), listed(from))
	}
	return text + tex(`Tables and tests were made with %s~\cite{%s}.`, b.o.Program, programKey)
}

func period(begin, end string) string {
	if begin == end {
		return " on " + begin
	}
	return " from " + begin + " to " + end
}

// program names the program that computed a cell, with its revision.
func program(e *result.Environment) string {
	revision := "revision not recorded"
	if e.VCSRevision != "" {
		revision = fmt.Sprintf("git revision %.12s", e.VCSRevision)
		if e.VCSModified {
			revision += " with changes that were not committed"
		}
	}
	name := fmt.Sprintf("bench %s (%s", cmp.Or(e.ProgramVersion, "of an unknown version"), revision)
	if e.GoVersion != "" {
		name += ", " + e.GoVersion
	}
	return name + ")"
}

// machine names the processor and the system of a cell.
func machine(e *result.Environment) string {
	if e.CPU == "" {
		return "a processor that was not recorded"
	}
	name := e.CPU
	var about []string
	if e.Cores > 0 {
		about = append(about, frame.Count(e.Cores, "core"))
	}
	if e.OS != "" {
		about = append(about, e.OS+"/"+e.Arch)
	}
	if about != nil {
		name += " (" + strings.Join(about, ", ") + ")"
	}
	return name
}

// coverage says how many of the planned cells are finished, and what became of the other cells.
func (b *builder) coverage() string {
	planned, missing := len(b.table.Sets)*len(b.table.Methods)*len(b.table.Splits), 0
	for _, m := range b.table.Unfinished() {
		missing += len(m.Splits)
	}
	size := fmt.Sprintf("%s on %s, %s each", frame.Count(len(b.table.Methods), "method"), frame.Count(len(b.table.Sets), "data set"), frame.Count(len(b.table.Splits), "split"))
	var text string
	if missing == 0 {
		text = tex("All %d cells (%s) are finished.", planned, size)
	} else {
		text = tex("Of %d cells (%s), %d are finished.", planned, size, planned-missing)
		for _, r := range b.table.Reasons() {
			text += tex(" %s: %s.", r.Text, r.Where)
		}
		if without := b.table.WithoutResults(); without != "" {
			text += " " + tex("%s", without)
		}
	}
	for _, t := range []string{b.lacks, b.partial()} {
		if t != "" {
			text += " " + tex("%s", t)
		}
	}
	for _, w := range b.table.Warnings {
		text += tex(" Warning: %s", w)
	}
	return text
}
