package methods_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestDeclared compares what methods declare of themselves. Results on sets with channels depend on the first list, and
// nothing else in a key does: a method that comes to use blocks raises its version.
func TestDeclared(t *testing.T) {
	for _, c := range []struct {
		what string
		does func(registry.Spec) bool
		want string
	}{
		{"use blocks", func(s registry.Spec) bool { return s.Blocks },
			"GMKL KRR-GD RFF-MKL RFF-MKL-JOINT RFF-SKL RFF-SQL-MKL RFF-SQL-MKL-JOINT RFF-SQL-SKL RFF-SQL-SQR-MKL"},
		{"take missing values", func(s registry.Spec) bool { return s.Gaps }, "LGBM XGB"},
		{"give probabilities", func(s registry.Spec) bool { return s.Probability != nil },
			"CART CART-golearn KNN LDA LGBM Logistic RFRBoost XGB"},
	} {
		var names []string
		for _, spec := range methods.All().All() {
			if c.does(spec) {
				names = append(names, spec.Name)
			}
		}
		must.Be(t, strings.Join(slices.Sorted(slices.Values(names)), " "), c.want, c.what)
	}
}

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

// TestParametersAreInTheGlossary: each parameter's name is in docs/reference/glossary.md, or among the shared ones of
// docs/reference/parameters.md, so that one name is not given two meanings.
func TestParametersAreInTheGlossary(t *testing.T) {
	known := map[string]bool{}
	for page, head := range map[string]string{"glossary.md": "| parameter | meaning |",
		"parameters.md": "## Shared parameters"} {
		text := must.Get(os.ReadFile("../docs/reference/" + page))(t)
		_, table, _ := strings.Cut(string(text), head)
		for _, line := range strings.Split(table, "\n") {
			names, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
			for _, name := range strings.Split(names, ",") {
				known[strings.Trim(name, " `")] = true
			}
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
