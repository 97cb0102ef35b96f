//go:build !race

package page

import (
	"fmt"
	"html/template"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
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
	return eval[map[string]string](t, `Object.fromEntries(
		[...document.querySelectorAll('#results [data-sum=`+sum+`] td[data-rank]')]
		.map(td => [document.querySelectorAll("#results thead th")[td.cellIndex].textContent, td.dataset.rank]))`)
}

// choose ticks the boxes of these methods and sets, and clears all others. It sets all boxes of a list but the last one
// directly, and clicks only the last one, since the page draws everything after each click.
func (t *tab) choose(methods, sets []string) {
	t.Helper()
	eval[bool](t, fmt.Sprintf(`(() => {
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

// The ranks of a choice are those of package stats, in both conventions. A method has a rank if it has each chosen set
// that counts for the whole page. The inputs have ties and missing results. In some metrics the larger value is better,
// in others the smaller one.
func TestRanksOfTheChoice(t *testing.T) {
	testenv.OnlyThorough(t)
	var rows []store.Row
	for s := range 5 {
		for m := range 4 {
			for split := 1; split <= 2; split++ {
				rows = append(rows, sample.Numbers(fmt.Sprint("n", s), fmt.Sprint("M", m), split,
					0.1*float64(1+(s*m+split)%3)))
			}
		}
	}
	numbers := sample.Of(2, rows...)
	numbers.Protocol.Published = sample.Published // which prints ranks
	for name := range numbers.Known {
		numbers.Known[name] = sample.Set{Entry: catalogue.Entry{Task: registry.Regression}}
	}
	partial := many() // every third method has the first half of the sets, one set more, and one split of some others
	partial.Rows = slices.DeleteFunc(partial.Rows, func(r store.Row) bool {
		m, s := slices.Index(partial.Protocol.Order(nil), r.Method), slices.Index(partial.Protocol.Datasets, r.Dataset)
		return m%3 == 1 && s > 7 && s != m && (s%2 == 0 || r.Split != 1+m)
	})
	for name, c := range map[string]struct {
		in     sample.Input
		metric string
	}{"partial": {partial, ""}, "accuracy": {many(), ""}, "errors": {many(), "error"},
		"failures": {sample.Paper(), ""}, "numbers": {numbers, "rmse"}} {
		t.Run(name, func(t *testing.T) {
			whole := must.Get(c.in.Frame(t).Table(c.metric))(t)
			var main []string
			for _, s := range whole.Sets {
				if s.Group == frame.GroupMain {
					main = append(main, s.Name)
				}
			}
			tab := open(t, written(t, c.in, Options{Metric: c.metric}), desktop)
			checked, choices := 0, 8 // a browser takes its time
			rapid.Check(t, func(r *rapid.T) {
				if checked++; checked > choices {
					return
				}
				pick := func(list []string, name string) []string {
					return slices.DeleteFunc(slices.Clone(list), func(string) bool {
						return rapid.IntRange(0, 2).Draw(r, name) == 0
					})
				}
				methods, sets := pick(whole.Methods, "method"), pick(main, "set")
				if len(methods) == 0 || len(sets) == 0 {
					return
				}
				tab.choose(methods, sets)
				all, order, means := choice(whole, methods, sets)
				if got := eval[[]string](tab,
					`[...document.querySelectorAll("#results thead [data-method]")].map(th => th`+
						`.textContent)`); !slices.Equal(got, order) {
					r.Fatalf("%v over %v: the page has columns %v, want %v", methods, sets, got, order)
				}
				for sum, of := range map[string]func([][]*big.Rat) []*big.Rat{"rank": stats.AverageRanks,
					"paper": stats.PaperAverageRanks} {
					want := map[string]*big.Rat{}
					printed := sum == "rank" || whole.PrintsRanks(whole.Methods)
					if printed && len(means) > 0 && (len(all) > 1 || len(methods) == 1) {
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

// choice returns the chosen methods that have each chosen set that counts for the table, then all chosen methods with
// these whole ones first, and the means of the whole ones on each such set.
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
		means = append(means, t.Ascending(doc.Map(at, func(i int) *big.Rat { return s.Entries[i].Mean })))
	}
	return whole, append(slices.Clone(whole), partial...), means
}

// rankRow is a row of the table below a diagram of ranks: the method, its rank, and the letters of its bars.
var rankRow = regexp.MustCompile(
	`<tr><th scope="row">([^<]*)</th><td title="exactly ([^"]*)">.*?<td class="wrap">([^<]*)</tr>`)

// ranked reads the exact ranks from the table of a diagram, and which pairs of methods share a bar.
func ranked(html template.HTML) (ranks map[string]string, joined map[[2]string]bool) {
	ranks, joined = map[string]string{}, map[[2]string]bool{}
	rows := rankRow.FindAllStringSubmatch(string(html), -1)
	for _, a := range rows {
		ranks[a[1]] = a[2]
		for _, b := range rows {
			joined[[2]string{a[1], b[1]}] = a[3] != "-" && strings.ContainsAny(a[3], b[3])
		}
	}
	return ranks, joined
}

// differ is many with a bad method, so that some differences are significant, and with a method without half of the
// sets.
func differ() sample.Input {
	in := many()
	for i, r := range in.Rows {
		if s := slices.Index(in.Protocol.Datasets, r.Dataset); r.Method == "GFC" && r.Status == result.OK {
			in.Rows[i] = sample.OK(r.Dataset, r.Method, r.Split, r.TestRows/2, r.TestRows)
		} else if r.Method == "GK" && s > 7 {
			in.Rows[i] = sample.Failed(r.Dataset, r.Method, r.Split, result.Timeout, "stopped after 10m0s")
		}
	}
	wine := in.Known["wine"]
	wine.Entry.Task = registry.Multiclass
	in.Known["wine"] = wine
	return in
}

// The ranks and the bars of a diagram are those of package evidence, for all methods and sets and for each group by
// itself. The browser shows the diagram of the group that a reader chooses. For any other choice it shows the command
// that computes the tests.
func TestGroups(t *testing.T) {
	testenv.OnlyThorough(t)
	in := differ()
	table := tableOf(t, in)
	o := Options{Groups: Groups{
		Methods: map[string][]string{"far": {"GFC", "LGBM", "XGB", "BMKR"}, "few": {"GK", "RF"},
			"nobody": {"GFC", "Nobody"}},
		Sets: map[string][]string{"eight": table.Counted[:8], "five": table.Counted[2:7]},
	}}
	p := built(t, in, o)
	binary := slices.DeleteFunc(slices.Clone(in.Protocol.Datasets), func(s string) bool { return s == "wine" })
	found := 0
	groups := [][2][]string{{table.Methods, in.Protocol.Datasets}, {table.Methods, binary},
		{table.Methods, o.Groups.Sets["eight"]}, {table.Methods, o.Groups.Sets["five"]},
		{o.Groups.Methods["far"], in.Protocol.Datasets}, {o.Groups.Methods["few"], in.Protocol.Datasets}}
	must.Be(t, len(p.Diagrams), len(groups))
	for k, group := range groups {
		methods, sets := group[0], group[1]
		of := in
		of.Methods, of.Datasets = methods, sets
		part, diagram := tableOf(t, of), p.Diagrams[k]
		if part.CheckRanked() != nil {
			must.Hold(t, string(diagram), "There are no ranks of this choice")
			continue
		}
		ev := must.Get(evidence.Compare(&part, evidence.Options{Level: 0.05,
			Region: evidence.UsualRegion(part.Metric)}))(t)
		ranks, joined := ranked(diagram)
		for _, q := range ev.Pairs {
			a, b := part.Methods[q.A], part.Methods[q.B]
			if max(q.A, q.B) < len(part.Whole()) && joined[[2]string{a, b}] != (ev.Over > 0 &&
				!(q.Adjusted < ev.Level)) {
				t.Errorf("%v on %v: %s and %s share a bar: %v, the evidence says %s", methods, sets, a, b,
					joined[[2]string{a, b}], q.Verdict)
			}
			if q.Adjusted < ev.Level {
				found++
			}
		}
		want := fmt.Sprintf("adjusted for %s", frame.Count(len(ev.Pairs), "comparison"))
		if ev.Over == 0 {
			want = fmt.Sprintf("Not testable: no result of %s can be significant at level 0.05 among so many "+
				"comparisons. %d sets are enough.", frame.Count(len(part.Counted), "data set"), ev.Enough)
		}
		if !strings.Contains(string(diagram), want) || strings.Contains(string(diagram),
			"by itself") == (k == 0) {
			t.Errorf("%v on %v: %s does not say %q", methods, sets, diagram, want)
		}
		exact := map[string]*big.Rat{}
		for i, r := range stats.AverageRanks(part.Means()) {
			exact[part.Methods[i]] = r
		}
		must.Be(t, equalRanks(ranks, exact), true, methods, sets, ranks, exact)
	}
	if found < 20 {
		t.Errorf("%d pairs differ significantly", found)
	}

	tab := open(t, written(t, in, o), desktop)
	if got := eval[[]string](tab,
		`[...document.querySelectorAll(".chooser .buttons button")].map(b => b.textContent)`); strings.Join(got, " ") !=
		"All None The others far few All None The others binary eight five" {
		t.Errorf("the groups are %q", got)
	}
	shown := func() []string {
		return eval[[]string](tab,
			`[...document.querySelectorAll("#diagram > :not([hidden])")].map(e => e.dataset.group || e.textContent)`)
	}
	must.Be(t, shown(), []string{"0"}, "at first the page shows")
	tab.choose(table.Methods, table.Counted) // as rows of sets
	for k, diagram := range p.Diagrams {     // the ranks of the script are those of the program on every group
		eval[bool](tab, fmt.Sprintf(`document.querySelectorAll(".chooser").forEach((c, i) =>
			[...c.querySelectorAll("button")].find(b => b.textContent === [%q, %q][i]).click()), true`,
			[]string{"All", "All", "All", "All", "far", "few"}[k],
			[]string{"All", "binary", "eight", "five", "All", "All"}[k]))
		ranks, _ := ranked(diagram)
		exact := map[string]*big.Rat{}
		for method, text := range ranks {
			exact[method], _ = new(big.Rat).SetString(text)
		}
		if got := tab.shownRanks("rank"); !slices.Equal(shown(), []string{fmt.Sprint(k)}) || !equalRanks(got, exact) {
			t.Errorf("group %d shows %q with ranks %v, want %v", k, shown(), got, ranks)
		}
	}
	tab.choose([]string{"GFC", "LGBM"}, table.Counted[:7])
	must.Have(t, shown(), "Tests are shown for the prepared groups only; bench report tests --methods GFC,LGBM "+
		"--datasets "+strings.Join(table.Counted[:7], ",")+" computes those of your choice.")
	must.Be(t, len(shown()), 1, "of a choice the page says")
	tab.Quiet()
}

// The diagram, the sections of methods and the tests of pairs agree with one evidence. Its family is all pairs, or the
// pairs of the method that was named.
func TestOneFamily(t *testing.T) {
	testenv.OnlyThorough(t)
	in := differ()
	table := tableOf(t, in)
	for _, method := range []string{"", "GFC"} {
		ev := must.Get(evidence.Compare(&table, evidence.Options{Method: method, Level: 0.05,
			Region: evidence.UsualRegion(table.Metric)}))(t)
		p := built(t, in, Options{Method: method})
		_, joined := ranked(p.Diagrams[0])
		for a, first := range table.Methods {
			for b, second := range table.Methods {
				q, ok := ev.Between(a, b)
				row := regexp.MustCompile(`<tr><th scope="row">` + second +
					`</th><td class="wrap">(?:<strong>)?([a-z, ]+)`).FindStringSubmatch(string(p.Methods[a].Against))
				if !ok {
					if row != nil {
						t.Errorf("%s: %s against %s: %q", method, first, second, row)
					}
					continue
				}
				if row == nil || row[1] != string(q.Verdict) {
					t.Errorf("%s: %s against %s: %q, want %q", method, first, second, row, q.Verdict)
				}
				if max(a, b) < len(table.Whole()) && joined[[2]string{first, second}] != (ev.Over > 0 &&
					!(q.Adjusted < ev.Level)) {
					t.Errorf("%s: %s and %s share a bar: %v, adjusted p %v", method, first, second,
						joined[[2]string{first, second}], q.Adjusted)
				}
			}
		}
		tests := ""
		for _, part := range p.More {
			tests += string(part.HTML)
		}
		must.Hold(t, tests, fmt.Sprintf("adjusted for %s", frame.Count(len(ev.Pairs), "comparison")))
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
