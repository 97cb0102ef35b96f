package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

func readLines(t *testing.T, path ...string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(append([]string{testenv.Root()}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(raw), "\n")
}

// verdict is the line of a page of `bench compare` on another method.
func verdict(t *testing.T, page []string, other string) string {
	t.Helper()
	for _, l := range page {
		if strings.HasPrefix(l, "GBRFF2 against "+other+": ") {
			return l
		}
	}
	t.Fatalf("the page has no verdict on %s", other)
	return ""
}

// README.md shows the verdict on LGBM of docs/reference-run; -update writes it.
func TestReadmeShowsTheReferenceRun(t *testing.T) {
	line := "> " + verdict(t, readLines(t, "docs", "reference-run", "compare-gbrff2.md"), "LGBM")
	readme := readLines(t, "README.md")
	at := slices.IndexFunc(readme, func(l string) bool { return strings.HasPrefix(l, "> GBRFF2 against LGBM") })
	if at < 0 {
		t.Fatal("README.md has no line that begins with `> GBRFF2 against LGBM`")
	}
	if *update {
		readme[at] = line
		if err := os.WriteFile(filepath.Join(testenv.Root(), "README.md"), []byte(strings.Join(readme, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if readme[at] != line {
		t.Errorf("README.md says\n%s\ndocs/reference-run/compare-gbrff2.md\n%s", readme[at], line)
	}
}
