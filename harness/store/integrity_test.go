package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// smallDatabase has cells of two methods, two sets and a superseded attempt, all in the
// file itself and none in its log.
func smallDatabase(t *testing.T) string {
	t.Helper()
	db, path := fresh(t)
	var runs []result.Run
	for i, dataset := range []string{"wine", "sonar"} {
		for j, method := range []string{"CART", "GBRFF2"} {
			for split := 1; split <= 3; split++ {
				r := testRun(fmt.Sprintf("k%d%d%d", i, j, split), result.OK)
				r.Dataset, r.Method, r.Split = dataset, method, split
				r.ProtocolText, r.ProtocolSplits, r.SetFile = "splits = 3", 3, "own/"+dataset+".toml"
				runs = append(runs, r)
			}
		}
	}
	failed := testRun("k failed", result.Failed)
	failed.Class, failed.Stderr = result.ClassCrash, "panic"
	again := testRun("k again", result.OK)
	again.Dataset, again.Method, again.MethodVersion = "wine", "CART", "2"
	put(t, db, append(runs, failed, again)...)
	_, _, err := db.PutQuoted(t.Context(), printedElsewhere()[0].Source, printedElsewhere(), false)
	must.Do(t, err)
	must.Get(db.sql.Exec("PRAGMA wal_checkpoint(TRUNCATE)"))(t)
	must.Do(t, db.Close())
	return path
}

// printed is all that the verbs print of a database, and the errors that they say.
func printed(path string) (text string, noticed error) {
	db, err := OpenReader(context.Background(), path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	ctx := context.Background()
	var b strings.Builder
	rows, err1 := db.Rows(ctx, "p", true)
	if text, err := json.Marshal(rows); err == nil { // else params are damaged, which is said
		b.Write(text)
	}
	status, err2 := db.Status(ctx)
	files, err3 := db.SetFiles(ctx)
	protocols, err4 := db.Protocols(ctx)
	cell, found, err5 := db.Attempt(ctx, "p", "wine", "CART", 2)
	artifacts, _, err6 := db.Artifacts(ctx, "p", "wine", "CART", 2)
	model, err7 := json.Marshal(artifacts.Model)
	fmt.Fprintf(&b, "%+v\n%+v\n%+v\n%s %v\n%v %s\n", status, files, protocols, cell.Point, found, artifacts.Scores,
		model)
	all := errors.Join(err1, err2, err3, err4, err5, err6, err7)
	for _, q := range []string{"SELECT * FROM stages", "SELECT * FROM warnings", "SELECT * FROM scores",
		"SELECT * FROM models", "SELECT * FROM results", "SELECT * FROM history", "SELECT * FROM evaluations",
		"SELECT * FROM grid_tests", "SELECT * FROM seed_tests", "SELECT * FROM published",
		"SELECT * FROM environments"} {
		err := db.Query(ctx, q, func([]string) error {
			return nil
		}, func(r []any) error { fmt.Fprintln(&b, r...); return nil })
		all = errors.Join(all, err)
	}
	return b.String(), all
}

// TestEveryBitFlipIsNoticed: a database of which one bit is changed prints what it
// printed, or says that it is damaged.
func TestEveryBitFlipIsNoticed(t *testing.T) {
	testenv.NotUnderRace(t)
	path := smallDatabase(t)
	whole := must.Get(os.ReadFile(path))(t)
	want := must.Get(printed(path))(t)
	flips := 30
	switch {
	case os.Getenv("BENCH_FIRE") != "":
		flips = 5000
	case testenv.Thorough(t):
		flips = 200
	}
	changed := 0
	for i := range flips {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		bit := random.IntN(8 * len(whole))
		damaged := slices.Clone(whole)
		damaged[bit/8] ^= 1 << (bit % 8)
		copied := filepath.Join(t.TempDir(), "r.db")
		must.Do(t, os.WriteFile(copied, damaged, 0o644))
		got, err := printed(copied)
		if err != nil {
			changed++
		} else if got != want {
			t.Errorf("bit %d of byte %d: other numbers are printed and nothing is said", bit%8, bit/8)
		}
	}
	if changed < flips/20 {
		t.Errorf("%d of %d flips are noticed: the test hardly flips anything that is read", changed, flips)
	}
	t.Logf("%d of %d flips are noticed, the others change nothing that is printed", changed, flips)
}

// TestAChangedCountIsNoticed where it keeps every constraint, by what reads it.
func TestAChangedCountIsNoticed(t *testing.T) {
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	for _, c := range []struct{ change, names string }{
		{`UPDATE runs SET n_correct = n_correct - 1, tp = tp - 1, fn = fn + 1 WHERE key = 'k001'`,
			"CART on wine, split 1"},
		{`UPDATE fold_counts SET n_correct = n_correct - 1, tp = tp - 1, fn = fn + 1 WHERE (run_id, grid_index, ` +
			`fold) ` +
			`= (SELECT min(run_id), 1, 3 FROM fold_counts)`, "CART on wine, split 1"},
		{`DELETE FROM fold_counts WHERE run_id = (SELECT id FROM runs WHERE key = 'k113')`, "GBRFF2 on sonar, split 3"},
		{`UPDATE cells SET run_id = (SELECT id FROM runs WHERE key = 'k001') WHERE method = 'CART' AND dataset = ` +
			`'wine' AND split = 1`, "CART on wine, split 1"},
		{`UPDATE grid_points SET params = '{"c":3}' WHERE grid_index = 1`, "grid g"},
		{`UPDATE environments SET cpu = 'another'`, "environment"},
		{`UPDATE published_values SET mean = mean + 1 WHERE dataset = 'wine'`, "published values"},
		{`UPDATE quoted_values SET same_splits = 1`, "NewNet on sonar that Doe 2026, Table 1 prints"},
		{`UPDATE stages SET n_correct = n_correct - 1 WHERE run_id = (SELECT id FROM runs WHERE key = 'k001') AND ` +
			`round = 1`, "CART on wine, split 1"},
		{`DELETE FROM stages WHERE run_id = (SELECT id FROM runs WHERE key = 'k002')`, "CART on wine, split 2"},
		{`UPDATE seed_counts SET seed = seed + 1 WHERE run_id = (SELECT id FROM runs WHERE key = 'k001') AND number ` +
			`= 1`, "CART on wine, split 1"},
		{`DELETE FROM seed_counts WHERE run_id = (SELECT id FROM runs WHERE key = 'k002') AND number = 1`,
			"CART on wine, split 2"},
		{`UPDATE runs SET class = 'oom' WHERE key = 'k failed'`, "its checksum is wrong"},
		{`UPDATE warnings SET text = 'all is well' WHERE run_id = (SELECT id FROM runs WHERE key = 'k001')`,
			"CART on wine, split 1"},
		{`UPDATE scores SET data = x'00' WHERE run_id = (SELECT id FROM runs WHERE key = 'k002')`,
			"CART on wine, split 2"},
		{`INSERT INTO stages (run_id, round, n_test, n_correct, tn, fp, fn, tp, auc2, rmse, mae, r2)
			SELECT run_id, 5, n_test, n_correct, tn, fp, fn, tp, auc2, rmse, mae, r2 FROM stages
			WHERE run_id = (SELECT id FROM runs WHERE key = 'k001') AND round = 1`, "CART on wine, split 1"},
		{`UPDATE seed_counts SET number = number + 2 WHERE run_id = (SELECT id FROM runs WHERE key = 'k003')`,
			"CART on wine, split 3"},
		{`DELETE FROM models WHERE run_id = (SELECT id FROM runs WHERE key = 'k001')`, "CART on wine, split 1"},
		{`DELETE FROM cells WHERE split = 2 AND dataset = 'wine' AND method = 'CART'`,
			"its cell has no current attempt"},
	} {
		path := smallDatabase(t)
		db := open(t, path)
		if _, err := db.sql.Exec(c.change); err != nil {
			t.Fatalf("%s: %v", c.change, err)
		}
		must.Say(t, must.Err(printed(path)), c.names)
		problems, err := db.Check(context.Background())
		if err != nil || len(problems) == 0 {
			t.Errorf("%s: a check finds %v, %v", c.change, problems, err)
		}
		if removed, left, err := db.Repair(context.Background()); err != nil || left != 0 ||
			len(removed) != len(problems) {
			t.Errorf("%s: repairing finds %v and leaves %d, %v", c.change, removed, left, err)
		}
		if _, err := printed(path); err != nil {
			t.Errorf("%s: after the damaged rows are removed: %v", c.change, err)
		}
		sound(t, db)
	}
}

// TestCountsThatContradictAreRefused by the schema.
func TestCountsThatContradictAreRefused(t *testing.T) {
	db := open(t, smallDatabase(t))
	for _, change := range []string{
		`UPDATE runs SET n_correct = n_correct + 1 WHERE key = 'k001'`,
		`UPDATE runs SET n_test = 1 WHERE key = 'k001'`,
		`UPDATE runs SET split = 0 WHERE key = 'k001'`,
		`UPDATE fold_counts SET n_correct = n_valid + 1`,
	} {
		must.Say(t, must.Err(db.sql.Exec(change)), "CHECK")
	}
}

// TestForeignFilesAreLeftAlone, whoever opens them.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	pool := must.Get(connect(other, nil))(t)
	must.Get(pool.sql.Exec(`CREATE TABLE photos (name TEXT); INSERT INTO photos VALUES ('x')`))(t)
	must.Do(t, pool.Close())
	byte1, text := filepath.Join(dir, "one.db"), filepath.Join(dir, "text.db")
	must.Do(t, os.WriteFile(byte1, []byte("x"), 0o644))
	must.Do(t, os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o644))
	for _, path := range []string{other, byte1, text, dir} {
		before, _ := os.ReadFile(path)
		for name, open := range map[string]func(context.Context, string) (*DB, error){"Open": Open,
			"OpenReader": OpenReader} {
			must.Say(t, must.Err(open(context.Background(), path)), "--db")
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("%s changed %s", name, filepath.Base(path))
			}
		}
	}
}

// TestOtherSchemas are refused, and what to do is said.
func TestOtherSchemas(t *testing.T) {
	for change, says := range map[string]string{
		`PRAGMA user_version = 999`: "use a newer bench",
		`PRAGMA user_version = 8`:   "it stays as it is and readable by the program that made it",
	} {
		path := smallDatabase(t)
		must.Get(open(t, path).sql.Exec(change))(t)
		for _, try := range []func(context.Context, string) (*DB, error){OpenReader, Open} {
			must.Say(t, must.Err(try(t.Context(), path)), says)
		}
	}
}

// TestFunctions against values worked out by hand.
func TestFunctions(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	values := `(SELECT 2.0 AS x UNION ALL SELECT 4 UNION ALL SELECT 4 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ` +
		`ALL SELECT 5 UNION ALL SELECT 7 UNION ALL SELECT 9 UNION ALL SELECT NULL)`
	const corr = "(SELECT corr(column1, column2) FROM (VALUES "
	for expression, want := range map[string]any{
		"sqrt(16)": 4.0, "sqrt(-1)": nil, "sqrt(NULL)": nil, "ln(exp(1))": 1.0, "log10(1000)": math.Log10(1000),
		"log(100)": 2.0, "log2(8)": 3.0,
		"pow(2, 10)": 1024.0, "power(2.0, -1)": 0.5, "pow(NULL, 2)": nil, "floor(-1.5)": -2.0, "ceil(1.2)": 2.0,
		"(SELECT stddev_pop(x) FROM " + values + ")":      2.0,
		"(SELECT stddev(x) FROM " + values + ")":          math.Sqrt(32.0 / 7),
		"(SELECT stddev_samp(x) FROM " + values + ")":     math.Sqrt(32.0 / 7),
		"(SELECT var_samp(x) FROM " + values + ")":        32.0 / 7,
		"(SELECT var_pop(x) FROM " + values + ")":         4.0,
		"(SELECT median(x) FROM " + values + ")":          4.5,
		"(SELECT quantile(x, 0.25) FROM " + values + ")":  4.0,
		"(SELECT median(x) FROM (SELECT 1 AS x) WHERE 0)": nil,
		"(SELECT stddev(1))":                              nil,
		// By hand: deviations (-1.5, -0.5, 0.5, 1.5) and (-1, -1, 1, 1), sums of squares 5 and 4, of products 4.
		corr + "(1, 2), (2, 2), (3, 4), (4, 4.0), (NULL, 9), (9, NULL)))":     4 / math.Sqrt(5) / 2,
		corr + "(1, 3), (2, 2), (3, 1)))":                                     -1.0,
		corr + "(0.1, 3), (0.1, 2), (0.1, 1), (0.1, 1), (0.1, 1), (0.1, 4)))": nil,
		corr + "(3, 0.1), (2, 0.1), (1, 0.1)))":                               nil,
		"(SELECT corr(1, 2))":                                                 nil,
	} {
		must.Be[any](t, only(t, db, "SELECT "+expression), want)
	}
	for _, wrong := range []string{"sqrt('x')", "quantile(1, 2)", "median('x')", "corr(1, 'x')"} {
		err := db.Query(context.Background(), "SELECT "+wrong, func([]string) error {
			return nil
		}, func([]any) error { return nil })
		if err == nil {
			t.Errorf("%s is no error", wrong)
		}
	}
}

// TestOneStatement: a second one is found, what only looks like one is not.
func TestOneStatement(t *testing.T) {
	for query, want := range map[string][2]string{
		"SELECT 1":                         {"SELECT 1", ""},
		"SELECT 1;":                        {"SELECT 1", ""},
		"SELECT 1 ; -- done; really\n":     {"SELECT 1 ", ""},
		"SELECT ';' || \"a;b\" FROM [c;d]": {"SELECT ';' || \"a;b\" FROM [c;d]", ""},
		"/* a; b */ SELECT 1":              {"/* a; b */ SELECT 1", ""},
		"SELECT 'it''s; fine'":             {"SELECT 'it''s; fine'", ""},
		"SELECT 1; SELECT 2":               {"SELECT 1", "SELECT 2"},
		";;SELECT 1":                       {";;SELECT 1", ""},
		"SELECT 1;; /* x */ DROP TABLE r":  {"SELECT 1", "DROP TABLE r"},
		"SELECT 'open":                     {"SELECT 'open", ""},
	} {
		if first, second := cut(query); first != want[0] || second != want[1] {
			t.Errorf("%q: statements %q and %q, want %q", query, first, second, want)
		}
	}
}

// TestCheckBesideAWriter: cells that are stored while a check goes on are no problems.
func TestCheckBesideAWriter(t *testing.T) {
	db, path := fresh(t)
	put(t, db, testRun("first", result.OK))
	most := 60
	if testenv.Thorough(t) {
		most = 200
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w := db.NewWriter(result.Environment{}, nil)
		for i := 2; i <= most; i++ { // a bound, since a check lasts longer the more is stored
			r := testRun(fmt.Sprint("k", i), result.OK)
			r.Split = i
			if err := w.Put(r); err != nil {
				t.Error(err)
			}
			for w.Waiting() > 0 { // a commit for each
				time.Sleep(100 * time.Microsecond)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	reader := must.Get(OpenReader(context.Background(), path))(t)
	defer reader.Close()
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		if problems, err := reader.Check(context.Background()); err != nil || len(problems) > 0 {
			t.Errorf("a check beside a writer finds %v, %v", problems, err)
			break
		}
	}
	<-done
}

// TestDamageAdvice: rows can be taken out, and pages that cannot be read cannot.
func TestDamageAdvice(t *testing.T) {
	page := Problem{Row: "table runs", What: "malformed"}
	row := Problem{Row: "A on x", What: badChecksum, remove: removeRun}
	must.Lack(t, (&DamageError{"x.db", []Problem{page}}).Error(), "--remove")
	must.Hold(t, (&DamageError{"x.db", []Problem{page, row}}).Error(), "--remove")
}
