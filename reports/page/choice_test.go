//go:build !race

package page

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/cd"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// shownRanks reads the ranks of the table as exact fractions, by method.
func (t *tab) shownRanks(sum string) map[string]string {
	t.Helper()
	return is[map[string]string](t, `Object.fromEntries([...document.querySelectorAll('#results [data-sum=`+sum+`] td[data-rank]')]
		.map(td => [document.querySelectorAll("#results thead th")[td.cellIndex].textContent, td.dataset.rank]))`)
}

// choose ticks methods and sets, and no others.
func (t *tab) choose(methods, sets []string) {
	t.Helper()
	is[bool](t, fmt.Sprintf(`(() => {
		const want = [%q.split("\n"), %q.split("\n")];
		document.querySelectorAll(".chooser").forEach((c, i) => c.querySelectorAll("input").forEach(b => { if (b.checked !== want[i].includes(b.dataset.name)) b.click(); }));
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
		numbers.Known[name] = sample.Set{Entry: datasets.Entry{Task: registry.Regression}}
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
			tab := open(t, written(t, c.in, Options{Metric: c.metric}), desktop)
			checked := 0
			rapid.Check(t, func(r *rapid.T) {
				if checked++; checked > 8 { // a browser takes its time
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
				for sum, of := range map[string]func([][]*big.Rat) ([]*big.Rat, error){"rank": stats.AverageRanks, "paper": stats.PaperAverageRanks} {
					if got, want := tab.shownRanks(sum), ranksOf(t, c.in, c.metric, methods, sets, of); !equalRanks(got, want) {
						r.Fatalf("%s of %v over %v: the page has %v, stats %v", sum, methods, sets, got, want)
					}
				}
			})
			tab.quiet()
		})
	}
}

// The diagram of what is chosen is that of report cd for the choice, mark by mark.
func TestDiagramOfTheChoice(t *testing.T) {
	in := many()
	tab := open(t, written(t, in, Options{}), desktop)
	if n := is[int](tab, `document.querySelectorAll("#chosen *").length`); n != 0 {
		t.Errorf("before anything is chosen %d elements are there", n)
	}
	whole := must(t, in)
	for _, c := range [][2][]string{
		{whole.Methods[2:9], whole.Counted[1:14]},
		{whole.Methods[:2], whole.Counted[:3]},
		{whole.Methods, whole.Counted[2:]},
	} {
		tab.choose(c[0], c[1])
		tab.picture(fmt.Sprint("diagram-", len(c[0])))
		of := in
		of.Methods, of.Datasets = c[0], c[1]
		d, err := cd.Build(of.Frame(t), cd.Options{Level: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		figure, err := render.Fragment("x", shown[doc.Figure](d)...)
		if err != nil {
			t.Fatal(err)
		}
		got := is[[]string](tab, `[...document.querySelectorAll("#chosen svg > *")].map(e => e.outerHTML)`)
		want := marksOf(string(figure))
		if diff := gocmp.Diff(want, marksOf(strings.Join(got, "\n"))); diff != "" || len(want) < 10 {
			t.Errorf("%v over %v: the page draws other marks than report cd:\n%s", c[0], c[1], diff)
		}
	}
	tab.quiet()
}

// marksOf lists the lines and words of a drawing.
func marksOf(svg string) []string {
	return each(regexp.MustCompile(`<line [^>]*?/?>|<text [^>]*>[^<]*`).FindAllString(svg, -1), func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, ">"), "/") })
}

// ranksOf are the ranks of a choice by package stats.
func ranksOf(t *testing.T, in sample.Input, metric string, methods, sets []string, of func([][]*big.Rat) ([]*big.Rat, error)) map[string]*big.Rat {
	t.Helper()
	table := chosen(t, in, metric, methods, sets)
	out := map[string]*big.Rat{}
	if table.Ranked() != nil {
		return out
	}
	ranks, err := of(table.Means())
	if err != nil {
		t.Fatal(err)
	}
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
