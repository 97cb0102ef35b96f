package frame

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/stats"
)

// Ascending returns values for which larger is better, whatever the metric's direction. Nil stays nil.
func (t *Table) Ascending(values []*big.Rat) []*big.Rat {
	if t.Metric.Better == metric.Higher {
		return values
	}
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		if v != nil {
			out[i] = new(big.Rat).Neg(v)
		}
	}
	return out
}

// Difference turns a gain, which is positive where the first of two values is better, into the first value
// less the second.
func (t *Table) Difference(gain *big.Rat) *big.Rat {
	if t.Metric.Better == metric.Lower {
		return new(big.Rat).Neg(gain)
	}
	return gain
}

// Matrix returns values of the counted sets, a row a set and a column for each of the first methods, so that a
// larger one is better.
func (t *Table) Matrix(methods int, of func(Entry) *big.Rat) [][]*big.Rat {
	var out [][]*big.Rat
	for _, s := range t.CountedSets() {
		var values []*big.Rat
		for _, e := range s.Entries[:methods] {
			values = append(values, of(e))
		}
		out = append(out, t.Ascending(values))
	}
	return out
}

// Means is the Matrix of the means of whole methods.
func (t *Table) Means() [][]*big.Rat {
	return t.Matrix(t.whole, func(e Entry) *big.Rat { return e.Mean })
}

// CommonSplits returns the splits that are compared on every counted set, in increasing order.
func (t *Table) CommonSplits() []int {
	var common []int
	for i, s := range t.CountedSets() {
		if i == 0 {
			common = slices.Clone(s.Splits)
		}
		common = slices.DeleteFunc(common, func(split int) bool { return !slices.Contains(s.Splits, split) })
	}
	return common
}

// ValuesAt returns the counted sets' values at a split of CommonSplits, in the form of Means.
func (t *Table) ValuesAt(split int) [][]*big.Rat {
	return t.Matrix(t.whole, func(e Entry) *big.Rat { return e.At(split) })
}

// Printed returns the values that the protocol's source prints, by the metric of the table; see
// experiments.Comparable.
func (t *Table) Printed() (values []experiments.Value, units []string) {
	return experiments.Comparable(t.Frame.Protocol.Published, t.Metric.Name, t.Frame.Protocol.PublishedNames)
}

// Quoted returns the values that `bench import --published` stored for data sets of the table, by its metric, in its
// unit and in the order of its sets.
func (t *Table) Quoted() (out []experiments.Value) {
	for _, s := range t.Sets {
		for _, v := range t.Frame.quoted {
			if v, ok := v.In(t.Metric.Name); ok && v.Dataset == s.Name {
				out = append(out, v)
			}
		}
	}
	return out
}

// QuotedNotes says where the imported values are; nil without any.
func (t *Table) QuotedNotes() []string {
	var sources, sets []string
	for _, v := range t.Quoted() {
		AppendUnique(&sources, v.Source)
		AppendUnique(&sets, v.Dataset)
	}
	if sets == nil {
		return nil
	}
	return []string{fmt.Sprintf("Others print values on %s (%s); they enter no test, rank or interval, and `%s` shows "+
		"them.", Briefly(sets, "data set"), strings.Join(sources, "; "), t.Frame.Run.Other("report", "accuracy"))}
}

// PrintsRanks reports whether the source prints average ranks of all of these methods, by the metric of the table.
func (t *Table) PrintsRanks(methods []string) bool {
	return experiments.Ranks(t.Frame.Protocol.Published, t.Metric.Name, methods)
}

// Measured is the metric as a title of an axis, with its unit: "test accuracy (%)".
func (t *Table) Measured() string {
	if t.Metric.Percent {
		return "test " + t.Metric.Title + " (%)"
	}
	return "test " + t.Metric.Title
}

// Decimals of means and differences: two of percentages, four of other values.
func (t *Table) Decimals() int {
	if t.Metric.Percent {
		return 2
	}
	return 4
}

// OverDecimals is Decimals of differences over sets (OverSets).
func (t *Table) OverDecimals() int {
	if t.Metric.Unit {
		return 2
	}
	return t.Decimals()
}

// Gain is how much better one value is than another, whatever the metric's direction; nil where a value does not exist.
func (t *Table) Gain(value, other *big.Rat) *big.Rat {
	if value == nil || other == nil {
		return nil
	}
	return t.Difference(new(big.Rat).Sub(value, other))
}

// OverSets is the difference of two means on a data set, or the width of a region, as it is compared over sets: in
// percent of the mean of the two for a metric in the unit of the target (metric.Metric.Unit), and else as it is.
func (t *Table) OverSets(difference, a, b *big.Rat) *big.Rat {
	if !t.Metric.Unit {
		return difference
	}
	middle := new(big.Rat).Add(a, b)
	if middle.Sign() == 0 {
		return difference
	}
	middle.Abs(middle) // values of Matrix are negative
	out := new(big.Rat).Mul(difference, big.NewRat(200, 1))
	return out.Quo(out, middle)
}

// InFolds is the mean of the metric over the folds of a cell's chosen grid point; nil without folds.
func (t *Table) InFolds(r store.Row) *big.Rat {
	var values []*big.Rat
	for _, f := range r.Folds {
		if r.Selected != nil && f.GridIndex == *r.Selected {
			if v := t.ValueOf(f.Score); v != nil {
				values = append(values, v)
			}
		}
	}
	return stats.Mean(values)
}

// Chosen is the chosen grid point of a cell that ended ok, in the notation of its author; nil where it is not known.
func (f Frame) Chosen(r store.Row) json.RawMessage {
	if points := f.Grids[r.GridHash]; r.Status == result.OK && r.Selected != nil && *r.Selected < len(points) {
		return points[*r.Selected]
	}
	return nil
}

// Absent is the text of a value that does not exist.
const Absent = "-"

// Text writes a value that may be absent.
func Text(x *big.Rat, decimals int) string {
	if x == nil {
		return Absent
	}
	return x.FloatString(decimals)
}

// Float64 is the nearest float64 of a value, NaN for none.
func Float64(x *big.Rat) float64 {
	if x == nil {
		return math.NaN()
	}
	f, _ := x.Float64()
	return f
}

// Exact is a float64 as an exact value, nil if it is not finite.
func Exact(x float64) *big.Rat {
	if math.IsNaN(x) {
		return nil
	}
	return new(big.Rat).SetFloat64(x)
}

// Number writes a float64 that may not exist.
func Number(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Absent
	}
	return zeroUnsigned(strconv.FormatFloat(x, 'f', decimals, 64))
}

// Signed writes a difference with its sign, "-" for none. A value that rounds to zero has no sign.
func Signed(x *big.Rat, decimals int) string {
	if x == nil {
		return Absent
	}
	s := zeroUnsigned(x.FloatString(decimals))
	if x.Sign() > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// SignedFloat is Signed of a float64; "-" if it is not finite.
func SignedFloat(x float64, decimals int) string { return Signed(Exact(x), decimals) }

// zeroUnsigned removes the sign of a number that was rounded to zero.
func zeroUnsigned(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// PValue writes a p-value with three decimals, with four where three would read as a usual level, or as the
// bound that it is below. It is "-" where there is no p-value.
func PValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return Absent
	case p < 0.0001:
		return "<0.0001"
	case p < 0.01:
		return strconv.FormatFloat(p, 'f', 4, 64)
	}
	s := strconv.FormatFloat(p, 'f', 3, 64)
	if s == "0.010" || s == "0.050" || s == "0.100" {
		return strconv.FormatFloat(p, 'f', 4, 64)
	}
	return s
}

// Probability writes a probability with two decimals, or as the bound that it passes: no event is known to be
// impossible or certain.
func Probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return Absent
	case p < 0.005:
		return "<0.01"
	case p >= 0.995:
		return ">0.99"
	}
	return strconv.FormatFloat(p, 'f', 2, 64)
}

// CheckRanked is an error if no data set counts, or if there are several methods and fewer than two of them are whole.
func (t *Table) CheckRanked() error {
	switch {
	case len(t.Counted) == 0:
		return fmt.Errorf("%w: no data set that enters ranks has a finished split; name those that have one with "+
			"--datasets", ErrNoResults)
	case t.whole == 1 && len(t.Methods) > 1:
		return fmt.Errorf("%w: %s alone has all of %s, so that there are no ranks; name fewer methods, data sets or "+
			"splits with --methods, --datasets or --splits%s",
			ErrNoResults, t.Methods[0], Count(len(t.Counted), "data set"), t.ofAll())
	}
	return nil
}

func (t *Table) ofAll() string {
	names := t.setNames(func(s Set) bool {
		return s.Counted && !slices.ContainsFunc(s.Entries, func(e Entry) bool { return !e.Has })
	})
	if names == nil {
		return ""
	}
	return ": every method has " + strings.Join(names, ", ")
}

// CheckComparable is CheckRanked for two methods or more.
func (t *Table) CheckComparable() error {
	if len(t.Methods) < 2 {
		return fmt.Errorf("%w: there is one method alone, %s; run others or name them with --methods", ErrNoResults,
			strings.Join(t.Methods, ""))
	}
	return t.CheckRanked()
}

// CheckTests is CheckComparable and CheckLevel for a report that tests its methods. It is an error, too, if the
// control is not a whole method. control may be "" for none.
func (t *Table) CheckTests(level float64, control string) error {
	if err := CheckLevel(level); err != nil {
		return err
	}
	if err := t.CheckComparable(); err != nil {
		return err
	}
	switch at := slices.Index(t.Methods, control); {
	case at >= t.whole:
		has := slices.DeleteFunc(t.CountedSets(), func(s Set) bool { return !s.Entries[at].Has })
		return fmt.Errorf("the control %s has %d of %s; name these with --datasets %s", control, len(has),
			Count(len(t.Counted), "data set"), strings.Join(doc.Map(has, func(s Set) string { return s.Name }), ","))
	case at < 0 && control != "":
		return fmt.Errorf("the control %s is not among the methods of the table: %s", control,
			strings.Join(t.Methods, ", "))
	}
	return nil
}

// UsualLevel is the level of tests where none is asked for.
const UsualLevel = 0.05

// CheckLevel is an error unless a level of tests lies between 0 and 1.
func CheckLevel(level float64) error {
	if level > 0 && level < 1 {
		return nil
	}
	return fmt.Errorf("the level is %v; use a number between 0 and 1, such as 0.05", level)
}

var pointMarks = strings.NewReplacer(`"`, "", "{", "", "}", "", ":", " ", ",", ", ")

// PointText writes a grid point shorter than JSON does: "c 1, gamma 0.5".
func PointText(point json.RawMessage) string {
	return pointMarks.Replace(string(point))
}

// Decimal writes an exact value with as few decimals as it needs, at most six.
func Decimal(x *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(x.FloatString(6), "0"), ".")
}

// Short writes a number with as few digits as it needs.
func Short(x float64) string { return doc.Short(x) }

// Listed writes names as a sentence does.
func Listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// PRelation writes a p-value as a relation, "= 0.020" or "< 0.0001".
func PRelation(p float64) string {
	text := PValue(p)
	if bound, ok := strings.CutPrefix(text, "<"); ok {
		return "< " + bound
	}
	return "= " + text
}
