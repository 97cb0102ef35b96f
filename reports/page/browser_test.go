//go:build !race

package page

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/kernelboosting/bench/internal/test/browser"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browser.Quit()
	os.Exit(code)
}

// A tab is a tab of the browser.
type tab struct{ *browser.Tab }

// open opens a file in the browser.
func open(t *testing.T, file string, l browser.Look) *tab {
	t.Helper()
	return &tab{browser.Open(t, (&url.URL{Scheme: "file", Path: file}).String(), l)}
}

func call[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	return browser.Call(t.Tab, command, params)
}

// eval evaluates an expression of JavaScript.
func eval[T any](t *tab, expression string) T {
	t.Helper()
	return browser.Evaluate[T](t.Tab, expression)
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
