package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
)

// SelectCell takes a data set and a method, with the protocol before them if it is another one.
func SelectCell(args []string, s *frame.Selection) error {
	if len(args) == 3 {
		s.Protocol, args = args[0], args[1:]
	}
	if len(args) != 2 {
		return fmt.Errorf("name a data set and a method, as in `bench report why sonar GBRFF2`, with the protocol " +
			"before them if it is another, as in `bench report why PROTOCOL DATASET METHOD`")
	}
	s.Datasets, s.Methods = args[:1], args[1:]
	return nil
}

type page struct {
	*frame.Table
	set   frame.Set
	entry frame.Entry
	rows  []store.Row
	unit  string
}

// Why lists everything behind one number of a table: a method on a data set under a protocol.
//
// For every split it has the counts, the chosen grid point and its result in the folds, times, the program
// and the code that computed it, and the key. Then follow the commands and queries that show the rows of the
// split, compute the cell again, and read its folds. The package adds up only what the table adds up, and
// judges nothing.
//
// The table is of one method and one data set, and its frame has the folds.
func Why(t *frame.Table) (doc.Document, error) {
	if len(t.Methods) > 1 { // a sweep has a method of its own for each value
		return doc.Document{}, &frame.RequestError{Err: fmt.Errorf(
			"protocol %s has %s by this name: ask for one of %s, within quotation marks",
			t.Protocol, frame.Count(len(t.Methods), "method"), strings.Join(t.Methods, ", "))}
	}
	method, set := t.Methods[0], t.Sets[0]
	p := page{Table: t, set: set, entry: set.Entries[0], rows: t.Cells(set.Name, method)}
	if t.Metric.Percent {
		p.unit = " %"
	}
	d := doc.Document{Label: "tab:why:" + set.Name + ":" + method, Notes: t.NotesOfPairs(),
		Title: fmt.Sprintf("%s on %s by test %s, protocol %s: what is behind the number", method, set.Name,
			t.Metric.Title, t.Protocol)}
	d.Queries = p.queries(method)
	t.Provenance.Why = "" // this is it
	d.Blocks = append([]doc.Block{doc.Prose{Heading: "The number", Paragraphs: p.number(method)}, p.splits(),
		p.origins()}, append(p.again(method), p.records(method))...)
	return d, nil
}

func (p *page) decimals() int {
	if p.Metric.Percent {
		return 3
	}
	return 5
}

func (p *page) number(method string) []string {
	e := p.entry
	if e.Mean == nil {
		return []string{fmt.Sprintf("No split of %s on %s is finished.", method, p.set.Name)}
	}
	mean, deviations := "", ""
	if len(e.Runs) > 1 {
		mean, deviations = ", mean", fmt.Sprintf("; standard deviation %s (divisor n), %s (divisor n-1)",
			frame.Number(e.StdPop, p.decimals()), frame.Number(e.StdSample, p.decimals()))
	}
	lines := []string{fmt.Sprintf("%s%s over %s: %s%s, exactly %s%s.", frame.Capital(p.Metric.Title), mean,
		frame.Count(len(e.Runs), "split"), frame.Text(e.Mean, p.decimals()), p.unit, e.Mean.RatString(), deviations)}
	chosen := fmt.Sprintf("the grid point is chosen by %s among %d", p.folds(), len(p.Frame.Grids[p.rows[0].GridHash]))
	if frame.Scored(p.rows[0]) {
		chosen = "the scores were made elsewhere"
	}
	lines = append(lines, fmt.Sprintf("Each split trains on %s%d rows and tests on %[1]s%[3]d; %s.", p.set.About(),
		p.set.TrainRows, p.set.TestRows, chosen))
	values, _ := p.Printed()
	for _, v := range values {
		if v.Method == method && v.Dataset == p.set.Name {
			lines = append(lines, p.comparePrinted(v))
		}
	}
	return lines
}

func (p *page) folds() string {
	for _, r := range p.rows {
		most := -1
		for _, f := range r.Folds {
			most = max(most, f.Fold)
		}
		if most >= 0 {
			return frame.Count(most+1, "fold")
		}
	}
	return "folds that were not imported with the results,"
}

// comparePrinted compares a printed value with ours. The difference is in units of its standard error, as if the
// source had as many runs on other splits.
func (p *page) comparePrinted(v experiments.Value) string {
	text := fmt.Sprintf("%s prints %s", v.Source, strconv.FormatFloat(v.Mean, 'f', -1, 64)) + v.SpreadText()
	if n := len(p.entry.Runs); v.Std != nil && n > 1 && !math.IsNaN(p.entry.StdSample) {
		scale := math.Hypot(v.DeviationOf(n), p.entry.StdSample) / math.Sqrt(float64(n))
		if scale > 0 {
			text += fmt.Sprintf(": ours is %s standard errors away, were both means of %d independent splits",
				frame.Number((frame.Float64(p.entry.Mean)-v.Mean)/scale, 1), len(p.entry.Runs))
		}
	}
	return text + "."
}

func (p *page) splits() doc.Table {
	out := doc.Table{Caption: "Split by split", Corner: "Split", Head: []doc.Column{{Name: "correct"},
		{Name: p.Metric.Name}, {Name: "folds"}, {Name: "time"}, {Name: "chosen, or what went wrong", Kind: doc.Words}},
		Legend: []string{"Folds: mean of the chosen grid point over the folds; time: processor time of the cell."}}
	for _, r := range p.rows {
		correct, value, last := frame.Absent, frame.Absent, string(r.Status)
		switch {
		case r.Status == result.OK && r.Score.Correct != nil:
			correct = fmt.Sprintf("%d/%d", *r.Score.Correct, r.TestRows)
			fallthrough
		case r.Status == result.OK:
			if value, last = frame.Text(p.ValueOf(r.Score), p.decimals()), frame.Absent; p.Frame.Chosen(r) != nil {
				last = frame.PointText(p.Frame.Chosen(r))
			}
		case r.Error != "":
			last += ": " + doc.OneLine(r.Error)
		}
		seconds := frame.Absent
		if r.CPUSeconds != nil {
			seconds = wording.Seconds(*r.CPUSeconds)
		}
		out.Add(strconv.Itoa(r.Split), doc.Texts(correct, value, frame.Text(p.InFolds(r), p.decimals()), seconds,
			last)...)
	}
	return out
}

// origins says which programs and machines computed the splits.
func (p *page) origins() doc.Prose {
	var splits frame.Groups[string, int]
	for _, r := range p.rows {
		e := r.Environment
		text := fmt.Sprintf("%s version %s, code %s, in bench %s (revision %s, %s, %s/%s) on %s, data %s, last on %s",
			r.Method, r.MethodVersion, short(r.Code), e.ProgramVersion, short(e.VCSRevision), e.GoVersion, e.OS,
			e.Arch, e.CPU, short(r.Fingerprint), day(r.StartedAt))
		if frame.Scored(r) {
			text = fmt.Sprintf("%s version %s, test scores made elsewhere, data %s, on %s", r.Method, r.MethodVersion,
				short(r.Fingerprint), day(r.StartedAt))
		}
		if r.Imported != "" {
			text += ", imported from " + r.Imported
		}
		splits.Add(text, r.Split)
	}
	out := doc.Prose{Heading: "Where it was computed"}
	for _, text := range splits.Keys {
		slices.Sort(splits.Of[text])
		out.Paragraphs = append(out.Paragraphs, fmt.Sprintf("Splits %s: %s.", frame.Ranges(splits.Of[text]), text))
	}
	for _, r := range p.rows {
		for _, w := range r.Warnings {
			out.Paragraphs = append(out.Paragraphs, fmt.Sprintf("Split %d warned %s: %s", r.Split,
				frame.Count(w.Times, "time"), w.Text))
		}
	}
	return out
}

func day(at string) string { return at[:min(len(at), 10)] }

func short(hash string) string {
	if hash == "" {
		return "unknown"
	}
	return hash[:min(len(hash), 8)]
}

// again has the commands that show the rows of a split. For the method's version of today it also has commands that
// compute every cell once more.
func (p *page) again(method string) []doc.Block {
	set := cmp.Or(p.set.File, p.set.Name)
	blocks := []doc.Block{doc.Code{Title: "The rows of a split", Language: "sh",
		Text: p.Frame.Run.Other("data", "splits", set, "--seed", strconv.Itoa(p.rows[0].Split), "--format", "json")}}
	// The program can compute only methods that it has, in the version of today.
	_, pinned := p.Pinned(method)
	if _, err := p.Frame.Registry.Lookup(method); pinned || frame.Scored(p.rows[0]) || err != nil {
		return blocks
	}
	return append(blocks, doc.Code{Title: "Every cell computed again and compared", Language: "sh",
		Text: p.Frame.Run.Other("verify", "--sample", "100%", "--methods", method, "--datasets", set)})
}

func (p *page) queries(method string) []doc.Query {
	if _, pinned := p.Pinned(method); pinned { // views have folds only for current cells
		return []doc.Query{{Title: "Its splits", SQL: p.entry.SQL}}
	}
	return []doc.Query{
		{Title: "Its splits", SQL: p.entry.SQL},
		{Title: "Its folds of every grid point", SQL: store.FoldsQuery(p.Protocol, p.set.Name, method)},
	}
}

func (p *page) records(method string) doc.Records {
	out := doc.Records{Name: "splits", Columns: []string{"protocol", "dataset", "method", "split", "status", "error",
		"correct", "test", "metric", "value", "folds", "params", "cpu_seconds",
		"key", "method_version", "code", "fingerprint", "program", "revision", "cpu", "started_at", "imported"}}
	for _, r := range p.rows {
		out.Add(p.Protocol, p.set.Name, method, r.Split, string(r.Status), r.Error, r.Score.Correct, r.TestRows,
			p.Metric.Name, p.Value(r), p.InFolds(r), string(r.Point), r.CPUSeconds,
			r.Key, r.MethodVersion, r.Code, r.Fingerprint, r.Environment.ProgramVersion, r.Environment.VCSRevision,
			r.Environment.CPU, r.StartedAt, r.Imported)
	}
	return out
}
