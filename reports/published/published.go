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
// percent of correct test labels).
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
