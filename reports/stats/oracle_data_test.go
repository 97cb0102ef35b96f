package stats_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// oracle is statistics.json. Numbers keep their text where their digits say how exact they are.
type oracle struct {
	Demsar struct {
		AUC   [][]float64 `json:"auc"`
		Ranks [][]float64 `json:"published_ranks"`
		Pub   struct {
			Ranks    []float64      `json:"avg_ranks"`
			Chi      json.Number    `json:"chi2"`
			F        json.Number    `json:"FF"`
			CD05     json.Number    `json:"CD05"`
			CD10     json.Number    `json:"CD10"`
			Wilcoxon map[string]int `json:"wilcoxon_C4.5_vs_+m"`
		} `json:"pub"`
		FromRanks map[string]json.RawMessage `json:"calc_from_published_ranks"`
		FromAUC   map[string]json.RawMessage `json:"calc_from_auc_midranks"`
	} `json:"demsar2006_table6"`
	Garcia struct {
		Rows [][]any `json:"rows"`
		Pub  struct {
			Chi  json.Number `json:"chi2"`
			PChi json.Number `json:"p_chi2"`
			F    json.Number `json:"ID"`
			PF   json.Number `json:"p_ID"`
		} `json:"pub_scmamp_vignette"`
		Calc struct {
			Ranks []json.Number `json:"avg_ranks"`
			Chi   json.Number   `json:"chi2"`
			F     json.Number   `json:"FF"`
			CD    json.Number   `json:"CD05_inf_df"`
		} `json:"calc"`
	} `json:"garcia_herrera_2008"`
	Multiple struct {
		Scores map[string][]float64  `json:"avg_over_100_scores_54_datasets"`
		Pub    map[string][3]float64 `json:"pub"`
	} `json:"baycomp_multiple"`
	NB struct {
		X    []float64              `json:"x"`
		Y    []float64              `json:"y"`
		Runs int                    `json:"runs"`
		Pub  map[string]json.Number `json:"pub"`
	} `json:"baycomp_nb_unit"`
	Critical map[string]int `json:"wilcoxon_crit_05_two_sided"`
	Holm     struct {
		P   []float64     `json:"p"`
		Adj []json.Number `json:"adj"`
	} `json:"holm_unit"`
	NemenyiQ map[string]map[string]json.Number `json:"nemenyi_q_inf_over_sqrt2"`
}

func readOracle(t *testing.T) oracle {
	t.Helper()
	var o oracle
	testenv.ReadOracle(t, "statistics.json", &o)
	return o
}

// printed checks x against a number to the digits that it is given with: half a unit of its last
// digit, or a relative 1e-12 where it has all the digits of a double.
func printed(t *testing.T, what string, x float64, want json.Number) {
	t.Helper()
	mantissa, power, _ := strings.Cut(strings.ToLower(want.String()), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	exponent, _ := strconv.Atoi(power) // 0 without one
	w := must.Get(want.Float64())(t)
	tolerance := max(0.5*math.Pow(10, float64(exponent-len(decimals))), 1e-12*math.Abs(w))
	if !(math.Abs(x-w) <= tolerance*(1+1e-9)) {
		t.Errorf("%s: got %v, want %v within %.3g", what, x, want, tolerance)
	}
}

func number(t *testing.T, raw json.RawMessage) json.Number {
	t.Helper()
	var n json.Number
	must.Do(t, json.Unmarshal(raw, &n))
	return n
}

func numbers(t *testing.T, raw json.RawMessage) []json.Number {
	t.Helper()
	var n []json.Number
	must.Do(t, json.Unmarshal(raw, &n))
	return n
}

// columnDifferences is a column of rows less another.
func columnDifferences(rows [][]*big.Rat, a, b int) []*big.Rat {
	var out []*big.Rat
	for _, row := range rows {
		out = append(out, new(big.Rat).Sub(row[a], row[b]))
	}
	return out
}

// negated turns ranks or errors, the smallest the best, into values, the largest the best.
func negated(rows [][]*big.Rat) [][]*big.Rat {
	out := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], new(big.Rat).Neg(v))
		}
	}
	return out
}

func asFloat(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

func transposed(columns ...[]float64) [][]float64 {
	rows := make([][]float64, len(columns[0]))
	for i := range rows {
		for _, c := range columns {
			rows[i] = append(rows[i], c[i])
		}
	}
	return rows
}
