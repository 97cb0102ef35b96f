package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// RenderOptions adjust the layout; the zero value is the paper's.
type RenderOptions struct {
	Title         string // heading or caption; empty for the usual one
	Std           string // StdPopulation (also when empty) or StdSample
	Ranks         string // RanksBoth (also when empty), RanksMid or RanksPaper
	Decimals      int    // of accuracies in percent, 1 to 6; zero means 1
	Bold          bool   // text only: mark the best with ANSI bold instead of "*"
	OmitPublished bool   // leave the comparison with published values out
	Label         string // LaTeX only: \label; empty for "tab:" and the protocol
}

// Values of RenderOptions.
const (
	StdPopulation = "population"
	StdSample     = "sample"
	RanksBoth     = "both"
	RanksMid      = "midrank"
	RanksPaper    = "paper"
)

var renderers = []struct {
	name   string
	render func(*Table2, io.Writer, RenderOptions) error
}{
	{"text", (*Table2).writeText},
	{"md", (*Table2).writeMarkdown},
	{"latex", (*Table2).writeLaTeX},
	{"html", (*Table2).writeHTML},
	{"csv", (*Table2).writeCSV},
	{"json", (*Table2).writeJSON},
}

// Formats lists the names Write accepts.
func Formats() []string {
	var names []string
	for _, r := range renderers {
		names = append(names, r.name)
	}
	return names
}

// Write lays the table out in one of Formats. CSV and JSON hold full precision
// and both standard deviations and ranks, whatever the options.
func (t *Table2) Write(w io.Writer, format string, opts RenderOptions) error {
	if err := opts.complete(t.Protocol); err != nil {
		return err
	}
	for _, r := range renderers {
		if r.name == format {
			return r.render(t, w, opts)
		}
	}
	return fmt.Errorf("table2: unknown format %q; use one of %s", format, strings.Join(Formats(), ", "))
}

// Check reports an option that no format accepts.
func (o RenderOptions) Check() error { return o.complete("") }

// complete checks the options and fills in the defaults.
func (o *RenderOptions) complete(protocol string) error {
	pick := func(name string, value *string, choices ...string) error {
		if *value == "" {
			*value = choices[0]
		}
		if !slices.Contains(choices, *value) {
			return fmt.Errorf("table2: %s is %q; use one of %s", name, *value, strings.Join(choices, ", "))
		}
		return nil
	}
	o.Title = oneLine(o.Title)
	if err := pick("the standard deviation", &o.Std, StdPopulation, StdSample); err != nil {
		return err
	}
	if err := pick("the rank convention", &o.Ranks, RanksBoth, RanksMid, RanksPaper); err != nil {
		return err
	}
	if o.Decimals == 0 {
		o.Decimals = 1
	}
	if o.Decimals < 1 || o.Decimals > 6 {
		return fmt.Errorf("table2: %d decimals; use 1 to 6", o.Decimals)
	}
	if o.Label == "" {
		o.Label = "tab:" + protocol
	}
	return nil
}
