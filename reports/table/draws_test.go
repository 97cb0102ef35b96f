package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestDrawsAreNamed: a set whose rows are divided once is no set of random splits, and repeated fits are counted once.
func TestDrawsAreNamed(t *testing.T) {
	// whose sizes are not known
	parted := sample.Set{Entry: catalogue.Entry{Files: []catalogue.File{{Path: "a"},
		{Path: "b", Role: catalogue.RoleTest}}}}
	in := sample.Input{Known: map[string]sample.Set{"anew": {}, "adult": parted}}
	in.Protocol.Splits, in.Protocol.Datasets = 3, []string{"anew", "adult"}
	in.Protocol.Once = func(testPart bool) bool { return testPart }
	for _, set := range in.Protocol.Datasets {
		for method, hashes := range map[string][]string{"draws": {"a", "b", "c"}, "fixed": {"d", "d", "e"}} {
			for i, hash := range hashes {
				r := sample.OK(set, method, i+1, 5, 10)
				r.ScoresHash = hash
				in.Rows = append(in.Rows, r)
			}
		}
	}
	check := func(title, note string) {
		t.Helper()
		d := sample.Build(t, frame.Report{Name: "accuracy", Flags: Accuracy}, in)
		must.Hold(t, d.Title, "over 3 "+title+", protocol")
		if note != "" != slices.Contains(d.Notes, note) || note == "" &&
			strings.Contains(strings.Join(d.Notes, " "), "division") {
			t.Errorf("notes %q, want %q", d.Notes, note)
		}
	}
	const repeats = "adult: one division, 3 draws of the method (distinct fits: fixed 2 of 3, all of the others)."
	check("random train/test splits, or draws of the method", repeats)
	in.Datasets = []string{"adult"}
	check("draws of the method", repeats)
	in.Methods = []string{"draws"}
	check("draws of the method", "adult: one division, 3 draws of the method (all distinct fits).")
	in.Methods, in.Datasets = nil, []string{"anew"}
	check("random train/test splits", "")
	in.Datasets = []string{"adult"}
	for i := range in.Rows {
		in.Rows[i].ScoresHash = ""
	}
	check("draws of the method", "adult: one division, 3 draws of the method (whether fits repeat is not known of "+
		"every method).")
}
