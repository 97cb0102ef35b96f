package store

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	sqlite3 "github.com/mattn/go-sqlite3"
	"gonum.org/v1/gonum/stat"
)

// driverName returns the name of an SQLite driver. The driver adds the functions that queries of results need and
// that SQLite was compiled without. These functions return NULL for NULL and outside of their domain. A connection
// keeps in memory what it would write to temporary files: reports work where none can be written, and an insertion
// takes less time.
var driverName = sync.OnceValue(func() string {
	const name = "bench-sqlite3"
	sql.Register(name, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		_, err := c.Exec("PRAGMA temp_store = MEMORY", nil)
		return errors.Join(err, registerFunctions(c))
	}})
	return name
})

// scalars are the functions of one number; log is to base 10, as in SQLite itself.
var scalars = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "exp": math.Exp, "ln": math.Log, "log": math.Log10, "log10": math.Log10, "log2": math.Log2,
	"floor": math.Floor, "ceil": math.Ceil, "ceiling": math.Ceil,
}

// spreads are the aggregates of a column; sample forms have divisor n - 1.
var spreads = map[string]func(sorted []float64) float64{
	"median":      func(v []float64) float64 { return quantile(v, 0.5) },
	"var_pop":     func(v []float64) float64 { return variance(v, 0) },
	"var_samp":    func(v []float64) float64 { return variance(v, 1) },
	"stddev_pop":  func(v []float64) float64 { return math.Sqrt(variance(v, 0)) },
	"stddev_samp": func(v []float64) float64 { return math.Sqrt(variance(v, 1)) },
	"stddev":      func(v []float64) float64 { return math.Sqrt(variance(v, 1)) },
}

func registerFunctions(c *sqlite3.SQLiteConn) error {
	var all []error
	for name, f := range scalars {
		all = append(all, c.RegisterFunc(name, func(x any) (any, error) { return apply(name, f, x) }, true))
	}
	for _, name := range []string{"pow", "power"} {
		all = append(all, c.RegisterFunc(name, func(x, y any) (any, error) {
			exponent, ok, err := numeric(name, y)
			if err != nil || !ok {
				return nil, err
			}
			return apply(name, func(x float64) float64 { return math.Pow(x, exponent) }, x)
		}, true))
	}
	for name, f := range spreads {
		all = append(all, c.RegisterAggregator(name, func() *column { return &column{name: name, of: f} }, true))
	}
	all = append(all, c.RegisterAggregator("quantile", func() *quantiles {
		return &quantiles{column: column{name: "quantile"}}
	}, true),
		c.RegisterAggregator("corr", func() *pairs { return &pairs{} }, true))
	return errors.Join(all...)
}

// apply calls f on a number. It returns NULL for NULL and outside of f's domain.
func apply(name string, f func(float64) float64, x any) (any, error) {
	v, ok, err := numeric(name, x)
	if err != nil || !ok {
		return nil, err
	}
	return finite(f(v)), nil
}

// numeric returns a value of SQLite as a number, false for NULL.
func numeric(name string, x any) (v float64, ok bool, err error) {
	switch x := x.(type) {
	case nil:
		return 0, false, nil
	case []byte:
		if x == nil { // the driver's NULL
			return 0, false, nil
		}
	case int64:
		return float64(x), true, nil
	case float64:
		return x, true, nil
	}
	return 0, false, fmt.Errorf("%s takes numbers, not %q", name, fmt.Sprint(x))
}

func finite(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// A column collects the numbers of an aggregate and leaves NULL out.
type column struct {
	name   string
	of     func(sorted []float64) float64
	values []float64
}

// Step takes the value of one row.
func (c *column) Step(x any) error {
	v, ok, err := numeric(c.name, x)
	if ok {
		c.values = append(c.values, v)
		err = collect(bytesOfNumber)
	}
	return err
}

// bytesOfNumber is the memory of one number of an aggregate, while its list grows.
const bytesOfNumber = 24

// Done returns the aggregate; NULL if there is no number.
func (c *column) Done() (any, error) {
	_ = collect(-bytesOfNumber * int64(len(c.values)))
	if len(c.values) == 0 {
		return nil, nil
	}
	slices.Sort(c.values) // the order of the rows must not change the result
	return finite(c.of(c.values)), nil
}

// quantiles is the aggregate quantile(x, p).
type quantiles struct{ column }

// Step takes the value of one row and p. The p of the last row is the one that counts.
func (q *quantiles) Step(x, p any) error {
	share, ok, err := numeric(q.name, p)
	if err != nil {
		return err
	}
	if !ok || share < 0 || share > 1 {
		return fmt.Errorf("quantile(x, p) takes a share p from 0 to 1, not %v", p)
	}
	q.of = func(v []float64) float64 { return quantile(v, share) }
	return q.column.Step(x)
}

// pairs is the aggregate corr(x, y).
type pairs struct{ values [][2]float64 }

// Step takes the values of one row and leaves out a pair with NULL.
func (p *pairs) Step(x, y any) error {
	a, ok1, err1 := numeric("corr", x)
	b, ok2, err2 := numeric("corr", y)
	if ok1 && ok2 {
		p.values = append(p.values, [2]float64{a, b})
		return collect(2 * bytesOfNumber)
	}
	return errors.Join(err1, err2)
}

// Done returns Pearson's correlation. It returns NULL for fewer than two pairs and where x or y is constant.
func (p *pairs) Done() (any, error) {
	_ = collect(-2 * bytesOfNumber * int64(len(p.values)))
	slices.SortFunc(p.values, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) }) // as in column
	x, y := make([]float64, len(p.values)), make([]float64, len(p.values))
	for i, v := range p.values {
		x[i], y[i] = v[0], v[1]
	}
	// their rounded variance may not be 0
	if len(p.values) == 0 || slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return nil, nil
	}
	return finite(max(-1, min(1, stat.Correlation(x, y, nil)))), nil
}

// quantile interpolates linearly between the order statistics, as NumPy does by
// default.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// variance is the two-pass variance with divisor n - less; NaN if the divisor is 0.
func variance(values []float64, less int) float64 {
	if len(values) <= less {
		return math.NaN()
	}
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	sum := 0.0
	for _, v := range values {
		sum += float64((v - mean) * (v - mean))
	}
	return sum / float64(len(values)-less)
}
