package table

import (
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

const (
	mostWithNotes = 20 // rows of a narrow table that leave room for notes on a screen
	headLength    = 4  // least letters of a data set's name in a narrow head
)

// narrow is the forms of the table with a row for each method: the means on the sets of Mean and ranks, without
// deviations. It is nil where no set is counted. Of many methods there are further forms with fewer and fewer sets, so
// that all methods stand on one page of a narrow window.
func (t *table) narrow() []doc.Narrow {
	if t.mean == nil {
		return nil
	}
	forms := []doc.Narrow{t.form(len(t.Counted))}
	for n := len(t.Counted) - 1; n > 0 && forms[0].Alone; n-- {
		forms = append(forms, t.form(n))
	}
	return forms
}

// form is the narrow form with the first n of the counted sets.
func (t *table) form(n int) doc.Narrow {
	sets := t.CountedSets()[:n]
	out := doc.Table{Corner: "Method", Tight: true}
	for _, name := range beginnings(doc.Map(sets, func(s frame.Set) string { return s.Name })) {
		out.Head = append(out.Head, doc.Column{Name: name})
	}
	out.Head = append(out.Head, doc.Column{Name: "Mean"})
	best := doc.Map(sets, t.Best)
	var first []bool
	if t.midRanks != nil {
		out.Head, first = append(out.Head, doc.Column{Name: "Rank"}), stats.Smallest(t.midRanks)
	}
	for i, m := range t.Methods {
		var row []doc.Entry
		for j, s := range sets {
			row = append(row, doc.Entry{Text: frame.Text(s.Entries[i].Mean, t.o.Decimals), Best: best[j][i]})
		}
		mean, rank := doc.Entry{Text: frame.Absent}, doc.Entry{Text: frame.Absent}
		if i < len(t.Whole()) {
			mean = doc.Entry{Text: t.mean[i].mean.FloatString(t.o.Decimals), Best: t.mean[i].best}
			if first != nil {
				rank = doc.Entry{Text: t.midRanks[i].FloatString(2), Best: first[i]}
			}
		}
		if row = append(row, mean); first != nil {
			row = append(row, rank)
		}
		out.Add(m, row...)
	}
	left, alone := "deviations", len(t.Methods) > mostWithNotes
	if more := len(t.shown()) - n; more > 0 {
		left = fmt.Sprintf("%d more", more)
	}
	if alone {
		left += ", notes"
	}
	out.Best = fmt.Sprintf("best or tied. Mean and rank are over %s. --details has %s.",
		frame.Count(len(t.Counted), "set"), left)
	return doc.Narrow{Title: strings.Replace(t.title(), " ± standard deviation", "", 1), Table: out, Alone: alone}
}

// beginnings shortens names to as few letters as distinguish them.
func beginnings(names []string) []string {
	short := func(name string, n int) string {
		letters := []rune(name)
		return string(letters[:min(n, len(letters))])
	}
	return doc.Map(names, func(name string) string {
		for n := headLength; n < len(name); n++ {
			same := 0
			for _, other := range names {
				if short(other, n) == short(name, n) {
					same++
				}
			}
			if same == 1 {
				return short(name, n)
			}
		}
		return name
	})
}
