package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// firstTable is the first Markdown table of a text: its lines, and the place of the first.
func firstTable(lines []string) (int, []string) {
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "|") })
	if first < 0 {
		return 0, nil
	}
	end := first
	for end < len(lines) && strings.HasPrefix(lines[end], "|") {
		end++
	}
	return first, lines[first:end]
}

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

// What `bench import reference` stores, without data or network, is the table of docs/reference-run.
func TestImportedReferenceIsTheTable(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	dir := t.TempDir()
	bench := func(args ...string) string {
		c := exec.Command("bench", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_MIRROR="+filepath.Join(dir, "none"))
		var stderr strings.Builder
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("bench %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
		}
		return string(out) + stderr.String()
	}
	if said := bench("import", "reference"); !regexp.MustCompile(`reference: 18[0-9][0-9] cells imported, 0 stored already, 0 out of date`).MatchString(said) {
		t.Errorf("import says %s", said)
	}
	_, want := firstTable(readLines(t, "docs", "reference-run", "table2.md"))
	_, got := firstTable(strings.Split(bench("report", "table2", "--format", "md"), "\n"))
	// Nothing of the user's changed, whatever data is here.
	if said := bench("run", "--methods", "GFC,LGBM", "--datasets", "swiss", "--splits", "1"); strings.Contains(said, "changed") {
		t.Errorf("a run after the import says %s", said)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the imported table is\n%s\ndocs/reference-run has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
