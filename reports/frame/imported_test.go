package frame

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

func TestImportedNotes(t *testing.T) {
	row := func(method, imported, cpu string, cores int) store.Row {
		seconds := 1.0
		return store.Row{Planned: result.Planned{Method: method, Dataset: "wine"}, Imported: imported, FitSeconds: &seconds, Environment: &result.Environment{CPU: cpu, Cores: cores}}
	}
	scores := row("Mine", "mine.csv", "", 0)
	scores.FitSeconds = nil
	got := importedNotes([]store.Row{
		row("CART", "reference", "X", 2), row("GBRFF2", "", "Y", 2), row("BMKR", "reference", "X", 2), row("CART", "reference", "X", 2),
		row("CART", "theirs.bench", "X", 1), row("CART", "reference", "", 0), scores,
	})
	want := []string{
		"Imported from reference, computed on X (2 cores): 3 cells of CART, BMKR. Their times do not compare with those of another processor.",
		"Imported from theirs.bench, computed on X (1 core): 1 cell of CART. Their times do not compare with those of another processor.",
		"Imported from reference, computed on a processor that was not recorded: 1 cell of CART. Their times do not compare with those of another processor.",
		"Imported from mine.csv, test scores of a method elsewhere that were counted here: 1 cell of Mine.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("notes\n%q, want\n%q", got, want)
	}
}
