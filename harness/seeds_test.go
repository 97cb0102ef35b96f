package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// TestStoredKeysStand: keys of the reference run are those of the program that stored them.
func TestStoredKeysStand(t *testing.T) {
	const wine, spambase = "f583cd871374712666471d44faf0dfdaff6f9696b907bb0c6d584a1965a72d2a",
		"a9fcc2591b24b507d4b8348f57277cf1038add8ef0c5a8009355a2a07a4403a7"
	for _, c := range []struct {
		dataset, fingerprint string
		split                int
		method, grid, want   string
	}{
		{"wine", wine, 1, "GBRFF2", "5d423baba04888b067609e037aba3534", "765a6655f3244ce1d7860abf62716e1f"},
		{"wine", wine, 20, "LGBM", "b56b9338df4ca654e017fde2874c6be9", "99433a6ec89966c7ec1a554d927eafb5"},
		{"spambase", spambase, 20, "GBRFF2", "ea83347eb966ad340973a9a2c79cbf2a", "906fba0d9e5ef95b58a88e91e685b0a3"},
	} {
		cell := runner.Cell{Protocol: "table2", Dataset: c.dataset, Split: c.split, Method: c.method}
		in := runner.Inputs{ProtocolHash: "30551931e5a730a415679e57348aaa64", Fingerprint: c.fingerprint,
			MethodVersion: "1", GridHash: c.grid}
		must.Be(t, plan.KeyOf(cell, in), c.want, cell)
	}
}

// thresholds tells the classes of one column apart at a place that its seed gives: 5.5 of seed 1, 6.5 of seeds 2 and
// 1,000,001.
func thresholds() registry.Spec {
	return defineTest("thresholds", func(_ context.Context, env registry.Env, _ registry.Data,
		_ testParams) (registry.Model, error) {
		return linearModel{[]float64{1}, -4.5 - float64(env.Seed%1_000_000+env.Seed/1_000_000)}, nil
	})
}

// seedHarness has two sets of one column, 1 to 10 twice, of which those above 5 are of the second class:
// "parted" tests the second ten, and "whole" has no test part of its own.
func seedHarness(t *testing.T, semantics string, specs ...registry.Spec) *testHarness {
	t.Helper()
	h, dir, rows := newTestHarness(t, specs...), t.TempDir(), "a,class\n"
	for i := range 10 {
		rows += fmt.Sprintf("%d,%d\n", i+1, i/5)
	}
	_, again, _ := strings.Cut(rows, "\n")
	for name, text := range map[string]string{
		"ten.csv": rows, "twenty.csv": rows + again,
		"parted.toml": "name = \"parted\"\nfile = \"ten.csv\"\ntest = \"ten.csv\"\nlabel = \"class\"\n",
		"whole.toml":  "name = \"whole\"\nfile = \"twenty.csv\"\nlabel = \"class\"\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, name := range []string{"parted.toml", "whole.toml"} {
		must.Get(h.Catalogue.Add(filepath.Join(dir, name)))(t)
	}
	h.edit(t, "standardise = true", "split = \"given-or-stratified\"\n"+semantics)
	h.edit(t, `["balance", "swiss"]`, `["parted", "whole"]`)
	return h
}

// oneGrid keeps a single point, so that the seed alone decides.
const oneGrid = "[methods.thresholds]\ngrid = [{name = \"shift\", values = [0.0]}]\n"

// rowsOf runs both sets and returns their rows by set and split.
func rowsOf(t *testing.T, h *testHarness, db *store.DB, splits ...int) map[string][]store.Row {
	t.Helper()
	runAll(t, h, db, plan.Request{Splits: splits}, schedule.Options{Jobs: 2}, nil)
	rows := must.Get(db.Rows(t.Context(), "test", true))(t)
	out := map[string][]store.Row{}
	for _, r := range rows {
		if r.Status != result.OK {
			t.Fatalf("%s on %s: %s", r.Method, r.Dataset, r.Error)
		}
		out[r.Dataset] = append(out[r.Dataset], r)
	}
	return out
}

// TestSeedGoesWithTheSplit on a set with its own test part, and on no other. The counts are those of
// thresholds 5.5, 6.5 and 7.5 over 1 to 10.
func TestSeedGoesWithTheSplit(t *testing.T) {
	h, db := seedHarness(t, oneGrid, thresholds()), openTestDB(t)
	rows := rowsOf(t, h, db, 1, 2, 3)
	hashes := map[string]bool{}
	for i, r := range rows["parted"] {
		must.Be(t, *r.Score.Correct, 10-i, r.Split)
		must.Be(t, r.TestRows, 10, r.Split)
		if want := i > 0; (r.SeedTests != nil) != want || want && (len(r.SeedTests) != 1 ||
			r.SeedTests[0].Seed != uint32(i+1)) {
			t.Errorf("split %d has the seeds %+v", r.Split, r.SeedTests)
		}
		hashes[r.ScoresHash] = true
	}
	for _, r := range rows["whole"] {
		if *r.Score.Correct != r.TestRows || r.SeedTests != nil {
			t.Errorf("split %d of the set without a test part: %+v", r.Split, r)
		}
	}
	if len(rows["parted"]) != 3 || len(rows["whole"]) != 3 || len(hashes) != 3 {
		t.Errorf("%d and %d rows, %d distinct fits", len(rows["parted"]), len(rows["whole"]), len(hashes))
	}

	// The key of split 1 is as it was without a seed in it; those of other splits are not.
	todo := must.Get(h.Plan(t.Context(), plan.Request{Datasets: []string{"parted"}, Splits: []int{1, 2}}, nil, nil))(t)
	for _, c := range todo.Cells {
		before := c.Spec.Inputs
		before.Seed = ""
		must.Be(t, plan.KeyOf(c.Cell, before) == c.Spec.Key, c.Split == 1, c.Split)
	}

	// Verified, and carried by a file; a file of before says why its split 2 is left out.
	verifies(t, h, db, 6)
	runs := bundled(t, db)
	if in, _ := admitted(t, h.Experiment, runs, openTestDB(t)); in.Taken != 6 || in.Old != nil {
		t.Errorf("%+v", in)
	}
	for i := range runs {
		runs[i].SeedTests = nil
	}
	in, taken := admitted(t, h.Experiment, runs, openTestDB(t))
	old := slices.DeleteFunc(taken, func(r result.Run) bool { return !r.Superseded })
	must.Be(t, in.Taken, 6, "runs without seeds")
	must.Be(t, len(old), 2, "runs without seeds")
	must.Be(t, in.Old, []plan.Group{{Protocol: "test", Dataset: "parted", Method: "thresholds", Cells: 2,
		Why: "the method's seed goes with the split now"}}, "runs without seeds")
}

// TestRefitHasTheSeedOfItsSplit, so that what is shown of a model is the stored one.
func TestRefitHasTheSeedOfItsSplit(t *testing.T) {
	h := seedHarness(t, oneGrid, thresholds())
	entry := must.Get(h.Catalogue.Lookup("parted"))(t)
	set := must.Get(read.Load(t.Context(), h.Data, entry))(t)
	for split := 1; split <= 3; split++ {
		r := must.Get(runner.Refit(t.Context(), h.Protocol, thresholds(), set, split, []byte(`{}`)))(t)
		must.Be(t, *r.Test.Correct, 11-split, split)
	}
}

// TestMethodSeeds: the chosen point is tested with each seed, by hand; the result is that of the first, and costs
// what is predicted for it; a method that draws nothing gives the same for each.
func TestMethodSeeds(t *testing.T) {
	fixed := defineTest("fixed", gives(linearModel{[]float64{1}, -6.5}, nil))
	plain, plainDB := seedHarness(t, oneGrid, thresholds(), fixed), openTestDB(t)
	before := rowsOf(t, plain, plainDB, 1, 2)
	h, db := seedHarness(t, "method_seeds = 3\n"+oneGrid, thresholds(), fixed), openTestDB(t)
	after := rowsOf(t, h, db, 1, 2)
	want := map[string][][]uint32{
		"parted": {{1, 1_000_001, 2_000_001}, {2, 1_000_002, 2_000_002}},
		"whole":  {{1, 1_000_001, 2_000_001}, {1, 1_000_002, 2_000_002}},
	}
	for set, rows := range after {
		must.Be(t, len(rows), 4, set)
		for i, r := range rows {
			must.Be(t, r.Score, before[set][i].Score, "with one seed", r.Method, set, r.Split)
			must.Be(t, r.ScoresHash, before[set][i].ScoresHash, "with one seed", r.Method, set, r.Split)
			must.Be(t, r.Key == before[set][i].Key, false, "the key with one seed", r.Method, set, r.Split)
			must.Be(t, r.Seeds(), want[set][r.Split-1], r.Method, set, r.Split)
			for k, test := range r.SeedTests {
				if same := test.ScoresHash == r.ScoresHash &&
					*test.Score.Correct == *r.Score.Correct; r.Method == "fixed" && !same {
					t.Errorf("a method without draws has %+v with seed %d", test, test.Seed)
				}
				if right := 11 - r.Split - k; r.Method == "thresholds" && set == "parted" &&
					*test.Score.Correct != right {
					t.Errorf("split %d, seed %d: %d right, want %d", r.Split, test.Seed, *test.Score.Correct, right)
				}
			}
		}
	}
	cost := func(h *testHarness) float64 {
		todo := must.Get(h.Plan(t.Context(), plan.Request{Methods: []string{"fixed"}, Splits: []int{1}}, nil, nil))(t)
		return todo.Cells[0].Work
	}
	if a, b := cost(plain), cost(h); b <= a {
		t.Errorf("three seeds cost %g, one %g", b, a)
	}
	runs := bundled(t, db)
	if in, _ := admitted(t, h.Experiment, runs, openTestDB(t)); in.Taken != 8 || in.Old != nil {
		t.Errorf("%+v", in)
	}
	runs[0].SeedTests = runs[0].SeedTests[:2]
	in, _ := admitted(t, h.Experiment, runs, openTestDB(t))
	if in.Taken != 7 || len(in.Refused) != 1 || !strings.Contains(in.Refused[0].Why, "the tests have the seeds") {
		t.Errorf("with a seed less: %+v", in)
	}

	// A method that gives other results with a further seed alone is noticed.
	verifies(t, h, db, 8)
	h.Registry = registry.New(fixed, defineTest("thresholds", func(ctx context.Context, env registry.Env,
		train registry.Data, p testParams) (registry.Model, error) {
		if env.Seed == 2_000_002 {
			env.Seed = 0
		}
		return thresholds().Fit(ctx, env, train, []byte(`{}`))
	}))
	_, all := verifyAll(t, h, db)
	noticed := 0
	for _, v := range all {
		if len(v.Differences) == 1 && v.Differences[0].What == "test part with seed 3 of the cell" &&
			v.Cell.Split == 2 {
			noticed++
		}
	}
	must.Be(t, noticed, 2, all)
}

// TestSeedsThatFail: a fit that fails with a further seed is a failed cell that names the seed, and says so when it
// is planned again.
func TestSeedsThatFail(t *testing.T) {
	h, db := seedHarness(t, "method_seeds = 2\n"+oneGrid, defineTest("thresholds", func(_ context.Context,
		env registry.Env, _ registry.Data, _ testParams) (registry.Model, error) {
		if env.Seed > 1_000_000 {
			return nil, fmt.Errorf("no luck")
		}
		return constantModel(1), nil
	})), openTestDB(t)
	req := plan.Request{Datasets: []string{"parted"}, Splits: []int{2}}
	runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	rows, err := db.Rows(t.Context(), "test", true)
	if err != nil || len(rows) != 1 || rows[0].Status != result.Failed ||
		rows[0].Error != `seed 1000002: refit with {"shift":0}: no luck` || rows[0].SeedTests != nil {
		t.Errorf("%+v, %v", rows, err)
	}
	todo := must.Get(h.Plan(t.Context(), req, nil, nil))(t)
	must.Be(t, must.Get(todo.Cells[0].Explain(t.Context(), db))(t), "its stored attempt did not end ok")
}
