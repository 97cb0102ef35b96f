package reports_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/reports"
)

// A method that the source does not print takes no columns of the comparison and
// changes none of its ranks, wherever it stands in the table and whether or not it
// is complete.
func TestOtherMethodsLeaveTheComparisonAlone(t *testing.T) {
	alone := build(t, printedInput()).Comparisons[0]
	if len(alone.Counted) != 15 || len(alone.Unprinted) != 0 {
		t.Fatalf("the paper's own methods: ranks over %v, unprinted %v", alone.Counted, alone.Unprinted)
	}
	for place := range 3 {
		in := printedInput()
		in.Methods = slices.Insert(slices.Clone(in.Methods), 3*place, "CART")
		in.Runs = append(in.Runs, reports.Run{Dataset: "wine", Method: "CART", Split: 1, Status: reports.StatusOK, Correct: 999, Test: 1000})
		table := build(t, in)
		c := table.Comparisons[0]
		for name, pair := range map[string][2]string{
			"sets":       {fmt.Sprint(alone.Counted), fmt.Sprint(c.Counted)},
			"methods":    {methodsOf(alone), methodsOf(c)},
			"published":  {ranksOf(alone.MidRanks), ranksOf(c.MidRanks)},
			"ours":       {ranksOf(alone.OurMidRanks), ranksOf(c.OurMidRanks)},
			"convention": {ranksOf(alone.OurPaperRanks), ranksOf(c.OurPaperRanks)},
			"left out":   {"[CART]", fmt.Sprint(c.Unprinted)},
		} {
			if pair[0] != pair[1] {
				t.Errorf("CART in column %d: %s are %s, want %s", 3*place+1, name, pair[1], pair[0])
			}
		}
		for _, format := range []string{"text", "md", "latex", "html"} {
			out := render(t, table, format, reports.RenderOptions{})
			if !strings.Contains(out, "prints no value of them for these data sets: CART.") {
				t.Errorf("%s does not say that CART is not compared", format)
			}
			if i := strings.LastIndex(out, "Ours and published"); format == "text" && strings.Count(out[i:], "CART") != 1 {
				t.Errorf("%s has CART in the comparison:\n%s", format, out[i:])
			}
		}
	}
}

func methodsOf(c reports.Comparison) string {
	var out []string
	for i, m := range c.Methods {
		out = append(out, fmt.Sprintf("%s %d %s %v", m.Method, m.N, m.Average, *c.Printed[i]))
	}
	return strings.Join(out, ", ")
}

func ranksOf(ranks []*big.Rat) string { return fmt.Sprint(ranks) }

// The published values beside a method are its own, in every format that has them,
// when a method without any stands before it.
func TestComparisonColumnsKeepTheirMethods(t *testing.T) {
	in := printedInput()
	in.Methods = append([]string{"CART"}, in.Methods...)
	out := render(t, build(t, in), "csv", reports.RenderOptions{})
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "table2,wine,") && strings.Contains(line, ",GFC,") && !strings.Contains(line, ",99.3,1.1,0") {
			t.Errorf("GFC on wine is printed as 99.3 ± 1.1; the row is %s", line)
		}
		if strings.Contains(line, ",CART,") && !strings.HasSuffix(line, ",,,") {
			t.Errorf("CART has published values: %s", line)
		}
	}
	page := render(t, build(t, in), "html", reports.RenderOptions{})
	if !strings.Contains(page, "GFC on wine, "+source2020+": 99.3 ± 1.1") {
		t.Error("the page does not give GFC's published value on wine")
	}
}

// Ranks need the same splits on our side; one method has nobody to be ranked with.
func TestComparisonRanksNeedPeers(t *testing.T) {
	in := smallInput()
	in.Published = append(in.Published,
		reports.Published{Source: "paper", Dataset: "uneven", Method: "A_1", Mean: 90},
		reports.Published{Source: "paper", Dataset: "uneven", Method: "B&<b>", Mean: 80},
		reports.Published{Source: "paper", Dataset: "uneven", Method: "C|%", Mean: 70})
	if c := build(t, in).Comparisons[0]; !slices.Equal(c.Counted, []string{"tie"}) {
		t.Errorf("ranks over %v, want tie alone: on uneven the methods finished different splits", c.Counted)
	}
	in = smallInput()
	in.Published = in.Published[:1]
	if c := build(t, in).Comparisons[0]; c.MidRanks != nil || c.OurPaperRanks != nil || len(c.Methods) != 1 {
		t.Errorf("a single method has ranks %v, %v; methods %v", c.MidRanks, c.OurPaperRanks, c.Methods)
	}
}
