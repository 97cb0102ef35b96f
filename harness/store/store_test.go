package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// testRun is a run of one cell with a key and thirty folds.
func testRun(key string, status result.Status) result.Run {
	r := storetest.Finished("M", "d", 1)
	r.Key, r.Fingerprint, r.TrainRows, r.StartedAt = key, "f", 420, "2026-01-01T00:00:00Z"
	r.Code, r.Imported, r.Environment = "", "", nil
	if status != result.OK {
		return failed(r, status, "why")
	}
	r.Folds = nil
	for g := range 2 {
		for f := range 30 {
			r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f, FitSeconds: 0.01,
				Score: result.Score{N: 14, Correct: new(10 + g), TN: new(5), FP: new(2), FN: new(2 - g),
					TP: new(5 + g)}})
		}
	}
	return r
}

func open(t *testing.T, path string) *DB {
	t.Helper()
	db := must.Get(Open(context.Background(), path))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// fresh opens a new database.
func fresh(t *testing.T) (db *DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "r.db")
	return open(t, path), path
}

func put(t testing.TB, db *DB, runs ...result.Run) {
	t.Helper()
	w := db.NewWriter(result.Environment{ProgramVersion: "test", CPU: "cpu"}, nil)
	for _, r := range runs {
		must.Do(t, w.Put(r))
	}
	must.Do(t, w.Close())
}

// sound fails the test if a check finds anything.
func sound(t *testing.T, db *DB) {
	t.Helper()
	must.Be(t, must.Get(db.Check(t.Context()))(t), nil, "a check finds")
}

func query(t *testing.T, db *DB, q string) (names []string, rows [][]any) {
	t.Helper()
	err := db.Query(context.Background(), q, func(n []string) error { names = n; return nil },
		func(r []any) error { rows = append(rows, slices.Clone(r)); return nil })
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return names, rows
}

// only is the first value of a query's only row.
func only(t *testing.T, db *DB, q string) any {
	t.Helper()
	_, rows := query(t, db, q)
	must.Be(t, len(rows), 1, q)
	return rows[0][0]
}

// TestViewsHaveTheContractsColumns: other programs name them.
func TestViewsHaveTheContractsColumns(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	for view, columns := range map[string]string{
		"results": `protocol method method_version dataset split status params grid_size n_train n_test 
			n_correct accuracy cv_accuracy
			tn fp fn tp search_seconds fit_seconds predict_seconds cpu_seconds peak_rss_bytes model_bytes error
			started_at environment_id rmse mae r2`,
		"evaluations": "protocol method dataset split grid_index params fold n_valid n_correct fit_seconds rmse mae r2",
		"published":   "source dataset method mean std",
	} {
		names, _ := query(t, db, "SELECT * FROM "+view)
		want := strings.Fields(columns)
		if len(names) < len(want) || !slices.Equal(names[:len(want)], want) {
			t.Errorf("view %s has columns %v, the contract begins with %v", view, names, want)
		}
	}
}

func TestWhatIsPutComesBack(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	put(t, db, testRun("k1", result.OK))
	_, rows := query(t, db, `SELECT params, grid_size, n_correct, accuracy, round(cv_accuracy, 6), tp, auc, error, `+
		`environment_id FROM results`)
	want := []any{`{"c":2}`, int64(2), int64(27), 0.9, 0.785714, int64(17), 341.0 / (2 * 11 * 19), nil, int64(1)}
	if len(rows) != 1 || !slices.Equal(rows[0], want) {
		t.Errorf("results hold %v, want %v", rows, want)
	}
	_, rows = query(t, db, `SELECT count(*), sum(n_correct), min(params), max(fold) FROM evaluations`)
	must.Be(t, rows[0], []any{int64(60), int64(30*10 + 30*11), `{"c":1}`, int64(29)})
}

// TestOkIsKeptAndFailedReplaced: an ok cell is never overwritten, a failed one is,
// with its evaluations.
func TestOkIsKeptAndFailedReplaced(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	failed := testRun("k1", result.Failed)
	failed.Folds = testRun("k1", result.OK).Folds[:7]
	put(t, db, failed)
	put(t, db, testRun("k1", result.OK))
	again := testRun("k1", result.OK)
	again.Score.Correct, again.Score.TN, again.Score.FP = new(26), new(9), new(2)
	put(t, db, again, testRun("k1", result.Failed))
	_, rows := query(t, db, `SELECT status, n_correct, (SELECT count(*) FROM fold_counts) FROM runs`)
	if len(rows) != 1 || !slices.Equal(rows[0], []any{"ok", int64(27), int64(60)}) {
		t.Errorf("rows %v; want the first ok one with its 60 evaluations", rows)
	}
	if artifacts, _, err := db.Artifacts(t.Context(), "p", "d", "M", 1); err != nil || artifacts.Scores == nil {
		t.Errorf("the scores of the first result are gone: %+v, %v", artifacts, err)
	}
}

// TestResultsShowWhatWasPlannedLast, history all attempts: an edited protocol that
// is changed back brings its own results back.
func TestResultsShowWhatWasPlannedLast(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	old, updated := testRun("k1", result.OK), testRun("k2", result.OK)
	updated.MethodVersion, updated.StartedAt = "2", "2026-01-02T00:00:00Z"
	put(t, db, old, updated)
	must.Be[any](t, only(t, db, `SELECT method_version FROM results`), "2")
	must.Be[any](t, only(t, db, `SELECT count(*) FROM history`), int64(2))
	must.Be[any](t, only(t, db, `SELECT count(*) FROM evaluations`), int64(60))
	newest, _, err := db.Attempt(context.Background(), "p", "d", "M", 1)
	if err != nil || newest.Key != "k2" || InputsOf(newest) != (Inputs{"ph", "2", "f", "g"}) {
		t.Errorf("newest %+v %v", newest, err)
	}

	keys, err := db.Keys(context.Background())
	if err != nil || keys["k1"].Current || !keys["k2"].Current {
		t.Errorf("keys %v, %v; want k2 to be current", keys, err)
	}
	must.Do(t, db.MakeCurrent(context.Background(), []string{"k1"}))
	must.Be[any](t, only(t, db, `SELECT method_version FROM results`), "1")
	if newest, _, err = db.Attempt(t.Context(), "p", "d", "M", 1); err != nil || newest.MethodVersion != "1" {
		t.Errorf("after MakeCurrent %+v is current, %v", newest, err)
	}
}

func TestOpenExplains(t *testing.T) {
	testenv.NotUnderRace(t)
	dir := t.TempDir()
	_, err := OpenReader(context.Background(), filepath.Join(dir, "none.db"))
	if !errors.Is(err, ErrNoDatabase) || !strings.Contains(err.Error(), "none.db") {
		t.Errorf("no file: %v", err)
	}
	must.Say(t, must.Err(Open(context.Background(), filepath.Join(dir, "no", "such", "dir.db"))), "writable")
}

// TestOpenTogether: several programs may create one database at the same moment.
func TestOpenTogether(t *testing.T) {
	for range 2 {
		path := filepath.Join(t.TempDir(), "r.db")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				// On a busy machine one may hold the file for longer than SQLite waits.
				err := RetryWhileBusy(context.Background(), nil, func() error {
					db, err := Open(context.Background(), path)
					if err != nil {
						return err
					}
					return db.Close()
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// TestRetryWhileBusy: work is repeated while another program holds the database and no longer, that is said once at
// first and not with each try, and the end of the context ends it with the error of the last try.
func TestRetryWhileBusy(t *testing.T) {
	busy, other := sqlite3.Error{Code: sqlite3.ErrBusy}, errors.New("another")
	for _, last := range []error{nil, other} {
		tries, said := 0, 0
		err := RetryWhileBusy(t.Context(), func(err error) {
			said++
			must.Be(t, IsBusy(err), true)
		}, func() error {
			if tries++; tries < 4 {
				return fmt.Errorf("try %d: %w", tries, busy)
			}
			return last
		})
		must.Be(t, err, last)
		must.Be(t, tries, 4)
		if said < 1 || said > 2 { // a second time where the tries take half a minute
			t.Errorf("three failed tries were said %d times", said)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	err := RetryWhileBusy(ctx, nil, func() error {
		if tries++; tries == 2 {
			cancel()
		}
		return busy
	})
	must.Be(t, IsBusy(err), true, tries)
	must.Be(t, tries, 2)
}

// TestTwoWritersShareAFile as two programs would.
func TestTwoWritersShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	open(t, path)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var db *DB
			err := RetryWhileBusy(context.Background(), nil, func() (err error) {
				db, err = Open(context.Background(), path)
				return err
			})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			w := db.NewWriter(result.Environment{ProgramVersion: string(rune('a' + i))}, nil)
			for _, k := range []string{"a", "b", "c", "d", "e"} {
				if err := w.Put(testRun(k, result.OK)); err != nil {
					t.Error(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	db := open(t, path)
	if _, rows := query(t, db, `SELECT count(*), (SELECT count(*) FROM fold_counts), (SELECT count(*) FROM grids) `+
		`FROM runs`); !slices.Equal(rows[0], []any{int64(5), int64(300), int64(1)}) {
		t.Errorf("runs, evaluations, grids: %v; want 5, 300, 1", rows[0])
	}
}
