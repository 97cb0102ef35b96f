package verify

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/wording"
)

// printedColumns are the columns of a file of printed values; the first three must be there.
var printedColumns = []string{"method", "set", "mean", "deviation", "n", "unit", "protocol", "splits"}

// mostFaults is how many bad values an error names.
const mostFaults = 20

// Names knows the names that printed values may have.
type Names struct {
	Set      func(name string) (string, error) // returns the name as the program writes it
	Method   func(name string) string          // returns the name as the program writes it, or the name itself
	Protocol func(name string) (splits int, known bool)
}

// ReadPrinted reads a CSV file of values that a source prints. The first line names the columns method, set and mean,
// and, in any order, deviation, n, unit, protocol and splits. All rows are read: the error joins one line for each bad
// value, with the row's line in the file, the column and what to do.
func ReadPrinted(r io.Reader, source string, names Names) ([]experiments.Value, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	head, err := in.Read()
	if err == io.EOF {
		return nil, errors.New("it is empty; its first line names the columns method, set and mean")
	} else if err != nil {
		return nil, err
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	for i, name := range head {
		head[i] = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !slices.Contains(printedColumns, head[i]):
			return nil, fmt.Errorf("line 1: column %+q is none of %s; rename it or take it out, and separate columns "+
				"by commas", name, strings.Join(printedColumns, ", "))
		case slices.Contains(head[:i], head[i]):
			return nil, fmt.Errorf("line 1: column %s is there twice; keep one", head[i])
		}
	}
	for _, name := range printedColumns[:3] {
		if !slices.Contains(head, name) {
			return nil, fmt.Errorf("line 1: there is no column %s; name it", name)
		}
	}
	var out []experiments.Value
	var faults []error
	for {
		record, err := in.Read()
		if err == io.EOF {
			if more := len(faults) - mostFaults; more > 0 {
				faults = append(faults[:mostFaults], fmt.Errorf("%d more", more))
			}
			return out, errors.Join(faults...)
		} else if err != nil {
			return nil, errors.Join(append(faults, err)...)
		}
		line, _ := in.FieldPos(0)
		row := printedRow{map[string]string{}, source, names, func(column, format string, args ...any) {
			faults = append(faults, fmt.Errorf("line %d, column %s: "+format, slices.Concat([]any{line, column},
				args)...))
		}}
		if len(record) != len(head) {
			faults = append(faults, fmt.Errorf("line %d: %d values for %d columns; quote a value that holds a comma",
				line, len(record), len(head)))
			continue
		}
		for i, name := range head {
			row.text[name] = strings.TrimSpace(record[i])
		}
		v := row.value()
		if slices.ContainsFunc(out, func(o experiments.Value) bool {
			return o.Dataset == v.Dataset && o.Method == v.Method
		}) {
			row.fault("method", "%s on %s is there twice; keep one", v.Method, v.Dataset)
		}
		out = append(out, v)
	}
}

// printedRow is a row of the file, with its texts by column.
type printedRow struct {
	text   map[string]string
	source string
	names  Names
	fault  func(column, format string, args ...any)
}

func (r printedRow) value() experiments.Value {
	v := experiments.Value{Source: r.source, Quoted: &experiments.Quoted{Protocol: r.text["protocol"]}}
	var err error
	if v.Method = r.names.Method(r.text["method"]); wording.CheckName(v.Method) != nil {
		r.fault("method", "%w", wording.CheckName(v.Method))
	}
	if v.Dataset, err = r.names.Set(r.text["set"]); err != nil {
		r.fault("set", "%w", err)
	}
	unit := r.text["unit"]
	mean, ok := wording.ParseDecimal([]byte(r.text["mean"]))
	if unit == "" && ok && mean <= 1 {
		r.fault("unit", "it is empty, and the mean %s may be a fraction; write percent or fraction", r.text["mean"])
		unit = "fraction"
	} else if unit == "" {
		unit = "percent"
	}
	most := math.MaxFloat64
	if v.Unit, most, err = experiments.ParseUnit(unit); err != nil {
		r.fault("unit", "%w", err)
		most = math.MaxFloat64
	}
	v.Mean = r.number("mean", most)
	if r.text["deviation"] != "" {
		v.Std, v.Spread = new(r.number("deviation", most)), experiments.Deviation
	}
	if text := r.text["n"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			r.fault("n", "%q is not a number of values from 1; leave it empty where it is not known", text)
		}
		v.Quoted.N = &n
	}
	r.protocol(v.Quoted)
	return v
}

// number reads a value of a column, from 0 to most.
func (r printedRow) number(column string, most float64) float64 {
	x, ok := wording.ParseDecimal([]byte(r.text[column]))
	switch {
	case !ok:
		r.fault(column, "%q is not a decimal number, such as 98.5", r.text[column])
	case x < 0 || x > most:
		r.fault(column, "%s is not between 0 and %v, as its unit demands; see the column unit", r.text[column], most)
	}
	return x
}

func (r printedRow) protocol(q *experiments.Quoted) {
	if len(q.Protocol) > wording.MostName || wording.Spelled(q.Protocol) != q.Protocol {
		r.fault("protocol", "%+.40q is too long, or holds what cannot be seen; use at most %d bytes", q.Protocol,
			wording.MostName)
	}
	splits, known := r.names.Protocol(q.Protocol)
	switch r.text["splits"] {
	case "", "other":
	case "same":
		q.SameSplits = true
		if !known {
			r.fault("splits", "it says same, and %q is no protocol that is known here; name one in the column "+
				"protocol, or write other", q.Protocol)
		} else if q.N != nil && *q.N > splits {
			r.fault("n", "%d values, and the protocol %s has %s; correct it, or write other in the column splits",
				*q.N, q.Protocol, wording.Count(splits, "split"))
		}
	default:
		r.fault("splits", "%q is neither same nor other; write same where the source uses the splits of `bench data "+
			"splits`", r.text["splits"])
	}
}
