package compare

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// withTests adds the flags of a report that tests the methods of a table, and returns its Build. control is the flag
// that names a method.
func withTests(flags *pflag.FlagSet, control, usage string,
	build func(*frame.Table, evidence.Options) (doc.Document, error)) frame.Build {
	var o evidence.Options
	region, method := TestFlags(flags, &o.Level), methodFlag(flags, control, usage)
	return func(t *frame.Table) (d doc.Document, err error) {
		if o.Method, err = method(t); err != nil {
			return d, err
		}
		asked, err := region()
		if err != nil {
			return d, err
		}
		o.Region = evidence.RegionOr(asked, t.Metric)
		return build(t, o)
	}
}

// methodFlag adds a flag that names a method, and returns a function that finds the method's column; "" if the flag is
// not given.
func methodFlag(flags *pflag.FlagSet, name, usage string) func(*frame.Table) (string, error) {
	var method string
	flags.StringVar(&method, name, "", usage)
	return func(t *frame.Table) (string, error) {
		if method == "" {
			return "", nil
		}
		return t.Frame.Method(method, t.Frame.Rows)
	}
}

func levelFlag(flags *pflag.FlagSet, level *float64) {
	flags.Float64Var(level, "level", frame.UsualLevel, "level of the tests")
}

// TestFlags adds --level and --equivalence, the flags that say what a test takes to be a difference. It returns a
// function that reads --equivalence. The region is nil if the flag is not given.
func TestFlags(flags *pflag.FlagSet, level *float64) (region func() (*evidence.Region, error)) {
	levelFlag(flags, level)
	var text string
	flags.StringVar(&text, "equivalence", "", "largest difference that does not matter, as 0.5 or as a share of the "+
		"error 10% (default 1 percentage point; of metrics not in percent none)")
	return func() (*evidence.Region, error) {
		if text == "" {
			return nil, nil
		}
		region, err := evidence.ParseRegion(text)
		if err != nil {
			return nil, fmt.Errorf("--equivalence: %w", err)
		}
		return &region, nil
	}
}
