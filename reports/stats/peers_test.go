package stats_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"os/exec"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/stats"
)

// scipyTests reads tables and differences and prints what SciPy makes of them. With ties or zeros its
// exact distribution is that of all sign changes, in place of the table for untied ranks.
const scipyTests = `
import json, sys, warnings
import numpy as np
from scipy import stats
warnings.simplefilter("ignore")
cases = json.load(sys.stdin)
out = {"friedman": [], "untied": [], "tied": []}
for rows in cases["tables"]:
    r = stats.friedmanchisquare(*np.array(rows, float).T)
    out["friedman"].append([r.statistic, r.pvalue])
for d in cases["untied"]:
    r = stats.wilcoxon(np.array(d, float), method="exact")
    out["untied"].append([r.statistic, r.pvalue])
for d in cases["tied"]:
    exact = stats.wilcoxon(np.array(d, float), zero_method="zsplit", method=stats.PermutationMethod(n_resamples=np.inf))
    out["tied"].append([exact.statistic, exact.pvalue])
json.dump(out, sys.stdout)
`

type peerCases struct {
	Tables [][][]int `json:"tables"`
	Untied [][]int   `json:"untied"`
	Tied   [][]int   `json:"tied"`
}

// In make thorough, 3,000 tables with ties against friedmanchisquare, 3,000 lists of differences without ties
// against the exact wilcoxon, and 300 short ones with ties and zeros against all sign changes; in make test a third of
// them. BENCH_PEERS names a Python that has SciPy.
func TestBesideSciPy(t *testing.T) {
	python := os.Getenv("BENCH_PEERS")
	if python == "" {
		t.Skip("BENCH_PEERS is not set: no Python with SciPy")
	}
	cases := drawCases(t, rng.New(1))
	in := must.Get(json.Marshal(cases))(t)
	command := exec.CommandContext(t.Context(), python, "-c", scipyTests)
	command.Stdin, command.Stderr = bytes.NewReader(in), os.Stderr
	out := must.Get(command.Output())(t)
	var theirs struct{ Friedman, Untied, Tied [][]float64 }
	must.Do(t, json.Unmarshal(out, &theirs))
	largest := map[string]float64{}
	compare := func(what string, got, want float64) {
		apart := math.Abs(got-want) / max(1e-300, math.Abs(want))
		if largest[what] = max(largest[what], apart); !(apart < 1e-9) {
			t.Errorf("%s: got %v, SciPy %v", what, got, want)
		}
	}
	for i, rows := range cases.Tables {
		f := stats.Friedman(tableOf(rows))
		compare("Friedman's statistic", f.Corrected.Statistic, theirs.Friedman[i][0])
		compare("Friedman's P", f.Corrected.P, theirs.Friedman[i][1])
	}
	for i, d := range cases.Untied {
		w := stats.Wilcoxon(thirds(d))
		compare("Wilcoxon's sum", min(asFloat(w.Plus), asFloat(w.Minus)), theirs.Untied[i][0])
		compare("Wilcoxon's P", w.P, theirs.Untied[i][1])
	}
	for i, d := range cases.Tied {
		w, want := stats.Wilcoxon(thirds(d)), theirs.Tied[i]
		compare("sum with ties", min(asFloat(w.Plus), asFloat(w.Minus)), want[0])
		compare("exact P with ties", w.P, want[1])
	}
	t.Logf("largest relative differences: %v", largest)
}

func tableOf(rows [][]int) [][]*big.Rat {
	out := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		out[i] = thirds(row)
	}
	return out
}

func drawCases(t *testing.T, stream *rng.RandomState) peerCases {
	var cases peerCases
	many, few := 1000, 100
	if testenv.Thorough(t) {
		many, few = 3000, 300
	}
	for range many {
		rows, k := 2+stream.Intn(14), 3+stream.Intn(6)
		table := make([][]int, rows)
		for i := range table {
			for range k {
				table[i] = append(table[i], stream.Intn(12))
			}
		}
		table[0][0], table[0][1] = 0, 1 // not all ties
		cases.Tables = append(cases.Tables, table)

		sizes := stream.Permutation(200)[:1+stream.Intn(45)]
		for i := range sizes {
			if sizes[i]++; stream.Intn(3) == 0 {
				sizes[i] = -sizes[i]
			}
		}
		cases.Untied = append(cases.Untied, sizes)
	}
	for range few {
		d := []int{1}
		for range 1 + stream.Intn(7) {
			d = append(d, stream.Intn(9)-4)
		}
		cases.Tied = append(cases.Tied, d)
	}
	return cases
}
