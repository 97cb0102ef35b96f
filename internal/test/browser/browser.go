// Package browser opens pages in a real browser, for tests.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/kernelboosting/bench/internal/test/must"
)

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
	Quit = func() { cancel(); stop() }
	return ctx, chromedp.Do(ctx)
})

// Quit ends the browser, if one was started.
var Quit = func() {}

// A Tab is a page in the browser. What its console says of errors, and what the policy refuses, fails the test.
type Tab struct {
	*testing.T
	Ctx   context.Context // of the tab, for actions of chromedp
	mutex sync.Mutex
	said  []string // by its console
}

// Look says how a page is looked at.
type Look struct {
	Width, Height int64
	Dark, Phone   bool
}

// These are the usual looks.
var (
	Desktop = Look{Width: 1280, Height: 900}
	Night   = Look{Width: 1280, Height: 900, Dark: true}
	Phone   = Look{Width: 390, Height: 844, Phone: true}
)

// Open shows an address. Without a browser the test is skipped, but not in a continuous run.
func Open(t *testing.T, at string, l Look) *Tab {
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
	out := &Tab{T: t, Ctx: ctx}
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
	Call(out, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width,
		Height: l.Height, DeviceScaleFactor: 1, Mobile: l.Phone})
	Call(out, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	out.Do(chromedp.Navigate(at), chromedp.WaitReady("footer"))
	return out
}

// Quiet fails the test if the console has said anything.
func (t *Tab) Quiet() {
	t.Helper()
	if said := t.Heard(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
}

// Heard returns what the console has said.
func (t *Tab) Heard() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.said)
}

// Do does things in order.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	must.Do(t, chromedp.Do(t.Ctx, actions...))
}

// Call sends a command to the tab.
func Call[P, R any](t *Tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	out, err := chromedp.Call(t.Ctx, command, params)
	if err != nil {
		t.Fatalf("%s: %v", command.Method, err)
	}
	return out
}

// Evaluate evaluates an expression of JavaScript.
func Evaluate[T any](t *Tab, expression string) T {
	t.Helper()
	out, err := chromedp.Run(t.Ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Quiet()
		t.Fatalf("%.200s: %v", expression, err)
	}
	return out
}

// Press sends a key to what has the focus.
func (t *Tab) Press(keys ...string) {
	t.Helper()
	for _, k := range keys {
		t.Do(chromedp.KeyEvent(k))
	}
}

// Picture writes what is seen to the folder that BENCH_PICTURES names, for people to look at.
func (t *Tab) Picture(name string) {
	t.Helper()
	folder := os.Getenv("BENCH_PICTURES")
	if folder == "" {
		return
	}
	png := must.Get(chromedp.Run(t.Ctx, chromedp.CaptureScreenshot()))(t)
	must.Do(t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666))
}

// Axe is the source of axe-core, which BENCH_AXE names. Without it the test is skipped, but not in a continuous run.
func Axe(t *testing.T) string {
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
func (t *Tab) Accessible(source, what string) {
	t.Helper()
	Evaluate[bool](t, source+"; true")
	found, err := chromedp.Run(t.Ctx, chromedp.Evaluate[[]string](`
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
