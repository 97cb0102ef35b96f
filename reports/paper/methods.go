package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
)

// methods is the paragraphs on how the results were found, as LaTeX. Remarks for the author alone are LaTeX comments.
func (b *builder) methods() string {
	var out strings.Builder
	for _, r := range b.table.Remarks() {
		out.WriteString("% " + doc.OneLine(r) + "\n")
	}
	for _, p := range []struct{ heading, text string }{
		{"Protocol", b.protocol()}, {"Data sets", b.dataSets()}, {"Methods", b.compared()}, {"Tests", b.tests()},
		{"Computation", b.origin()}, {"Coverage", b.coverage()},
	} {
		fmt.Fprintf(&out, "\\paragraph{%s.}\n%s\n\n", p.heading, strings.TrimSpace(p.text))
	}
	return out.String()
}

func (b *builder) tasks() registry.Task {
	var all registry.Task
	for _, r := range b.rows {
		if t, err := registry.ParseTask(r.Task); err == nil {
			all |= t
		}
	}
	return all
}

func (b *builder) protocol() string {
	p := b.o.Protocol
	text := tex("Results follow the protocol %s", b.table.Protocol)
	if p.Source != "" {
		text += tex(" (after %s", p.Source) + cited(p.Source) + ")"
	}
	text += ". " + b.splits() + " " + b.search() + " Features are "
	if !p.Semantics.Standardise {
		text += "not "
	}
	text += "standardised by the training rows."
	if p.Semantics.ScaleTarget && b.tasks()&registry.Regression != 0 {
		text += " So are the targets of regression; predictions are compared in the unit of the data."
	}
	return text + tex(" Tables show the mean test %s and its standard deviation (divisor n) over the splits.",
		b.table.Metric.Title)
}

func (b *builder) splits() string {
	s, n := b.o.Protocol.Semantics, len(b.table.Splits)
	drawn := tex(`divided %s into training and test rows, %s; %.6g~\%% of the rows, rounded up, are tested`,
		frame.Count(n, "time"), "with the shares of the classes kept where the target is a class", 100*s.TestFraction)
	given := "tested on the test part that it comes with, where splits differ in folds and seeds alone"
	var text string
	switch s.Split {
	case split.KFold:
		text = tex("The rows of each data set are divided into %d parts, and each of %s tests one part", s.Parts,
			frame.Count(n, "split"))
	case split.Given:
		text = "Each data set is " + given
	case split.GivenOrStratified:
		text = "A data set that comes with a test part is " + given + ". The rows of others are " + drawn
	default:
		text = "Each data set is " + drawn
	}
	if !frame.FromOne(b.table.Splits) || n != b.o.Protocol.Splits {
		text += tex("; of the protocol's %s these are numbers %s", frame.Count(b.o.Protocol.Splits, "split"),
			frame.Ranges(b.table.Splits))
	}
	return text + "."
}

func (b *builder) search() string {
	s, text := b.o.Protocol.Semantics, "No grid is searched: each method has one grid point."
	if slices.ContainsFunc(b.rows, func(r store.Row) bool { return len(b.table.Frame.Grids[r.GridHash]) > 1 }) {
		text = tex("Of several grid points of a method the one is chosen that has the best mean %s over the %d folds "+
			"of a cross-validation on the training rows, the first of equals. It is then fitted on all training rows "+
			"and tested once.", b.selection(), s.Folds)
	}
	elsewhere := slices.DeleteFunc(slices.Clone(b.table.Methods), func(m string) bool { return !b.elsewhere(m) })
	if len(elsewhere) > 0 {
		text += tex(" The test scores of %s were made elsewhere on the same rows and counted here; how grid points "+
			"were chosen there is not known to the program.", frame.Listed(elsewhere))
	}
	return text
}

// elsewhere reports whether all cells of a method were computed by other programs.
func (b *builder) elsewhere(method string) bool {
	return !slices.ContainsFunc(b.rows, func(r store.Row) bool { return r.Method == method && !frame.Scored(r) })
}

// selection names the metrics by which grid points are chosen, with the task where they differ.
func (b *builder) selection() string {
	var names []string
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if b.tasks()&task == 0 {
			continue
		}
		if m, err := metric.ForSelection(b.o.Protocol.Semantics.Metric, task); err == nil {
			frame.AppendUnique(&names, m.Title)
		}
	}
	if len(names) > 1 {
		return strings.Join(names, " (of regression: ") + ")"
	}
	return strings.Join(names, "")
}

func (b *builder) dataSets() string {
	stored := b.stored()
	names := doc.Map(stored, func(s frame.Set) string { return s.Name })
	text := tex("Of %s, %s", frame.Count(b.planned, "data set"), fmt.Sprintf("%d have results%s", len(stored), b.of))
	if len(names) > 0 {
		text += tex(": %s", frame.Listed(names))
	}
	var sizes []string
	for _, size := range []string{
		span(stored, "row", func(s frame.Set) int { return s.Rows }),
		span(stored, "feature", func(s frame.Set) int { return s.Features }),
		span(stored, "test row", func(s frame.Set) int { return s.TestRows }),
	} {
		if size != "" {
			sizes = append(sizes, size)
		}
	}
	if sizes != nil {
		text += tex(", with %s", frame.Listed(sizes))
	}
	text += tex(" (%s).", b.tasks().String())
	for _, g := range []struct{ group, is string }{{frame.GroupApart, "apart"},
		{frame.GroupGenerated, "apart, since a generator made the data"}} {
		var below []string
		for _, s := range b.table.Sets {
			if s.Group == g.group && s.Finished() > 0 {
				below = append(below, s.Name)
			}
		}
		if below != nil {
			text += tex(" Shown %s, and in neither means, ranks nor tests over data sets: %s.", g.is,
				frame.Listed(below))
		}
	}
	other := b.table.OtherTasks()
	for _, why := range other.Keys {
		text += tex(" Left out, since %s: %s.", why, frame.Listed(other.Of[why]))
	}
	return text
}

// span writes the least and the largest count of sets; "" if the count is unknown for a set.
func span(sets []frame.Set, noun string, count func(frame.Set) int) string {
	all := doc.Map(sets, count)
	if len(all) == 0 || slices.Min(all) == 0 {
		return ""
	}
	most := frame.Count(slices.Max(all), noun)
	if least := slices.Min(all); least < slices.Max(all) {
		return fmt.Sprintf("%d to %s", least, most)
	}
	return most
}

func (b *builder) compared() string {
	return tex("%s is compared with each other method. The methods are ", b.o.Method) +
		strings.Join(doc.Map(b.table.Methods, b.method), "; ") + "."
}

func (b *builder) method(name string) string {
	on, sizes := map[string][]string{}, []int{} // data sets by version, and the sizes of grids
	for _, r := range b.rows {
		if r.Method == name {
			if !slices.Contains(on[r.MethodVersion], r.Dataset) {
				on[r.MethodVersion] = append(on[r.MethodVersion], r.Dataset)
			}
			sizes = append(sizes, len(b.table.Frame.Grids[r.GridHash]))
		}
	}
	var about []string
	for _, v := range slices.Sorted(maps.Keys(on)) {
		if text := tex("version %s", v); len(on) == 1 {
			about = append(about, text)
		} else {
			about = append(about, text+tex(" on %s", frame.Listed(on[v])))
		}
	}
	switch {
	case len(sizes) == 0:
		return tex("%s (nothing is stored of it)", name)
	case b.elsewhere(name):
		about = append(about, "made elsewhere")
	case slices.Min(sizes) == slices.Max(sizes) && sizes[0] > 0:
		about = append(about, frame.Count(sizes[0], "grid point"))
	case slices.Min(sizes) > 0: // all grids are known
		about = append(about, fmt.Sprintf("%d to %d grid points", slices.Min(sizes), slices.Max(sizes)))
	}
	known := name // the name that protocol and program know
	if v, ok := b.table.Pinned(name); ok {
		known = v.Method
	}
	if of := b.o.Protocol.Methods[known].Of; of != "" {
		about = append(about, tex("a variant of %s", of))
	}
	source := ""
	if spec, err := b.table.Frame.Registry.Lookup(known); err == nil {
		if source = cited(spec.Source); source == "" && spec.Source != "" {
			about = append(about, tex("%s", spec.Source))
		}
	}
	return tex("%s", name) + source + " (" + strings.Join(about, ", ") + ")"
}

// tests says what is tested and how p-values are adjusted, as the page of comparisons does, with the papers that it
// names, and which comparisons were registered.
func (b *builder) tests() string {
	text := `Over data sets the differences of two methods, one a data set, go to Wilcoxon's exact signed-rank ` +
		`test~\cite{bench-wilcoxon1945,bench-demsar2006}. `
	if b.ev.Over == 0 {
		text = tex("There is no test over data sets: %s; %d are enough. ", compare.TooFew(b.ev, len(b.table.Counted),
			"so few data sets"), b.ev.Enough)
	}
	if b.ev.Region.Exists() {
		text += tex(`Differences of up to %s are taken not to matter (region of practical equivalence~`+
			`\cite{bench-benavoli2017}). `, b.ev.Region.Text(b.table.Metric))
	}
	for _, p := range b.reading {
		text += tex("%s", strings.TrimSuffix(p, ".")) + cited(p) + ". "
	}
	for _, r := range b.ev.Registered {
		hash, counts := r.Hash(), "It is adjusted for those of its registration alone."
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

// A tally is cells by a text.
type tally = frame.Groups[string, store.Row]

// listed writes the texts of a tally, each with the number of its cells where there are several.
func listed(t tally) string {
	if len(t.Keys) == 1 {
		return t.Keys[0]
	}
	return frame.Listed(doc.Map(t.Keys, func(k string) string {
		return fmt.Sprintf("%s (%s)", k, frame.Count(len(t.Of[k]), "cell"))
	}))
}

// origin says which programs computed the cells, when and on what, and which were imported.
func (b *builder) origin() string {
	var by, from tally
	var days []string
	imported := 0
	for _, r := range b.rows {
		if r.Imported != "" {
			imported++
			from.Add(r.Imported, r)
		}
		if frame.Scored(r) {
			continue
		}
		by.Add(program(r.Environment)+" on "+cmp.Or(r.Environment.CPU, "a processor that was not recorded"), r)
		if len(r.StartedAt) >= len("2006-01-02") {
			days = append(days, r.StartedAt[:len("2006-01-02")])
		}
	}
	text := ""
	if by.Keys != nil {
		text = tex(`A cell is one method on one split of one data set. The cells were computed by %s`, listed(by))
		if days != nil {
			first, last := slices.Min(days), slices.Max(days)
			text += strings.Replace(" from "+first+" to "+last, "from "+last+" to ", "on ", 1) // of one day
		}
		text += ". "
	}
	if imported > 0 {
		text += tex("Imported, and not computed into this database: %d of %s, from %s. ", imported,
			frame.Count(len(b.rows), "cell"), listed(from))
	}
	return text + tex(`Tables and tests were made with %s~\cite{%s}.`, b.o.Program, programKey)
}

func program(e *result.Environment) string {
	name := "bench " + cmp.Or(e.ProgramVersion, "of an unknown version")
	if e.VCSRevision != "" {
		name += fmt.Sprintf(" (git revision %.12s)", e.VCSRevision)
	}
	if e.VCSModified {
		name += " with changes that were not committed"
	}
	return name
}

// coverage says how many of the planned cells are finished, and what became of the other cells.
func (b *builder) coverage() string {
	finished, planned := b.table.Done()
	text := tex("Of %d cells (%s on %s, %s each), %d are finished.", planned,
		frame.Count(len(b.table.Methods), "method"), frame.Count(len(b.table.Sets), "data set"),
		frame.Count(len(b.table.Splits), "split"), finished)
	for _, r := range b.table.Reasons() {
		text += tex(" %s: %s.", r.Text, r.Where)
	}
	for _, t := range []string{b.table.WithoutResults(), b.lacks, b.partial()} {
		if t != "" {
			text += " " + tex("%s", t)
		}
	}
	for _, w := range b.table.Warnings {
		text += tex(" Warning: %s", w)
	}
	return text
}
