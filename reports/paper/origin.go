package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// tests says what is tested, how p-values are adjusted, and which differences are too small to matter.
func (b *builder) tests() string {
	return b.singles() + " " + b.over() + " " + b.adjusted() + " " + b.registered() + b.region()
}

func (b *builder) singles() string {
	if b.ev.Sets == 0 {
		return fmt.Sprintf("There is no test on a single data set: that needs %d splits with other rows.",
			stats.FewestSplits)
	}
	text := `On a data set the differences of two methods, one a split, go to the $t$-test whose variance is ` +
		`corrected for splits that share training rows~\cite{bench-nadeau2003}.`
	if slices.ContainsFunc(b.table.Sets, func(s frame.Set) bool { return s.Draws && s.Finished() > 0 }) {
		text += " There is none on a data set that is divided once."
	}
	return text
}

// over says which methods are compared over data sets.
func (b *builder) over() string {
	few := 0
	for _, p := range b.ev.Pairs {
		if p.Verdict == evidence.Untestable {
			few++
		}
	}
	if b.ev.Over == 0 {
		among := "be significant"
		if n := b.ev.Compared(); n > 1 {
			among = fmt.Sprintf("be significant among %d comparisons", n)
		}
		return tex("There is no test over data sets: no result of so few data sets can %s; %d data sets are enough.",
			among, b.ev.Enough)
	}
	text := `Over data sets their mean differences, one a data set, go to Wilcoxon's exact signed-rank ` +
		`test~\cite{bench-wilcoxon1945,bench-demsar2006}. ` +
		`Verdicts are on the typical difference, the pseudo-median over data sets~\cite{bench-hodges1963}; its ` +
		`interval has the values that the test does not reject, of one comparison by itself. ` +
		`Means and their intervals (Student's $t$) are described and not tested.`
	if few > 0 {
		text += tex(" %s are over too few data sets for a test.", frame.Count(few, "comparison"))
	}
	return text
}

func (b *builder) adjusted() string {
	var how []string
	if b.ev.Over > 0 {
		how = append(how, tex(
			`those of %s over data sets by flips of the signs of whole data sets~\cite{bench-westfall1993}`,
			frame.Count(b.ev.Compared(), "comparison")))
	}
	if b.ev.Sets > 0 {
		how = append(how, tex(`those of %s on single data sets by Holm's procedure~\cite{bench-holm1979}`,
			frame.Count(b.ev.Sets, "test")))
	}
	if how == nil {
		return ""
	}
	family := tex("They are those of %s with each other method, which is right if %s was chosen before the "+
		"results were seen.", b.o.Method, b.o.Method)
	if b.ev.Every && len(b.ev.Methods) > 2 {
		family = tex("They are those of each method with each, since %s has the best or the worst mean.", b.o.Method)
	}
	return "The $p$-values are adjusted, " + frame.Listed(how) +
		tex("; the level of each family is %v, if differences are symmetric over data sets. ", b.ev.Level) + family
}

// fileOf is the file of a registered comparison.
func fileOf(r evidence.Registration) string { return "comparison-" + r.Short() + ".toml" }

// registered says which comparisons were registered, and whether they count.
func (b *builder) registered() string {
	text := ""
	for _, r := range b.ev.Registered {
		hash := r.Hash()
		counts := "It is adjusted for those of its registration alone."
		if r.Lacks != "" {
			counts = tex("It does not count here: %s.", r.Lacks)
		}
		text += tex("The comparison of %s with %s was registered on %s", r.Method.ID, frame.Listed(r.Others()),
			r.Created.Format("2006-01-02")) + tex(` (%s, SHA-256 \texttt{`, fileOf(r)) +
			strings.Join([]string{hash[:16], hash[16:32], hash[32:48], hash[48:]}, `\allowbreak `) + "}). " + counts +
			" "
	}
	return text
}

func (b *builder) region() string {
	if !b.ev.Region.Exists() {
		return "No size of a difference is taken to be too small to matter."
	}
	var rules []string
	for _, r := range evidence.Rules {
		rules = append(rules, fmt.Sprintf("%s (%s)", r.Verdict, strings.ReplaceAll(r.When, "{region}",
			b.ev.Region.Text(b.table.Metric))))
	}
	return tex(
		`Differences of up to %s are taken not to matter (region of practical `+
			`equivalence~\cite{bench-benavoli2017}). `, b.ev.Region.Text(b.table.Metric)) +
		tex("The verdicts are: %s.", strings.Join(rules, "; "))
}

// A tally is cells by a text.
type tally = frame.Groups[string, store.Row]

// listed writes the texts of a tally, each with the number of its cells where there are several.
func listed(t tally) string {
	if len(t.Keys) == 1 {
		return t.Keys[0]
	}
	parts := doc.Map(t.Keys, func(k string) string {
		return fmt.Sprintf("%s (%s)", k, frame.Count(len(t.Of[k]), "cell"))
	})
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
		text = tex(`A cell is one method on one split of one data set. The cells were computed by %s, on %s`,
			listed(by), listed(on))
		if days != nil {
			text += period(slices.Min(days), slices.Max(days))
		}
		text += ". "
	}
	if imported > 0 {
		text += tex("Imported, and not computed into this database: %d of %s, from %s. ", imported,
			frame.Count(len(b.rows), "cell"), listed(from))
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
	size := fmt.Sprintf("%s on %s, %s each", frame.Count(len(b.table.Methods), "method"),
		frame.Count(len(b.table.Sets), "data set"), frame.Count(len(b.table.Splits), "split"))
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
