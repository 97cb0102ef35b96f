package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/dmitryikh/leaves"
	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	_ "github.com/mattn/go-sqlite3" // for the scripts' command sql
	"github.com/rogpeppe/go-internal/testscript"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestModelScripts runs testdata/models: scripts that also change a database, by the
// command sql FILE STATEMENT.
func TestModelScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, "models", "", testscript.Params{
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sql": func(ts *testscript.TestScript, _ bool, args []string) {
				db, err := sql.Open("sqlite3", ts.MkAbs(args[0]))
				ts.Check(err)
				defer db.Close()
				_, err = db.Exec(args[1])
				ts.Check(err)
				ts.Check(reseal(db))
			},
		},
	})
}

// reseal gives changed rows the checksums of what they hold now, as if the program had stored them so.
func reseal(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := store.Reseal(context.Background(), tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// An exported model, read by the leaves package and given rows as they stand in the data
// file, has the scores that the cell's model has of the standardised rows: LGBM's bit for
// bit, XGB's within what its sums in single precision round. Adult's columns have names like workclass=Private.
func TestModelsInTheFilesUnits(t *testing.T) {
	t.Parallel()
	sets := []string{"german", "vehicle-multiclass"}
	if testenv.Thorough(t) {
		sets = append(sets, "pima", "glass-multiclass", "year-prediction", "adult")
	}
	for _, name := range sets {
		set := fits.Set(t, name)
		p := must.Get(protocol.Load("table2"))(t)
		split := must.Get(p.Semantics.Splitter().Split(set, 2))(t)
		standard := new(mat.Dense)
		datasets.FitStandardiser(set.X, split.Train).Apply(standard, set.X, nil)
		params := `{"rounds": 30}`
		if name == "adult" {
			params = `{"rounds": 10}`
		}
		for _, method := range []string{"LGBM", "XGB"} {
			spec := must.Get(methods.All().Lookup(method))(t)
			r := must.Get(runner.Refit(t.Context(), p, spec, set, 2, json.RawMessage(params)))(t)
			moved, ok := r.LightGBM()
			if !ok {
				t.Fatalf("%s has no text", method)
			}
			want, got := scores(t, r.Model, standard, r.Shape.Outputs()), scores(t, moved, set.X, r.Shape.Outputs())
			near(t, method+" on "+name+" in the file's units", got, want, 0)
			tolerance := 0.0
			if method == "XGB" { // a half unit of the last place of each of up to 100 sums
				tolerance = 100 * 0x1p-24 * max(floats.Max(want), -floats.Min(want))
			}
			near(t, method+" on "+name+" by leaves", leavesScores(t, moved, r.Features, set.X, r.Shape.Outputs()), want,
				tolerance)
		}
	}
}

func scores(t *testing.T, m registry.Model, x *mat.Dense, outputs int) []float64 {
	t.Helper()
	n, _ := x.Dims()
	out := make([]float64, n*outputs)
	must.Do(t, m.Score(t.Context(), x, out))
	return out
}

func leavesScores(t *testing.T, w registry.LightGBMWriter, names []string, x *mat.Dense, outputs int) []float64 {
	t.Helper()
	var text bytes.Buffer
	must.Do(t, w.WriteLightGBM(&text, names))
	e := must.Get(leaves.LGEnsembleFromReader(bufio.NewReader(&text), false))(t)
	n, d := x.Dims()
	out := make([]float64, n*outputs)
	must.Do(t, e.PredictDense(mat.DenseCopyOf(x).RawMatrix().Data, n, d, out, 0, 1))
	return out
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance) {
			t.Fatalf("%s: score %d is %v, not %v", what, i, got[i], v)
		}
	}
}
