package frame_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestPartialMethods: in lacking A lacks own and C lacks nothing; what a method lacks is told with the command.
func TestPartialMethods(t *testing.T) {
	in := lacking()
	in.Rows = append(in.Rows, sample.OK("wine", "B", 2, 1, 2), sample.OK("wine", "B", 3, 1, 2)) // B has all, too
	got := table(t, in)
	if fmt.Sprint(got.Methods, got.Whole(), got.Counted, got.Coverage(2)) != "[B C A] [B C] [wine own sonar] 2" {
		t.Errorf("methods %v, whole %v over %v; A has %d", got.Methods, got.Whole(), got.Counted, got.Coverage(2))
	}
	want := "Partial, so without Mean and ranks: A (2 of 3 data sets). To complete what can be run: `bench run --methods A --datasets sets/own.toml`."
	if notes := got.Notes(); !slices.Contains(notes, want) {
		t.Errorf("notes %q lack %q", notes, want)
	}
	for i, means := range got.Means() {
		if len(means) != 2 {
			t.Errorf("set %d has means of %d methods", i, len(means))
		}
	}
	if splits := got.CommonSplits(); len(splits) != 5 || len(got.ValuesAt(5)[2]) != 2 {
		t.Errorf("common splits %v", splits)
	}

	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Method == "B" && r.Dataset != "sonar" })
	got = table(t, in) // A has wine and sonar, B sonar, C all: two of three have wine and sonar
	if fmt.Sprint(got.Whole(), got.Counted) != "[A C] [wine sonar]" || got.Ranked() != nil {
		t.Errorf("whole are %v over %v", got.Whole(), got.Counted)
	}
	in.Methods = []string{"B", "C"}
	got = table(t, in)
	err := got.Comparable()
	if want := "C alone has all of 3 data sets, so that there are no ranks; name fewer methods, data sets or splits with --methods, --datasets or --splits: every method has sonar"; !errors.Is(err, frame.ErrNoResults) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestMoreSplitsThanMost: what one method finished beyond the others is left out of its cell, and told.
func TestMoreSplitsThanMost(t *testing.T) {
	in := lacking()
	in.Rows = append(in.Rows, sample.OK("sonar", "D", 1, 1, 2), sample.OK("sonar", "D", 2, 0, 2), sample.OK("sonar", "E", 1, 1, 2))
	in.Methods, in.Datasets = []string{"C", "D", "E"}, []string{"sonar"}
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Method == "C" && r.Split > 1 })
	got := table(t, in)
	d := got.Sets[0].Entries[1]
	if len(got.Whole()) != 3 || d.Mean.RatString() != "50" || d.N != 1 || len(got.Cells("sonar", "D")) != 1 {
		t.Errorf("whole are %v; D has %v over %d splits, %d rows; want 50 over the one split that the others have", got.Whole(), d.Mean, d.N, len(got.Cells("sonar", "D")))
	}
	if want := "Left out, since most methods have not finished these splits: D on sonar (split 2)."; !slices.Contains(got.Notes(), want) {
		t.Errorf("notes %q lack %q", got.Notes(), want)
	}
}
