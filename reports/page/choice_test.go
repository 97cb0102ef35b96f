//go:build !race

package page

import (
	"fmt"
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

// Ranks of what is chosen are those of package stats, of the methods that have each chosen set that counts for the whole page, in both
// conventions, with ties and missing results, for metrics of which the larger and the smaller value is the better one.
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
				all, order, means := choice(whole, methods, sets)
				if got := is[[]string](tab, `[...document.querySelectorAll("#results thead [data-method]")].map(th => th.textContent)`); !slices.Equal(got, order) {
					r.Fatalf("%v over %v: the page has columns %v, want %v", methods, sets, got, order)
				}
				for sum, of := range map[string]func([][]*big.Rat) []*big.Rat{"rank": stats.AverageRanks, "paper": stats.PaperAverageRanks} {
					want := map[string]*big.Rat{}
					if len(means) > 0 && (len(all) > 1 || len(methods) == 1) {
						ranks := of(means)
						for i, m := range all {
							want[m] = ranks[i]
						}
					}
					if got := tab.shownRanks(sum); !equalRanks(got, want) {
						r.Fatalf("%s of %v over %v: the page has %v, stats %v", sum, methods, sets, got, want)
					}
				}
			})
			tab.Quiet()
		})
	}
}

// choice has, of chosen methods and sets: those methods that have each of these sets that count for the table, these methods before the
// other ones, and the means by set of the former.
func choice(t frame.Table, methods, sets []string) (whole, order []string, means [][]*big.Rat) {
	counted := slices.DeleteFunc(t.CountedSets(), func(s frame.Set) bool { return !slices.Contains(sets, s.Name) })
	var partial []string
	var at []int
	for i, m := range t.Methods {
		switch lacks := func(s frame.Set) bool { return !s.Entries[i].Has }; {
		case !slices.Contains(methods, m):
		case slices.ContainsFunc(counted, lacks):
			partial = append(partial, m)
		default:
			whole, at = append(whole, m), append(at, i)
		}
	}
	for _, s := range counted {
		means = append(means, t.Ascending(doc.Each(at, func(i int) *big.Rat { return s.Entries[i].Mean })))
	}
	return whole, append(slices.Clone(whole), partial...), means
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

// A group that is chosen at once has the ranks and the lines that package evidence finds of its methods and sets alone. Another choice has
// ranks without lines, and the command that tests it.
func TestGroups(t *testing.T) {
	in := many()
	for i, r := range in.Rows { // differences that are found, and a method that lacks half of the sets
		if s := slices.Index(in.Protocol.Datasets, r.Dataset); r.Method == "GFC" && r.Status == result.OK {
			in.Rows[i] = sample.OK(r.Dataset, r.Method, r.Split, r.TestRows/2, r.TestRows)
		} else if r.Method == "GK" && s > 7 {
			in.Rows[i] = sample.Failed(r.Dataset, r.Method, r.Split, result.Timeout, "stopped after 10m0s")
		}
	}
	wine := in.Known["wine"]
	wine.Entry.Task = registry.Multiclass
	in.Known["wine"] = wine
	table := must(t, in)
	groups := Groups{
		Methods: map[string][]string{"far": {"GFC", "LGBM", "XGB", "BMKR"}, "few": {"GK", "RF"}, "nobody": {"GFC", "Nobody"}},
		Sets:    map[string][]string{"eight": table.Counted[:8], "five": table.Counted[2:7]},
	}
	tab := open(t, written(t, in, Options{Groups: groups}), browser.Desktop)
	if got := is[[]string](tab, `[...document.querySelectorAll(".chooser .buttons button")].map(b => b.textContent)`); strings.Join(got, " ") !=
		"All None The others far few All None The others binary eight five" {
		t.Errorf("the groups are %q", got)
	}
	found := 0
	for _, methods := range []string{"far", "few"} {
		for _, sets := range []string{"All", "binary", "eight", "five"} {
			is[bool](tab, fmt.Sprintf(`document.querySelectorAll(".chooser").forEach((c, i) => [...c.querySelectorAll("button")].find(b => b.textContent === [%q, %q][i]).click()), true`, methods, sets))
			of := in
			if of.Methods = groups.Methods[methods]; sets != "All" {
				of.Datasets = groups.Sets[sets]
			}
			if sets == "binary" {
				of.Datasets = slices.DeleteFunc(slices.Clone(in.Protocol.Datasets), func(s string) bool { return s == "wine" })
			}
			part := must(t, of)
			if part.CheckRanked() != nil {
				if text := is[string](tab, `document.querySelector("#diagram").textContent`); !strings.HasPrefix(text, "There are no ranks of this choice") {
					t.Errorf("%s on %s: %q", methods, sets, text)
				}
				continue
			}
			ev, err := evidence.Of(&part, evidence.Options{Level: 0.05, Region: evidence.UsualRegion(part.Metric)})
			if err != nil {
				t.Fatal(err)
			}
			joined := tab.joined()
			for _, q := range ev.Pairs {
				a, b := slices.Index(table.Methods, part.Methods[q.A]), slices.Index(table.Methods, part.Methods[q.B])
				if max(q.A, q.B) < len(part.Whole()) && joined[[2]int{a, b}] == q.Verdict.Found() {
					t.Errorf("%s on %s: %s and %s are on a line: %v, the evidence says %s", methods, sets, part.Methods[q.A], part.Methods[q.B], joined[[2]int{a, b}], q.Verdict)
				}
				if q.Verdict.Found() {
					found++
				}
			}
			want := fmt.Sprintf("Adjusted for %s", frame.Count(ev.Over, "comparison"))
			if ev.Over == 0 {
				want = fmt.Sprintf("%d data sets cannot tell any two of the methods apart at level 0.05: that takes %d.", len(part.Counted), ev.Fewest)
			}
			if text := is[string](tab, `document.querySelector("#diagram").textContent`); !strings.Contains(text, want) || !strings.Contains(text, "by itself") {
				t.Errorf("%s on %s: %q does not say %q", methods, sets, text, want)
			}
			ranks := map[string]*big.Rat{}
			for i, r := range stats.AverageRanks(part.Means()) {
				ranks[part.Methods[i]] = r
			}
			if got := tab.shownRanks("rank"); !equalRanks(got, ranks) {
				t.Errorf("%s on %s: ranks %v, want %v", methods, sets, got, ranks)
			}
		}
	}
	if found < 6 {
		t.Errorf("%d pairs are told apart", found)
	}
	tab.choose([]string{"GFC", "LGBM"}, table.Counted[:7])
	text := is[string](tab, `document.querySelector("#diagram").textContent`)
	if want := "Tests are shown for the prepared groups only; bench report tests --methods LGBM,GFC --datasets " +
		strings.Join(table.Counted[:7], ",") + " computes those of this choice."; !strings.Contains(text, want) || len(tab.joined()) > 0 {
		t.Errorf("the diagram of a choice says %q, want %q", text, want)
	}
	tab.Quiet()
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
