//go:build !race

package page

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/browser"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// shownRanks reads the ranks of the table as exact fractions, by method.
func (t *tab) shownRanks(sum string) map[string]string {
	t.Helper()
	return is[map[string]string](t, `Object.fromEntries([...document.querySelectorAll('#results [data-sum=`+sum+`] td[data-rank]')]
		.map(td => [document.querySelectorAll("#results thead th")[td.cellIndex].textContent, td.dataset.rank]))`)
}

// choose ticks methods and sets, and no others. Of each list one box is clicked when the others are as they shall be, since the page
// draws everything at each click.
func (t *tab) choose(methods, sets []string) {
	t.Helper()
	is[bool](t, fmt.Sprintf(`(() => {
		const want = [%q.split("\n"), %q.split("\n")];
		document.querySelectorAll(".chooser").forEach((c, i) => {
			const boxes = [...c.querySelectorAll("input")], last = boxes.pop();
			boxes.forEach(b => { b.checked = want[i].includes(b.dataset.name); });
			last.checked = !want[i].includes(last.dataset.name);
			last.click();
		});
		const rows = document.querySelectorAll("#controls > .select select")[2];
		rows.value = "sets";
		rows.dispatchEvent(new Event("change"));
		return true;
	})()`, strings.Join(methods, "\n"), strings.Join(sets, "\n")))
}

// Ranks of what is chosen are those of package stats for the choice, in both conventions, with ties and missing results, for
// metrics of which the larger and the smaller value is the better one.
func TestRanksOfTheChoice(t *testing.T) {
	numbers := sample.Input{Known: map[string]sample.Set{}}
	numbers.Protocol.Splits, numbers.Protocol.Published = 2, sample.Published // which prints ranks
	for s := range 5 {
		name := fmt.Sprintf("n%d", s)
		numbers.Protocol.Datasets = append(numbers.Protocol.Datasets, name)
		numbers.Known[name] = sample.Set{Entry: catalogue.Entry{Task: registry.Regression}}
		for m := range 4 {
			for split := 1; split <= 2; split++ {
				numbers.Rows = append(numbers.Rows, sample.Numbers(name, fmt.Sprintf("M%d", m), split, 0.1*float64(1+(s*m+split)%3)))
			}
		}
	}
	partial := many() // every third method has the first half of the sets, one set more, and one split of some others
	partial.Rows = slices.DeleteFunc(partial.Rows, func(r store.Row) bool {
		m, s := slices.Index(partial.Protocol.Order(nil), r.Method), slices.Index(partial.Protocol.Datasets, r.Dataset)
		return m%3 == 1 && s > 7 && s != m && (s%2 == 0 || r.Split != 1+m)
	})
	for name, c := range map[string]struct {
		in     sample.Input
		metric string
	}{"partial": {partial, ""}, "accuracy": {many(), ""}, "errors": {many(), "error"}, "failures": {sample.Paper(), ""}, "numbers": {numbers, "rmse"}} {
		t.Run(name, func(t *testing.T) {
			if name == "accuracy" || name == "errors" { // partial is of the one metric and numbers of one whose smaller value is better
				testenv.OnlyThorough(t)
			}
			whole, err := c.in.Frame(t).TableOf(c.metric)
			if err != nil {
				t.Fatal(err)
			}
			var main []string
			for _, s := range whole.Sets {
				if s.Group == frame.GroupMain {
					main = append(main, s.Name)
				}
			}
			tab := open(t, written(t, c.in, Options{Metric: c.metric}), browser.Desktop)
			checked, choices := 0, 4 // a browser takes its time
			if testenv.Thorough(t) {
				choices = 8
			}
			rapid.Check(t, func(r *rapid.T) {
				if checked++; checked > choices {
					return
				}
				pick := func(list []string, name string) []string {
					return slices.DeleteFunc(slices.Clone(list), func(string) bool { return rapid.IntRange(0, 2).Draw(r, name) == 0 })
				}
				methods, sets := pick(whole.Methods, "method"), pick(main, "set")
				if len(methods) == 0 || len(sets) == 0 {
					return
				}
				tab.choose(methods, sets)
				if got, want := is[[]string](tab, `[...document.querySelectorAll("#results thead [data-method]")].map(th => th.textContent)`), chosen(t, c.in, c.metric, methods, sets).Methods; !slices.Equal(got, want) {
					r.Fatalf("%v over %v: the page has columns %v, the table %v", methods, sets, got, want)
				}
				for sum, of := range map[string]func([][]*big.Rat) []*big.Rat{"rank": stats.AverageRanks, "paper": stats.PaperAverageRanks} {
					if got, want := tab.shownRanks(sum), ranksOf(t, c.in, c.metric, methods, sets, of); !equalRanks(got, want) {
						r.Fatalf("%s of %v over %v: the page has %v, stats %v", sum, methods, sets, got, want)
					}
				}
			})
			tab.Quiet()
		})
	}
}

// pair is a comparison in the diagram: methods by their places, p, adjusted p, and whether they are told apart.
type pair struct {
	a, b        int
	p, adjusted float64
	told        bool
}

// shownPairs reads what the diagram was drawn from.
func (t *tab) shownPairs() []pair {
	t.Helper()
	return doc.Each(is[[][]any](t, `JSON.parse(document.querySelector("#diagram figure").dataset.tests || "[]")`), func(x []any) pair {
		return pair{int(x[0].(float64)), int(x[1].(float64)), x[2].(float64), x[3].(float64), x[4].(bool)}
	})
}

// joined reports which pairs of methods, by places, share a line of the diagram.
func (t *tab) joined() map[[2]int]bool {
	t.Helper()
	out := map[[2]int]bool{}
	for _, group := range is[[][]int](t, `JSON.parse(document.querySelector("#diagram figure").dataset.groups)`) {
		for _, a := range group {
			for _, b := range group {
				out[[2]int{a, b}] = a != b
			}
		}
	}
	return out
}

// What is chosen is tested as package stats tests it, and adjusted for the pairs of the choice; methods share a line of the diagram
// just if they are not told apart.
func TestTestsOfTheChoice(t *testing.T) {
	far := many() // ties, zeros, and differences that are found
	for i, r := range far.Rows {
		if r.Method == "GFC" && r.Status == result.OK {
			far.Rows[i] = sample.OK(r.Dataset, r.Method, r.Split, r.TestRows/2, r.TestRows)
		}
	}
	inputs := map[string]sample.Input{"far": far}
	if testenv.Thorough(t) {
		inputs["many"] = many()
	}
	for name, in := range inputs {
		tab := open(t, written(t, in, Options{}), browser.Desktop)
		table := must(t, in)
		found := 0
		for _, c := range [][2][]string{
			{table.Methods[1:9], table.Counted[1:14]},
			{table.Methods[:2], table.Counted[:5]},
			{table.Methods[:3], table.Counted},
			{table.Methods, table.Counted[2:]},
		} {
			tab.choose(c[0], c[1])
			tab.Picture(fmt.Sprint("diagram-", len(c[0])))
			of := in
			of.Methods, of.Datasets = c[0], c[1]
			chosen := must(t, of)
			means := chosen.Means()
			pairs, joined := tab.shownPairs(), tab.joined()
			if n := len(c[0]); len(pairs) != n*(n-1)/2 {
				t.Fatalf("%s: %d pairs of %d methods", name, len(pairs), n)
			}
			var ps []float64
			for _, q := range pairs {
				var gains []*big.Rat
				for _, row := range means {
					at := func(m int) *big.Rat { return row[slices.Index(c[0], table.Methods[m])] }
					gains = append(gains, new(big.Rat).Sub(at(q.a), at(q.b)))
				}
				w := stats.Wilcoxon(gains)
				if ps = append(ps, w.P); w.P != q.p {
					t.Errorf("%s: p of %s and %s is %v, want %v", name, table.Methods[q.a], table.Methods[q.b], q.p, w.P)
				}
				mean := stats.NewSpread(gains).Mean
				want := q.adjusted < 0.05 && new(big.Rat).Abs(mean).Cmp(big.NewRat(1, 1)) > 0 && w.Plus.Cmp(w.Minus) == mean.Sign()
				if q.told != want || joined[[2]int{q.a, q.b}] == want {
					t.Errorf("%s: %s and %s: told apart %v, on a line %v, want told apart %v", name, table.Methods[q.a], table.Methods[q.b], q.told, joined[[2]int{q.a, q.b}], want)
				}
				if want {
					found++
				}
			}
			for i, want := range stats.Holm(ps) {
				if math.Abs(pairs[i].adjusted-want) > 1e-12 {
					t.Errorf("%s: adjusted p %v, want %v", name, pairs[i].adjusted, want)
				}
			}
			if text := is[string](tab, `document.querySelector("#diagram").textContent`); !strings.Contains(text, "Your choice of ") || len(c[1]) == 5 && !strings.Contains(text, "5 data sets cannot tell any two of the methods apart at level 0.05: that takes 6.") {
				t.Errorf("%s: the diagram says %q", name, text)
			}
		}
		if name == "far" && found < 3 {
			t.Errorf("%d pairs are told apart", found)
		}
		tab.Quiet()
	}
}

// With everything shown the diagram, the leaderboard, the plots of its rows, the sentences and the tests of pairs say what one evidence
// says: of each pair, or with a method that was named of its pairs alone.
func TestOneFamily(t *testing.T) {
	in := many()
	for i, r := range in.Rows {
		if r.Method == "GFC" && r.Status == result.OK {
			in.Rows[i] = sample.OK(r.Dataset, r.Method, r.Split, r.TestRows/2, r.TestRows)
		}
	}
	table := must(t, in)
	for _, method := range []string{"", "GFC"} {
		ev, err := evidence.Of(&table, evidence.Options{Method: method, Level: 0.05, Region: evidence.UsualRegion(table.Metric)})
		if err != nil {
			t.Fatal(err)
		}
		tab := open(t, written(t, in, Options{Method: method}), browser.Desktop)
		joined, named := tab.joined(), slices.Index(table.Methods, method)
		is[bool](tab, `document.querySelectorAll("#board .opens").forEach(b => b.click()), true`)
		drawn := is[map[string]map[string]string](tab, `Object.fromEntries([...document.querySelectorAll("#board tr.forest")].map(tr => [tr.previousElementSibling.cells[0].textContent,
			Object.fromEntries([...tr.querySelectorAll("tbody tr")].map(r => [r.cells[0].textContent, r.cells[4].textContent]))]))`)
		words := map[evidence.Verdict]string{evidence.Better: "better", evidence.Worse: "worse", evidence.Open: "not told apart", evidence.Smaller: "smaller than 1 point", evidence.Mixed: "differs both ways"}
		for a, first := range table.Methods {
			for b, second := range table.Methods {
				if a == b {
					continue
				}
				at, reversed := ev.Between(a, b)
				if at < 0 {
					if got := drawn[first][second]; got != "not tested here" {
						t.Errorf("%s: %s beside %s: %q", method, first, second, got)
					}
					continue
				}
				q := ev.Pairs[at]
				if reversed {
					q = q.Reversed()
				}
				if got := drawn[first][second]; got != words[q.Verdict] {
					t.Errorf("%s: %s beside %s: %q, want %q", method, first, second, got, words[q.Verdict])
				}
				told := q.Verdict == evidence.Better || q.Verdict == evidence.Worse
				ranked := max(a, b) < len(table.Whole())
				if ranked && (method == "" || a == named || b == named) && joined[[2]int{a, b}] == told {
					t.Errorf("%s: %s and %s are on a line: %v, told apart: %v", method, first, second, !told, told)
				}
			}
		}
		tests := is[string](tab, `document.querySelector("#more").textContent`)
		if want := fmt.Sprintf("adjusted for %s", frame.Count(ev.Over, "comparison")); !strings.Contains(tests, want) {
			t.Errorf("%s: the tests are not %q", method, want)
		}
		tab.Quiet()
	}
}

// ranksOf are the ranks of a choice by package stats.
func ranksOf(t *testing.T, in sample.Input, metric string, methods, sets []string, of func([][]*big.Rat) []*big.Rat) map[string]*big.Rat {
	t.Helper()
	table := chosen(t, in, metric, methods, sets)
	out := map[string]*big.Rat{}
	if table.Ranked() != nil {
		return out
	}
	ranks := of(table.Means())
	for i, m := range table.Whole() {
		out[m] = ranks[i]
	}
	return out
}

// chosen is the table of a choice.
func chosen(t *testing.T, in sample.Input, metric string, methods, sets []string) frame.Table {
	t.Helper()
	in.Methods, in.Datasets = methods, sets
	table, err := in.Frame(t).TableOf(metric)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func equalRanks(got map[string]string, want map[string]*big.Rat) bool {
	if len(got) != len(want) {
		return false
	}
	for m, text := range got {
		if x, ok := new(big.Rat).SetString(text); !ok || want[m] == nil || x.Cmp(want[m]) != 0 {
			return false
		}
	}
	return true
}
