package frame

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
)

func TestWarningNotes(t *testing.T) {
	row := func(method, dataset string, warnings ...store.Warning) store.Row {
		return store.Row{Method: method, Dataset: dataset, Warnings: warnings}
	}
	got := warningNotes([]store.Row{
		row("BMKR", "wine", store.Warning{Text: "stopped early method=BMKR c=1", Times: 2}, store.Warning{Text: "stopped early method=BMKR c=10", Times: 1}),
		row("BMKR", "sonar", store.Warning{Text: "stopped early method=BMKR c=1", Times: 4}),
		row("CART", "wine"),
		row("CART", "wine", store.Warning{Text: "abandoned", Times: 1}),
	})
	want := []string{
		"Fits of BMKR warn, 7 times: stopped early; on wine, sonar. Table warnings has each.",
		"Fits of CART warn, 1 time: abandoned; on wine. Table warnings has each.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}
