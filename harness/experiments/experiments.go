// Package experiments holds what papers found, as questions that can be decided. Each table or figure of a paper is
// an experiment: a protocol, the reports that draw it, the printed numbers, and the claims. A claim is a sentence
// with a rule on numbers.
//
// An [Experiment] is read from a TOML file, built in ([Load] by name) or a user's own (by path). Its cells are
// ordinary cells of its protocol. The package runs nothing and knows no result: package harness runs protocols, and
// reports/experiment decides. docs/explanation/experiments.md explains every key.
package experiments

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/wording"
)

//go:embed *.toml
var builtin embed.FS

var files = protocol.FileKind{What: "experiment", Doc: "docs/explanation/experiments.md", Builtin: builtin}

// An Experiment is a table or a figure of a paper, or a user's own question.
type Experiment struct {
	Name string `toml:"-"` // that of its file
	Path string `toml:"-"` // of the TOML file it was read from; "" for a built-in one

	Title    string   `toml:"title"`
	Source   string   `toml:"source"`   // paper and place
	Protocol string   `toml:"protocol"` // a name, or the path of a TOML file relative to the experiment's
	Datasets []string `toml:"datasets"` // a part of the protocol's sets; nil for all
	Methods  []string `toml:"methods"`  // columns or series; nil for the protocol's
	Splits   int      `toml:"splits"`   // 0 for the protocol's
	Notes    []string `toml:"notes"`    // differences from the source, in sentences
	// its times need the machine alone: one cell at a time, methods taking turns
	Alone bool `toml:"alone"`
	// longest predicted time of a cell, unless --max-cell says otherwise; 0 for the default of --max-cell
	MaxCell time.Duration `toml:"max_cell"`
	Quick   Quick         `toml:"quick"` // a part that takes less than a minute

	Shows   []Show  `toml:"show"`
	Printed []Point `toml:"printed"` // numbers of the source, drawn next to ours
	Claims  []Claim `toml:"claim"`
}

// Quick is a part of an experiment.
type Quick struct {
	Datasets []string  `toml:"datasets"` // nil for the experiment's
	Methods  []string  `toml:"methods"`
	Values   []float64 `toml:"values"` // of the sweep; nil for all
	Splits   int       `toml:"splits"`
}

// A Show is a report that draws the experiment.
type Show struct {
	Report   string   `toml:"report"`
	Flags    []string `toml:"flags"` // as on the command line
	Datasets []string `toml:"datasets"`
	Methods  []string `toml:"methods"`
}

// A Claim is what the source says. It holds if all its comparisons hold.
type Claim struct {
	Says string `toml:"says"` // the claim, as the comparisons decide it
	// the source's own words, with [...] where some are left out; "" of a drawing
	Quote     string       `toml:"quote"`
	Where     string       `toml:"where"`     // the section or the table of the quote, or the drawing
	Undecided string       `toml:"undecided"` // why there is no comparison
	Compare   []Comparison `toml:"compare"`
}

// A Comparison compares a series with another series or with a number, and says where the difference lies if the claim
// is true. Metrics are compared by their difference, in the unit of tables. Processor times are compared by their
// ratio.
type Comparison struct {
	Series   string   `toml:"series"`
	Datasets []string `toml:"datasets"` // the sets that are compared; nil for all
	// the series to compare with; "*" for every other series; nil for the number 0; times need a series
	With []string `toml:"with"`
	// a metric; "cpu" for processor time; "slope" for the exponent of its growth with the swept quantity; "" for the
	// protocol's metric
	Of      string `toml:"of"`
	EachSet bool   `toml:"each_set"` // each of the named sets is compared by itself; else their mean is
	Mean    bool   `toml:"mean"`     // the mean over At is one comparison; else each of At is by itself
	// points of the sweep, each by itself; for slopes the two ends; nil for all points (of slopes: the upper half)
	At []float64 `toml:"at"`
	// points of the other series, one or one for each of At; nil for the same points
	WithAt []float64 `toml:"with_at"`
	LessAt []float64 `toml:"less_at"` // points whose difference is subtracted, one or one for each of At
	Least  float64   `toml:"-"`       // the bounds of the difference
	Most   float64   `toml:"-"`

	Above   *float64    `toml:"above"`
	Below   *float64    `toml:"below"`
	Within  *float64    `toml:"within"`
	Between *[2]float64 `toml:"between"`
	// the source's number in the quote, or two whose difference it is (of times: ratio)
	Printed []float64 `toml:"printed"`
}

// These are the values of Of that are no metrics.
const (
	CPU   = "cpu"
	Slope = "slope"
)

// Names lists the built-in experiments.
func Names() []string { return files.Names() }

// Load returns a built-in experiment by name, or reads one from a path that ends in .toml.
func Load(asked string) (*Experiment, error) {
	name, path, raw, err := files.Read(asked)
	if err != nil {
		return nil, err
	}
	e, err := Parse(name, raw)
	if err != nil || path == "" {
		return e, err
	}
	e.Path = path
	if strings.HasSuffix(e.Protocol, ".toml") && !filepath.IsAbs(e.Protocol) {
		e.Protocol = filepath.Join(filepath.Dir(path), filepath.FromSlash(e.Protocol))
	}
	return e, nil
}

// All returns the built-in experiments, sorted by name.
func All() ([]*Experiment, error) {
	var out []*Experiment
	for _, name := range Names() {
		e, err := Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Parse reads the TOML text of an experiment.
func Parse(name string, raw []byte) (*Experiment, error) {
	e := &Experiment{Name: name}
	meta, err := toml.NewDecoder(bytes.NewReader(raw)).Decode(e)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", name, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("experiment %s: %s", name, wording.UnknownTOMLKey(unknown[0].String(), e,
			"docs/explanation/experiments.md"))
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("experiment %s: %w", name, err)
	}
	return e, nil
}

func (e *Experiment) check() error {
	switch {
	case e.Title == "":
		return errors.New("title is missing")
	case e.Protocol == "":
		return errors.New("protocol is missing: the name of a built-in one (docs/reference/protocols.md) or a TOML " +
			"file")
	case e.MaxCell < 0:
		return fmt.Errorf("max_cell = %q is negative; write a length of time such as \"10m\"", e.MaxCell)
	case len(e.Shows) == 0:
		return errors.New("show is missing: at least one report that draws the experiment")
	}
	for i := range e.Claims {
		c := &e.Claims[i]
		if c.Says == "" || (c.Undecided == "") == (len(c.Compare) == 0) {
			return fmt.Errorf("claim %d needs says, and either compare or undecided", i+1)
		}
		for k := range c.Compare {
			if err := c.Compare[k].check(); err != nil {
				return fmt.Errorf("claim %d, comparison %d: %w", i+1, k+1, err)
			}
		}
	}
	return nil
}

// check reads the bounds of the difference.
func (c *Comparison) check() error {
	if c.Series == "" {
		return errors.New("series is missing")
	}
	given := 0
	c.Least, c.Most = math.Inf(-1), math.Inf(1)
	if c.Above != nil {
		given, c.Least = given+1, *c.Above
	}
	if c.Below != nil {
		given, c.Most = given+1, *c.Below
	}
	if c.Within != nil {
		given, c.Least, c.Most = given+1, -*c.Within, *c.Within
	}
	if c.Between != nil {
		given, c.Least, c.Most = given+1, c.Between[0], c.Between[1]
	}
	switch {
	case given != 1:
		return errors.New("one of above, below, within and between says where the difference lies")
	case !(c.Least < c.Most):
		return fmt.Errorf("nothing lies between %g and %g", c.Least, c.Most)
	case c.Of == Slope && c.With != nil:
		return errors.New("a slope is compared with a number: leave out with")
	case c.Of == CPU && c.With == nil:
		return errors.New("processor times are compared with those of a series: add with")
	case c.Of != "" && c.Of != CPU && c.Of != Slope:
		if _, err := metric.Lookup(c.Of); err != nil {
			return fmt.Errorf("of: %w; or %s, %s", err, CPU, Slope)
		}
	}
	return c.checkLists()
}

func (c *Comparison) checkLists() error {
	switch {
	case c.EachSet && c.Datasets == nil:
		return errors.New("each_set needs datasets")
	case c.Mean && (c.At == nil || c.WithAt != nil || c.LessAt != nil):
		return errors.New("mean needs at, and takes no with_at or less_at")
	case !matches(c.WithAt, c.At) || !matches(c.LessAt, c.At):
		return fmt.Errorf("with_at and less_at have one value, or one for each of at = %v", c.At)
	case len(c.Printed) > 2:
		return fmt.Errorf("printed = %v; it is one number, or two whose difference is meant", c.Printed)
	case c.Of == Slope && len(c.At) != 2 && c.At != nil:
		return fmt.Errorf("at = %v; of a slope it is the two ends", c.At)
	}
	return nil
}

// matches reports whether a list can be compared with the values of another.
func matches(list, at []float64) bool { return len(list) <= 1 || len(list) == len(at) }

// A Part is what is run of an experiment: the whole, or the part that Quick names.
type Part struct {
	Datasets []string // nil for the protocol's
	Methods  []string // columns of the protocol; nil for all methods if the protocol names none
	Splits   int
}

// PartOf returns the part of an experiment that is run under its protocol; Protocol.ResolveSets must have been called.
// It is an error if the protocol lacks a set or a method.
func (e *Experiment) PartOf(p *protocol.Protocol, quick bool) (Part, error) {
	part := Part{Datasets: e.Datasets, Splits: e.Splits}
	if part.Splits == 0 {
		part.Splits = p.Splits
	}
	names := e.Methods
	var values []float64
	if quick {
		values = e.Quick.Values
		if e.Quick.Splits > 0 {
			part.Splits = min(part.Splits, e.Quick.Splits)
		}
		if e.Quick.Datasets != nil {
			part.Datasets = e.Quick.Datasets
		}
		if e.Quick.Methods != nil {
			names = e.Quick.Methods
		}
	}
	for _, d := range part.Datasets {
		if !slices.Contains(p.Datasets, d) {
			return part, fmt.Errorf("experiment %s: datasets names %q, which protocol %s does not have", e.Name, d,
				p.Name)
		}
	}
	part.Methods = names
	if names == nil && p.Only {
		part.Methods = p.Columns
	}
	if points := p.Points(); points != nil {
		if err := e.checkPoints(points); err != nil {
			return part, fmt.Errorf("experiment %s: %w of protocol %s", e.Name, err, p.Name)
		}
		part.Methods = nil
		for _, at := range points {
			if (names == nil || slices.Contains(names, at.Series)) &&
				(values == nil || slices.Contains(values, at.Value)) {
				part.Methods = append(part.Methods, at.Method)
			}
		}
		if part.Methods == nil {
			return part, fmt.Errorf("experiment %s: no point of protocol %s has the series %v and the values %v",
				e.Name, p.Name, names, values)
		}
	}
	return part, nil
}

// checkPoints is an error if a claim compares what is no point of the sweep.
func (e *Experiment) checkPoints(points []protocol.Point) error {
	has := func(series string, values []float64) error {
		if !slices.ContainsFunc(points, func(p protocol.Point) bool { return p.Series == series }) {
			return fmt.Errorf("%s is no series", series)
		}
		for _, v := range values {
			if !slices.ContainsFunc(points, func(p protocol.Point) bool { return p.Series == series && p.Value == v }) {
				return fmt.Errorf("%s at %g is no point", series, v)
			}
		}
		return nil
	}
	for i, claim := range e.Claims {
		for _, c := range claim.Compare {
			err := has(c.Series, slices.Concat(c.At, c.LessAt))
			for _, with := range c.With {
				if err == nil && with != "*" {
					err = has(with, c.WithAt)
				}
			}
			if err != nil {
				return fmt.Errorf("claim %d: %w", i+1, err)
			}
		}
	}
	return nil
}
