//go:build !race

package page

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

func TestMain(m *testing.M) {
	code := m.Run()
	quit()
	os.Exit(code)
}

// browser is started once for all tests.
var browser = sync.OnceValues(func() (context.Context, error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, exec.ErrNotFound
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	quit = func() { cancel(); stop() }
	return ctx, chromedp.Do(ctx)
})

// quit ends the browser, if one was started.
var quit = func() {}

// A tab is a page in the browser. What its console says of errors, and what the policy refuses, fails the test.
type tab struct {
	*testing.T
	ctx   context.Context // of the tab, for actions of chromedp
	mutex sync.Mutex
	said  []string // by its console
}

// look says how a page is looked at.
type look struct {
	Width, Height int64
	Dark, Phone   bool
}

// These are the usual looks.
var (
	desktop = look{Width: 1280, Height: 900}
	night   = look{Width: 1280, Height: 900, Dark: true}
	phone   = look{Width: 390, Height: 844, Phone: true}
)

// open opens a file in the browser. Without a browser the test is skipped, but not in a continuous run.
func open(t *testing.T, file string, l look) *tab {
	t.Helper()
	parent, err := browser()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("no browser: %v; .ci/run installs chromium", err)
	case err != nil:
		t.Skipf("no browser: %v; install chromium to run this test", err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute) // a machine whose cores are busy
	t.Cleanup(stop)
	out := &tab{T: t, ctx: ctx}
	must.Do(t, chromedp.Listen(ctx, func(event any) {
		out.mutex.Lock()
		defer out.mutex.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			out.said = append(out.said, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			for _, a := range e.Args {
				out.said = append(out.said, string(a.Value))
			}
		case *log.EventEntryAdded:
			out.said = append(out.said, e.Entry.Text)
		}
	}))
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	call(out, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width,
		Height: l.Height, DeviceScaleFactor: 1, Mobile: l.Phone})
	call(out, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	out.Do(chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()), chromedp.WaitReady("footer"))
	return out
}

// Quiet fails the test if the console has said anything.
func (t *tab) Quiet() {
	t.Helper()
	if said := t.Heard(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
}

// Heard returns what the console has said.
func (t *tab) Heard() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.said)
}

// Do does things in order.
func (t *tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	must.Do(t, chromedp.Do(t.ctx, actions...))
}

// call sends a command to the tab.
func call[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	out, err := chromedp.Call(t.ctx, command, params)
	if err != nil {
		t.Fatalf("%s: %v", command.Method, err)
	}
	return out
}

// eval evaluates an expression of JavaScript.
func eval[T any](t *tab, expression string) T {
	t.Helper()
	out, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Quiet()
		t.Fatalf("%.200s: %v", expression, err)
	}
	return out
}

// Press sends a key to what has the focus.
func (t *tab) Press(keys ...string) {
	t.Helper()
	for _, k := range keys {
		t.Do(chromedp.KeyEvent(k))
	}
}

// Picture writes what is seen to the folder that BENCH_PICTURES names, for people to look at.
func (t *tab) Picture(name string) {
	t.Helper()
	folder := os.Getenv("BENCH_PICTURES")
	if folder == "" {
		return
	}
	png := must.Get(chromedp.Run(t.ctx, chromedp.CaptureScreenshot()))(t)
	must.Do(t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666))
}

// axeSource is the source of axe-core, which BENCH_AXE names. Without it the test is skipped, but not in a continuous
// run.
func axeSource(t *testing.T) string {
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

// Accessible fails the test for what axe-core finds serious or critical.
func (t *tab) Accessible(source, what string) {
	t.Helper()
	eval[bool](t, source+"; true")
	found, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]string](`
		axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
			.filter(v => v.impact === "serious" || v.impact === "critical")
			.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join(" | ")))`,
		chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s: %s", what, f)
	}
}

// written writes a page and returns its file.
func written(t *testing.T, in sample.Input, o Options) string {
	t.Helper()
	var out strings.Builder
	must.Do(t, built(t, in, o).Write(&out))
	file := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(file, []byte(out.String()), 0o666))
	return file
}
