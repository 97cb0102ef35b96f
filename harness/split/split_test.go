package split

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
)

// table2 is the splitter of the protocol of that name.
var table2 = Splitter{TestFraction: 0.3, Folds: 5}

// TestSplitsEqualTheOracle compares every row of splits.json, drawn with NumPy and
// scikit-learn, index for index.
func TestSplitsEqualTheOracle(t *testing.T) {
	var oracle struct {
		Rows []struct {
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
		} `json:"rows"`
	}
	testenv.ReadOracle(t, "splits.json", &oracle)
	if len(oracle.Rows) == 0 {
		t.Fatal("the oracle holds no rows")
	}
	data := catalogue.Directory{Root: testenv.Mirror(t)}
	sets := map[string]*datasets.Set{}
	for _, row := range oracle.Rows {
		set := sets[row.Dataset]
		if set == nil {
			entry := must.Get(catalogue.Builtin().Lookup(row.Dataset))(t)
			set = must.Get(read.Load(context.Background(), data, entry))(t)
			sets[row.Dataset] = set
		}
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
	}
}

func compareRows(t *testing.T, what string, got, want []int, sha string) {
	t.Helper()
	if want != nil && !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
	sum := sha256.Sum256([]byte(strings.Trim(strings.ReplaceAll(fmt.Sprint(got), " ", ","), "[]")))
	must.Be(t, hex.EncodeToString(sum[:]), sha, what)
}

func share(y []float64, rows []int, label float64) int {
	k := 0
	if rows == nil {
		for _, v := range y {
			if v == label {
				k++
			}
		}
		return k
	}
	for _, r := range rows {
		if y[r] == label {
			k++
		}
	}
	return k
}

// TestEqualRemainders: five of 1, 3 and 6 rows are 0.5, 1.5 and 3 of them, and the generator decides who gets the row
// that is left. Where the compiler fuses the product with what is taken from it, the second remainder is a little below
// the first.
func TestEqualRemainders(t *testing.T) {
	for _, c := range []struct{ counts, first, second []int }{
		{[]int{1, 3, 6}, []int{1, 1, 3}, []int{0, 2, 3}},
		{[]int{2, 7, 1}, []int{1, 4, 0}, []int{1, 3, 1}},
	} {
		met := map[string]bool{}
		for seed := range uint32(20) {
			met[fmt.Sprint(apportion(rng.New(seed), c.counts, 5))] = true
		}
		if len(met) != 2 || !met[fmt.Sprint(c.first)] || !met[fmt.Sprint(c.second)] {
			t.Errorf("five of %v are divided as %v, want %v and %v", c.counts, met, c.first, c.second)
		}
	}
}
