package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Quoted is the table of the values that others print (frame.Table.Quoted), next to our values, and its records, which
// are none where there is no value. How far a value compares is what its source says: our protocol, and our splits.
func Quoted(t *frame.Table, decimals int) (doc.Table, doc.Records) {
	out := doc.Table{Heading: "Values that others print", Corner: "Data set", Label: "quoted",
		Caption: "Values that others print, " + t.Measured(), Head: []doc.Column{
			{Name: "method", Kind: doc.Words}, {Name: "printed", Kind: doc.Quoted}, {Name: "n", Long: "values"},
			{Name: "here"}, {Name: "best here"}, {Name: "protocol", Kind: doc.Words},
			{Name: "source", Kind: doc.Words}}}
	records := doc.Records{Name: "quoted", Columns: []string{"protocol", "metric", "dataset", "method", "source",
		"printed_mean", "printed_std", "printed_n", "printed_protocol", "comparable", "here", "best_here"}}
	var sources []string
	for _, v := range t.Quoted() {
		frame.AppendUnique(&sources, v.Source)
		set := t.Sets[slices.IndexFunc(t.Sets, func(s frame.Set) bool { return s.Name == v.Dataset })]
		var here, best frame.Entry
		for i, is := range t.Best(set) {
			if strings.EqualFold(set.Entries[i].Method, v.Method) {
				here = set.Entries[i]
			}
			if is {
				best = set.Entries[i]
			}
		}
		printed := doc.Entry{Text: frame.Short(v.Mean), Tip: v.String()}
		if v.Std != nil {
			printed.Dev = frame.Short(*v.Std)
		}
		n, number := frame.Absent, any(nil)
		if v.Quoted.N != nil {
			n, number = strconv.Itoa(*v.Quoted.N), *v.Quoted.N
		}
		mean := func(e frame.Entry) doc.Entry {
			cell := doc.Entry{Text: frame.Text(e.Mean, decimals), Tip: e.Method}
			if e.Mean != nil && len(e.Runs) > 1 {
				cell.Dev = frame.Number(e.StdPop, decimals)
			}
			return cell
		}
		out.Add(v.Dataset, doc.Entry{Text: v.Method}, printed, doc.Entry{Text: n}, mean(here), mean(best),
			doc.Entry{Text: compares(*v.Quoted, t.Protocol)},
			doc.Entry{Text: fmt.Sprintf("[%d]", slices.Index(sources, v.Source)+1)})
		records.Add(t.Protocol, t.Metric.Name, v.Dataset, v.Method, v.Source, stats.Decimal(v.Mean), v.Std, number,
			v.Quoted.Protocol, compares(*v.Quoted, t.Protocol), here.Mean, best.Mean)
	}
	out.Legend = []string{"These values enter no test, no rank and no interval.",
		"Here: the method of the same name. Protocol: by what the source says of itself, it follows protocol " +
			t.Protocol + " on the splits that are drawn here (same splits) or on splits of its own (same protocol)."}
	for i, s := range sources {
		out.Legend = append(out.Legend, fmt.Sprintf("[%d] %s.", i+1, strings.TrimSuffix(s, ".")))
	}
	return out, records
}

// compares says how far a printed value compares with results of a protocol.
func compares(q experiments.Quoted, protocol string) string {
	switch {
	case q.Protocol != protocol:
		return "another protocol"
	case q.SameSplits:
		return "same splits"
	}
	return "same protocol"
}
