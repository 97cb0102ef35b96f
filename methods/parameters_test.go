package methods_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods"
)

// TestParametersAreDescribed: people who list a method read what each parameter means and which values it may have.
func TestParametersAreDescribed(t *testing.T) {
	for _, spec := range methods.All().All() {
		for _, p := range spec.Parameters() {
			if p.Means == "" || p.Allowed() == "" {
				t.Errorf("%s: parameter %s may be %q and means %q", spec.Name, p.Name, p.Allowed(), p.Means)
			}
		}
	}
}

// TestParametersAreInTheGlossary: each parameter's name is in docs/reference/glossary.md, so that one name is not given
// two meanings.
func TestParametersAreInTheGlossary(t *testing.T) {
	glossary := must.Get(os.ReadFile("../docs/reference/glossary.md"))(t)
	known := map[string]bool{}
	_, table, _ := strings.Cut(string(glossary), "| parameter | meaning |")
	for _, line := range strings.Split(table, "\n") {
		names, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, name := range strings.Split(names, ",") {
			known[strings.Trim(name, " `")] = true
		}
	}
	for _, spec := range methods.All().All() {
		for _, p := range spec.Parameters() {
			if !known[p.Name] {
				t.Errorf("%s: parameter %s is not in docs/reference/glossary.md", spec.Name, p.Name)
			}
		}
	}
}
