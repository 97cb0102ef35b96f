package paper

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
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

// tasks returns the tasks of the rows.
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
	text := tex("Results follow the protocol %s", p.Name)
	if p.Source != "" {
		text += tex(" (after %s", p.Source) + cited(p.Source) + ")"
	}
	return text + ". " + b.splits() + " " + b.search() + b.scales() +
		tex(" Tables show the mean test %s and its standard deviation (divisor n) over the splits.",
			b.table.Metric.Title)
}

// splits says how rows are divided, and how often.
func (b *builder) splits() string {
	s, n := b.o.Protocol.Semantics, len(b.table.Splits)
	often := frame.Count(n, "time")
	if n == 1 {
		often = "once"
	}
	shares := "with the shares of the classes kept"
	switch b.tasks() & registry.Regression {
	case b.tasks(): // numbers alone
		shares = "at random"
	case registry.Regression:
		shares += " where the target is a class"
	}
	drawn := tex(`divided %s into training and test rows, %s; %s~\%% of the rows, rounded up, are tested`, often,
		shares, percent(s.TestFraction))
	given := tex("has %s on these rows", frame.Count(n, "run"))
	if n > 1 {
		given += ", each with folds and a seed of its own, which say nothing of other training or test rows"
	}
	var text string
	switch s.Split {
	case split.KFold:
		text = tex("The rows of each data set are divided into %d parts, %s, and each split tests one part", s.Parts,
			shares)
		if n > s.Parts {
			text += "; after all parts the rows are divided anew"
		}
		text += tex("; there are %s", frame.Count(n, "split"))
	case split.Given:
		text = "Each data set is tested on the test part that it comes with. A method " + given
	case split.GivenOrStratified:
		text = "Data sets that come with a test part are tested on it. A method " + given +
			". The rows of the others are " + drawn
		if own := b.ownParts(); own != nil {
			text = tex("%s come with a test part and are tested on it. A method ", frame.Listed(own)) + given +
				". The rows of other data sets are " + drawn
		}
	default:
		text = "Each data set is " + drawn
	}
	if !frame.FromOne(b.table.Splits) || n != b.o.Protocol.Splits {
		text += tex("; of the protocol's %s these are %s", frame.Count(b.o.Protocol.Splits, "split"),
			"numbers "+frame.Ranges(b.table.Splits))
	}
	return text + "."
}

// percent writes a share without rounding what a protocol says.
func percent(share float64) string { return fmt.Sprintf("%.6g", 100*share) }

// ownParts names the data sets of the table that are known to have a test part of their own.
func (b *builder) ownParts() []string {
	var names []string
	for _, s := range b.table.Sets {
		e, err := b.table.Frame.Sets.Entry(s.Name)
		if err != nil || s.Finished() == 0 {
			continue
		}
		if rows, known := e.TrainRows(); rows > 0 || !known {
			names = append(names, s.Name)
		}
	}
	return names
}

// scored reports whether a cell has only test scores that were made elsewhere. Such a cell has no fit.
func scored(r store.Row) bool {
	return r.Imported != "" && r.FitSeconds == nil && r.Status == result.OK
}

// search says how grid points are chosen.
func (b *builder) search() string {
	s := b.o.Protocol.Semantics
	sizes := map[bool][]string{} // methods by whether they have a grid of several points
	var elsewhere []string
	for _, m := range b.table.Methods {
		least, most, known := b.gridSizes(m)
		switch {
		case b.all(m, scored):
			elsewhere = append(elsewhere, m)
		case known && least != most && least == 1:
			sizes[true] = append(sizes[true], m)
		case known:
			sizes[most > 1] = append(sizes[most > 1], m)
		}
	}
	text := ""
	if sizes[true] != nil {
		text = tex("The grid point of a method is chosen on the training rows alone: it is the one with the best "+
			"mean %s over the %d folds of a cross-validation, the first of equals. It is then fitted on all "+
			"training rows and tested once.", b.selection(), s.Folds)
	}
	switch {
	case sizes[false] != nil && sizes[true] == nil:
		text += " No grid is searched: each method has one grid point, which is fitted on all training rows and " +
			"tested once."
	case sizes[false] != nil:
		text += tex(" %s: one grid point, so that nothing is chosen.", frame.Listed(sizes[false]))
	}
	if elsewhere != nil {
		text += tex(" The test scores of %s were made elsewhere on the same rows and counted here; how grid points "+
			"were chosen there is not known to the program.", frame.Listed(elsewhere))
	}
	return strings.TrimSpace(text)
}

// all reports whether a property holds for all stored cells of a method, and that there is at least one cell.
func (b *builder) all(method string, is func(store.Row) bool) bool {
	some := false
	for _, r := range b.rows {
		if r.Method == method {
			if some = true; !is(r) {
				return false
			}
		}
	}
	return some
}

// selection names the metrics by which grid points are chosen, with the tasks where they differ.
func (b *builder) selection() string {
	var names []string
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if b.tasks()&task == 0 {
			continue
		}
		if m, err := metric.ForSelection(b.o.Protocol.Semantics.Metric, task); err == nil &&
			!slices.Contains(names, m.Title) {
			names = append(names, m.Title)
		}
	}
	if len(names) > 1 {
		return strings.Join(names, " (of regression: ") + ")"
	}
	return strings.Join(names, "")
}

// scales says what is standardised.
func (b *builder) scales() string {
	s := b.o.Protocol.Semantics
	text := " Features are not standardised."
	if s.Standardise {
		text = " Features are centred and scaled by the training rows, of a fold in the search and of the split in " +
			"the test."
	}
	if s.ScaleTarget && b.tasks()&registry.Regression != 0 {
		text += " So are the targets of regression; predictions are compared in the unit of the data."
	}
	return text
}

// dataSets says how many data sets there are, which, and how large they are.
func (b *builder) dataSets() string {
	stored, planned := b.mainSets()
	names := doc.Map(stored, func(s frame.Set) string { return s.Name })
	text := ""
	switch {
	case len(stored) == 0:
		text = "No data set of the main group has a result."
	case len(stored) < planned:
		text = tex("Of %s, %d have results: %s.", frame.Count(planned, "data set"), len(stored), frame.Listed(names))
	case len(stored) == 1:
		text = tex("There is one data set, %s.", names[0])
	default:
		text = tex("There are %d data sets: %s.", len(stored), frame.Listed(names))
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
	if sizes != nil && len(stored) == 1 {
		text += tex(" It has %s.", frame.Listed(sizes))
	} else if sizes != nil {
		text += tex(" They have %s.", frame.Listed(sizes))
	}
	text += b.kinds(stored)
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

// kinds counts the sets by what their targets are.
func (b *builder) kinds(sets []frame.Set) string {
	of := map[string]string{}
	for _, r := range b.rows {
		of[r.Dataset] = r.Task
	}
	counts := map[string]int{}
	for _, s := range sets {
		counts[of[s.Name]]++
	}
	var parts []string
	for _, k := range []struct{ task, is string }{{"binary", "two classes"}, {"multiclass", "more than two classes"},
		{"regression", "a number as target"}} {
		switch n := counts[k.task]; {
		case n == 0:
		case n == len(sets) && n > 1:
			return " All have " + k.is + "."
		default:
			parts = append(parts, fmt.Sprintf("%d with %s", n, k.is))
		}
	}
	if parts == nil || len(sets) < 2 {
		return ""
	}
	return " There are " + frame.Listed(parts) + "."
}

// compared lists the methods with their versions, how many grid points they choose from, and where they come from.
func (b *builder) compared() string {
	parts := doc.Map(b.table.Methods, b.method)
	return tex("%s is compared with each other method. The methods are ", b.o.Method) + strings.Join(parts, "; ") + "."
}

func (b *builder) method(name string) string {
	on := map[string][]string{} // data sets by version
	for _, r := range b.rows {
		if r.Method == name && !slices.Contains(on[r.MethodVersion], r.Dataset) {
			on[r.MethodVersion] = append(on[r.MethodVersion], r.Dataset)
		}
	}
	versions := slices.Sorted(maps.Keys(on))
	if len(versions) == 0 {
		return tex("%s (nothing is stored of it)", name)
	}
	about := []string{tex("version %s", versions[0])}
	if len(versions) > 1 {
		about = nil
		for _, v := range versions {
			about = append(about, tex("version %s on %s", v, frame.Listed(on[v])))
		}
	}
	switch least, most, known := b.gridSizes(name); {
	case b.all(name, scored):
		about = append(about, "made elsewhere")
	case known && least == most:
		about = append(about, frame.Count(most, "grid point"))
	case known:
		about = append(about, fmt.Sprintf("%d to %d grid points", least, most))
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

// gridSizes returns the fewest and the most points of the grids of a method's cells, and whether they are known.
func (b *builder) gridSizes(method string) (least, most int, known bool) {
	for _, r := range b.rows {
		if r.Method != method {
			continue
		}
		n := len(b.table.Frame.Grids[r.GridHash])
		if n == 0 {
			return 0, 0, false
		}
		if !known {
			least = n
		}
		least, most, known = min(least, n), max(most, n), true
	}
	return least, most, known
}
