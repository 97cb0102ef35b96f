package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

func readLines(t *testing.T, path ...string) []string {
	t.Helper()
	file := filepath.Join(append([]string{testenv.Root()}, path...)...)
	return strings.Split(string(must.Get(os.ReadFile(file))(t)), "\n")
}

// README.md shows the verdict on LGBM of docs/reference-run; -update writes it.
func TestReadmeShowsTheReferenceRun(t *testing.T) {
	compared, readme := readLines(t, "docs", "reference-run", "compare-gbrff2.md"), readLines(t, "README.md")
	verdict := slices.IndexFunc(compared, func(l string) bool { return strings.HasPrefix(l, "GBRFF2 against LGBM: ") })
	at := slices.IndexFunc(readme, func(l string) bool { return strings.HasPrefix(l, "> GBRFF2 against LGBM") })
	if at < 0 || verdict < 0 {
		t.Fatal("README.md or compare-gbrff2.md has no line that begins with GBRFF2 against LGBM")
	}
	if line := "> " + compared[verdict]; *update {
		readme[at] = line
		must.Do(t, os.WriteFile(filepath.Join(testenv.Root(), "README.md"), []byte(strings.Join(readme, "\n")), 0o644))
	} else if readme[at] != line {
		t.Errorf("README.md says\n%s\ndocs/reference-run/compare-gbrff2.md\n%s", readme[at], line)
	}
}
