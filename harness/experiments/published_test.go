package experiments

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// The printed means of the paper's Table 2 against its own Mean row (89.1 for GBRFF2 and so on,
// over the first 15 sets, one decimal).
func TestGautheron2020(t *testing.T) {
	sum, n := map[string]float64{}, map[string]int{}
	for _, v := range bySource("gautheron2020-table2") {
		if v.Dataset != "bankmarketing" && v.Dataset != AverageRank {
			sum[v.Method] += v.Mean
			n[v.Method]++
		}
	}
	for method, mean := range map[string]float64{"BMKR": 88.4, "GFC": 85.7, "PBRFF": 87.9, "GBRFF1": 87.9, "LGBM": 89.0,
		"GBRFF2": 89.1} {
		if got := sum[method] / 15; n[method] != 15 || got < mean-0.0501 || got > mean+0.0501 {
			t.Errorf("%s: mean %.3f over %d sets, the paper prints %.1f over 15", method, got, n[method], mean)
		}
	}
}

// The means over the sets of OpenML against the averages that the ICML paper prints with three decimals, accuracies as
// shares.
func TestZozoulenko2025(t *testing.T) {
	for _, c := range []struct {
		source string
		sets   int
		unit   float64
		means  map[string]float64
	}{
		{"zozoulenko2025-classification", 57, 0.01, map[string]float64{"RFRBoost": 0.853, "XGB": 0.853,
			"MLP-ResNet": 0.851, "RFNN": 0.845, "Logistic": 0.821}},
		{"zozoulenko2025-regression", 34, 1, map[string]float64{
			"XGB": 0.394, "RFRBoost": 0.408, "RFRBoost-greedy": 0.408, "MLP-ResNet": 0.412, "RFNN": 0.434,
			"Ridge": 0.540}},
	} {
		sum, n := map[string]float64{}, map[string]int{}
		for _, v := range bySource(c.source) {
			sum[v.Method] += v.Mean * c.unit
			n[v.Method]++
		}
		for method, mean := range c.means {
			must.Be(t, n[method], c.sets, c.source)
			must.Near(t, sum[method]/float64(n[method]), mean, 0.00051, c.source)
		}
	}
}

// TestZozoulenkoFolds: each mean and standard deviation is that of the five folds, in the digits of the table.
func TestZozoulenkoFolds(t *testing.T) {
	for _, v := range slices.Concat(bySource("zozoulenko2025-classification"), bySource("zozoulenko2025-regression")) {
		if v.Folds == nil {
			t.Errorf("%s: %s on %s has no folds", v.Source, v.Method, v.Dataset)
			continue
		}
		var scores []float64
		for _, text := range strings.Fields(*v.Folds) {
			score := must.Get(strconv.ParseFloat(text, 64))(t)
			scores = append(scores, score)
		}
		mean, square := 0.0, 0.0
		for _, s := range scores {
			mean += s / 5
		}
		for _, s := range scores {
			square += (s - mean) * (s - mean) / 5
		}
		must.Be(t, len(scores), 5, v.Source, v.Method, v.Dataset, *v.Folds)
		must.Near(t, v.Mean, mean, 6e-4*mean, v.Source, v.Method, v.Dataset, *v.Folds)
		must.Near(t, *v.Std, math.Sqrt(square), 6e-3*math.Sqrt(square)+1e-5*mean, v.Source, v.Method, v.Dataset,
			*v.Folds)
	}
}

// No source prints a value twice, and Of gives them sorted.
func TestEachValueOnce(t *testing.T) {
	type key struct{ source, dataset, method string }
	seen := map[key]bool{}
	total := 0
	var sources []string
	for _, v := range Values() {
		k := key{v.Source, v.Dataset, v.Method}
		if seen[k] {
			t.Errorf("%v is there twice", k)
		}
		seen[k] = true
		if !slices.Contains(sources, v.Source) {
			sources = append(sources, v.Source)
			values := bySource(v.Source)
			total += len(values)
			if !slices.IsSortedFunc(values, func(a, b Value) int {
				return strings.Compare(a.Dataset+"\x00"+a.Method, b.Dataset+"\x00"+b.Method)
			}) {
				t.Errorf("the values of %s are not sorted", v.Source)
			}
		}
	}
	if total != len(Values()) || len(sources) < 3 {
		t.Errorf("%d sources with %d values, %d in all", len(sources), total, len(Values()))
	}
}

// TestComparable: values come in the unit in which tables show a metric, under our names of data sets, and of other
// metrics not at all.
func TestComparable(t *testing.T) {
	find := func(values []Value, dataset, method string) Value {
		t.Helper()
		i := slices.IndexFunc(values, func(v Value) bool { return v.Dataset == dataset && v.Method == method })
		if i < 0 {
			t.Fatalf("no value of %s on %s", method, dataset)
		}
		return values[i]
	}
	const mfga = "shahrampour2018-table2-error"
	names := map[string]string{"adult-a9a": "adult", "online-news-scaled": "online-news"}
	values, _ := Comparable(mfga, "mse", names)
	if v := find(values, "online-news-scaled", "MFGA"); v.Mean != 0.0057 || v.Std != nil {
		t.Errorf("MFGA on online-news: %v", v)
	}
	if v := find(values, "year-prediction", "RKS"); v.Mean != 0.0827 || *v.Std != 0.0004 {
		t.Errorf("RKS on year-prediction: %v ± %v", v, *v.Std)
	}
	values, _ = Comparable(mfga, "error", names)
	if v := find(values, "adult-a9a", "LKRF"); v.Mean != 16.46 || *v.Std != 0.03 {
		t.Errorf("LKRF on adult: %v", v)
	}
	if values, units := Comparable(mfga, "accuracy", names); values != nil || len(units) != 2 {
		t.Errorf("of accuracy: %v, units %v", values, units)
	}
	must.Be(t, slices.ContainsFunc(values, func(v Value) bool { return v.Dataset == "year-prediction" }), false,
		"an error of regression is beside errors of classification")
	if values, units := Comparable("zozoulenko2025-regression", "rmse", nil); values != nil || len(units) != 1 {
		t.Errorf("errors in standard deviations of the target are beside errors in its unit: %v, %v", values, units)
	}
	values, _ = Comparable("bazavan2012-table3", "accuracy", nil)
	must.Be(t, find(values, "voc-7500", "RFF-SKL").Mean, 28)
	elsewhere := []string{rank, "seconds", "root mean squared error in standard deviations of the target"}
	for _, v := range Values() {
		if ours[v.Unit].size == nil && !slices.Contains(elsewhere, v.Unit) {
			t.Errorf("%s: %s on %s is in the unit %q", v.Source, v.Method, v.Dataset, v.Unit)
		}
		if v.Std != nil && v.Spread != Deviation && v.Spread != Error && v.Source != "bazavan2012-table4-times" ||
			v.Std == nil && v.Spread != "" {
			t.Errorf("%s: %s on %s has a spread of the kind %q", v.Source, v.Method, v.Dataset, v.Spread)
		}
	}
}

// A standard error is that of the mean, and a deviation that of the values, with the larger reading.
func TestDeviationOf(t *testing.T) {
	std := 0.5
	for spread, want := range map[string]float64{Error: 1, Deviation: 0.5 * math.Sqrt(4.0/3)} {
		must.Be(t, (Value{Std: &std, Spread: spread}).DeviationOf(4), want, spread)
	}
}

func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		"h,h,h,h,h,h,h,h\na,b,c,u,x,1,,\n": `published.csv:2: mean "x" is not a number`,
		"h,h,h,h,h,h,h,h\na,b,c,u,1,x,,\n": `published.csv:2: std "x" is not a number`,
		"h,h\na,b\n":                       "published.csv:2: 2 columns",
		"h,h\na\n":                         "published.csv: record on line 2",
	} {
		if _, err := parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
