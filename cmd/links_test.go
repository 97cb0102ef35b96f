package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

var (
	linkText    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks follows every link from README.md, CONTRIBUTING.md and the documents to a file of this repository, and to
// the heading that it names.
func TestLinks(t *testing.T) {
	followed := 0
	for _, page := range append(testenv.Documents(t), "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md") {
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
				return heading && strings.HasPrefix(l, "#") &&
					strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(title), ""), " ", "-") == anchor
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
			if len(lines) < 3 || !strings.HasPrefix(lines[0], "# ") ||
				!regexp.MustCompile(`^For |^[A-Z].*\bfor `).MatchString(strings.ReplaceAll(lines[1], "\n", " ")) {
				t.Errorf("docs/%s/%s does not open with what it is for, and for whom", kind, filepath.Base(page))
			}
		}
	}
}

// ownWords are words of the program's own, with their forms.
var ownWords = map[string]string{"canary": "canar(?:y|ies)", "cell": "cells?", "partial": "partial",
	"yardstick": "yardsticks?"}

// TestWords: a document that uses a word of the program's own says what it means or links to a page that does.
func TestWords(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	for _, page := range testenv.Documents(t) {
		text := strings.Join(readLines(t, page), "\n")
		made := strings.Contains(strings.ReplaceAll(text, "\n", " "), "makes this page from the program")
		if made || strings.Contains(page, "glossary.md") || strings.Contains(page, "reference-run/") {
			continue
		}
		for word, forms := range ownWords {
			said := regexp.MustCompile(`\*` + forms + `\*|\[(?:[^]]* )?` + forms + `\]\(|\b[Aa] ` + word +
				`(?:,[^.]*,)? is\b|methods-that-know-the-labels`)
			if regexp.MustCompile(`\b`+forms+`\b`).MatchString(code.ReplaceAllString(text, "")) &&
				!said.MatchString(text) {
				t.Errorf("%s uses the word %s, and neither explains it nor links to docs/reference/glossary.md",
					page, word)
			}
		}
	}
}

// TestChanges: each file of changelog/unreleased has the form that scripts/changelog.sh reads.
func TestChanges(t *testing.T) {
	files := must.Get(filepath.Glob(filepath.Join(testenv.Root(), "changelog", "unreleased", "*")))(t)
	for _, file := range files {
		text := string(must.Get(os.ReadFile(file))(t))
		must.Be(t, regexp.MustCompile(`\A(Bugfix|Change|Enhancement): [A-Z].*[^.]\n\n[^#\n]`).MatchString(text), true,
			file, text)
		must.Be(t, strings.Contains(text, "\n#"), false, file, text)
	}
	if len(files) > 0 {
		list := string(must.Get(exec.Command(filepath.Join(testenv.Root(), "scripts", "changelog.sh")).Output())(t))
		must.Be(t, strings.Count(list, "\n- ")+strings.Count(list[:2], "- "), len(files),
			"scripts/changelog.sh lists", list)
	}
}

var document = regexp.MustCompile(`\bdocs/[A-Za-z0-9_./-]*\.(md|toml|svg|html)\b`)

// TestNamedDocuments: every document that help, an error, a comment or a script names by its path is there. Pages of
// the reference run name the files that they were written to.
func TestNamedDocuments(t *testing.T) {
	named := 0
	for _, place := range []string{"README.md", "CONTRIBUTING.md", "Makefile", "cmd", "datasets", "docs", "harness",
		"internal", "methods", "registry", "reports", "scripts"} {
		must.Do(t, filepath.WalkDir(filepath.Join(testenv.Root(), place),
			func(path string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".md", ".py", ".sh", ".tmpl",
					".toml", ".txtar", ".html", ""}, filepath.Ext(path)) {
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
			}))
	}
	if named < 50 {
		t.Errorf("%d documents are named", named)
	}
}
