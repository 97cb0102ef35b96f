// Package leaderboard answers "who leads?" with one row a method: its gain over the field, its share of wins,
// its average rank, whether it is told apart from the leader, its cost, and how many sets it has.
//
// The field is the whole methods, which have every counted set. Rows are in the order of the mean gain over
// the field, which is the order of the means over data sets. So no method is found to be better than a leader
// that the data chose, since a verdict needs the larger mean. A partial method is below, on the sets that it
// has.
//
//	board.go         the order, as data
//	words.go         the numbers of the order, as text
//	leaderboard.go   the report
//
// Gains and shares of wins have intervals, each for one method by itself; these describe and decide nothing.
// Package evidence decides which methods are told apart. The first screen of package page has the same rows.
package leaderboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// Options adjust the table.
type Options struct {
	Method string           // named before the data were seen; the other methods are compared with it; "" for the leader
	Metric string           // "" for the protocol's
	Level  float64          // such as 0.05; intervals hold 1 - Level
	Region *evidence.Region // nil for the usual one
	Title  string           // "" for the usual one
	Label  string           // for LaTeX; "" for "tab:leaderboard:" and the protocol
}

// Build returns the document. It is an error if an option has no meaning, if there is only one method or no set that counts,
// or if stored cells contradict each other.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	if err := t.Comparable(); err != nil {
		return doc.Document{}, err
	}
	asked := compare.Options{Method: o.Method, Chosen: o.Method == "", Level: o.Level, Power: 0.8, Region: o.Region}
	if asked.Chosen {
		asked.Method = t.Methods[Leader(&t)]
	}
	ev, err := asked.Evidence(&t)
	if err != nil {
		return doc.Document{}, err
	}
	sentence, err := compare.Summary(t, ev, asked)
	if err != nil {
		return doc.Document{}, err
	}
	b, err := Of(&t, ev, slices.Index(t.Methods, asked.Method))
	if err != nil {
		return doc.Document{}, err
	}
	d := doc.Document{
		Report: "leaderboard", Label: cmp.Or(o.Label, "tab:leaderboard:"+t.Protocol), Warnings: t.Warnings, Notes: t.NotesOfPairs(), Provenance: t.Provenance,
		Title: cmp.Or(o.Title, fmt.Sprintf("%s by test %s over %s, protocol %s", frame.Count(len(t.Methods), "method"), t.Metric.Title, frame.Count(len(b.Sets), "data set"), t.Protocol)),
	}
	d.Blocks = append([]doc.Block{doc.Prose{Paragraphs: []string{sentence}}, b.table(&t, ev)}, t.MissingCode()...)
	d.Blocks = append(append(d.Blocks, b.records(&t, ev)), t.MissingRecords()...)
	return d, nil
}

// table has a row a method. Partial methods are in a part of their own. Without times that compare there is no column of times.
func (b *Board) table(t *frame.Table, ev *evidence.Evidence) doc.Table {
	const gain, wins = "gain", "wins, %"
	out := doc.Table{Corner: "Method", Legend: b.Legend(t, ev), Best: "the largest mean gain, the highest share of wins and the best average rank.",
		Head: []doc.Column{{Name: "mean", Kind: doc.Signed, Group: gain}, {Name: "from", Kind: doc.Signed, Group: gain}, {Name: "to", Kind: doc.Signed, Group: gain},
			{Name: "share", Group: wins}, {Name: "from", Group: wins}, {Name: "to", Group: wins}, {Name: "rank", Long: "average rank"},
			{Name: "beside " + t.Methods[b.Asked], Kind: doc.Words}, {Name: "p", Long: "adjusted p"}}}
	timed := b.Costs.Seconds != nil
	if timed {
		out.Head = append(out.Head, doc.Column{Name: "a cell", Long: "processor time of a cell"})
	}
	partial := b.Field < len(b.Rows)
	if partial {
		out.Head = append(out.Head, doc.Column{Name: "sets"})
	}
	out.Sections = make([][]doc.Row, 1)
	best := b.best()
	for _, r := range b.Rows {
		row := doc.Row{Name: r.Method, Entries: []doc.Entry{{Text: r.GainText(t), Best: best(r, 0)}, {Text: signed(t, r.Gains.Low)}, {Text: signed(t, r.Gains.High)},
			{Text: percent(r.Wins), Best: best(r, 1)}, {Text: percent(frame.Rat(r.WinRates.Low))}, {Text: percent(frame.Rat(r.WinRates.High))}, {Text: frame.Text(r.Rank, 2), Best: best(r, 2)}, {Text: b.Word(r)}, {Text: frame.PValue(r.adjusted())}}}
		if timed {
			row.Entries = append(row.Entries, doc.Entry{Text: r.Time()})
		}
		if partial {
			row.Entries = append(row.Entries, doc.Entry{Text: fmt.Sprintf("%d/%d", r.Have, len(b.Sets))})
		}
		if !r.Whole && len(out.Sections) == 1 {
			out.Sections = append(out.Sections, nil)
		}
		last := &out.Sections[len(out.Sections)-1]
		*last = append(*last, row)
	}
	return out
}

// best reports whether a whole row has the best gain, share of wins or rank, by the number of the column.
func (b *Board) best() func(r Row, column int) bool {
	if b.Field < 2 {
		return func(Row, int) bool { return false }
	}
	first := b.Rows[0]
	wins, rank := first.Wins, first.Rank
	for _, r := range b.Rows[:b.Field] {
		if r.Wins.Cmp(wins) > 0 {
			wins = r.Wins
		}
		if r.Rank.Cmp(rank) < 0 {
			rank = r.Rank
		}
	}
	return func(r Row, column int) bool {
		return r.Whole && []bool{r.Gain.Cmp(first.Gain) == 0, r.Wins.Cmp(wins) == 0, r.Rank.Cmp(rank) == 0}[column]
	}
}

func (r *Row) adjusted() float64 {
	if r.Against == nil {
		return math.NaN()
	}
	return r.Against.Adjusted
}

// Legend says what the columns are, a sentence each.
func (b *Board) Legend(t *frame.Table, ev *evidence.Evidence) []string {
	much := "much"
	if t.Metric.Percent {
		much = "many points"
	}
	lines := []string{
		fmt.Sprintf("Gain: by how %s the method's mean on a data set is better than the mean of the field (%s), averaged over %s.", much, frame.Count(b.Field, "method"), frame.Count(len(b.Sets), "data set")),
		"Wins: of the data sets and other methods, the share on which the mean is the better one, ties half.",
		fmt.Sprintf("Intervals: %.4g %%, Student's t over data sets, of each method by itself; they decide nothing.", 100*(1-ev.Level)),
		fmt.Sprintf("Beside %s: what Wilcoxon's signed-rank test over data sets finds of the method, adjusted for %s; a difference that matters is more than %s.",
			t.Methods[b.Asked], compare.Family(ev), ev.Region.Text(t.Metric)),
	}
	if b.Costs.Seconds != nil {
		lines = append(lines, fmt.Sprintf("Time: mean processor time of a cell on %s, a data set counting once (%s).", b.Costs.CPU, frame.Count(len(b.Costs.Sets), "set")))
	}
	if b.Field < len(b.Rows) {
		lines = append(lines, "Sets: how many of the data sets the method has. Below stand methods that lack some, on those that they have.")
	}
	return lines
}

func (b *Board) records(t *frame.Table, ev *evidence.Evidence) doc.Records {
	out := doc.Records{Name: "leaderboard", Columns: []string{"protocol", "metric", "datasets", "method", "sets", "whole", "gain", "gain_low", "gain_high", "wins", "wins_low", "wins_high", "rank", "exact_rank",
		"beside", "verdict", "wilcoxon_p", "adjusted_p", "mean_gain_beside", "level", "comparisons", "set_tests", "cpu", "cell_cpu_seconds"}}
	for _, r := range b.Rows {
		row := []any{t.Protocol, t.Metric.Name, b.Sets, r.Method, r.Have, r.Whole, frame.Float(r.Gain), frame.Known(r.Gains.Low), frame.Known(r.Gains.High),
			frame.Float(r.Wins), frame.Known(r.WinRates.Low), frame.Known(r.WinRates.High), frame.Float(r.Rank), nil, t.Methods[b.Asked], nil, nil, nil, nil, ev.Level, ev.Over, ev.Sets, b.Costs.CPU, frame.Known(r.Seconds)}
		if r.Rank != nil {
			row[13] = r.Rank.RatString()
		}
		if p := r.Against; p != nil {
			row[15], row[17], row[18] = string(p.Verdict), frame.Known(p.Adjusted), frame.Float(p.Mean)
			if p.Mean != nil {
				row[16] = frame.Known(p.Signed.P)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
