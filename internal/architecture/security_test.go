package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// named are tests, fuzz targets and scripts as the page on security writes them.
var named = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]*|[a-z-]+\\.txtar)`")

// TestSecurityNamesTests: each test that docs/explanation/security.md names is there. Each row of its tables with a
// column "shown by" names one, or says that the thing can be done.
func TestSecurityNamesTests(t *testing.T) {
	there := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]*)\(`)
	must.Do(t, filepath.WalkDir(testenv.Root(), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
		case strings.HasSuffix(path, ".txtar"):
			there[filepath.Base(path)] = true
		case strings.HasSuffix(path, "_test.go"):
			for _, f := range function.FindAllStringSubmatch(string(must.Get(os.ReadFile(path))(t)), -1) {
				there[f[1]] = true
			}
		}
		return err
	}))
	rows, wanted := 0, false
	page := string(must.Get(os.ReadFile(filepath.Join(testenv.Root(), "docs", "explanation", "security.md")))(t))
	for line := range strings.Lines(page) {
		tests := named.FindAllStringSubmatch(line, -1)
		for _, name := range tests {
			if !there[name[1]] {
				t.Errorf("there is no test %s: %s", name[1], line)
			}
		}
		cells := strings.Split(strings.TrimSpace(line), "|")
		switch last := len(cells) - 2; {
		case last < 1:
			wanted = false
		case strings.Trim(cells[last], " ") == "shown by":
			wanted = true
		case wanted && !strings.HasPrefix(cells[last], "---"):
			if rows++; len(tests) == 0 && strings.Trim(cells[last-1], " ") != "can" {
				t.Errorf("the row names no test: %s", line)
			}
		}
	}
	if rows < 30 {
		t.Errorf("the page has %d rows", rows)
	}
}
