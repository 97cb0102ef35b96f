package harness

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
)

// moved is a score with n more rows that are right.
func moved(s result.Score, n int) result.Score {
	return result.Score{N: s.N + n, Correct: new(*s.Correct + n), TN: new(*s.TN + n), FP: s.FP, FN: s.FN, TP: s.TP}
}

// exchanged is a score whose rows have other classes.
func exchanged(s result.Score) result.Score {
	return result.Score{N: s.N, Correct: s.Correct, TN: new(*s.TN - 1), FP: s.FP, FN: s.FN, TP: new(*s.TP + 1)}
}

// negative makes all rows of a score right and of class -1.
func negative(s *result.Score) {
	s.Correct, s.TN, s.FP, s.FN, s.TP, s.AUC2 = new(s.N), new(s.N), new(0), new(0), new(0), nil
}

// inTests changes all tests of a run in the same way, and leaves out the scores of its rows.
func inTests(change func(*result.Score)) func(*result.Run) {
	return func(r *result.Run) {
		folds := r.Folds
		r.Folds, r.Scores, r.Outputs = nil, nil, 0
		r.EachScore(change)
		r.Folds = folds
	}
}

// inFold changes a fold in the same way for every grid point.
func inFold(fold int, change func(*result.Score)) func(*result.Run) {
	return func(r *result.Run) {
		for i, e := range r.Folds {
			if e.Fold == fold {
				change(&r.Folds[i].Score)
			}
		}
	}
}

// both makes two changes.
func both(a, b func(*result.Run)) func(*result.Run) { return func(r *result.Run) { a(r); b(r) } }

// other gives a score n rows that are right of class +1 in place of as many of class -1.
func other(n int) func(*result.Score) {
	return func(s *result.Score) {
		s.TN, s.TP, s.AUC2 = new(*s.TN-n), new(*s.TP+n), nil
	}
}

// The tests of a run in its tables, for statements that change all of them in the same way.
const (
	allNegative = `UPDATE runs SET tn = n_test, n_correct = n_test, fp = 0, fn = 0, tp = 0, auc2 = NULL;
		UPDATE point_tests SET tn = n_test, n_correct = n_test, fp = 0, fn = 0, tp = 0, auc2 = NULL;
		UPDATE seed_counts SET tn = n_test, n_correct = n_test, fp = 0, fn = 0, tp = 0, auc2 = NULL;
		DELETE FROM scores;`
	oneOther = `UPDATE runs SET tn = tn - 1, tp = tp + 1, auc2 = NULL;
		UPDATE point_tests SET tn = tn - 1, tp = tp + 1, auc2 = NULL;
		UPDATE seed_counts SET tn = tn - 1, tp = tp + 1, auc2 = NULL;
		DELETE FROM scores;`
	foldNegative = `UPDATE fold_counts SET tn = n_valid, n_correct = n_valid, fp = 0, fn = 0, tp = 0, auc2 = NULL
		WHERE fold = 1;`
)

// A form is a result that no cell ends with: a change of an honest result, and of its row in a database. noFile says
// that a file of results may be so.
type form struct {
	what   string
	change func(r *result.Run)
	sql    string
	noFile bool
}

// impossible are the forms of results that no cell ends with: as a change of an honest result, and as one of its row
// in a database. The first six are those of the issue. A file of results has no scores, and may lack folds.
var impossible = []form{
	{"no evaluations", func(r *result.Run) { r.Folds = nil },
		`DELETE FROM fold_counts; UPDATE runs SET n_folds = 0`, true},
	{"the folds of the chosen grid point alone", func(r *result.Run) { *r = storetest.Condensed(*r) },
		`DELETE FROM fold_counts WHERE grid_index <> (SELECT selected FROM runs); UPDATE runs SET n_folds = 3`, true},
	{"two of three folds of the chosen grid point", func(r *result.Run) {
		*r = storetest.Condensed(*r)
		r.Folds = r.Folds[1:]
	},
		`DELETE FROM fold_counts WHERE grid_index <> (SELECT selected FROM runs) OR fold = 0;
			UPDATE runs SET n_folds = 2`, false},
	{"2^40 test rows", func(r *result.Run) { r.TestRows, r.Score.N = 1<<40, 1<<40 },
		`UPDATE runs SET n_test = 1 << 40`, false},
	{"grid point 2^30", func(r *result.Run) { r.Selected = new(1 << 30) },
		`UPDATE runs SET selected = 1 << 30`, false},
	{"an RMSE of -1 for classes", func(r *result.Run) { r.Score.RMSE = new(-1.0) },
		`UPDATE runs SET rmse = -1`, false},
	{"a negative time", func(r *result.Run) { r.FitSeconds = new(-1.0) },
		`UPDATE runs SET fit_seconds = -1`, false},
	{"200,000 warnings", func(r *result.Run) {
		for i := range 200_000 {
			r.Warnings = append(r.Warnings, result.Warning{Text: fmt.Sprint(i), Times: 1})
		}
	},
		`INSERT INTO warnings WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
		SELECT (SELECT id FROM runs), i, i || '', 1 FROM n`, false},
	{"an evaluation less", func(r *result.Run) { r.Folds = r.Folds[1:] },
		`DELETE FROM fold_counts WHERE grid_index + fold = 0`, false},
	{"a fold less", func(r *result.Run) {
		r.Folds = slices.DeleteFunc(r.Folds, func(e result.Evaluation) bool { return e.Fold == 2 })
	},
		`DELETE FROM fold_counts WHERE fold = 2`, false},
	{"folds of other sizes", func(r *result.Run) {
		for i, e := range r.Folds {
			r.Folds[i].Score = moved(e.Score, []int{1, -1, 0}[e.Fold])
		}
	},
		`UPDATE fold_counts SET n_valid = n_valid + 1 - 2 * fold, n_correct = n_correct + 1 - 2 * fold,
			tn = tn + 1 - 2 * fold, auc2 = NULL WHERE fold < 2`, false},
	{"other rows in a fold of one grid point", func(r *result.Run) { r.Folds[0].Score = exchanged(r.Folds[0].Score) },
		`UPDATE fold_counts SET tn = tn - 1, tp = tp + 1, auc2 = NULL WHERE grid_index + fold = 0`, false},
	{"another selection", func(r *result.Run) { r.Selected = new((*r.Selected + 1) % 3) },
		`UPDATE runs SET selected = (selected + 1) % 3`, false},
	{"no tests of the grid", func(r *result.Run) { r.GridTests = nil },
		`DELETE FROM point_tests`, false},
	{"a test of the grid with a row more", func(r *result.Run) { r.GridTests[0] = moved(r.GridTests[0], 1) },
		`UPDATE point_tests SET n_test = n_test + 1, n_correct = n_correct + 1, tn = tn + 1, auc2 = NULL
			WHERE grid_index = 0`, false},
	{"no tests of the seeds", func(r *result.Run) { r.SeedTests = nil },
		`DELETE FROM seed_counts`, false},
	{"another seed", func(r *result.Run) { r.SeedTests[1].Seed++ },
		`UPDATE seed_counts SET seed = seed + 1 WHERE number = 1`, false},
	{"a first seed with another test", func(r *result.Run) { r.SeedTests[0].ScoresHash = "another" },
		`UPDATE seed_counts SET scores_hash = 'another' WHERE number = 0`, false},
	{"stages that the protocol does not ask for", func(r *result.Run) {
		r.Stages = []result.Stage{{Round: 1, Score: r.Score}}
	},
		`INSERT INTO stages SELECT id, 1, n_test, n_correct, tn, fp, fn, tp, auc2, rmse, mae, r2 FROM runs`, false},
	{"no pair in order", func(r *result.Run) { r.Score.AUC2 = new(int64(0)) },
		`UPDATE runs SET auc2 = 0`, false},
	{"test rows of other classes", func(r *result.Run) { r.Score = exchanged(r.Score) },
		`UPDATE runs SET tn = tn - 1, tp = tp + 1, auc2 = NULL`, false},
	{"more right than there are", func(r *result.Run) { r.Score.Correct = new(r.Score.N + 1) },
		`UPDATE runs SET n_correct = n_test + 1`, false},
	{"a negative log loss", func(r *result.Run) {
		r.Score.LogLoss, r.Score.Brier, r.Score.ECE = new(-1.0), new(0.1), new(0.1)
	},
		`UPDATE runs SET logloss = -1, brier = 0.1, ece = 0.1`, false},
	{"a training row less", func(r *result.Run) { r.TrainRows-- },
		`UPDATE runs SET n_train = n_train - 1`, false},
	{"ok and out of memory", func(r *result.Run) { r.Class = result.ClassOOM },
		`UPDATE runs SET class = 'oom'`, false},
	{"memory of 2^60 bytes", func(r *result.Run) { r.PeakRSSBytes, r.Isolated = new(int64(1<<60)), true },
		`UPDATE runs SET peak_rss_bytes = 1 << 60, isolated = 1`, false},
	{"centuries", func(r *result.Run) { r.SearchSeconds = 1e11 },
		`UPDATE runs SET search_seconds = 1e11`, false},
	{"no time of a refit", func(r *result.Run) { r.FitSeconds = nil },
		`UPDATE runs SET fit_seconds = NULL`, false},
	{"a start that is no time", func(r *result.Run) { r.StartedAt = "yesterday" },
		`UPDATE runs SET started_at = 'yesterday'`, false},
	{"a warning of a megabyte", func(r *result.Run) {
		r.Warnings = []result.Warning{{Text: strings.Repeat("x", 1<<20), Times: 1}}
	},
		`INSERT INTO warnings SELECT id, 1, printf('%.*c', 1 << 20, 'x'), 1 FROM runs`, false},
	{"test rows of class -1 alone", inTests(negative), allNegative, false},
	{"a fold of class -1 alone", inFold(1, negative), foldNegative, false},
	{"all rows of class -1", func(r *result.Run) { inTests(negative)(r); r.EachScore(negative) },
		allNegative + strings.ReplaceAll(foldNegative, "fold = 1", "1"), false},
	{"a test row of the other class, in all tests", inTests(other(1)), oneOther, false},
	{"a test row of the other class, and a row of a fold", both(inTests(other(1)), inFold(0, other(-1))),
		oneOther + `UPDATE fold_counts SET tn = tn + 1, tp = tp - 1, auc2 = NULL WHERE fold = 0`, false},
	{"two folds whose classes are not equal shares", both(inFold(0, other(2)), inFold(1, other(-2))),
		`UPDATE fold_counts SET tn = tn - 2 + 4 * fold, tp = tp + 2 - 4 * fold, auc2 = NULL WHERE fold < 2`, false},
	{"a peak of a byte", func(r *result.Run) { r.PeakRSSBytes, r.Isolated = new(int64(1)), true },
		`UPDATE runs SET peak_rss_bytes = 1, isolated = 1`, false},
	{"a peak larger than its machine", func(r *result.Run) { r.PeakRSSBytes, r.Isolated = new(int64(1<<49)), true },
		`UPDATE runs SET peak_rss_bytes = 1 << 49, isolated = 1`, false},
	{"counts of other scores", func(r *result.Run) {
		for i := range r.Scores {
			r.Scores[i] = 1
		}
		r.ScoresHash = result.HashScores(r.Scores)
		r.SeedTests[0].ScoresHash = r.ScoresHash
	},
		`UPDATE runs SET scores_hash = 'another';
			UPDATE seed_counts SET scores_hash = 'another' WHERE number = 0`, true},
}

// atNoTime are forms that contradict the clock. A check of a stored result does not look at the clock.
var atNoTime = []form{
	{"a start before the program", func(r *result.Run) { r.StartedAt = "1970-01-01T00:00:00Z" },
		`UPDATE runs SET started_at = '1970-01-01T00:00:00Z'`, false},
	{"a start to come", func(r *result.Run) { r.StartedAt = "2999-01-01T00:00:00Z" },
		`UPDATE runs SET started_at = '2999-01-01T00:00:00Z'`, false},
	{"longer than since its start", func(r *result.Run) { r.SearchSeconds = 3e9 },
		`UPDATE runs SET search_seconds = 3e9`, false},
	{"more of its processors than since its start", func(r *result.Run) { r.CPUSeconds = new(3e9) },
		`UPDATE runs SET cpu_seconds = 3e9`, false},
}

// TestImpossibleResults puts each form through a worker, a file of results, and a database. A worker that sends it is
// named, gets no more cells, and its cell goes back; a file's is not imported; `bench db check` names the cell, and an
// import of the database does not take it. The honest result passes all of them.
func TestImpossibleResults(t *testing.T) {
	h := newTestHarness(t, centroids())
	h.edit(t, "folds = 3", "folds = 3\ntest_grid = true\nmethod_seeds = 2")
	spec := planned(t, h, openTestDB(t), plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}).Cells[0].Spec
	honest := func() result.Run {
		r := must.Get(h.runner().Run(t.Context(), spec))(t)
		r.Environment = new(environment.Current())
		return r
	}
	whole := filepath.Join(t.TempDir(), "whole.db")
	db := must.Get(store.Open(t.Context(), whole))(t)
	w := db.NewWriter(environment.Current(), nil)
	must.Do(t, w.Put(honest()))
	must.Do(t, errors.Join(w.Close(), db.Close()))

	check := func(t *testing.T, f form, wrong, found bool) {
		t.Helper()
		what, noFile := f.what, f.noFile
		r := honest()
		f.change(&r)
		got, expelled := fromWorker(t, h, spec, r)
		if (expelled != nil) != wrong || (got.Status == result.OK) == wrong {
			t.Errorf("%s: a worker's result is %q, and %v are expelled", what, got.Status, expelled)
		}
		if !noFile {
			in, taken := admitted(t, h.Experiment, []result.Run{r.Portable()}, openTestDB(t))
			must.Be(t, (len(taken) == 0), wrong, what, len(taken), in)
			must.Be(t, len(in.Refused) == 1, wrong, what, len(taken), in)
		}
		problems, taken := fromDatabase(t, h, whole, f.sql)
		names := strings.Contains(fmt.Sprint(problems), "centroids on balance, split 1")
		must.Be(t, problems != nil, found, what, problems)
		must.Be(t, names, found, what, problems)
		if taken != 0 && wrong && !noFile {
			t.Errorf("%s: of a database %d are taken", what, taken)
		}
	}
	check(t, form{"an honest result", func(*result.Run) {}, `SELECT 1`, false}, false, false)
	for i, f := range slices.Concat(impossible, atNoTime) {
		t.Run(f.what, func(t *testing.T) {
			t.Parallel()
			check(t, f, true, i < len(impossible))
		})
	}
}

// TestClassesOfGroups: the rows of a class in the parts of a set with groups are those of the drawn split.
func TestClassesOfGroups(t *testing.T) {
	h := newTestHarness(t, centroids())
	addSet(t, h, "name = \"clinic\"\nfile = \"clinic.csv\"\nlabel = \"class\"\npositive = \"yes\"\ngroup = \"who\"\n",
		"clinic.csv", "a,who,class\n"+lines(0, 120, func(i int) string {
			return fmt.Sprintf("%d,g%d,%s", i*i%17, i%24, []string{"no", "yes"}[i/3%2])
		}))
	spec := planned(t, h, openTestDB(t), plan.Request{Datasets: []string{"clinic"}, Splits: []int{1}}).Cells[0].Spec
	r := must.Get(h.runner().Run(t.Context(), spec))(t)
	r.Environment = new(environment.Current())
	must.Do(t, spec.Fits(h.Protocol, r))
	inTests(other(1))(&r)
	must.Say(t, spec.Fits(h.Protocol, r), "test rows are of class +1, and the split has from")
	inFold(0, other(-1))(&r)
	must.Say(t, spec.Fits(h.Protocol, r), "test rows are of class +1, and the split has from")
	inTests(other(-1))(&r)
	must.Say(t, spec.Fits(h.Protocol, r), "training and test rows are of class +1, and the split has from")
}

// fromWorker is what a coordinator takes of a worker's result: the result, or no status and the workers that were
// expelled.
func fromWorker(t *testing.T, h *testHarness, spec runner.CellSpec, r result.Run) (result.Run, []string) {
	t.Helper()
	opt := remote.Options{Address: "127.0.0.1:0", Folder: t.TempDir(), Protocol: h.Protocol}
	p := must.Get(remote.Listen(opt))(t)
	ended := make(chan error, 1)
	go func() {
		ended <- remote.Serve(t.Context(), p.URL, remote.WorkerOptions{
			Machine: "liar", Jobs: 1, Environment: environment.Current(), Data: h.Data,
			Check: func(runner.CellSpec) error { return nil },
			Cells: func(time.Duration) runner.Runner { return same(r) },
		})
	}()
	<-p.Changed()
	got, err := p.RunIn(t.Context(), p.Rooms()[0].Name, spec)
	expelled := p.Expelled()
	if err != nil && !errors.Is(err, schedule.ErrGivenBack) {
		t.Error(err)
	}
	if expelled == nil {
		p.Close(true)
	}
	err = <-ended
	if gone := (*remote.ExpelledError)(nil); errors.As(err, &gone) != (expelled != nil) {
		t.Errorf("the worker ends with %v", err)
	}
	p.Close(true)
	return got, expelled
}

// same is a runner with the same result for every cell.
type same result.Run

func (s same) Run(context.Context, runner.CellSpec) (result.Run, error) { return result.Run(s), nil }

// fromDatabase changes a copy of a database and gives its rows the checksums that fit. It returns what a check of the
// copy finds, and how many results an import takes of it.
func fromDatabase(t *testing.T, h *testHarness, whole, statement string) (problems []store.Problem, taken int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "theirs.db")
	must.Do(t, os.WriteFile(path, must.Get(os.ReadFile(whole))(t), 0o600))
	raw := must.Get(sql.Open("sqlite3", path))(t)
	raw.SetMaxOpenConns(1)
	must.Get(raw.Exec("PRAGMA ignore_check_constraints = ON"))(t)
	tx := must.Get(raw.Begin())(t)
	must.Get(tx.Exec(statement))(t)
	must.Do(t, errors.Join(store.Reseal(t.Context(), tx), tx.Commit(), raw.Close()))
	db := must.Get(store.OpenReader(t.Context(), path))(t)
	defer db.Close()
	cells, _ := db.Cells(t.Context())
	db.Possible = must.Get(verify.Possible(t.Context(), []*plan.Experiment{h.Experiment}, cells))(t)
	problems = must.Get(db.Check(t.Context()))(t)
	src, err := verify.OfDatabase(t.Context(), "theirs", db)
	if err == nil {
		put := func(result.Run) error { taken++; return nil }
		_, err = verify.Runs(t.Context(), h.Experiment, src, map[string]store.Known{}, openTestDB(t), put)
	}
	if err != nil && problems == nil {
		t.Error(err)
	}
	return problems, taken
}
