package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// three is methods A, B and C on eight sets with three splits. A is better than B everywhere, and than C on every
// other set.
func three() sample.Input {
	var rows []store.Row
	for s := range 8 {
		for split := 1; split <= 3; split++ {
			name := fmt.Sprintf("s%02d", s)
			for m, correct := range []int{80 + split, 78 - s + split, 78 + s%2*4 + split} {
				rows = append(rows, sample.OK(name, string(rune('A'+m)), split, correct, 100))
			}
		}
	}
	return sample.Of(3, rows...)
}

// question is the registered comparison of A with others on these data.
func question(t testing.TB, others ...string) result.Comparison {
	c := result.Comparison{Created: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Metric: "accuracy", Level: 0.05,
		Equivalence: "1", Splits: []int{1, 2, 3}, Method: result.ComparedMethod{ID: "A"}}
	for _, other := range others {
		c.Against = append(c.Against, result.ComparedMethod{ID: other})
	}
	for s := range 8 {
		c.Datasets = append(c.Datasets, result.Named{ID: fmt.Sprintf("s%02d", s), Hash: "f"})
	}
	return must.Get(c.Written())(t)
}

// about is what the page of A says of its pairs, by the other method, and at its top.
func about(t testing.TB, in sample.Input) (pairs map[any]map[string]any, top string) {
	d := page(t, in, usual("A"))
	pairs = map[any]map[string]any{}
	for _, r := range sample.Records(t, d, "pairs") {
		pairs[r["other"]] = r
	}
	return pairs, strings.Join(said(d), "\n")
}

// TestRegisteredComparisons: a registered comparison is adjusted for those of its registration alone, and each
// sentence says what it is. The numbers of exploratory comparisons are those of a page without a registration.
func TestRegisteredComparisons(t *testing.T) {
	in := three()
	before, text := about(t, in)
	if strings.Contains(text, "exploratory") || before["B"]["kind"] != nil {
		t.Errorf("without a registration: %s", text)
	}
	c := question(t, "B")
	in.Comparisons = []result.Comparison{c}
	after, text := about(t, in)
	must.Hold(t, text, "A is significantly better than B (registered; Wilcoxon's signed-rank test over data sets, "+
		"adjusted for 1 registered comparison; level 0.05). A is ", "A against B (registered): significantly better. ",
		"A against C (exploratory): ",
		"A against B was registered on 2026-01-02 03:04 UTC (comparison "+c.Short()+"), before the first result of A.")
	b := after["B"]
	must.Be(t, []any{b["kind"], b["comparisons"], b["adjusted_p"]}, []any{"registered", 1, b["wilcoxon_p"]})
	if !(before["B"]["adjusted_p"].(float64) > b["adjusted_p"].(float64)) {
		t.Errorf("adjusted for the page: %v, registered: %v", before["B"]["adjusted_p"], b["adjusted_p"])
	}
	must.Be(t, after["C"]["kind"], any("exploratory"))
	delete(after["C"], "kind")
	must.Be(t, fmt.Sprint(after["C"]), fmt.Sprint(before["C"]), "exploratory")

	in.Comparisons = []result.Comparison{question(t, "B", "C")}
	after, _ = about(t, in)
	must.Be(t, []any{after["B"]["comparisons"], after["C"]["comparisons"]}, []any{2, 2}, "a family of two")
	in.Comparisons = append(in.Comparisons, c)
	_, text = about(t, in)
	must.Hold(t, text, "(comparison "+in.Comparisons[0].Short()+", one of 2 of this version of A), before")
	if after["B"]["adjusted_p"].(float64) <= b["adjusted_p"].(float64) {
		t.Errorf("of two: %v, of one: %v", after["B"]["adjusted_p"], b["adjusted_p"])
	}
}

// TestRegistrationsThatDoNotCount: a registration counts only for what it names. Else the numbers are those of a page
// without it, and a line says what is different.
func TestRegistrationsThatDoNotCount(t *testing.T) {
	before, _ := about(t, three())
	type comparison = result.Comparison
	for says, change := range map[string]func(c *comparison){
		"A has an older result: s01, split 2": func(c *comparison) { c.Earlier = "s01, split 2" },
		"the protocol has changed since":      func(c *comparison) { c.Protocol.Hash = "older" },
		"it is by error, and this page has accuracy; `bench compare A B --": func(c *comparison) {
			c.Metric = "error"
		},
		"it has level 0.01, and this page has 0.05;":           func(c *comparison) { c.Level = 0.01 },
		"it takes no size not to matter, and this page has 1;": func(c *comparison) { c.Equivalence = "" },
		"it is over 7 data sets and splits 1-3, and this page has others; `bench compare A B --datasets s01,s02,s03," +
			"s04,s05,s06,s07 --splits 3 --metric accuracy --level 0.05 --equivalence 1` shows it": func(c *comparison) {
			c.Datasets = c.Datasets[1:]
		},
		"it is over 8 data sets and splits 1, 3, and this page has others; ": func(c *comparison) {
			c.Splits = []int{1, 3}
		},
		"3 of 27 cells of A have no result on this page, the first of them on s99, split 1": func(c *comparison) {
			c.Datasets = append(c.Datasets, result.Named{ID: "s99", Hash: "f"})
		},
		"8 of 32 cells of A have no result on this page, the first of them on s00, split 4": func(c *comparison) {
			c.Splits = []int{1, 2, 3, 4}
		},
		"version 2 of B is registered, and s00 has version ": func(c *comparison) { c.Against[0].Version = "2" },
		"the data of s03 are others":                         func(c *comparison) { c.Datasets[3].Hash = "g" },
		"this page does not compare A with D": func(c *comparison) {
			c.Against = append(c.Against, result.ComparedMethod{ID: "D"})
		},
	} {
		in, c := three(), question(t, "B")
		change(&c)
		in.Comparisons = []result.Comparison{c}
		pairs, text := about(t, in)
		must.Hold(t, text, ", which does not count here: "+says, "A against B (exploratory): ")
		must.Be(t, pairs["B"]["adjusted_p"], before["B"]["adjusted_p"], says)
	}

	in, c := three(), question(t, "B")
	in.Protocol.Once, c.Splits = func(bool) bool { return true }, []int{1, 2}
	in.Comparisons = []result.Comparison{c}
	_, text := about(t, in)
	must.Hold(t, text, "splits 1-2, and this page has others") // draws of the methods, of which more were added

	in = three()
	in.Comparisons = []result.Comparison{question(t, "B"), question(t, "C", "B")}
	pairs, text := about(t, in)
	must.Hold(t, text, "its comparison with B belongs to the earlier registration "+in.Comparisons[0].Short())
	must.Be(t, []any{pairs["B"]["kind"], pairs["C"]["kind"]}, []any{"registered", "exploratory"})
}
