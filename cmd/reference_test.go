package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
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

var (
	readmeVerdict = regexp.MustCompile(`(?m)^(?:> .*\n)+`)
	upTo98        = regexp.MustCompile(`(.{1,98})(?: |$)`)
)

// README.md shows the verdict on LGBM of docs/reference-run in lines of 100 columns; -update writes it.
func TestReadmeShowsTheReferenceRun(t *testing.T) {
	compared := readLines(t, "docs", "reference-run", "compare-gbrff2.md")
	at := slices.IndexFunc(compared, func(l string) bool { return strings.HasPrefix(l, "GBRFF2 against LGBM: ") })
	readme := strings.Join(readLines(t, "README.md"), "\n")
	shown := readmeVerdict.FindString(readme)
	if at < 0 || shown == "" {
		t.Fatal("compare-gbrff2.md has no line that begins with GBRFF2 against LGBM, or README.md no quotation")
	}
	if want := upTo98.ReplaceAllString(compared[at], "> $1\n"); *update {
		readme = strings.Replace(readme, shown, want, 1)
		must.Do(t, os.WriteFile(filepath.Join(testenv.Root(), "README.md"), []byte(readme), 0o644))
	} else if shown != want {
		t.Errorf("README.md says\n%s\nand of docs/reference-run/compare-gbrff2.md follows\n%s", shown, want)
	}
}
