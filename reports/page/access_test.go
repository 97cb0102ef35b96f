//go:build !race

package page

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// axe is the source of axe-core, which BENCH_AXE names. Without it the test is skipped, but not in a continuous run.
func axe(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(os.Getenv("BENCH_AXE"))
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("BENCH_AXE: %v; .ci/run installs axe-core", err)
	case err != nil:
		t.Skip("BENCH_AXE does not name axe.min.js; `npm ci` in reports/page/testdata/axe installs it")
	}
	return string(source)
}

// accessible fails the test for what axe-core finds serious or critical.
func (t *tab) accessible(source, what string) {
	t.Helper()
	is[bool](t, source+"; true")
	found, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]string](`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join(" | ")))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s: %s", what, f)
	}
}

// some is a few splits of a few sets of it with some failures and one that is shown apart, since axe-core looks at every dot of every plot.
func some() sample.Input {
	in := sample.Paper()
	in.Protocol.Datasets = []string{"wine", "german", "bankmarketing"}
	in.Protocol.Splits = 6
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
		return !slices.Contains(in.Protocol.Datasets, r.Dataset) || r.Split > in.Protocol.Splits
	})
	for i := range in.Rows {
		in.Rows[i].Warnings = []result.Warning{{Text: "stopped early", Times: 2}}
		seconds := 0.1 * float64(1+i%7)
		in.Rows[i].CPUSeconds = &seconds
	}
	return in
}

// Nobody is shut out: in light and dark, on a phone, with everything open, axe-core finds nothing serious, and the console is quiet.
func TestAccessible(t *testing.T) {
	source, file := axe(t), written(t, some(), Options{})
	looks := map[string]look{"light": desktop, "a phone in the dark": {phone.width, phone.height, true, true}}
	if testenv.Thorough() {
		looks["dark"], looks["phone"] = night, phone
	}
	for name, l := range looks {
		tab := open(t, file, l)
		if testenv.Thorough() { // most of what is closed is looked at open, too
			tab.accessible(source, name)
		}
		is[bool](tab, `document.querySelectorAll("details").forEach(d => { d.open = true; }), true`)
		if name != "light" || testenv.Thorough() {
			tab.accessible(source, name+", everything open")
		}
		tab.picture("open-" + name)
		tab.choose([]string{"GBRFF1", "LGBM", "GBRFF2"}, []string{"wine", "german"})
		if name == "light" || testenv.Thorough() {
			tab.accessible(source, name+", everything open and a choice")
		}
		is[bool](tab, `document.querySelector("#results .cell").click(), true`)
		if name == "light" || testenv.Thorough() {
			tab.accessible(source, name+", what stands behind a number")
		}
		tab.picture("why-" + name)
		tab.quiet()
	}
}

// A page of a site is as accessible, and quiet.
func TestSiteInBrowser(t *testing.T) {
	source := axe(t)
	root := siteOf(t, some())
	for _, name := range []string{"index.html", "sets/wine.html", "methods/bmkr.html"} {
		tab := open(t, filepath.Join(root, name), desktop)
		if testenv.Thorough() { // most of what is closed is looked at open, too
			tab.accessible(source, name)
		}
		is[bool](tab, `document.querySelector(".cell").click(), true`)
		if title := is[string](tab, `document.querySelector("dialog[open] h2").textContent`); !strings.Contains(title, " on ") {
			t.Errorf("%s: behind a number stands %q", name, title)
		}
		tab.picture("site-" + strings.ReplaceAll(name, "/", "-"))
		tab.quiet()
	}
}
