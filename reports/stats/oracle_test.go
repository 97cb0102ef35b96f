package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
)

// Demsar (2006), 3.2.2 to 3.2.3: his ranks, and what follows from them. He rounds intermediate results, so
// that exact values differ from his by up to a unit of the last digit.
func TestDemsarExample(t *testing.T) {
	o := readOracle(t).Demsar
	f := stats.Friedman(negated(decimals(t, o.Ranks)))
	for j, want := range o.Pub.Ranks {
		must.Near(t, asFloat(f.AverageRanks[j]), want, 5e-4, "average rank", j)
	}
	printed(t, "chi2", f.ChiSquare.Statistic, o.Pub.Chi)
	printed(t, "F", f.ImanDavenport.Statistic, o.Pub.F)
	calc := o.FromRanks
	printed(t, "chi2, calc", f.ChiSquare.Statistic, number(t, calc["chi2"]))
	printed(t, "P of chi2", f.ChiSquare.P, number(t, calc["p_chi2"]))
	printed(t, "F, calc", f.ImanDavenport.Statistic, number(t, calc["FF"]))
	printed(t, "P of F", f.ImanDavenport.P, number(t, calc["p_FF"]))
	if got := f.ImanDavenport.DF; got[0] != 3 || got[1] != 39 {
		t.Errorf("degrees of freedom %v, want 3 and 39", got)
	}
	for alpha, names := range map[float64][2]json.Number{
		0.05: {o.Pub.CD05, number(t, calc["CD05"])},
		0.1:  {o.Pub.CD10, number(t, calc["CD10"])},
	} {
		cd := stats.NemenyiCD(alpha, f.Methods, f.Datasets)
		printed(t, "critical difference", cd, names[1])
		// He prints 1.25 and 1.12, from q cut to three decimals.
		printed(t, "critical difference, printed", cd, names[0])
	}
	point := must.Get(number(t, calc["F_crit_3_39_05"]).Float64())(t)
	must.Near(t, stats.FTest(point, 3, 39).P, 0.05, 1e-13, "P(F(3, 39) >")
}

// The same from the printed AUCs, ties of which he ranked before rounding.
func TestDemsarFromAUC(t *testing.T) {
	o := readOracle(t).Demsar
	values := decimals(t, o.AUC)
	f := stats.Friedman(values)
	for j, want := range numbers(t, o.FromAUC["avg_ranks"]) {
		printed(t, "average rank", asFloat(f.AverageRanks[j]), want)
	}
	printed(t, "chi2", f.ChiSquare.Statistic, number(t, o.FromAUC["chi2"]))
	printed(t, "chi2, ties corrected", f.Corrected.Statistic, number(t, o.FromAUC["chi2_tie_corrected"]))
	printed(t, "F", f.ImanDavenport.Statistic, number(t, o.FromAUC["FF"]))

	// Demsar (2006), 3.1.3 and Table 2: C4.5 against C4.5+m.
	w := stats.Wilcoxon(columnDifferences(values, 1, 0))
	must.Be(t, w.Plus.Cmp(big.NewRat(int64(o.Pub.Wilcoxon["R+"]), 1)), 0, "R+ and R- are")
	must.Be(t, w.Minus.Cmp(big.NewRat(int64(o.Pub.Wilcoxon["R-"]), 1)), 0, "R+ and R- are")
	must.Be(t, criticalSum(t, 14), o.Pub.Wilcoxon["crit_05_N14"], "critical value of 14")
}

// criticalSum is the largest sum of ranks of n untied differences with an exact P of at most 0.05.
func criticalSum(t *testing.T, n int) int {
	t.Helper()
	largest := -1
	for sum := 0; sum <= n*(n+1)/4; sum++ {
		// Ranks from n down to 1 are negative as long as they fit into the sum.
		differences, left := make([]*big.Rat, n), sum
		for rank := n; rank > 0; rank-- {
			sign := int64(1)
			if rank <= left {
				sign, left = -1, left-rank
			}
			differences[rank-1] = big.NewRat(sign*int64(rank), 100)
		}
		w := stats.Wilcoxon(differences)
		if w.Minus.Cmp(big.NewRat(int64(sum), 1)) != 0 {
			t.Fatalf("the sum is %v, want %d", w.Minus, sum)
		}
		if w.P > 0.05 {
			break
		}
		largest = sum
	}
	return largest
}

func TestWilcoxonCriticalValues(t *testing.T) {
	for size, want := range readOracle(t).Critical {
		n := must.Get(strconv.Atoi(size))(t)
		must.Be(t, criticalSum(t, n), want, "critical value of", n)
	}
}

// Garcia and Herrera (2008), as the vignette of R's package scmamp prints it.
func TestGarciaHerrera(t *testing.T) {
	o := readOracle(t).Garcia
	var rows [][]float64
	for _, row := range o.Rows {
		var values []float64
		for _, v := range row[1:] {
			values = append(values, v.(float64))
		}
		rows = append(rows, values)
	}
	values := decimals(t, rows)
	f := stats.Friedman(values)
	for j, want := range o.Calc.Ranks {
		printed(t, "average rank", asFloat(f.AverageRanks[j]), want)
	}
	printed(t, "chi2", f.ChiSquare.Statistic, o.Pub.Chi)
	printed(t, "chi2, calc", f.ChiSquare.Statistic, o.Calc.Chi)
	printed(t, "P of chi2", f.ChiSquare.P, o.Pub.PChi)
	printed(t, "F", f.ImanDavenport.Statistic, o.Pub.F)
	printed(t, "F, calc", f.ImanDavenport.Statistic, o.Calc.F)
	printed(t, "P of F", f.ImanDavenport.P, o.Pub.PF)
	printed(t, "critical difference", stats.NemenyiCD(0.05, f.Methods, f.Datasets), o.Calc.CD)
}

// Points of the studentized range with infinite degrees of freedom over sqrt(2), as Demsar (2006),
// Table 5a, to six decimals. With 6 data sets and k methods
// the standard error is sqrt(k (k+1)) / 6.
func TestCriticalPoints(t *testing.T) {
	for level, points := range readOracle(t).NemenyiQ {
		alpha := must.Get(strconv.ParseFloat(level, 64))(t)
		for methods, want := range points {
			k := must.Get(strconv.Atoi(methods))(t)
			printed(t, fmt.Sprintf("Nemenyi at %s of %d", level, k),
				stats.NemenyiCD(alpha, k, 6)*6/math.Sqrt(float64(k*(k+1))), want)
		}
	}
}

func TestHolmUnit(t *testing.T) {
	o := readOracle(t).Holm
	for i, p := range stats.Holm(o.P) {
		printed(t, "adjusted", p, o.Adj[i])
	}
}

// The documentation and tests of baycomp, the program of Benavoli et al. (2017).
func TestBaycomp(t *testing.T) {
	o := readOracle(t)
	nb := columnDifferences(decimals(t, transposed(o.NB.X, o.NB.Y)), 1, 0)
	c := stats.CorrectedT(nb, len(nb)/o.NB.Runs-1, 1)
	printed(t, "mean", asFloat(c.Mean), o.NB.Pub["mean"])
	printed(t, "variance", c.Error*c.Error, o.NB.Pub["var"])
	printed(t, "degrees of freedom", c.DF[0], o.NB.Pub["df"])

	scores := o.Multiple.Scores
	across := columnDifferences(decimals(t, transposed(scores["nbc"], scores["j48"])), 1, 0)
	want := o.Multiple.Pub["signed_rank_nbc_j48_rope1_prior0.5"]
	all := stats.BayesSignedRanks([][]*big.Rat{across}, big.NewRat(1, 1), 50000, 1)
	got := all[0]
	for i, p := range []float64{got.Below, got.Within, got.Above} {
		if math.Abs(p-want[i]) > 0.01 { // the tolerance that the oracle states
			t.Errorf("Bayesian signed-rank test, %d: %v, want %v within 0.01", i, p, want[i])
		}
	}
}
