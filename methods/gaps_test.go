package methods_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestGapsAsInAPipeline reads a file with gaps of four marks and compares how many rows of two folds and of the test
// methods get right with scikit-learn's Pipeline of SimpleImputer, StandardScaler and LightGBM's, XGBoost's and its own
// methods (testdata/gaps.py).
func TestGapsAsInAPipeline(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/gaps.json"))(t)
	var oracle struct {
		CSV         string
		Train, Test []int
		Folds       [][]int
		Cases       []struct {
			Method, Impute string
			Indicator      bool
			Counts         []int
		}
	}
	if err := json.Unmarshal(raw, &oracle); err != nil || len(oracle.Cases) != 20 {
		t.Fatalf("%d cases, %v", len(oracle.Cases), err)
	}
	settings := map[string]string{"LGBM": `{"rounds": 30}`, "XGB": `{"rounds": 30, "max_depth": 3}`,
		"SVM": `{"c": 1, "gamma": 0.2}`}
	for _, c := range oracle.Cases {
		t.Run(fmt.Sprintf("%s/%s/%t", c.Method, c.Impute, c.Indicator), func(t *testing.T) {
			toml := fmt.Sprintf("name = \"gaps\"\nfile = \"gaps.csv\"\nseparator = \";\"\ndecimal = \",\"\nlabel = "+
				"\"class\"\nmissing = [\"\", \"?\", \"NA\", -999]\nimpute = %q\nindicator = %t\n", c.Impute,
				c.Indicator)
			dir := t.TempDir()
			for name, text := range map[string]string{"gaps.csv": oracle.CSV, "gaps.toml": toml} {
				must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			entry := must.Get(catalogue.Builtin().Add(filepath.Join(dir, "gaps.toml")))(t)
			set := must.Get(read.Load(t.Context(), catalogue.Directory{}, entry))(t)
			spec := must.Get(methods.All().Lookup(c.Method))(t)
			parts := split.Parts{Set: set, Split: split.Split{Train: oracle.Train, Test: oracle.Test,
				Folds: oracle.Folds}, Standardise: true}
			var counts []int
			for f := range oracle.Folds {
				part, err := parts.Fold(f)
				counts = append(counts, correct(t, spec, settings[c.Method], part, err))
			}
			whole, err := parts.Whole()
			if counts = append(counts, correct(t, spec, settings[c.Method], whole, err)); !slices.Equal(counts,
				c.Counts) {
				t.Errorf("%v rows are right, want %v", counts, c.Counts)
			}
		})
	}
}

// correct counts the rows of two classes that a method gets right.
func correct(t *testing.T, spec registry.Spec, setting string, part split.Part, err error) int {
	t.Helper()
	must.Do(t, err)
	m := must.Get(spec.Fit(t.Context(), registry.Env{}, part.Learn, json.RawMessage(setting)))(t)
	scores, right := make([]float64, len(part.Score.Y)), 0
	must.Do(t, m.Score(t.Context(), part.Score.X, scores))
	for i, y := range part.Score.Y {
		if (scores[i] >= 0) == (y > 0) {
			right++
		}
	}
	return right
}
