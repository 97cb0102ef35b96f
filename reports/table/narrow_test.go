package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
	"pgregory.net/rapid"
)

// TestNarrow: 37 methods on 13 sets are a page of 45 lines with the values, marks and ranks of the whole table. It has
// all sets at 100 columns and as many as fit at 80 and 60. What is left out comes with the details.
func TestNarrow(t *testing.T) {
	in := sample.Of(2)
	for s := range 13 {
		set := fmt.Sprintf("%c-set", 'a'+s)
		in.Protocol.Datasets = append(in.Protocol.Datasets, set)
		for m := range 37 {
			for split := 1; split <= 2; split++ {
				in.Rows = append(in.Rows, sample.OK(set, fmt.Sprintf("method-number-%d", 10+m), split,
					500+(m*7+s*11)%400+split, 1000))
			}
		}
	}
	d := sample.Build(t, frame.Report{Name: "accuracy", Flags: Accuracy}, in)
	written := func(d doc.Document, width int) string {
		var out strings.Builder
		must.Do(t, render.Text(&out, d, render.Options{Width: width}))
		return out.String()
	}
	whole := slices.Concat(d.Blocks[1].(doc.Table).Sections...)
	for width, sets := range map[int]int{100: 13, 80: 10, 60: 6} {
		page := written(d.Short("--details"), width)
		lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
		if len(lines) > 45 {
			t.Errorf("%d lines of %d columns, want 45 at most:\n%s", len(lines), width, page)
		}
		if i := slices.IndexFunc(lines, func(l string) bool { return width >= 80 && len([]rune(l)) > width }); i >= 0 {
			t.Errorf("wider than %d columns: %s", width, lines[i])
		}
		narrow := d.Narrow[13-sets].Table
		for i, row := range narrow.Sections[0] {
			for j, e := range row.Entries {
				of := j
				if j >= sets { // Mean and Rank stand below the 13 sets
					of += 13 - sets
				}
				from := whole[of].Entries[i]
				must.Be(t, e.Text, from.Text, row.Name, narrow.Head[j].Name)
				must.Be(t, e.Best, from.Best, row.Name, narrow.Head[j].Name)
			}
			for _, line := range lines {
				if strings.HasPrefix(line, row.Name+" ") {
					must.Be(t, strings.Fields(strings.ReplaceAll(line, "*", " "))[1:],
						doc.Map(row.Entries, func(e doc.Entry) string { return e.Text }))
				}
			}
		}
	}
	must.Hold(t, written(d.Whole(), 100), " ± ")
	must.Hold(t, written(d.Short("--details"), 0), " ± ")
}

// TestBeginnings: shortened names tell the sets apart and begin their names.
func TestBeginnings(t *testing.T) {
	must.Be(t, beginnings([]string{"wine", "wine-red", "pima", "australian", "balance", "balanced"}),
		[]string{"wine", "wine-", "pima", "aust", "balance", "balanced"})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-cé]{1,9}`), rapid.ID[string]).Draw(t, "names")
		seen := map[string]bool{}
		for i, short := range beginnings(names) {
			if seen[short] || !strings.HasPrefix(names[i], short) {
				t.Errorf("%q of %q", short, names)
			}
			seen[short] = true
		}
	})
}
