package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
)

// Blocks are the verdicts on the claims, and as details the words of the source and the numbers that decide; then the
// records.
func Blocks(results []Result) []doc.Block {
	if len(results) == 0 {
		return nil
	}
	verdicts := doc.Prose{Heading: "Claims"}
	words := doc.Prose{Heading: "In the words of the source", Detail: true}
	table := doc.Table{Heading: "What decides", Corner: "Comparison", Detail: true,
		Head: []doc.Column{{Name: "difference"}, {Name: "low"}, {Name: "high"}, {Name: "asked", Kind: doc.Words},
			{Name: "printed", Kind: doc.Quoted}, {Name: "sets"}, {Name: "splits"}, {Name: "verdict", Kind: doc.Words}},
		Legend: []string{"Differences are means over the data sets, in percentage points of metrics in percent; " +
			"processor times are ratios.",
			"Low and high: the interval at 95 % for other rows of the same sets, of times for other repetitions " +
				"(docs/explanation/experiments.md).",
			"Printed: the source's own number, or that of its table over the same sets."}}
	records := doc.Records{Name: "claims", Columns: []string{"claim", "verdict", "series", "other", "of", "at",
		"estimate", "low", "high", "least", "most", "printed", "sets", "datasets", "splits", "alone",
		"quote", "where", "undecided", "old"}}
	for i, r := range results {
		verdict := strings.ToUpper(string(r.Verdict))
		verdicts.Paragraphs = append(verdicts.Paragraphs, strings.TrimSpace(fmt.Sprintf("%s: %d. %s %s", verdict, i+1,
			r.Claim.Says, r.why())))
		if text := source(r.Claim); text != "" {
			words.Paragraphs = append(words.Paragraphs, fmt.Sprintf("%d. %s", i+1, text))
		}
		if r.Parts == nil {
			row := append([]any{r.Claim.Says, string(r.Verdict)}, make([]any, 13)...)
			records.Add(append(row, r.Claim.Quote, r.Claim.Where, r.Claim.Undecided)...)
			continue
		}
		table.Sections = append(table.Sections, nil)
		for _, p := range r.Parts {
			name, entries := p.row(i + 1)
			table.Add(name, entries...)
			low, high := p.Interval(1 - Alpha)
			records.Add(r.Claim.Says, string(r.Verdict), p.Series, p.Other, p.What, points(p.At), p.Value(), low, high,
				p.Least, p.Most, p.Source, p.Estimate.Sets, p.Sets, p.Estimate.Splits, string(p.Verdict), r.Claim.Quote,
				r.Claim.Where, nil, r.Old)
		}
	}
	blocks := []doc.Block{verdicts}
	if words.Paragraphs != nil {
		blocks = append(blocks, words)
	}
	if table.Sections != nil {
		blocks = append(blocks, table)
	}
	return append(blocks, records)
}

// why says why a claim is not decided or inconclusive, and which cells of older versions a verdict rests on.
func (r Result) why() string {
	switch {
	case r.Verdict == Quoted:
		return r.Claim.Undecided
	case r.Old != nil:
		return strings.TrimSpace(r.open() + " Rests on " + frame.Listed(r.Old) + ".")
	}
	return r.open()
}

// open says which comparison leaves a claim inconclusive; "" for other verdicts.
func (r Result) open() string {
	i := slices.IndexFunc(r.Parts, func(p Part) bool { return p.Verdict != Holds })
	if r.Verdict != Open || i < 0 {
		return ""
	}
	more, p := -1, r.Parts[i]
	for _, p := range r.Parts {
		if p.Verdict != Holds {
			more++
		}
	}
	low, high := p.Interval(1 - Alpha)
	text := fmt.Sprintf("Open: %s is %s (95 %% interval %s to %s), where %s is claimed", p.name(),
		p.number(p.Value()), p.number(low), p.number(high), p.asked())
	if more > 0 {
		text += fmt.Sprintf(", and %d more of %d comparisons", more, len(r.Parts))
	}
	return text + "."
}

// source is the words of a claim's source, and why nothing decides the claim; "" for neither.
func source(c experiments.Claim) string {
	text := ""
	switch {
	case c.Quote != "":
		text = fmt.Sprintf("%s: “%s”", c.Where, c.Quote)
	case c.Where != "":
		text = c.Where + "."
	}
	return strings.TrimSpace(text + " " + c.Undecided)
}

// name says what is compared.
func (p Part) name() string {
	name := p.Series
	if p.Other != "" {
		name += map[bool]string{true: " / ", false: " - "}[p.Ratio] + p.Other
	}
	if p.Of == experiments.Slope {
		name += ", power"
	}
	if at := points(p.At); at != "" && p.Of == experiments.Slope {
		name += fmt.Sprintf(" from %g to %g", p.At[0], p.At[1])
	} else if at != "" {
		name += map[bool]string{true: " on average over ", false: " at "}[p.Mean] + at
	}
	if p.WithAt != nil {
		name += " and " + points(p.WithAt)
	}
	if p.LessAt != nil {
		name += ", less that at " + points(p.LessAt)
	}
	if len(p.Datasets) == 1 {
		name += ", " + p.Datasets[0]
	}
	return name
}

func (p Part) row(claim int) (name string, entries []doc.Entry) {
	low, high := p.Interval(1 - Alpha)
	texts := []string{p.number(p.Value()), p.number(low), p.number(high), p.asked(), frame.Absent,
		strconv.Itoa(p.Estimate.Sets), strconv.Itoa(p.Estimate.Splits), string(p.Verdict)}
	if p.Verdict == Missing {
		texts[0], texts[1], texts[2], texts[6] = frame.Absent, frame.Absent, frame.Absent, frame.Absent
	}
	if p.Source != nil {
		texts[4] = p.number(frame.Float64(p.Source))
	}
	return fmt.Sprintf("%d. %s", claim, p.name()), doc.Texts(texts...)
}

// asked says where the difference lies if the comparison is true.
func (p Part) asked() string {
	switch {
	case math.IsInf(p.Most, 1):
		return "above " + frame.Short(p.Least)
	case math.IsInf(p.Least, -1):
		return "below " + frame.Short(p.Most)
	}
	return frame.Short(p.Least) + " to " + frame.Short(p.Most)
}

func points(at []float64) string { return strings.Join(doc.Map(at, frame.Short), ", ") }

// number writes two decimals of percentage points and powers. A ratio may be near 0, and differences of a metric in
// other units may be small: of these it writes as many decimals as give two and three digits of the value itself.
func (p Part) number(v float64) string {
	decimals := 2
	if value := math.Abs(p.Value()); !p.Percent && p.Of != experiments.Slope && value > 0 && value < 1 {
		decimals -= int(math.Floor(math.Log10(value)))
		if p.Ratio {
			decimals--
		}
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return frame.Absent
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
