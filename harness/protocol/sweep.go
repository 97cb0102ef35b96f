package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// TrainRows is the Param of a series that sweeps the number of training rows instead of a parameter of the method.
const TrainRows = "train_rows"

// A Sweep repeats methods at several values of one quantity, such as the number of landmarks. Each method at each value
// is a variant with a column of its own, such as "GBRFF1 landmarks=5". If Datasets is set, the protocol's sets are the
// points of the sweep, and their numbers of training rows are the values.
type Sweep struct {
	Name     string            `toml:"name"`     // of the quantity, one word
	Title    string            `toml:"title"`    // what drawings call it; "" for "number of NAME"
	Values   []float64         `toml:"values"`   // ascending
	Series   map[string]Series `toml:"series"`   // what is swept, by name
	Datasets bool              `toml:"datasets"` // the sets are the points
}

// A Series is one method in a sweep: one line of its drawing.
type Series struct {
	Of     string             `toml:"of"`     // the method; "" for the method with the series' name
	Param  string             `toml:"param"`  // the parameter that is swept: one of the method, or TrainRows
	Divide float64            `toml:"divide"` // the parameter is the value divided by Divide; 0 means 1
	Times  map[string]float64 `toml:"times"`  // on these data sets the parameter is the value times this factor
	Params map[string]any     `toml:"params"` // further parameters, the same at every point
	Grid   registry.Grid      `toml:"grid"`   // nil for the method's grid
}

// A Point is one series at one value of a sweep.
type Point struct {
	Series string
	Value  float64
	Method string // the variant
}

// Points returns the points of the protocol's sweep, sorted by series in the order of Columns, then by value. It
// returns nil if the protocol has no sweep, or one whose points are data sets.
func (p *Protocol) Points() []Point {
	if p.Sweep == nil || p.Sweep.Datasets {
		return nil
	}
	var out []Point
	for _, name := range p.series {
		for _, v := range p.Sweep.Values {
			out = append(out, Point{name, v, p.Sweep.variant(name, v)})
		}
	}
	return out
}

// Expand replaces the name of a series in a list of methods by the variants of the series; nil stays nil.
func (p *Protocol) Expand(methods []string) []string {
	var out []string
	for _, name := range methods {
		at := slices.IndexFunc(p.series, func(s string) bool { return strings.EqualFold(s, name) })
		if at < 0 {
			out = append(out, name)
			continue
		}
		for _, v := range p.Sweep.Values {
			out = append(out, p.Sweep.variant(p.series[at], v))
		}
	}
	return out
}

func (s *Sweep) variant(series string, value float64) string {
	return series + " " + s.Name + "=" + strconv.FormatFloat(value, 'g', -1, 64)
}

// expandSweep adds the variants of the sweep to Methods. In Columns the variants replace their series, and the variants
// of a series that Columns does not name follow at the end. Without Columns, the protocol has the columns of the sweep,
// and Only is set.
func (p *Protocol) expandSweep() error {
	s := p.Sweep
	switch {
	case s == nil:
		return nil
	case s.Datasets && (s.Values != nil || s.Series != nil):
		return errors.New("sweep: datasets = true makes the data sets its points; leave out values and series")
	case s.Datasets:
		return nil
	case s.Name == "" || len(s.Values) == 0 || len(s.Series) == 0:
		return errors.New("sweep needs name, values and series")
	case strings.ContainsAny(s.Name, " ="):
		return fmt.Errorf("sweep: name = %q; it must be one word without =, since columns are named SERIES NAME=VALUE",
			s.Name)
	case !slices.IsSorted(s.Values) || len(slices.Compact(slices.Clone(s.Values))) < len(s.Values):
		return fmt.Errorf("sweep: values = %v; they must ascend", s.Values)
	}
	for _, name := range p.Columns {
		if _, ok := s.Series[name]; ok {
			p.series = append(p.series, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Series)) {
		if !slices.Contains(p.series, name) {
			p.series = append(p.series, name)
		}
	}
	if p.Columns == nil {
		p.Columns, p.Only = slices.Clone(p.series), true
	}
	if p.Methods == nil {
		p.Methods = map[string]MethodSettings{}
	}
	for _, name := range p.series {
		var columns []string
		for _, v := range s.Values {
			variant := s.variant(name, v)
			settings, err := s.Series[name].settingsAt(name, v)
			if err != nil {
				return fmt.Errorf("sweep.series.%s: %w", name, err)
			}
			if _, ok := p.Methods[variant]; ok {
				return fmt.Errorf("sweep and [methods] both have %q", variant)
			}
			p.Methods[variant] = settings
			columns = append(columns, variant)
		}
		if at := slices.Index(p.Columns, name); at >= 0 {
			p.Columns = slices.Replace(p.Columns, at, at+1, columns...)
		} else {
			p.Columns = append(p.Columns, columns...)
		}
	}
	return nil
}

// settingsAt returns the settings of the variant of a series, which has a name, at a value.
func (s Series) settingsAt(name string, value float64) (MethodSettings, error) {
	m := MethodSettings{Of: s.Of, Grid: s.Grid, Params: maps.Clone(s.Params)}
	if m.Of == "" {
		m.Of = name
	}
	if s.Divide != 0 {
		value /= s.Divide
	}
	switch {
	case s.Param == "":
		return m, errors.New("param is missing: the parameter that takes the values, or train_rows")
	case s.Param == TrainRows:
		m.TrainRows = int(value)
		if value != float64(m.TrainRows) || m.TrainRows < 1 {
			return m, fmt.Errorf("train_rows = %g; it must be a whole number from 1 on", value)
		}
		return m, nil
	case m.Params[s.Param] != nil:
		return m, fmt.Errorf("params sets %q, which the sweep varies", s.Param)
	case m.Params == nil:
		m.Params = map[string]any{}
	}
	if s.Times == nil {
		m.Params[s.Param] = decimal(value)
	}
	for set, factor := range s.Times {
		if m.On == nil {
			m.On = map[string]map[string]any{}
		}
		m.On[set] = map[string]any{s.Param: decimal(value * factor)}
	}
	return m, nil
}

// decimal writes a number for JSON without an exponent, and a whole number without a point.
func decimal(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'f', -1, 64)) }
