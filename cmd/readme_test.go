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

// TestReadmeExamples runs every `console` block of README.md, and of the pages that go on from there, in order, in one empty directory. It
// compares what the commands print with what the page shows. A line of three dots stands for any lines.
func TestReadmeExamples(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	mirror, err := filepath.Abs(testenv.Mirror(t))
	if err != nil {
		t.Fatal(err)
	}
	var examples []example
	for _, page := range []string{"README.md", "docs/how-to/models.md"} {
		raw, err := os.ReadFile(filepath.Join(testenv.Root(), page))
		if err != nil {
			t.Fatal(err)
		}
		shown := consoleExamples(page, string(raw))
		if len(shown) < 2 {
			t.Fatalf("%s shows %d commands", page, len(shown))
		}
		examples = append(examples, shown...)
	}
	dir := t.TempDir()
	for _, e := range examples {
		c := exec.Command("sh", "-c", e.command)
		c.Dir = dir
		c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_MIRROR="+mirror)
		var stderr strings.Builder
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", e.command, err, stderr.String())
		}
		if len(e.output) > 0 && !matches(strings.Split(strings.TrimRight(string(out), "\n"), "\n"), e.output) {
			t.Errorf("%s prints\n%s\n%s shows\n%s", e.command, out, e.page, strings.Join(e.output, "\n"))
		}
	}
}

type example struct {
	page, command string
	output        []string
}

func consoleExamples(page, text string) []example {
	var out []example
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "```console":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && strings.HasPrefix(line, "$ "):
			out = append(out, example{page: page, command: strings.TrimPrefix(line, "$ ")})
		case inside && len(out) > 0:
			out[len(out)-1].output = append(out[len(out)-1].output, line)
		}
	}
	return out
}

// matches compares lines; "..." in want stands for any number of lines, and at the end of a line for the rest of it.
func matches(got, want []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for skip := 0; skip <= len(got); skip++ {
			if matches(got[skip:], want[1:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 {
		return false
	}
	start, open := strings.CutSuffix(want[0], " ...")
	same := strings.TrimRight(got[0], " ") == strings.TrimRight(want[0], " ") || open && strings.HasPrefix(got[0], start)
	return same && matches(got[1:], want[1:])
}

var (
	linkText    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks follows every link from README.md, CONTRIBUTING.md and the documents to a file of this repository, and to the heading that it names.
func TestLinks(t *testing.T) {
	testenv.NotUnderRace(t)
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(testenv.Root(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			page, _ := filepath.Rel(testenv.Root(), f)
			pages = append(pages, page)
		}
	}
	followed := 0
	for _, page := range pages {
		for _, m := range linkText.FindAllStringSubmatch(strings.Join(readLines(t, page), "\n"), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			followed++
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(testenv.Root(), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			if anchor != "" && !slices.ContainsFunc(readLines(t, target), func(l string) bool {
				title, heading := strings.CutPrefix(strings.TrimLeft(l, "#"), " ")
				return heading && strings.HasPrefix(l, "#") && strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(title), ""), " ", "-") == anchor
			}) {
				t.Errorf("%s links to %s; %s has no such heading", page, m[1], target)
			}
		}
	}
	if followed < 50 {
		t.Errorf("%d links were followed", followed)
	}
}

// TestPagesOpen: a document begins with a title, and then with a sentence on what the page is for and for whom.
func TestPagesOpen(t *testing.T) {
	for _, kind := range []string{".", "tutorial", "how-to", "reference", "explanation", "notebook"} {
		pages, err := filepath.Glob(filepath.Join(testenv.Root(), "docs", kind, "*.md"))
		if err != nil || len(pages) == 0 {
			t.Fatalf("docs/%s has no pages: %v", kind, err)
		}
		for _, page := range pages {
			lines := strings.SplitN(strings.Join(readLines(t, "docs", kind, filepath.Base(page)), "\n"), "\n\n", 3)
			if len(lines) < 3 || !strings.HasPrefix(lines[0], "# ") || !regexp.MustCompile(`^For |^[A-Z].*\bfor `).MatchString(strings.ReplaceAll(lines[1], "\n", " ")) {
				t.Errorf("docs/%s/%s does not open with what it is for, and for whom", kind, filepath.Base(page))
			}
		}
	}
}

var document = regexp.MustCompile(`\bdocs/[A-Za-z0-9_./-]*\.(md|toml|svg|html)\b`)

// TestNamedDocuments: every document that help, an error, a comment or a script names by its path is there. Pages of the reference run name
// the files that they were written to.
func TestNamedDocuments(t *testing.T) {
	testenv.NotUnderRace(t)
	named := 0
	for _, place := range []string{"README.md", "CONTRIBUTING.md", "Makefile", "cmd", "datasets", "docs", "harness", "internal", "methods", "registry", "reports", "scripts"} {
		err := filepath.WalkDir(filepath.Join(testenv.Root(), place), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".md", ".py", ".sh", ".tmpl", ".toml", ".txtar", ".html", ""}, filepath.Ext(path)) {
				return err
			}
			source, err := os.ReadFile(path)
			for _, name := range document.FindAllString(string(source), -1) {
				named++
				if _, err := os.Stat(filepath.Join(testenv.Root(), name)); err != nil {
					t.Errorf("%s names %s, which is not there", path, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 50 {
		t.Errorf("%d documents are named", named)
	}
}
