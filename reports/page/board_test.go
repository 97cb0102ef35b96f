//go:build !race

package page

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	browserdomain "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// The leaderboard has a row for each method, the one with the largest gain first. It fits the first screen, with the
// verdict in sentences. A click on a row opens the section of its method, with the comparison with each other method. A
// click on a head sorts the rows.
func TestLeaderboard(t *testing.T) {
	testenv.OnlyThorough(t)
	in := sample.Paper()
	tab := open(t, written(t, in, Options{}), desktop)
	table := tableOf(t, in)
	names := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll("#board tbody tr")].map(r => r.cells[0].textContent)`)
	}
	start := names()
	first, _ := evidence.Ends(&table)
	// PBRFF lacks a set, so that its row is the last.
	if leader := table.Methods[first]; start[0] != leader || len(start) != 6 || start[5] != "PBRFF" {
		t.Errorf("rows %q, the leader is %s", start, leader)
	}
	sentence := eval[string](tab, `document.querySelector("#verdict").textContent`)
	must.Begin(t, sentence, "From at least 19 of 20 splits of a set. "+start[0]+" has the best mean. It is ")
	must.Hold(t, sentence, "The best method of those with all sets may be ")
	if top := eval[float64](tab, `document.querySelector("#board").getBoundingClientRect().bottom`); top > 900 {
		t.Errorf("the leaderboard ends at %v", top)
	}
	eval[bool](tab, `document.querySelector("#board tbody tr:nth-child(2) td:nth-child(2)").click(), true`)
	must.Be(t, eval[string](tab,
		`document.querySelector("details.section[open] h3").textContent + document.querySelectorAll("details`+
			`.section[open] figure").length`), start[1]+"1", "a row leads to")
	tab.Picture("forest")
	eval[bool](tab, `document.querySelectorAll("#board .order")[4].focus(), true`)
	tab.Press(kb.Enter)
	var ranks []float64
	for _, text := range eval[[]string](tab,
		`[...document.querySelectorAll("#board tbody:first-of-type tr")].map(tr => tr.cells[5].textContent)`) {
		var x float64
		fmt.Sscan(text, &x)
		ranks = append(ranks, x)
	}
	if !slices.IsSorted(ranks) || len(ranks) != 5 || names()[5] != "PBRFF" {
		t.Errorf("by rank the ranks are %v, the rows %q", ranks, names())
	}
	tab.Quiet()
}

// someGroups are groups of sample.Paper.
var someGroups = Groups{Methods: map[string][]string{"boosting": {"LGBM", "BMKR", "GBRFF1", "GBRFF2"}},
	Sets: map[string][]string{"few": {"wine", "german", "sonar"}}}

// A group of methods and a group of sets have tabs. The leaderboard of a tab is that of the report with the group, and
// it says where the group has too few sets for a test. A click or an arrow key shows a tab and hides the others.
func TestTabs(t *testing.T) {
	testenv.OnlyThorough(t)
	in := sample.Paper()
	tab := open(t, written(t, in, Options{Groups: someGroups}), desktop)
	shown := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll("#leaders .leading:not([hidden])")].flatMap(p =>
			[p.getAttribute("aria-labelledby"), p.querySelector(".verdict").textContent,
			...[...p.querySelectorAll("tbody tr")]
			.map(r => r.cells[0].textContent + " " + r.cells[5].textContent.trim())])`)
	}
	names := eval[[]string](tab, `[...document.querySelectorAll("#leaders [role=tab]")].map(b => b.textContent)`)
	must.Be(t, names, []string{"all", "sets few", "methods boosting"})
	all := shown()
	must.Be(t, len(all), 8)
	for i, group := range []func(*sample.Input){
		func(in *sample.Input) { in.Datasets = someGroups.Sets["few"] },
		func(in *sample.Input) { in.Methods = someGroups.Methods["boosting"] },
	} {
		eval[bool](tab, fmt.Sprintf(`document.querySelector("#tab-%d").click(), true`, i))
		alone := in
		group(&alone)
		var rows []string
		for _, r := range built(t, alone, Options{}).Board.Rows {
			text := r.Method + " -"
			if r.Rank != nil {
				text = r.Method + " " + r.Rank.FloatString(2) + " " + r.RanksText()
			}
			rows = append(rows, text)
		}
		got := shown()
		must.Be(t, got[2:], rows)
		must.Be(t, got[0], fmt.Sprint("tab-", i))
		must.Hold(t, got[1], "if you chose it before you saw results.")
		must.Be(t, strings.Contains(got[1], "not testable") && strings.Contains(got[1], "data sets are enough."),
			(i == 0), "tab", i, got[1])
	}
	eval[bool](tab, `document.querySelector("#tab-1").focus(), true`)
	tab.Press(kb.ArrowRight)
	must.Be(t, shown(), all)
	tab.Press(kb.ArrowLeft)
	must.Be(t, shown()[0], "tab-1")
	must.Be(t, eval[string](tab, `document.activeElement.id`), "tab-1")
	tab.Picture("tabs")
	tab.Quiet()
}

// On a phone thirteen tabs take one line, and the page is no wider. Without a mouse the last tab is reached, and is
// then in sight.
func TestTabsOnAPhone(t *testing.T) {
	testenv.OnlyThorough(t)
	groups := Groups{Sets: map[string][]string{}, Methods: someGroups.Methods}
	in := sample.Paper()
	for i := range 11 {
		groups.Sets[fmt.Sprint("categorical", i)] = in.Protocol.Datasets[i : i+3]
	}
	tab := open(t, written(t, in, Options{Groups: groups}), phone)
	must.Be(t, eval[int](tab, `document.querySelectorAll("#leaders [role=tab]").length`), 13)
	// fonts of browsers may be wider than the widths that drawings count with: the last number of an axis was cut
	must.Be(t, eval[string](tab, `getComputedStyle(document.querySelector("figure svg")).overflow`), "visible")
	if height := eval[float64](tab, `document.querySelector(".tabs").clientHeight`); height > 50 {
		t.Errorf("the tabs are %g px high", height)
	}
	must.Be(t, eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`), true)
	eval[bool](tab, `document.querySelector("#tab-all").focus(), true`)
	tab.Press(kb.ArrowLeft)
	must.Be(t, eval[string](tab, `document.activeElement.textContent`), "methods boosting")
	must.Be(t, eval[bool](tab, `document.activeElement.getBoundingClientRect().right < innerWidth &&
		document.activeElement.getBoundingClientRect().left > 0`), true)
	tab.Picture("tabs-phone")
	tab.Quiet()
}

// The verdict is on the first screen of a phone and of a desktop, above the leaderboard.
func TestVerdictFirst(t *testing.T) {
	testenv.OnlyThorough(t)
	file := written(t, many(), Options{})
	for _, l := range []look{phone, desktop} {
		tab := open(t, file, l)
		top := func(id string) float64 {
			return eval[float64](tab, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top`, id))
		}
		if v, b := top("#verdict"), top("#board"); v > 300 || v > b {
			t.Errorf("%d wide: the verdict begins at %v, the table at %v", l.Width, v, b)
		}
	}
}

// Every table can be taken as CSV, which the policy of the page allows.
func TestTake(t *testing.T) {
	testenv.OnlyThorough(t)
	tab := open(t, written(t, sample.Paper(), Options{}), desktop)
	eval[bool](tab, `document.querySelectorAll("details").forEach(d => { d.open = true; }), true`)
	if bare := eval[[]string](tab, `[...document.querySelectorAll("main table")]
		.filter(e => !e.closest("noscript, #print"))
		.filter(e => !(e.closest(".scroll") || e).nextElementSibling?.matches(".take"))
		.map(e => e.outerHTML.slice(0, 90))`); len(bare) > 0 {
		t.Errorf("nothing takes %q", bare)
	}
	folder := t.TempDir()
	call(tab, browserdomain.SetDownloadBehavior, browserdomain.SetDownloadBehaviorParams{
		Behavior: browserdomain.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
	taken := func(selector, file string) [][]string {
		t.Helper()
		eval[bool](tab, fmt.Sprintf(`document.querySelector(%q).click(), true`, selector+" > .take button"))
		for range 12000 { // ten minutes, on a machine whose cores are busy
			if b, err := os.ReadFile(filepath.Join(folder, file)); err == nil && len(b) > 0 {
				return must.Get(csv.NewReader(bytes.NewReader(b)).ReadAll())(t)
			}
			tab.Do(chromedp.Sleep(50 * time.Millisecond))
		}
		t.Fatalf("%s was not written", file)
		return nil
	}
	lines := taken("#leaders .leading", "leaderboard.csv")
	if len(lines) != 7 || lines[0][0] != "Method" || !strings.HasPrefix(lines[1][3], "leads") ||
		lines[6][7] != "14 of 15" {
		t.Errorf("the leaderboard is %q", lines)
	}
	lines = taken("#results", "results.csv")
	if lines[0][1] != "BMKR" || len(lines) < 15 || !strings.Contains(strings.Join(lines[1], " "), " ± ") {
		t.Errorf("the results are %q", lines)
	}
	tab.Quiet()
}
