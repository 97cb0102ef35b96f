//go:build !race

package page

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
)

// many has 16 methods and 15 sets, with a failed cell, times and warnings.
func many() sample.Input {
	in := sample.Sixteen()
	in.Rows[5] = sample.Failed("wine", "BMKR", 6, result.Timeout, "stopped after 10m0s")
	for i := range in.Rows {
		in.Rows[i].CPUSeconds = new(0.1 * float64(1+i%7))
		in.Rows[i].Warnings = []result.Warning{{Text: "stopped early", Times: 2}}
	}
	return in
}

// On a phone no page scrolls sideways. The table has all methods, and the best method of each set is visible without
// scrolling sideways.
func TestPhone(t *testing.T) {
	inputs := map[string]sample.Input{"many": many(), "names": sample.Small()}
	if testenv.Thorough(t) {
		inputs["few"] = sample.Paper()
	}
	for name, in := range inputs {
		tab := open(t, written(t, in, Options{}), phone)
		eval[bool](tab, `document.querySelectorAll("details").forEach(d => { d.open = true; }), true`)
		if wide := eval[[]int](tab, `[document.documentElement.scrollWidth, innerWidth]`); wide[0] > wide[1] {
			t.Errorf("%s: the page is %d wide on a phone of %d", name, wide[0], wide[1])
		}
		methods := eval[[]string](tab,
			`[...document.querySelectorAll("#results thead [data-method]")].map(th => th.textContent)`)
		must.Be(t, len(methods), len(tableOf(t, in).Methods), name, methods)
		hidden := eval[[]string](tab, `(() => {
			const right = document.querySelector("#results .scroll").getBoundingClientRect().right;
			const seen = e => e.getBoundingClientRect().right <= right + 1;
			return [...document.querySelectorAll("#results tr[data-set]")]
				.filter(tr => tr.querySelector("td.best") && ![...tr.querySelectorAll("td.best, td.beside")].some(seen))
				.map(tr => tr.dataset.set);
		})()`)
		if len(hidden) > 0 {
			t.Errorf("%s: the best of sets %q is out of sight", name, hidden)
		}
		tab.Quiet()
	}
}

func tableOf(t *testing.T, in sample.Input) frame.Table {
	t.Helper()
	return must.Get(in.Frame(t).Table(""))(t)
}

// The table that the script draws at first has the numbers of report accuracy: every mean, the ranks, and the best.
func TestTheSameTable(t *testing.T) {
	in := sample.Paper()
	tab := open(t, written(t, in, Options{}), desktop)
	p := built(t, in, Options{})
	cells := regexp.MustCompile(`(?s)<tr><th scope="row">([^<]*)</th>(.*?)</tr>`).FindAllStringSubmatch(
		string(p.Static), -1)
	want := map[string]string{}
	for _, c := range cells {
		row := regexp.MustCompile(`<strong>([^<]*)</strong>`).ReplaceAllString(c[2], "*$1")
		row = regexp.MustCompile(`<td class="first"[^>]*>\d+(/\d+)?`).ReplaceAllString(row, "")
		want[html.UnescapeString(c[1])] = strings.Join(strings.Fields(
			strings.ReplaceAll(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(row, " "), "†", "")), " ")
	}
	got := eval[map[string]string](tab, `Object.fromEntries(
		[...document.querySelectorAll("#results tbody tr")].map(tr => [tr.cells[0].textContent.replace(" †", ""),
		[...tr.cells].slice(1).map(td => (td.querySelector("strong") ? "*" : "") + td.textContent)
		.join(" ").replace(/\s+/g, " ")]))`)
	if len(got) < 15 {
		t.Fatalf("the page has rows %v", got)
	}
	for name, row := range got {
		if ours := strings.TrimSpace(row); !strings.HasSuffix(want[name], ours) {
			t.Errorf("%s: the page has\n%s\nreport accuracy\n%s", name, ours, want[name])
		}
	}
	tab.Quiet()
}

// A key press on a head sorts by its column, the best first. A second one reverses the order. The menu sorts methods by
// their rank.
func TestSort(t *testing.T) {
	tab := open(t, written(t, sample.Paper(), Options{}), desktop)
	values := func() []string {
		return eval[[]string](tab,
			`[...document.querySelectorAll("#results tbody:first-of-type tr")].map(tr => tr.cells[1].textContent`+
				`.split(" ")[0])`)
	}
	numbers := func(list []string) []float64 {
		return doc.Map(list, func(s string) (x float64) { fmt.Sscan(s, &x); return x })
	}
	eval[bool](tab, `document.querySelector("#results [data-sort='sets:0']").focus(), true`)
	tab.Press(kb.Enter)
	down := numbers(values())
	if !slices.IsSortedFunc(down, func(a, b float64) int { return int(1000 * (b - a)) }) || len(down) < 10 {
		t.Errorf("by the first method the sets are %v", down)
	}
	must.Be(t, eval[string](tab,
		`document.querySelector("#results [aria-sort]").textContent + " " + document.querySelector("#results `+
			`[aria-sort]").ariaSort`), "BMKR descending", "sorted by")
	tab.Press(" ") // the focus is still on the head
	up := numbers(values())
	slices.Reverse(up)
	must.Be(t, up, down, "turned around the sets are")
	eval[bool](tab,
		`(() => { const s = document.querySelectorAll("#controls > .select select")[0]; s.value = "rank"; s`+
			`.dispatchEvent(new Event("change")); return true; })()`)
	texts := eval[[]string](tab,
		`[...document.querySelectorAll("#results [data-sum=rank] td")].map(td => td.textContent)`)
	ranks := numbers(texts[:5]) // PBRFF lacks a set
	if !slices.IsSorted(ranks) || len(texts) != 6 || texts[5] != "-" {
		t.Errorf("methods by rank have the ranks %v", ranks)
	}
	tab.Quiet()
}

// Keys alone open the dialog of a number and close it.
func TestKeyboard(t *testing.T) {
	testenv.OnlyThorough(t)
	tab := open(t, written(t, many(), Options{}), desktop)
	focus := func() string {
		return eval[string](tab,
			`document.activeElement.dataset.cell || document.activeElement.className || document.activeElement.tagName`)
	}
	eval[bool](tab, `[...document.querySelectorAll("#controls button")].pop().focus(), true`)
	for range 60 { // past the heads
		if tab.Press(kb.Tab); strings.Contains(focus(), ",") {
			break
		}
	}
	start := focus()
	if !strings.Contains(start, ",") {
		t.Fatalf("tabs lead to %q", start)
	}
	tab.Press(kb.Home, kb.ArrowDown, kb.ArrowRight)
	if focus() == start || !strings.Contains(focus(), ",") {
		t.Errorf("arrows lead from %q to %q", start, focus())
	}
	at := focus()
	title := eval[string](tab, `document.activeElement.title`)
	tab.Press(kb.Enter)
	must.Be(t, eval[string](tab, `document.querySelector("dialog[open] h2")?.textContent || ""`), title, "behind")
	must.Be(t, focus(), "close", "the focus is on")
	must.Be(t, eval[int](tab, `document.querySelectorAll("dialog[open] tbody tr").length`), 20)
	text := eval[string](tab, `document.querySelector("dialog[open]").textContent`)
	must.Hold(t, text, "exactly ", "bench report why table2 ", "bench verify --sample 100% --methods ",
		"FROM results WHERE protocol = 'table2'", "A fit warned")
	tab.Press(kb.Escape)
	must.Be(t, eval[bool](tab, `document.querySelector("dialog").open`), false, "after Escape the focus is on")
	must.Be(t, focus(), at, "after Escape the focus is on")
	// The Tab key reaches one number of the table. Arrow keys reach the others.
	must.Be(t, eval[int](tab, `document.querySelectorAll("#results .cell[tabindex='0']").length`), 1,
		"the Tab key reaches")
	tab.Quiet()
}

// The dialog of a cell has the values of the frame for each split, for metrics with and without counts of correct rows.
func TestSplits(t *testing.T) {
	testenv.OnlyThorough(t)
	in := sample.Paper()
	for metric, want := range map[string]func(r frame.Run) string{
		"accuracy": func(r frame.Run) string {
			return fmt.Sprintf("%d/%d %s", *r.Score.Correct, r.Score.N, r.Value.FloatString(3))
		},
		"mcc": func(r frame.Run) string { return "- " + r.Value.FloatString(5) },
	} {
		table := must.Get(in.Frame(t).Table(metric))(t)
		tab := open(t, written(t, in, Options{Metric: metric}), desktop)
		for s, set := range table.Sets[:3] {
			eval[bool](tab, fmt.Sprintf(`document.querySelector("[data-cell='%d,1']").click(), true`, s))
			got := eval[[]string](tab,
				`[...document.querySelectorAll("dialog[open] tbody tr")].map(tr => tr.cells[1].textContent + " " + `+
					`tr.cells[2].textContent)`)
			must.Be(t, got, doc.Map(set.Entries[1].Runs, want), metric, set.Entries[1].Method, set.Name)
			eval[bool](tab, `document.querySelector("dialog").close(), true`)
		}
		tab.Quiet()
	}
}

// On paper every method is in the table, which fits a sheet in landscape format.
func TestPrint(t *testing.T) {
	testenv.OnlyThorough(t)
	in := many()
	tab := open(t, written(t, in, Options{}), night)
	pdf := must.Get(chromedp.Run(tab.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(),
		chromedp.PDFPrintBackground())))(t)
	methods := tableOf(t, in).Methods
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	const paper = 1031 // pixels: 297 mm less two margins of 12 mm
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: paper, Height: 700,
		DeviceScaleFactor: 1})
	heads := eval[[]string](tab,
		`[...document.querySelectorAll("#print tr[data-method] th")].filter(th => th.offsetWidth > 0).map(th => th`+
			`.textContent)`)
	must.Be(t, heads, methods, "on paper are")
	for _, w := range eval[[]float64](tab,
		`[...document.querySelectorAll("#print table, #published table")].map(t => t.getBoundingClientRect().width)`) {
		if w > paper {
			t.Errorf("a block is %v wide, the paper %v", w, paper)
		}
	}
	text := textOf(t, pdf)
	must.Hold(t, text, append(slices.Clone(methods), "wine", "occupancy", "Average rank",
		"where no difference is significant")...)
	tab.Quiet()
}

// If scripts are disabled, the page has the table of report accuracy.
func TestWithoutScript(t *testing.T) {
	file := written(t, sample.Paper(), Options{})
	tab := open(t, file, desktop)
	call(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	tab.Do(chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()))
	pdf := must.Get(chromedp.Run(tab.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize())))(t)
	text := textOf(t, pdf)
	must.Hold(t, text, "GBRFF2", "Average rank", "occupancy")
}

// textOf returns the text of a PDF. It needs pdftotext. Without it t is skipped, or fails in a continuous run.
func textOf(t *testing.T, pdf []byte) string {
	t.Helper()
	c := exec.Command("pdftotext", "-layout", "-", "-")
	c.Stdin = bytes.NewReader(pdf)
	out, err := c.Output()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("pdftotext: %v; .ci/run installs poppler-utils", err)
	case err != nil:
		t.Skipf("pdftotext: %v; install poppler-utils to run this test", err)
	}
	return string(out)
}

// Heard has the messages of the console, exceptions, and violations of the policy, so that Quiet fails a test for them.
func TestConsoleIsRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	page := strings.Replace(
		`<meta http-equiv="Content-Security-Policy" content="POLICY"><p>x</p><footer></footer><p style="color: `+
			`red">y</p>`, "POLICY", render.Shell{}.Policy(), 1)
	must.Do(t, os.WriteFile(file, []byte(page), 0o666))
	tab := open(t, file, desktop)
	eval[bool](tab, `console.error("a mistake"), setTimeout(() => { throw new Error("thrown"); }), true`)
	for _, want := range []string{"a mistake", "Uncaught", "Content Security Policy"} {
		heard := func() bool {
			return slices.ContainsFunc(tab.Heard(), func(s string) bool { return strings.Contains(s, want) })
		}
		for range 12000 { // ten minutes, on a machine whose cores are busy
			if heard() {
				break
			}
			tab.Do(chromedp.Sleep(50 * time.Millisecond))
		}
		must.Be(t, heard(), true, want, tab.Heard())
	}
}
