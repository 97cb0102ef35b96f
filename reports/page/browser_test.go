//go:build !race

package page

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/kernelboosting/bench/reports/internal/sample"
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
	quit = func() { cancel(); stop() }
	return ctx, chromedp.Do(ctx)
})

// quit ends the browser, if one was started.
var quit = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	quit()
	os.Exit(code)
}

// A tab is a page in the browser. What its console says of errors, and what the policy refuses, fails the test.
type tab struct {
	*testing.T
	ctx   context.Context
	mutex sync.Mutex
	said  []string // by its console
}

// look says how a page is looked at.
type look struct {
	width, height int64
	dark, phone   bool
}

var (
	desktop = look{width: 1280, height: 900}
	night   = look{width: 1280, height: 900, dark: true}
	phone   = look{width: 390, height: 844, phone: true}
)

// open shows a file. Without a browser the test is skipped, but not in a continuous run.
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
	err = chromedp.Listen(ctx, func(event any) {
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
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	call(out, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1, Mobile: l.phone})
	call(out, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	out.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()), chromedp.WaitReady("footer"))
	return out
}

// quiet fails the test if the console has said anything.
func (t *tab) quiet() {
	t.Helper()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.said) > 0 {
		t.Errorf("the console says %q", t.said)
	}
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func call[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	out, err := chromedp.Call(t.ctx, command, params)
	if err != nil {
		t.Fatalf("%s: %v", command.Method, err)
	}
	return out
}

// is evaluates an expression.
func is[T any](t *tab, expression string) T {
	t.Helper()
	out, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.quiet()
		t.Fatalf("%.200s: %v", expression, err)
	}
	return out
}

// press sends a key to what has the focus.
func (t *tab) press(keys ...string) {
	t.Helper()
	for _, k := range keys {
		t.do(chromedp.KeyEvent(k))
	}
}

// picture writes what is seen to the folder that BENCH_PICTURES names, for people to look at.
func (t *tab) picture(name string) {
	t.Helper()
	folder := os.Getenv("BENCH_PICTURES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666); err != nil {
		t.Fatal(err)
	}
}

// written is a page as a file.
func written(t *testing.T, in sample.Input, o Options) string {
	t.Helper()
	var out strings.Builder
	if err := built(t, in, o).Write(&out); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
