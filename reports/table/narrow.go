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
// that all methods fit on one page of a narrow window.
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
	columns := append(beginnings(doc.Map(sets, func(s frame.Set) string { return s.Name })), "Mean")
	var first []bool
	if t.midRanks != nil {
		columns, first = append(columns, "Rank"), stats.Smallest(t.midRanks)
	}
	best := doc.Map(sets, t.Best)
	out := doc.Project("Method", t.Methods, columns, func(i, j int) doc.Entry {
		switch {
		case j < n:
			return doc.Entry{Text: frame.Text(sets[j].Entries[i].Mean, t.o.Decimals), Best: best[j][i]}
		case i >= len(t.Whole()):
			return doc.Entry{Text: frame.Absent}
		case j == n:
			return doc.Entry{Text: t.mean[i].mean.FloatString(t.o.Decimals), Best: t.mean[i].best}
		}
		return doc.Entry{Text: t.midRanks[i].FloatString(2), Best: first[i]}
	})
	out.Tight = true
	left, alone := "deviations", len(t.Methods) > mostWithNotes
	if more := len(t.shown()) - n; more > 0 {
		left = fmt.Sprintf("%d more", more)
	}
	if alone {
		left += ", notes"
	}
	out.Best = fmt.Sprintf("best or tied%s. Mean and rank are over %s. --details has %s.", t.OfWhole(),
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
