package table

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

func (t *table) legend() []string {
	legend := []string{"Standard deviations are population (divisor n), over splits; that of Mean is the mean of " +
		"the column's."}
	if t.mean != nil {
		over, main := "the data sets above it", 0
		for _, s := range t.Sets {
			if s.Group == frame.GroupMain {
				main++
			}
		}
		if len(t.Counted) < main {
			over = frame.Count(len(t.Counted), "data set") + " (see the notes)"
		}
		legend = append(legend, "Mean and average ranks are over "+over+"; rank 1 is the best.")
		if t.midRanks != nil {
			legend = append(legend, "Average rank: tied methods share the mean of their ranks.")
		}
		if t.paperRanks != nil && !t.o.OmitPublished {
			legend = append(legend, "Paper's rank: the Mean row is ranked as one more data set, and of tied methods "+
				"the one in the later column ranks better.")
		}
		if len(t.Whole()) < len(t.Methods) {
			legend = append(legend, "Data sets: how many of those of Mean a method has. A method that lacks one "+
				"is last, "+
				"has no Mean and no rank, and is not marked as best.")
		}
	}
	for _, s := range t.Sets {
		if s.Missing && s.Finished() > 0 {
			return append(legend, "A dash: no finished split.")
		}
	}
	return legend
}

// lead says in a few plain sentences what the table finds and how complete it is.
func (t *table) lead() []string {
	done, planned := t.Done()
	var lead []string
	if t.midRanks != nil && len(t.Methods) > 1 {
		var best, first []string
		var mean, rank *big.Rat
		for i, least := range stats.Smallest(t.midRanks) {
			if t.mean[i].best {
				best, mean = append(best, t.Methods[i]), t.mean[i].mean
			}
			if least {
				first, rank = append(first, t.Methods[i]), t.midRanks[i]
			}
		}
		word := "Highest"
		if t.Metric.Better == metric.Lower {
			word = "Lowest"
		}
		lead = append(lead, fmt.Sprintf(
			"%s mean %s: %s (%s%s). Best average rank: %s (%s). Both over %s. The commands bench compare and bench "+
				"report tests say whether a difference is more than chance.",
			word, t.Metric.Title, strings.Join(best, ", "), mean.FloatString(max(2, t.o.Decimals)), t.unit,
			strings.Join(first, ", "), rank.FloatString(2), frame.Count(len(t.Counted), "data set")))
	}
	return append(lead, fmt.Sprintf("%d of %d planned runs are finished: %s, %s, %s.", done, planned,
		frame.Count(len(t.Sets), "data set"), frame.Count(len(t.Methods), "method"),
		frame.Count(len(t.Splits), "split")))
}

// cellTip says how a cell was computed and lists its splits.
func (t *table) cellTip(dataset string, c frame.Entry) string {
	tip := &strings.Builder{}
	fmt.Fprintf(tip, "%s on %s: ", c.Method, dataset)
	gap := t.Lacks(dataset, c.Method)
	if c.Mean == nil {
		return tip.String() + gap
	}
	fmt.Fprintf(tip, "mean test %s of %d of %s, %s%s\n", t.Metric.Title, len(c.Runs),
		frame.Count(len(t.Splits), "split"), c.Mean.FloatString(t.o.Decimals+2), t.unit)
	if correct, test, ok := counts(c); ok {
		fmt.Fprintf(tip, "%d of %d test examples correct in all\n", correct, test)
	}
	if len(c.Runs) > 1 {
		fmt.Fprintf(tip, "standard deviation: population %.*f, sample %.*f\n", t.o.Decimals+2, c.StdPop,
			t.o.Decimals+2, c.StdSample)
	}
	tip.WriteString("by split:")
	for i, r := range c.Runs {
		if i > 0 {
			tip.WriteString(",")
		}
		fmt.Fprintf(tip, " %d: %s", r.Split, r.Value.FloatString(t.o.Decimals))
	}
	if gap != "" {
		tip.WriteString("\n" + gap)
	}
	return tip.String()
}

// counts adds up the correct rows of the finished splits of a cell. A regression has no such counts.
func counts(c frame.Entry) (correct, test int64, ok bool) {
	for _, r := range c.Runs {
		if r.Score.Correct == nil {
			return 0, 0, false
		}
		correct += int64(*r.Score.Correct)
		test += int64(r.Score.N)
	}
	return correct, test, true
}

func (t *table) facts() doc.Table {
	out := doc.Table{Heading: "Data sets", Corner: "Data set", Detail: true, Head: []doc.Column{
		{Name: "Group"}, {Name: "Examples"}, {Name: "Features"}, {Name: "Train"}, {Name: "Test"}, {Name: "Splits"}}}
	for _, s := range t.Sets {
		out.Add(s.Name, doc.Texts(s.Group, orAbsent(s.Rows), orAbsent(s.Features), orAbsent(s.TrainRows),
			orAbsent(s.TestRows), t.finished(s))...)
	}
	return out
}

func orAbsent(n int) string {
	if n == 0 {
		return frame.Absent
	}
	return strconv.Itoa(n)
}

// splitsAre names the splits of the table's sets: random divisions, draws of the methods over one division of
// a set, or both kinds.
func (t *table) splitsAre() string {
	draws := 0
	for _, s := range t.Sets {
		if s.Draws {
			draws++
		}
	}
	switch draws {
	case 0:
		return "random train/test splits"
	case len(t.Sets):
		return "draws of the method"
	}
	return "random train/test splits, or draws of the method"
}

// drawNotes names the sets whose rows are divided once, and which methods repeat a fit there.
func (t *table) drawNotes() []string {
	var notes []string
	for _, s := range t.Sets {
		if !s.Draws || s.Finished() == 0 {
			continue
		}
		var repeated []string
		others, unknown := "", false
		for _, c := range s.Entries {
			fits, known := frame.Fits(t.Cells(s.Name, c.Method))
			switch n := len(c.Runs); {
			case !known:
				unknown = true
			case fits < n:
				repeated = append(repeated, fmt.Sprintf("%s %d of %d", c.Method, fits, n))
			case n > 0:
				others = ", all of the others"
			}
		}
		what := "all distinct fits"
		switch {
		case unknown:
			what = "whether fits repeat is not known of every method"
		case repeated != nil:
			what = "distinct fits: " + strings.Join(repeated, ", ") + others
		}
		notes = append(notes, fmt.Sprintf("%s: one division, %s of the method (%s).", s.Name,
			frame.Count(s.Finished(), "draw"), what))
	}
	return notes
}
