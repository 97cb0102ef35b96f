// Package published holds the values that papers print, as data: the tables that ours are set
// beside.
//
// It is a leaf: it imports the standard library alone. Reports read the values here; harness/store
// copies them into its view `published`, so that SQL can set them beside results, and may import
// this package for that reason, although it stands below the reports.
package published

import (
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

// AverageRank stands in the place of the data set where a source prints a method's average rank.
const AverageRank = "average rank"

// A Value is one cell of a printed table, in the unit of its source (the tables of 2019 and 2020:
// percent of correct test labels); see Beside.
type Value struct {
	Source, Dataset, Method string
	Mean                    float64
	Std                     *float64 // nil where none is printed
}

// Values returns every value, in the order of the file.
func Values() []Value { return slices.Clone(parsed()) }

// Of returns the values of one source, sorted by data set and method.
func Of(source string) []Value {
	values := slices.DeleteFunc(Values(), func(v Value) bool { return v.Source != source })
	slices.SortFunc(values, func(a, b Value) int {
		if a.Dataset != b.Dataset {
			return strings.Compare(a.Dataset, b.Dataset)
		}
		return strings.Compare(a.Method, b.Method)
	})
	return values
}

// Ranks reports whether a source prints average ranks. Those that do take the convention of stats.PaperAverageRanks.
func Ranks(source string) bool {
	return slices.ContainsFunc(parsed(), func(v Value) bool { return v.Source == source && v.Dataset == AverageRank })
}

// units says what a printed 1 of a source is in the unit in which tables show a metric: accuracy and error in percent,
// the mean squared error in the squared unit of the target.
var units = map[string]map[string]*big.Rat{
	"gautheron2019-table2": {"accuracy": big.NewRat(1, 1)},
	"gautheron2020-table2": {"accuracy": big.NewRat(1, 1)},
	"bazavan2012-table3":   {"accuracy": big.NewRat(100, 1)}, // printed as shares
	"bazavan2012-table4":   {"accuracy": big.NewRat(1, 1)},
	// Of regression the paper prints 100 times the mean squared error of targets between -1 and 1.
	"shahrampour2018-table2-error": {"error": big.NewRat(1, 1), "mse": big.NewRat(1, 100)},
}

// Beside returns the values of a source that can stand beside results by a metric, in the unit in which tables show it, sorted as by Of,
// and the metrics that it has values of. names gives the source's names of data sets that have another one here, by ours.
func Beside(source, metric string, names map[string]string) (values []Value, metrics []string) {
	metrics = slices.Sorted(maps.Keys(units[source]))
	unit := units[source][metric]
	if unit == nil {
		return nil, metrics
	}
	for _, v := range Of(source) {
		v.Mean = scaled(v.Mean, unit)
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

// scaled multiplies a printed decimal, exactly.
func scaled(printed float64, unit *big.Rat) float64 {
	x, ok := new(big.Rat).SetString(strconv.FormatFloat(printed, 'g', -1, 64))
	if !ok {
		return printed // no number, which parse never gives
	}
	out, _ := x.Mul(x, unit).Float64()
	return out
}

// parsed reads the embedded file once. What is wrong with it is a mistake of the program, which
// its first test finds.
var parsed = sync.OnceValue(func() []Value {
	values, err := parse(table)
	if err != nil {
		panic(err)
	}
	return values
})

// parse reads a table with the columns source, dataset, method, mean and std.
func parse(text string) ([]Value, error) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published.csv: %w", err)
	}
	var values []Value
	for i, r := range records[min(1, len(records)):] {
		if len(r) != 5 {
			return nil, fmt.Errorf("published.csv:%d: %d columns, want source, dataset, method, mean, std", i+2, len(r))
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
		values = append(values, v)
	}
	return values, nil
}
