package frame

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

func TestWarningNotes(t *testing.T) {
	row := func(method, dataset string, warnings ...result.Warning) store.Row {
		return store.Row{Planned: result.Planned{Method: method, Dataset: dataset}, Warnings: warnings}
	}
	got := warningNotes([]store.Row{
		row("BMKR", "wine", result.Warning{Text: "stopped early method=BMKR c=1", Times: 2}, result.Warning{Text: "stopped early method=BMKR c=10", Times: 1}),
		row("BMKR", "sonar", result.Warning{Text: "stopped early method=BMKR c=1", Times: 4}),
		row("CART", "wine"),
		row("CART", "wine", result.Warning{Text: "abandoned", Times: 1}),
	})
	want := []string{"Fits of BMKR, CART warn on wine, sonar, 8 times: 2 messages. Table warnings has each."}
	if !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	var rows []store.Row
	for i := range 6 {
		for k := range 15 {
			rows = append(rows, row(fmt.Sprint("M", i), fmt.Sprint("s", k), result.Warning{Text: fmt.Sprint("stopped early c=", k), Times: 2}))
		}
	}
	want = []string{"Fits of 6 methods warn on 15 data sets, 180 times: stopped early. Table warnings has each."}
	if got := warningNotes(rows); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}
