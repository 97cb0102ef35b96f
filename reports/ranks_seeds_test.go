package reports_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// seeded has two sets of 100 test rows, of which "once" is divided once. A's tests with three seeds are 80, 82, 84
// and 90, 90, 90 on "anew": variances 4 and 0, so a deviation of sqrt(2) over seeds, and 80, 90 over splits,
// sqrt(50). B draws nothing.
func seeded() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{"anew": {}, "once": {Entry: catalogue.Entry{
		Files: []catalogue.File{{Path: "a", Rows: 200}, {Path: "b", Role: catalogue.RoleTest, Rows: 100}}}}}}
	in.Protocol.Splits, in.Protocol.Datasets = 2, []string{"anew", "once"}
	in.Protocol.Once = func(testPart bool) bool { return testPart }
	add := func(dataset, method string, split int, correct ...int) {
		r := sample.OK(dataset, method, split, correct[0], 100)
		for k, c := range correct {
			r.SeedTests = append(r.SeedTests, result.SeedTest{Seed: uint32(k),
				Score: sample.OK(dataset, method, split, c, 100).Score})
		}
		in.Rows = append(in.Rows, r)
	}
	add("anew", "A", 1, 80, 82, 84)
	add("anew", "A", 2, 90, 90, 90)
	add("once", "A", 1, 50, 60, 70)
	add("once", "A", 2, 60, 60, 60)
	for split := 1; split <= 2; split++ {
		add("anew", "B", split, 85, 85, 85)
		add("once", "B", split, 85, 85, 85)
	}
	return in
}

func seedLines(t *testing.T, in sample.Input) (string, doc.Document) {
	t.Helper()
	d := sample.Build(t, named("ranks"), in)
	for _, b := range d.Blocks {
		if table, ok := b.(doc.Table); ok && table.Label == "seeds" {
			return text(table), d
		}
	}
	return "", d
}

// TestSeedsByHand: see seeded. Means are over the set whose rows are divided anew; the records have both.
func TestSeedsByHand(t *testing.T) {
	got, d := seedLines(t, seeded())
	must.Be(t, got, "A 3 1.41 7.07; B 3 0.00 0.00")
	records := sample.Records(t, d, "seeds")
	if len(records) != 4 {
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		if r["method"] != "A" {
			must.Be(t, r["std_seeds"], 0.0, "a method without draws varies", r)
			continue
		}
		want := math.Sqrt2
		if r["dataset"] == "once" { // variances 100 and 0
			want = math.Sqrt(50)
		}
		if v := r["std_seeds"].(float64); math.Abs(v-want) > 1e-12 || r["splits"] != 2 || r["seeds"] != 3 ||
			(r["std_splits"] == nil) != (r["dataset"] == "once") {
			t.Errorf("%v, want %v over seeds", r, want)
		}
	}
}

// TestSeedsWithoutSplits: of one split, or where every set is divided once, there is the deviation over seeds alone.
func TestSeedsWithoutSplits(t *testing.T) {
	one := seeded()
	one.Splits = []int{1}
	if got, _ := seedLines(t, one); got != "A 3 6.00 -; B 3 0.00 -" { // mean of 2 and 10
		t.Errorf("one split:\n%s", got)
	}
	once := seeded()
	once.Datasets = []string{"once"}
	if got, _ := seedLines(t, once); got != "A 3 7.07 -; B 3 0.00 -" {
		t.Errorf("a set divided once:\n%s", got)
	}
}

// TestSeedsWhereTheyAreStored: nothing is shown of cells without such tests, and a method without them does not
// hide the others.
func TestSeedsWhereTheyAreStored(t *testing.T) {
	none := seeded()
	for i := range none.Rows {
		none.Rows[i].SeedTests = none.Rows[i].SeedTests[:1] // as of a set whose splits are draws
	}
	if got, d := seedLines(t, none); got != "" || strings.Contains(strings.Join(names(d), " "), "seeds") {
		t.Errorf("without tests of seeds: %s, records %v", got, names(d))
	}
	some := seeded()
	for i, r := range some.Rows {
		if r.Method == "B" {
			some.Rows[i].SeedTests = nil
		}
	}
	if got, _ := seedLines(t, some); got != "A 3 1.41 7.07" {
		t.Errorf("one method has tests of seeds:\n%s", got)
	}
}

func names(d doc.Document) []string {
	var out []string
	for _, b := range d.Blocks {
		if r, ok := b.(doc.Records); ok {
			out = append(out, r.Name)
		}
	}
	return out
}
