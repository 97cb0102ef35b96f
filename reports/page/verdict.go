package page

import (
	"cmp"
	"errors"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
)

type verdict struct {
	Method   string // "" where there is nothing to compare
	Sentence string
	Parts    []part // the numbers behind the sentence
	None     string // why there is no verdict
	Command  string // a command that shows more
}

// addVerdict compares the methods once, since all that the page says of differences is one family of tests. If a
// method is named, the family is the comparisons with this method. Otherwise the data choose the method in
// question, and the family is all pairs.
func (p *Page) addVerdict(o Options) error {
	t := &p.table
	if len(t.Methods) < 2 {
		p.Verdict.None = "There is one method alone, so that there is nothing to compare."
		return nil
	}
	options := compare.Options{
		Method: o.Method, Level: o.Level, Draws: o.draws, Chosen: o.Method == ""}
	if options.Chosen {
		first, _ := evidence.Ends(t)
		options.Method = t.Methods[first]
	}
	var err error
	if p.evidence, err = options.Evidence(t); err != nil {
		return err
	}
	asked, err := compare.PageOf(t, p.evidence, options)
	if errors.Is(err, frame.ErrNoResults) {
		p.Verdict.None = noVerdict(err)
		return nil
	}
	if err != nil {
		return err
	}
	p.Verdict.Method, p.Verdict.Command = options.Method, p.table.Frame.Run.Other("compare", options.Method)
	p.addEvidence(asked.Parts())
	for i, m := range t.Methods {
		of := options
		of.Method, of.Chosen = m, options.Chosen && m == options.Method
		one, err := compare.PageOf(t, p.evidence, of)
		if errors.Is(err, frame.ErrNoResults) {
			p.Methods[i].Verdict = noVerdict(err)
			continue
		} else if err != nil {
			return err
		}
		over := one.Over()
		over.Heading, over.Caption, over.Legend = "", "", nil
		p.Methods[i].Against = render.Fragment(over.Caption, one.Differences(), over)
		// else the family is the comparisons of the method in question alone
		if m == options.Method || p.evidence.Every {
			p.Methods[i].Verdict = one.Summary()
		}
		if m == options.Method {
			p.Verdict.Sentence = p.Methods[i].Verdict
		}
	}
	b, err := compare.Rank(t, p.evidence, slices.Index(t.Methods, options.Method))
	if err != nil {
		return err
	}
	p.Verdict.Sentence += " " + b.Candidates()
	p.Board = p.newBoard(b)
	return nil
}

// mostSentences is the largest number of comparisons that are written as sentences. If there are more, only the table
// has them.
const mostSentences = 8

// addEvidence takes from the comparison what the verdict rests on, in folded parts: the sentences if they are few,
// and the tables. The tables of single sets, one for each other method, are one part with one legend.
func (p *Page) addEvidence(c compare.Parts) {
	add := func(heading string, b doc.Block) { addPart(&p.Verdict.Parts, heading, "", b) }
	table := func(t doc.Table) {
		heading := cmp.Or(t.Heading, t.Caption)
		t.Heading = ""
		add(heading, t)
	}
	table(c.Over)
	if n := len(c.Each.Paragraphs); n > 0 && n <= mostSentences {
		add(c.Each.Heading, doc.Prose{Paragraphs: c.Each.Paragraphs})
	}
	sets := part{Heading: "On each data set, with intervals", Closed: true}
	for i, s := range c.Sets {
		t, name := s.Table, s.Table.Caption
		if t.Heading, t.Caption = "", ""; i < len(c.Sets)-1 { // the legend is below the last table
			t.Legend, t.Best = nil, ""
		}
		sets.HTML += template.HTML("<details class=\"more\"><summary>"+template.HTMLEscapeString(
			doc.OneLine(name))+"</summary>") + render.Fragment(name, t) + "</details>\n"
	}
	p.Verdict.Parts = append(p.Verdict.Parts, sets)
	table(c.Typical)
	table(c.Power)
	add(c.Reading.Heading, doc.Prose{Paragraphs: c.Reading.Paragraphs})
}

func noVerdict(err error) string { return "There is no verdict: " + err.Error() + "." }

// board is the first screen: a row a method, the leader first.
type board struct {
	*compare.Board
	Points  bool   // gains are in percentage points
	Than    string // the method with which the other methods are compared: the leader, or the named method
	Lines   []boardRow
	Partial []boardRow
	Legend  []string
}

// boardRow is a row as text, with the values that it is sorted by, and the drawing of its gain in units of a drawing.
type boardRow struct {
	compare.Row
	Link                                          string
	GainText, GainsText, Word, Class, P, Have     string
	SortGain, SortP, SortWins, SortRank, SortTime string // "" sorts last
	Drawn                                         bool
	From, To, At, Zero                            float64
}

const boardWidth = 150.0

// boardClasses are the style classes of rows by the verdict on the method in question.
var boardClasses = map[evidence.Verdict]string{evidence.Better: "up", evidence.Worse: "down",
	evidence.Inconclusive: "open", evidence.Equivalent: "open", evidence.Uncertain: "open"}

// newBoard lays a board out.
func (p *Page) newBoard(b *compare.Board) *board {
	t := &p.table
	out := &board{Board: b, Points: t.Metric.Percent, Than: t.Methods[b.Asked], Legend: b.Legend(t, p.evidence)}
	if !b.Named {
		out.Than = "the leader"
	}
	low, high := 0.0, 0.0
	for _, r := range b.Rows {
		for _, x := range []float64{frame.Float64(r.Gain), r.Gains.Low, r.Gains.High} {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	at := func(x float64) float64 { return 4 + (boardWidth-8)*(x-low)/max(high-low, 1e-300) }
	for _, r := range b.Rows {
		line := boardRow{Row: r, GainText: minus(r.GainText(t)), GainsText: minus(r.GainsText(t)), Word: b.Word(r),
			Have: b.Coverage(r), SortGain: exact(frame.Float64(r.Gain)),
			SortWins: exact(frame.Float64(r.Wins)), SortRank: exact(frame.Float64(r.Rank)), SortTime: exact(r.Seconds)}
		switch {
		case r.Place == b.Asked:
			line.Class, line.SortP = "asked", "2"
		case r.Against != nil:
			line.Class = boardClasses[r.Against.Verdict]
			if !math.IsNaN(r.Against.Adjusted) {
				line.P, line.SortP = "p "+frame.PValue(r.Against.Adjusted), exact(r.Against.Adjusted)
			}
		}
		if r.Gain != nil {
			line.Drawn, line.At, line.Zero = true, at(frame.Float64(r.Gain)), at(0)
			if line.From, line.To = line.At, line.At; !math.IsNaN(r.Gains.Low) {
				line.From, line.To = at(r.Gains.Low), at(r.Gains.High)
			}
		}
		if r.Whole {
			out.Lines = append(out.Lines, line)
		} else {
			out.Partial = append(out.Partial, line)
		}
	}
	return out
}

// minus writes negative numbers with a true minus. The text "-" of an absent value stays.
func minus(text string) string {
	if text == frame.Absent {
		return text
	}
	return strings.ReplaceAll(text, "-", "−")
}

// exact writes a number for the script; "" for none.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
