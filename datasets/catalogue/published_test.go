package catalogue

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestPublishedTables checks the transcription of the papers' tables by what the papers computed from them: the 2020
// paper's row of means over 15 sets, and the 2019 paper's average ranks, which are the ranks' sum over 14 sets divided
// by 15. Every set they name must be in the catalogue, but for those of the ECCV paper, whose images are not public,
// and those of OpenML, which `bench data add` brings.
func TestPublishedTables(t *testing.T) {
	f := must.Get(os.Open(filepath.Join(testenv.Root(), "harness", "experiments", "published.csv")))(t)
	defer f.Close()
	records := must.Get(csv.NewReader(f).ReadAll())(t)
	means := map[string]map[string]map[string]float64{} // source, data set, method
	for _, r := range records[1:] {
		if r[1] == "average rank" { // a row of the table that is no set
			continue
		}
		if _, err := Builtin().Lookup(r[1]); err != nil && !strings.HasPrefix(r[0], "bazavan2012") &&
			!strings.HasPrefix(r[1], "openml-") {
			t.Error(err)
		}
		mean, err := strconv.ParseFloat(r[4], 64)
		if err != nil || mean <= 0 || mean > 100 && r[3] != "seconds" {
			t.Errorf("%v: mean %v, %v", r, mean, err)
		}
		if means[r[0]] == nil {
			means[r[0]] = map[string]map[string]float64{}
		}
		if means[r[0]][r[1]] == nil {
			means[r[0]][r[1]] = map[string]float64{}
		}
		means[r[0]][r[1]][r[2]] = mean
	}
	ecml := means["gautheron2020-table2"]
	if len(ecml) != 16 || len(ecml["bankmarketing"]) != 3 {
		t.Errorf("%d sets, %d values for bankmarketing", len(ecml), len(ecml["bankmarketing"]))
	}
	for method, want := range map[string]float64{"BMKR": 88.4, "GFC": 85.7, "PBRFF": 87.9, "GBRFF1": 87.9, "LGBM": 89.0,
		"GBRFF2": 89.1} {
		sum := 0.0
		for set, row := range ecml {
			if set != "bankmarketing" {
				sum += row[method]
			}
		}
		must.Near(t, sum/15, want, 0.05, "2020: mean of", method)
	}
	// Ties that rounding made move a rank by at most 1/2 per tie.
	for method, want := range map[string]float64{"XGB": 3.40, "LGBM": 3.20, "MKBOOST": 4.40, "BMKR": 3.07,
		"PBRFF": 2.80, "GBRFF": 2.73} {
		sum := 0.0
		for _, row := range means["gautheron2019-table2"] {
			rank := 0.5
			for _, other := range row {
				if other > row[method] {
					rank++
				} else if other == row[method] {
					rank += 0.5
				}
			}
			sum += rank
		}
		must.Near(t, sum/15, want, 0.5/15+0.005, "2019: average rank of", method)
	}
}
