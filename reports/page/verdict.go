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
	Method   string // the method in question; "" if there is nothing to compare
	Sentence string
	Parts    []part // the numbers behind the sentence
	None     string // why there is no verdict
	Command  string // a command that shows more
}

// addVerdict compares the methods once, since all differences on the page belong to one family of tests. If a method is
// named, the family is the comparisons with this method. Otherwise the data choose the method in question, and the
// family is all pairs.
func (p *Page) addVerdict(o Options) error {
	t := &p.table
	if len(t.Methods) < 2 {
		p.Verdict.None = "There is one method alone, so that there is nothing to compare."
		return nil
	}
	options := compare.Options{Method: o.Method, Level: o.Level, Draws: o.draws}.Asked(t)
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
	p.addEvidence(asked.Document().Blocks)
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
		blocks := []doc.Block{over}
		if !p.many() {
			blocks = []doc.Block{one.Differences(), over}
		}
		p.Methods[i].Against = render.Fragment(over.Caption, blocks...)
		// If a method is named, the family has no comparison of two other methods. So the other methods get no summary,
		// which would be about all their comparisons.
		if m == options.Method || p.evidence.Every {
			p.Methods[i].Verdict = strings.Join(append([]string{one.Summary()}, one.Registrations()...), " ")
		}
		if m == options.Method {
			p.Verdict.Sentence = p.Methods[i].Verdict
		}
	}
	b, err := compare.Rank(t, p.evidence, slices.Index(t.Methods, options.Method))
	if err != nil {
		return err
	}
	p.Verdict.Sentence = strings.Join(append([]string{p.Verdict.Sentence, b.Candidates()}, b.NoPlace()...), " ")
	p.Board = p.newBoard(t, p.evidence, b)
	return nil
}

// mostSentences is the largest number of comparisons that are written as sentences. If there are more, only the table
// has them.
const mostSentences = 8

// addEvidence takes the evidence for the verdict from the comparison, in closed parts: the sentences if they are few,
// and the tables. There is a table of single sets for each other method. These tables are one part with one legend.
func (p *Page) addEvidence(blocks []doc.Block) {
	ofSets := func(b doc.Block) bool { t, is := b.(doc.Table); return is && t.Corner == "Data set" }
	left := len(slices.DeleteFunc(slices.Clone(blocks), func(b doc.Block) bool { return !ofSets(b) }))
	few := left <= mostDetailed
	for _, block := range blocks {
		switch b := block.(type) {
		case doc.Prose:
			if !b.Detail || b.Heading == compare.Each && len(b.Paragraphs) > mostSentences {
				continue
			}
			addPart(&p.Verdict.Parts, b.Heading, "", doc.Prose{Paragraphs: b.Paragraphs})
		case doc.Table:
			heading, name := b.Heading, b.Caption
			if b.Heading = ""; !ofSets(block) {
				addPart(&p.Verdict.Parts, heading, "", b)
				continue
			}
			b.Caption = ""
			if left--; left > 0 { // the legend is below the last table
				b.Legend, b.Best = nil, ""
			}
			if few {
				addHTML(&p.Verdict.Parts, "On each data set, with intervals", "<details class=\"more\"><summary>"+
					template.HTML(template.HTMLEscapeString(doc.OneLine(name)))+"</summary>"+
					render.Fragment(name, b)+"</details>\n")
			}
		}
	}
}

func noVerdict(err error) string { return "There is no verdict: " + err.Error() + "." }

// board is a leaderboard, which has one row for each method. The leader is the first.
type board struct {
	*compare.Board
	Group   string     // whose methods or sets it has; "" for all
	Points  bool       // gains are in percentage points
	Than    string     // what the other methods are compared with: "the leader", or the name of the named method
	Lines   []boardRow // of whole methods
	Partial []boardRow // of partial methods
	Legend  []string
	Own     bool // some row is of a method of one's own
}

// boardRow is a row as text, with the values by which the script sorts the rows, and with the places of its gain, its
// interval and the gain 0 in a drawing of boardWidth.
type boardRow struct {
	compare.Row
	method                                        int // place in the page's table
	Link                                          string
	GainText, GainsText, Word, Class, P, Have     string
	Time                                          string
	SortGain, SortP, SortWins, SortRank, SortTime string // "" sorts last
	Drawn                                         bool
	From, To, At, Zero                            float64
}

// boardWidth is the width of the drawing in page.html.tmpl.
const boardWidth = 150.0

// boardClasses are the classes of rows in the style sheet, by the verdict against the method in question; another row
// is open.
var boardClasses = map[evidence.Verdict]string{evidence.Better: "up", evidence.Worse: "down"}

// newBoard writes the values of a board of a part of the page's table as text.
func (p *Page) newBoard(t *frame.Table, ev *evidence.Evidence, b *compare.Board) *board {
	out := &board{Board: b, Points: t.Metric.Percent, Than: t.Methods[b.Asked], Legend: b.Legend(t, ev),
		Own: t.Own != nil}
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
		line := boardRow{Row: r, method: slices.Index(p.table.Methods, r.Method),
			GainText: minus(r.GainText(t)), GainsText: minus(r.GainsText(t)), Word: b.Word(r),
			Have: b.Coverage(r), SortGain: exact(frame.Float64(r.Gain)),
			SortWins: exact(frame.Float64(r.Wins)), SortRank: exact(frame.Float64(r.Rank)),
			Time: b.Costs.Text(r.Method), SortTime: exact(r.Seconds), Class: "open"}
		if b.Costs.Yardsticks != nil {
			line.SortTime = exact(r.Yardsticks)
		}
		switch {
		case r.Place == b.Asked:
			line.Class, line.SortP = "asked", "2" // after each p-value
		case r.Against != nil:
			line.Class = cmp.Or(boardClasses[r.Against.Verdict], line.Class)
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

// minus replaces hyphens by minus signs. The text "-" of an absent value stays.
func minus(text string) string {
	if text == frame.Absent {
		return text
	}
	return strings.ReplaceAll(text, "-", "−")
}

// exact writes a number with all its digits for the script, and NaN as "".
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
