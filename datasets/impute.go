package datasets

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The ways in which gaps are filled, as a set's description names them.
const (
	Median       = "median"
	Mean         = "mean"
	MostFrequent = "most-frequent" // of several most frequent values, the smallest
	None         = "none"          // gaps stay NaN
)

// Gaps says what becomes of the gaps of a set, which are NaN in its matrix. The zero value is for a set without gaps.
type Gaps struct {
	Impute string // one of the ways; "" if the set has no gaps
	// a column with gaps in the chosen rows gets an indicator behind all columns: 1 for a missing value
	Indicator bool
}

// An Imputer fills the gaps of columns and adds indicators. The zero value changes nothing.
type Imputer struct {
	// the value for a gap, for each column; nil leaves gaps as they are
	Fill       []float64 `json:"fill,omitempty"`
	Indicators []int     `json:"indicators,omitempty"` // the columns that have an indicator, ascending
}

// FitImputer computes from the given rows what fills the gaps of each column of x; nil means all rows. A column without
// any known value is filled with 0.
//
// Values and indicators are as in scikit-learn's SimpleImputer with keep_empty_features=True and add_indicator=True.
func FitImputer(x *mat.Dense, rows []int, g Gaps) Imputer {
	if g == (Gaps{}) {
		return Imputer{}
	}
	n, row := selected(x, rows)
	_, d := x.Dims()
	var m Imputer
	if g.Impute != None {
		m.Fill = make([]float64, d)
	}
	known := make([]float64, 0, n)
	for j := range d {
		known = known[:0]
		for i := range n {
			if v := row(i)[j]; v == v {
				known = append(known, v)
			}
		}
		if m.Fill != nil && len(known) > 0 {
			m.Fill[j] = typical(known, g.Impute)
		}
		if g.Indicator && len(known) < n {
			m.Indicators = append(m.Indicators, j)
		}
	}
	return m
}

// typical returns the value that fills gaps among values. It may sort them.
func typical(values []float64, how string) float64 {
	switch how {
	case Mean:
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	case Median:
		slices.Sort(values)
		half := len(values) / 2
		if len(values)%2 == 1 {
			return values[half]
		}
		return (values[half-1] + values[half]) / 2
	case MostFrequent:
		slices.Sort(values)
		best, most, times := values[0], 0, 0
		for i, v := range values {
			if i == 0 || v != values[i-1] {
				times = 0
			}
			if times++; times > most {
				best, most = v, times
			}
		}
		return best
	}
	panic(fmt.Sprintf("datasets: %q is no way to fill gaps", how))
}

// Apply returns the given rows of x with filled gaps and with indicators; nil means all rows.
func (m Imputer) Apply(x *mat.Dense, rows []int) *mat.Dense {
	n, row := selected(x, rows)
	_, d := x.Dims()
	out := mat.NewDense(n, d+len(m.Indicators), nil)
	for i := range n {
		from, to := row(i), out.RawRowView(i)
		copy(to, from)
		for k, j := range m.Indicators {
			if from[j] != from[j] {
				to[d+k] = 1
			}
		}
		if m.Fill == nil {
			continue
		}
		for j, v := range from {
			if v != v {
				to[j] = m.Fill[j]
			}
		}
	}
	return out
}

// Names returns the names of the columns that Apply returns. The indicator of a column is named column=missing.
func (m Imputer) Names(columns []string) []string {
	out := slices.Clone(columns)
	for _, j := range m.Indicators {
		out = append(out, columns[j]+"=missing")
	}
	return out
}

// Inputs turns rows of a set into the rows that methods see: days count from the earliest one, gaps are filled, and
// columns are standardised, in this order. The zero value changes nothing.
type Inputs struct {
	Dates *Origins      // nil for a set without dates
	Gaps  *Imputer      // nil for a set without gaps
	Scale *Standardiser // nil if columns are not standardised
}

// FitInputs fits Dates, Gaps and Scale on the given rows of a set; nil means all rows. It is an error if a column
// cannot be standardised.
func FitInputs(s *Set, rows []int, standardise bool) (in Inputs, err error) {
	x, names := s.X, s.Features
	if s.Dates != nil {
		o := FitOrigins(x, rows, s.Dates)
		in.Dates = &o
		x, rows = o.Apply(x, rows), nil
	}
	if s.Gaps != (Gaps{}) {
		m := FitImputer(x, rows, s.Gaps)
		// The three features of a column of dates have their gaps in the same rows, so that the first one says where.
		m.Indicators = slices.DeleteFunc(m.Indicators, func(j int) bool {
			return slices.ContainsFunc(s.Dates, func(day int) bool { return day < j && j < day+3 })
		})
		in.Gaps = &m
		x, rows, names = m.Apply(x, rows), nil, m.Names(names)
	}
	if standardise {
		scale := FitStandardiser(x, rows)
		in.Scale = &scale
		if err := scale.Check(x, rows, names); err != nil {
			return in, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return in, nil
}

// Apply returns a copy of the given rows of x as methods see them; nil means all rows.
func (in Inputs) Apply(x *mat.Dense, rows []int) *mat.Dense {
	if in.Dates != nil {
		x, rows = in.Dates.Apply(x, rows), nil
	}
	switch {
	case in.Gaps != nil:
		out := in.Gaps.Apply(x, rows)
		if in.Scale != nil {
			in.Scale.Apply(out, out, nil)
		}
		return out
	case in.Scale != nil:
		out := &mat.Dense{}
		in.Scale.Apply(out, x, rows)
		return out
	case in.Dates != nil:
		return x // a copy already
	}
	return Rows(x, rows)
}

// Names returns the names of the columns that Apply returns.
func (in Inputs) Names(columns []string) []string {
	if in.Gaps == nil {
		return columns
	}
	return in.Gaps.Names(columns)
}
