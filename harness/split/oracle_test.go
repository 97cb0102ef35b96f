package split_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestSplitsEqualTheOracle compares every row of splits.json, drawn with NumPy and
// scikit-learn, index for index.
func TestSplitsEqualTheOracle(t *testing.T) {
	type drawn struct {
		Dataset    string   `json:"dataset"`
		Seed       uint32   `json:"seed"`
		N          int      `json:"n"`
		TrainPos   int      `json:"n_train_pos"`
		TrainSHA   string   `json:"train_sha256"`
		TestSHA    string   `json:"test_sha256"`
		FoldsSHA   []string `json:"valid_folds_sha256"`
		Train      []int    `json:"train"`
		Test       []int    `json:"test"`
		ValidFolds [][]int  `json:"valid_folds"`
	}
	var oracle struct {
		Rows []drawn `json:"rows"`
	}
	testenv.ReadOracle(t, "splits.json", &oracle)
	table2 := split.Splitter{TestFraction: 0.3, Folds: 5}
	ofSet := func(row drawn) string { return row.Dataset }
	fits.EachSet(t, oracle.Rows, ofSet, func(t *testing.T, set *datasets.Set, row drawn) {
		where := fmt.Sprintf("%s seed %d", row.Dataset, row.Seed)
		if n, _ := set.X.Dims(); n != row.N {
			t.Fatalf("%s: %d rows, the oracle has %d", where, n, row.N)
		}
		s, err := table2.Split(set, row.Seed)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		positive := 0
		for _, r := range s.Train {
			if set.Y[r] > 0 {
				positive++
			}
		}
		must.Be(t, positive, row.TrainPos, where)
		compareRows(t, where+" train", s.Train, row.Train, row.TrainSHA)
		compareRows(t, where+" test", s.Test, row.Test, row.TestSHA)
		for i, f := range s.Folds {
			var want []int
			if row.ValidFolds != nil {
				want = row.ValidFolds[i]
			}
			compareRows(t, fmt.Sprintf("%s fold %d", where, i+1), f, want, row.FoldsSHA[i])
		}
	})
}

func compareRows(t *testing.T, what string, got, want []int, sha string) {
	t.Helper()
	if want != nil && !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
	sum := sha256.Sum256([]byte(strings.Trim(strings.ReplaceAll(fmt.Sprint(got), " ", ","), "[]")))
	must.Be(t, hex.EncodeToString(sum[:]), sha, what)
}
