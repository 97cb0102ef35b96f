package experiments

// This file has the values that papers print, as data. Tables show them next to our results. The values that
// `bench import --published` adds have the same form, and lie in the user's database. harness/store copies the values
// here into its view `published`, so that SQL can compare them with results.

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
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

// A Value is one cell of a printed table, in the Unit of its source; Comparable has the unit of our tables.
type Value struct {
	Source, Dataset, Method, Unit string
	Mean                          float64
	Std                           *float64 // nil where none is printed
	Spread                        string   // what Std is: Deviation, Error, "" where the source does not say
	// the values whose Mean and Std these are, with blanks between; nil where they are not known
	Folds  *string
	Quoted *Quoted // nil for the values that the program has
}

// Quoted is what the source of an imported value says of it.
type Quoted struct {
	N          *int   // how many values the mean is of; nil where the source does not say
	Protocol   string // the name of a protocol that is known here, or the source's own words; "" for none
	SameSplits bool   // the splits are those that the protocol makes here
}

// These are the kinds of spread that sources name.
const (
	Deviation = "standard deviation"
	Error     = "standard error"
)

// DeviationOf returns the standard deviation of n values with the printed mean and spread. Papers print a deviation
// with divisor n or n-1 and do not say which; the larger reading is taken.
func (v Value) DeviationOf(n int) float64 {
	if v.Spread == Error {
		return *v.Std * math.Sqrt(float64(n))
	}
	return *v.Std * math.Sqrt(float64(n)/float64(n-1))
}

// String is an imported value in one line.
func (v Value) String() string {
	text := strconv.FormatFloat(v.Mean, 'g', -1, 64) + v.SpreadText() + " " + v.Unit
	if v.Quoted.N != nil {
		text += fmt.Sprintf(", n %d", *v.Quoted.N)
	}
	if v.Quoted.Protocol != "" {
		text += ", " + v.Quoted.Protocol
	}
	if v.Quoted.SameSplits {
		text += ", same splits"
	}
	return text
}

// SpreadText is the printed spread as printed behind a mean; "" without one.
func (v Value) SpreadText() string {
	if v.Std == nil {
		return ""
	}
	text := " ± " + strconv.FormatFloat(*v.Std, 'g', -1, 64)
	if v.Spread == Error {
		text += " (" + Error + ")"
	}
	return text
}

// A Point is the value that a figure shows for a series at one value of the swept quantity (see
// docs/explanation/experiments.md).
type Point struct {
	Series string  `toml:"series"`
	At     float64 `toml:"at"`
	Value  float64 `toml:"value"`
}

// Values returns every value, in the order of the embedded file.
func Values() []Value { return slices.Clone(parsed()) }

// bySource returns the values of one source, sorted by data set and method.
func bySource(source string) []Value {
	values := slices.DeleteFunc(Values(), func(v Value) bool { return v.Source != source })
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method))
	})
	return values
}

// Ranks reports whether a source prints the average ranks, by a metric, of all of these methods. Tables of such a
// source use the convention of stats.PaperAverageRanks too, which breaks ties by the order of the columns.
func Ranks(source, metric string, methods []string) bool {
	values, _ := Comparable(source, metric, nil)
	lacks := func(method string) bool {
		return !slices.ContainsFunc(values, func(v Value) bool { return v.Unit == rank && v.Method == method })
	}
	return len(methods) > 0 && !slices.ContainsFunc(methods, lacks)
}

// rank is the unit of average ranks.
const rank = "rank"

// ours gives, for units of sources, the metric that they are of, the size of a printed 1 in the unit of our tables, and
// the largest value. Our tables show accuracy and error in percent, and errors of regression in the unit of the target.
// Units that are not here have no counterpart in our tables.
var ours = map[string]struct {
	metric string
	size   *big.Rat
	most   float64
}{
	"percent of correct labels":        {"accuracy", big.NewRat(1, 1), 100},
	"share of correct labels":          {"accuracy", big.NewRat(100, 1), 1},
	"percent of wrong labels":          {"error", big.NewRat(1, 1), 100},
	"100 times the mean squared error": {"mse", big.NewRat(1, 100), math.MaxFloat64},
}

// short are the units that a file may name in one word.
var short = map[string]string{"percent": "percent of correct labels", "fraction": "share of correct labels"}

// ParseUnit returns a unit that tables can show, and its largest value. The least is 0.
func ParseUnit(name string) (unit string, most float64, err error) {
	if unit = short[name]; unit == "" {
		unit = name
	}
	of, known := ours[unit]
	if !known {
		names := slices.Concat(slices.Sorted(maps.Keys(short)), slices.Sorted(maps.Keys(ours)))
		err = fmt.Errorf("%q is no unit that reports compare; use one of %s", name, strings.Join(names, ", "))
	}
	return unit, of.most, err
}

// In returns a value in the unit of our tables of a metric, without folds; false if it is of another metric.
func (v Value) In(metric string) (Value, bool) {
	unit := ours[v.Unit]
	if unit.metric != metric {
		return v, false
	}
	v.Mean, v.Folds = scaled(v.Mean, unit.size), nil
	if v.Std != nil {
		v.Std = new(scaled(*v.Std, unit.size))
	}
	return v, true
}

// Comparable returns those values of a source that are comparable with results by a metric, in the unit of our
// tables, without folds, and in the order of data set and method; average ranks are among them. It also returns all
// units that the source prints values in. names maps our name of a data set to the source's name where the two
// differ.
func Comparable(source, metric string, names map[string]string) (values []Value, units []string) {
	var ranks []Value
	for _, v := range bySource(source) {
		if v.Unit == rank {
			ranks = append(ranks, v)
			continue
		}
		if !slices.Contains(units, v.Unit) {
			units = append(units, v.Unit)
		}
		v, ok := v.In(metric)
		if !ok {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if names[name] == v.Dataset {
				v.Dataset = name
				break
			}
		}
		values = append(values, v)
	}
	if values != nil {
		values = append(ranks, values...)
	}
	return values, units
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

// parse reads a table with the columns source, dataset, method, unit, mean, std, spread and folds.
func parse(text string) ([]Value, error) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published.csv: %w", err)
	}
	var values []Value
	for i, r := range records[min(1, len(records)):] {
		if len(r) != 8 {
			return nil, fmt.Errorf("published.csv:%d: %d columns, want source, dataset, method, unit, mean, std, "+
				"spread, "+
				"folds", i+2, len(r))
		}
		v := Value{Source: r[0], Dataset: r[1], Method: r[2], Unit: r[3], Spread: r[6]}
		if v.Mean, err = strconv.ParseFloat(r[4], 64); err != nil {
			return nil, fmt.Errorf("published.csv:%d: mean %q is not a number", i+2, r[4])
		}
		if r[5] != "" {
			std, err := strconv.ParseFloat(r[5], 64)
			if err != nil {
				return nil, fmt.Errorf("published.csv:%d: std %q is not a number", i+2, r[5])
			}
			v.Std = &std
		}
		if r[7] != "" {
			v.Folds = &r[7]
		}
		values = append(values, v)
	}
	return values, nil
}
