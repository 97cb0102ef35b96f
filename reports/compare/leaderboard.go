package compare

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
)

// Leaderboard has a row for each method. The field is the whole methods, which have every counted set. Rows are in the
// order of the mean gain over the field, which is the order of the means over data sets. A partial method is below, on
// the sets that it has.
//
// Gains and shares of wins have intervals, each for one method by itself; these describe and decide nothing. Package
// evidence decides which methods may be the best, which ranks they may have and what is significant. The first screen
// of package page has the same rows.
//
// With a named method, sets on which it has no result are left out. The short document has no explanations.
func Leaderboard(flags *pflag.FlagSet) frame.Build {
	short := flags.Bool("short", false, "a screen: the five best methods, that of --focus, and the last one")
	const usage = "compare the others with this method, over the sets that it has (default with the leader)"
	return withTests(flags, "focus", usage, func(t *frame.Table, o evidence.Options) (doc.Document, error) {
		return leaderboard(t, o, *short)
	})
}

func leaderboard(t *frame.Table, o evidence.Options, short bool) (doc.Document, error) {
	all := t
	t, without := Focused(t, o.Method)
	if all.FullCommand = t.FullCommand; short {
		all.FullCommand = "" // for what is missing, which the whole document says
	}
	if err := t.CheckComparable(); err != nil {
		return doc.Document{}, err
	}
	asked := Options{Method: o.Method, Level: o.Level, Region: &o.Region}.Asked(t)
	ev, err := asked.Evidence(t)
	if err != nil {
		return doc.Document{}, err
	}
	page, err := PageOf(t, ev, asked)
	if err != nil {
		return doc.Document{}, err
	}
	b, err := Rank(t, ev, slices.Index(t.Methods, asked.Method))
	if err != nil {
		return doc.Document{}, err
	}
	sentences, table, notes := []string{page.Summary()}, b.table(t, ev), append(t.Notes(t.QuotedNotes()...), without...)
	if b.Testable || !short {
		sentences = append(sentences, b.Candidates())
	}
	if short {
		table, notes = b.short(table), nil
	}
	return doc.Document{Title: fmt.Sprintf("%s by test %s over %s, protocol %s", frame.Count(len(t.Methods), "method"),
		t.Metric.Title, frame.Count(len(b.Sets), "data set"), t.Protocol), Notes: notes, Blocks: []doc.Block{
		doc.Prose{Paragraphs: slices.Concat(sentences, b.NoPlace(), page.Registrations())}, table, b.figure(),
		b.records(t, ev)}}, nil
}

// Focused is the part of a table over the sets on which a named method has a result, with a note that names the other
// ones; the table itself where no method of it is named.
func Focused(t *frame.Table, method string) (*frame.Table, []string) {
	if !slices.Contains(t.Methods, method) {
		return t, nil
	}
	without := Without(t, method)
	part := t.Part(t.Methods, slices.DeleteFunc(doc.Map(t.Sets, func(s frame.Set) string { return s.Name }),
		func(name string) bool { return slices.Contains(without, name) }))
	if without == nil {
		return &part, nil
	}
	return &part, []string{fmt.Sprintf("Left out, since %s has no result there: %s.", method,
		strings.Join(without, ", "))}
}

// Without lists the sets of the main group on which a method has no result, and another one has; none if there are only
// such sets. A set on which a split failed is not among them.
func Without(t *frame.Table, method string) (without []string) {
	sets := 0
	for _, s := range t.Sets {
		if s.Group != frame.GroupMain || s.Finished() == 0 {
			continue
		}
		if sets++; len(s.Entries[slices.Index(t.Methods, method)].Runs) == 0 && !t.FailedOn(s.Name, method) {
			without = append(without, s.Name)
		}
	}
	if len(without) == sets {
		return nil
	}
	return without
}

// leaders is how many methods the short table begins with.
const leaders = 5

// short leaves rows and columns out of the table: the place by the mean comes first, and the leaders, the asked method
// and the last whole method stay. A row says how many are left out.
func (b *Board) short(whole doc.Table) doc.Table {
	out := whole
	out.Legend, out.Best, out.Sections, out.Head = nil, "", nil, []doc.Column{{Name: "place"}}
	var keep []int
	for i, c := range whole.Head {
		if !slices.Contains([]string{"from", "to", "best"}, c.Name) {
			keep, out.Head = append(keep, i), append(out.Head, c)
		}
	}
	rows, skipped := slices.Concat(whole.Sections...), 0
	skip := func() {
		if skipped > 0 {
			out.Add(fmt.Sprintf("(%d more)", skipped), make([]doc.Entry, len(out.Head))...)
		}
		skipped = 0
	}
	for i, row := range rows {
		if i >= leaders && b.Rows[i].Place != b.Asked && i != b.Field-1 {
			skipped++
			continue
		}
		skip()
		place := frame.Absent
		if i < b.Field {
			place = fmt.Sprint(i + 1)
		}
		entries := doc.Texts(place)
		for _, k := range keep {
			entries = append(entries, row.Entries[k])
		}
		out.Add(row.Name, entries...)
	}
	skip()
	return out
}

// figure draws the ranks, the smallest average first.
func (b *Board) figure() doc.Figure {
	rows := slices.Clone(b.Rows)
	if rows[0].Rank != nil { // then all whole methods have one
		slices.SortStableFunc(rows[:b.Field], func(x, y Row) int { return x.Rank.Cmp(y.Rank) })
	}
	o := plot.BoardOptions{Field: b.Field, Other: "average rank of another method",
		Best: fmt.Sprintf("average rank of a method that may be the best (%.4g %% confidence set)",
			100*(1-b.Level)),
		Interval: fmt.Sprintf("rank by typical differences (%.4g %%, all together)", 100*(1-b.Level))}
	if !b.Testable {
		o.Other = "average rank"
		o.More = append(o.More, frame.Capital(b.tooFew)+", so that ranks have no intervals.")
	}
	if b.timed() {
		o.Time = b.timeName()
		o.More = append(o.More, b.Costs.About())
	}
	return doc.Figure{Title: "Leaderboard", About: "Average ranks, and the intervals that they may have",
		Detail: true, Plot: plot.Board(doc.Map(rows, func(r Row) plot.BoardRow {
			out := plot.BoardRow{Name: r.Method, Rank: frame.Float64(r.Rank), Ranks: r.Ranks,
				Best: b.Testable && r.Whole && r.MayBeBest(b.Level)}
			if o.Time != "" {
				out.Time = b.Costs.Text(r.Method)
			}
			if r.Rank == nil {
				out.Note = fmt.Sprintf("%s sets", b.Coverage(r))
			}
			return out
		}), o),
		Alt: fmt.Sprintf("Average ranks of %s over %s", frame.Count(b.Field, "method"),
			frame.Count(len(b.Sets), "data set"))}
}

// Candidates says in a sentence which methods may be the best.
func (b *Board) Candidates() string {
	if !b.Testable {
		return fmt.Sprintf("Which method is the best is not testable: %s among so many comparisons.", b.tooFew)
	}
	var names []string
	for _, r := range b.Rows[:b.Field] {
		if r.MayBeBest(b.Level) {
			names = append(names, r.Method)
		}
	}
	text, of := frame.Listed(names), ""
	switch n := len(names); {
	case n == b.Field:
		text = fmt.Sprintf("any of all %d methods", n)
	case n > mostNamed:
		text = fmt.Sprintf("any of %d of %d methods", n, b.Field)
	case n > 1:
		text = "any of " + text
	}
	if b.Field < len(b.Rows) {
		of = " of those with all sets"
	}
	return fmt.Sprintf("The best method%s may be %s (%.4g %% confidence set, by multiple comparisons with the best; "+
		"Hsu 1984).",
		of, text, 100*(1-b.Level))
}

// NoPlace says why the asked method has no place; nil if it has one.
func (b *Board) NoPlace() []string {
	r := b.Rows[slices.IndexFunc(b.Rows, func(r Row) bool { return r.Place == b.Asked })]
	if r.Whole {
		return nil
	}
	return []string{fmt.Sprintf("%s has no place: on %d of %s it lacks splits that the methods with a place have.",
		r.Method, len(b.Sets)-r.Have, frame.Count(len(b.Sets), "data set"))}
}

// MayBeBest reports whether a whole method is in the confidence set of the best one.
func (r Row) MayBeBest(level float64) bool { return !(r.Best < level) }

// RanksText is the interval of ranks; "-" for none.
func (r Row) RanksText() string {
	if r.Ranks[1] == 0 {
		return frame.Absent
	}
	return ranks(r.Ranks, "-")
}

func ranks(of [2]int, to string) string {
	if of[0] == of[1] {
		return fmt.Sprint(of[0])
	}
	return fmt.Sprint(of[0], to, of[1])
}

// table has a row a method. Partial methods are in a part of their own. Without times that compare there is no
// column of times.
func (b *Board) table(t *frame.Table, ev *evidence.Evidence) doc.Table {
	const gain, ranks = "gain", "rank"
	legend := append(b.Legend(t, ev), "Best: p of the hypothesis that the method is the best of those with a rank.")
	out := doc.Table{Corner: "Method", Legend: legend,
		Best: "the largest mean gain, the highest share of wins and the best average rank" + t.OfWhole() + ".",
		Head: []doc.Column{{Name: "mean", Kind: doc.Signed, Group: gain},
			{Name: "from", Kind: doc.Signed, Group: gain}, {Name: "to", Kind: doc.Signed, Group: gain},
			{Name: "wins", Long: "share of wins, %"}, {Name: "avg.", Long: "average", Group: ranks},
			{Name: "range", Long: "interval", Group: ranks},
			{Name: "best", Long: "p of being the best"}, {Name: "against " + t.Methods[b.Asked], Kind: doc.Words},
			{Name: "p", Long: "adjusted p"}}}
	timed := b.timed()
	if timed {
		out.Head = append(out.Head, doc.Column{Name: b.timeName(), Long: b.TimeTitle()})
	}
	partial := b.Field < len(b.Rows)
	if partial {
		out.Head = append(out.Head, doc.Column{Name: "sets"})
	}
	best := b.best()
	for _, r := range b.Rows {
		row := []doc.Entry{{Text: r.GainText(t), Best: best(r, 0)}, {Text: frame.SignedFloat(r.Gains.Low,
			t.OverDecimals())}, {Text: frame.SignedFloat(r.Gains.High, t.OverDecimals())},
			{Text: percent(r.Wins), Best: best(r, 1)}, {Text: frame.Text(r.Rank, 2), Best: best(r, 2)},
			{Text: r.RanksText()},
			{Text: frame.PValue(r.Best)}, {Text: b.Word(r)}, {Text: frame.PValue(r.adjusted())}}
		if timed {
			row = append(row, doc.Entry{Text: b.Costs.Text(r.Method)})
		}
		if partial {
			row = append(row, doc.Entry{Text: fmt.Sprintf("%d/%d", r.Have, len(b.Sets))})
		}
		if !r.Whole && len(out.Sections) == 1 {
			out.Sections = append(out.Sections, nil)
		}
		out.Add(r.Method, row...)
	}
	return out
}

// best reports whether a whole row has the best gain, share of wins or rank, by the number of the column.
func (b *Board) best() func(r Row, column int) bool {
	if b.Field < 2 {
		return func(Row, int) bool { return false }
	}
	first, whole := b.Rows[0], b.Rows[:b.Field]
	wins := slices.MaxFunc(whole, func(a, b Row) int { return a.Wins.Cmp(b.Wins) }).Wins
	rank := slices.MinFunc(whole, func(a, b Row) int { return a.Rank.Cmp(b.Rank) }).Rank
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
	switch {
	case t.Metric.Percent:
		much = "many points"
	case t.Metric.Unit:
		much = "many percent of the error"
	}
	matters := "a difference of any size matters"
	if ev.Region.Exists() {
		matters = "a difference that matters is more than " + ev.Region.Text(t.Metric)
	}
	over := frame.Count(len(b.Sets), "data set")
	if t.OfWhole() != "" {
		over += ", or those that it has"
	}
	lines := []string{
		fmt.Sprintf("Gain: by how %s the method's mean on a data set is better than the mean of the field (%s), "+
			"averaged over %s.", much, frame.Count(b.Field, "method"), over),
		"Wins: of the data sets and other methods, the share in percent on which the mean is the better one, " +
			"ties half.",
		fmt.Sprintf("Intervals of gains: %.4g %% by Student's t over data sets, of each method by itself; they "+
			"decide nothing. The gain of the leader is optimistic, since the data chose the leader.", 100*(1-ev.Level)),
		fmt.Sprintf("Range of the rank by typical differences: all intervals hold together with %.4g %%. The "+
			"confidence set of the best answers one question alone, and may leave out a method whose range "+
			"begins with 1.",
			100*(1-ev.Level)),
		fmt.Sprintf("Against %s: by Wilcoxon's signed-rank test over data sets, adjusted for %s; %s.",
			t.Methods[b.Asked], families(ev), matters),
		b.errors(ev),
	}
	if b.timed() {
		lines = append(lines, b.Costs.About())
	}
	if b.Field < len(b.Rows) {
		lines = append(lines, "Sets: how many of the data sets the method has. Methods that lack some are below, on "+
			"those that they have.")
	}
	return lines
}

// errors says how often the page is wrong: for each kind of statement, and for all kinds together.
func (b *Board) errors(ev *evidence.Evidence) string {
	kinds := []string{"ranks with verdicts"}
	if !ev.Every {
		kinds = []string{"ranks", "verdicts"}
	}
	if ev.Field != nil {
		kinds = append(kinds, "the difference from the mean of the field")
	}
	if kinds = append(kinds, "the confidence set of the best"); ev.Region.Exists() {
		kinds = append(kinds, "equivalences")
	}
	kinds = append(kinds, registeredKinds(ev)...)
	return fmt.Sprintf("Kinds of statements: %s. If differences are symmetric over data sets, a page has a false "+
		"one of a kind with a probability of at most %v, and of any kind of at most %.4g.", frame.Listed(kinds),
		ev.Level, min(1, float64(len(kinds))*ev.Level))
}

func (b *Board) records(t *frame.Table, ev *evidence.Evidence) doc.Records {
	out := doc.Records{Name: "leaderboard"}
	for _, r := range b.Rows {
		exact, against := "", r.Against
		if r.Rank != nil {
			exact = r.Rank.RatString()
		}
		if against == nil {
			against = &evidence.Pair{Adjusted: math.NaN(), Equivalence: math.NaN()}
		}
		out.Put("protocol", t.Protocol, "metric", t.Metric.Name, "datasets", b.Sets, "method", r.Method, "sets", r.Have,
			"whole", r.Whole, "gain", r.Gain, "gain_low", r.Gains.Low, "gain_high", r.Gains.High, "wins", r.Wins,
			"wins_low", r.WinRates.Low, "wins_high", r.WinRates.High, "rank", r.Rank,
			"exact_rank", orNil(exact != "", exact), "rank_low", orNil(r.Ranks[1] > 0, r.Ranks[0]),
			"rank_high", orNil(r.Ranks[1] > 0, r.Ranks[1]), "best_p", r.Best, "beside", t.Methods[b.Asked],
			"verdict", orNil(r.Against != nil, string(against.Verdict)), "wilcoxon_p", against.P(),
			"adjusted_p", against.Adjusted, "equivalence_p", against.Equivalence,
			"typical_gain_beside", against.Typical(), "mean_gain_beside", against.Mean, "level", ev.Level,
			"comparisons", ev.Compared(), "cpu", b.Costs.CPU, "cell_cpu_seconds", r.Seconds,
			"cell_yardsticks", r.Yardsticks)
	}
	return out
}

// Word says how a row's method compares with the asked method.
func (b *Board) Word(r Row) string {
	switch {
	case r.Place == b.Asked && b.Named:
		return "itself"
	case r.Place == b.Asked:
		return "leads"
	case r.Against == nil || len(r.Against.Gains) == 0:
		return "no common set"
	}
	if r.Against.Registered != nil {
		return string(r.Against.Verdict) + " (registered)"
	}
	return string(r.Against.Verdict)
}

// Coverage is how many of the sets that count the method has.
func (b *Board) Coverage(r Row) string { return fmt.Sprintf("%d of %d", r.Have, len(b.Sets)) }

// GainText is the mean gain with its sign, in the unit of the table.
func (r Row) GainText(t *frame.Table) string {
	return frame.Signed(r.Gain, t.OverDecimals())
}

// GainsText is the interval of the gain.
func (r Row) GainsText(t *frame.Table) string {
	return between(frame.SignedFloat(r.Gains.Low, t.OverDecimals()), frame.SignedFloat(r.Gains.High, t.OverDecimals()))
}

// WinText is the share of wins in percent, without the unit.
func (r Row) WinText() string { return percent(r.Wins) }

// WinRatesText is the interval of the share of wins.
func (r Row) WinRatesText() string {
	return between(percent(frame.Exact(r.WinRates.Low)), percent(frame.Exact(r.WinRates.High)))
}

// percent writes a share without its unit.
func percent(x *big.Rat) string {
	if x == nil {
		return frame.Absent
	}
	return new(big.Rat).Mul(x, big.NewRat(100, 1)).FloatString(0)
}

// between joins the ends of an interval, "-" for none.
func between(low, high string) string {
	if low == frame.Absent {
		return low
	}
	return low + " to " + high
}

func (b *Board) timed() bool { return b.Costs.Seconds != nil || b.Costs.Yardsticks != nil }

// timeName is the short form of TimeTitle.
func (b *Board) timeName() string {
	if b.Costs.Yardsticks != nil {
		return "yardsticks"
	}
	return "a cell"
}

// TimeTitle names the times of a cell with their unit.
func (b *Board) TimeTitle() string {
	if b.Costs.Yardsticks != nil {
		return "processor time of a cell in yardsticks"
	}
	return "processor time of a cell"
}
