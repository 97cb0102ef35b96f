// Package published holds the values that papers print, as data. Tables show them beside our results.
//
// The package imports the standard library alone. Reports read the values here. harness/store copies them
// into its view `published`, so that SQL can compare them with results. For this reason harness/store may
// import this package.
package published

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed published.csv
var table string

// AverageRank replaces the name of the data set where a source prints a method's average rank.
const AverageRank = "average rank"

// A Value is one cell of a printed table, in the unit of its source. The unit of the tables of 2019 and 2020
// is percent of correct test labels; see Beside.
type Value struct {
	Source, Dataset, Method string
	Mean                    float64
	Std                     *float64 // nil where none is printed
	Folds                   *string  // the values whose Mean and Std these are, with blanks between; nil where they are not known
}

// A Point is the value that a figure shows for a series at one value of the swept quantity (see docs/explanation/experiments.md).
type Point struct {
	Series string  `toml:"series"`
	At     float64 `toml:"at"`
	Value  float64 `toml:"value"`
}

// Values returns every value, in the order of the embedded file.
func Values() []Value { return slices.Clone(parsed()) }

// Of returns the values of one source, sorted by data set and method.
func Of(source string) []Value {
	values := slices.DeleteFunc(Values(), func(v Value) bool { return v.Source != source })
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method))
	})
	return values
}

// Ranks reports whether a source prints average ranks. Such sources use the convention of
// stats.PaperAverageRanks.
func Ranks(source string) bool {
	return slices.ContainsFunc(parsed(), func(v Value) bool { return v.Source == source && v.Dataset == AverageRank })
}

// units gives, for each source and metric, the size of a printed 1 in the unit of our tables. Our tables show
// accuracy and error in percent, and the mean squared error in the squared unit of the target.
var units = map[string]map[string]*big.Rat{
	"gautheron2019-table2": {"accuracy": big.NewRat(1, 1)},
	"gautheron2020-table2": {"accuracy": big.NewRat(1, 1)},
	"bazavan2012-table3":   {"accuracy": big.NewRat(100, 1)}, // printed as shares
	"bazavan2012-table4":   {"accuracy": big.NewRat(1, 1)},
	// For regression this paper prints 100 times the mean squared error of targets between -1 and 1.
	"shahrampour2018-table2-error": {"error": big.NewRat(1, 1), "mse": big.NewRat(1, 100)},
	// Means over the five folds that the authors' program keeps (scripts/peers/rfrboost_published.py). Targets have variance one there.
	"zozoulenko2025-classification": {"accuracy": big.NewRat(1, 1)},
	"zozoulenko2025-regression":     {"rmse": big.NewRat(1, 1)},
}

// Beside returns those values of a source that are comparable with results by a metric, in the unit of our tables, without folds,
// and in the order of Of. It also returns all metrics that the source prints. names maps our name of a data set to the source's name
// where the two differ.
func Beside(source, metric string, names map[string]string) (values []Value, metrics []string) {
	metrics = slices.Sorted(maps.Keys(units[source]))
	unit := units[source][metric]
	if unit == nil {
		return nil, metrics
	}
	for _, v := range Of(source) {
		v.Mean, v.Folds = scaled(v.Mean, unit), nil
		if v.Std != nil {
			std := scaled(*v.Std, unit)
			v.Std = &std
		}
		for _, ours := range slices.Sorted(maps.Keys(names)) {
			if names[ours] == v.Dataset {
				v.Dataset = ours
				break
			}
		}
		values = append(values, v)
	}
	return values, metrics
}

// scaled multiplies a printed decimal number exactly.
func scaled(printed float64, unit *big.Rat) float64 {
	x, ok := new(big.Rat).SetString(strconv.FormatFloat(printed, 'g', -1, 64))
	if !ok {
		return printed // not a number; parse never returns this
	}
	out, _ := x.Mul(x, unit).Float64()
	return out
}

// parsed reads the embedded file once. An error in the file is a mistake of the program, which its tests find.
var parsed = sync.OnceValue(func() []Value {
	values, err := parse(table)
	if err != nil {
		panic(err)
	}
	return values
})

// parse reads a table with the columns source, dataset, method, mean, std and folds.
func parse(text string) ([]Value, error) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published.csv: %w", err)
	}
	var values []Value
	for i, r := range records[min(1, len(records)):] {
		if len(r) != 6 {
			return nil, fmt.Errorf("published.csv:%d: %d columns, want source, dataset, method, mean, std, folds", i+2, len(r))
		}
		v := Value{Source: r[0], Dataset: r[1], Method: r[2]}
		if v.Mean, err = strconv.ParseFloat(r[3], 64); err != nil {
			return nil, fmt.Errorf("published.csv:%d: mean %q is not a number", i+2, r[3])
		}
		if r[4] != "" {
			std, err := strconv.ParseFloat(r[4], 64)
			if err != nil {
				return nil, fmt.Errorf("published.csv:%d: std %q is not a number", i+2, r[4])
			}
			v.Std = &std
		}
		if r[5] != "" {
			v.Folds = &r[5]
		}
		values = append(values, v)
	}
	return values, nil
}
