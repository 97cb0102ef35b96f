package page

import (
	"errors"
	"slices"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// verdict is what is said of the method in question.
type verdict struct {
	Method  string // "" where there is nothing to compare
	Lines   []string
	Parts   []part
	None    string // why there is none
	Command string // that shows more
}

// addVerdict fills the verdicts of the method in question with all that `bench compare` says, and the sentences of the others.
func (p *Page) addVerdict(f frame.Frame, o Options) error {
	t := p.table
	if len(t.Methods) < 2 {
		p.Verdict.None = "There is one method alone, so that there is nothing to compare."
		return nil
	}
	options := compare.Options{Method: o.Method, Metric: o.Metric, Level: o.Level, Power: power, Draws: o.draws, Chosen: o.Method == ""}
	if options.Chosen {
		options.Method = leader(t)
	}
	ev, err := options.Evidence(&t)
	if err != nil {
		return err
	}
	d, err := compare.Document(t, ev, options)
	if errors.Is(err, frame.ErrNoResults) {
		p.Verdict.None = noVerdict(err)
		return nil
	}
	if err != nil {
		return err
	}
	p.Verdict.Method, p.Verdict.Command = options.Method, p.run.Other("compare", options.Method)
	if err := p.addEvidence(d); err != nil {
		return err
	}
	for i, m := range t.Methods {
		section := p.method(i)
		if m == options.Method {
			section.Verdicts = p.Verdict.Lines
			continue
		}
		if !options.Chosen { // the page adjusts for the comparisons of the method in question alone
			continue
		}
		others := options
		others.Method = m
		lines, err := compare.Lines(t, ev, others)
		if errors.Is(err, frame.ErrNoResults) {
			lines, err = []string{noVerdict(err)}, nil
		}
		if err != nil {
			return err
		}
		section.Verdicts = lines
	}
	return nil
}

// addEvidence takes from the comparison the sentences, and what they rest on: all of it folded, and the tables of single sets, of
// which there is one an other method, in one part with one legend.
func (p *Page) addEvidence(d doc.Document) error {
	const bySet = "On each data set, with intervals"
	over := false
	for i, b := range d.Blocks {
		heading := ""
		switch x := b.(type) {
		case doc.Prose:
			if p.Verdict.Lines == nil {
				p.Verdict.Lines = x.Paragraphs
				continue
			}
			heading, x.Heading = x.Heading, ""
			b = x
		case doc.Table:
			heading, x.Heading = x.Heading, ""
			if over {
				heading = bySet
				if i+1 < len(d.Blocks) {
					if _, more := d.Blocks[i+1].(doc.Table); more {
						x.Legend, x.Best = nil, ""
					}
				}
			}
			over, b = true, x
		default:
			continue
		}
		if err := p.addPart(&p.Verdict.Parts, heading, true, d.Title, b); err != nil {
			return err
		}
	}
	return nil
}

func noVerdict(err error) string { return "There is no verdict: " + err.Error() + "." }

// leader is the method with the best average rank, of equal ones the first; without ranks the first that has a result.
func leader(t frame.Table) string {
	if means := t.Means(); len(means) > 0 {
		if average, err := stats.AverageRanks(means); err == nil {
			return t.Methods[stats.Order(average)[0]]
		}
	}
	for i, m := range t.Methods {
		if slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return s.Entries[i].Mean != nil }) {
			return m
		}
	}
	return t.Methods[0]
}
