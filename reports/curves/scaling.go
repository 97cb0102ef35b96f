package curves

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
)

// A family is sets of different sizes.
type family struct {
	page
	name string
}

// Scaling shows how methods grow with the number of rows: what they reach, what they cost, and what they had declared.
//
// Sets that differ in their number of rows alone are a family: linear-100000 and linear-1000000 are sizes of
// linear. A family has a drawing of the metric against processor time, with a mark for each method and size, a
// table of all numbers, and the powers of the number of rows with which times grow (package curves). With each
// time and each peak of memory is what the method declares, by which runs are planned.
func Scaling(t *frame.Table) (doc.Document, error) {
	d := doc.Document{Title: fmt.Sprintf("Mean test %s, processor time and memory by training rows, protocol %s",
		t.Metric.Title, t.Protocol)}
	r := doc.Records{Name: "scaling", Columns: []string{"protocol", "metric", "family", "dataset", "method", "version",
		"train_rows", "result", "cpu_seconds", "declared_seconds", "peak_bytes", "declared_bytes"}}
	cpus := map[string]bool{}
	for _, one := range families(t) {
		if len(one.Names) == 0 {
			continue
		}
		numbers, err := one.table(&r)
		if err != nil {
			return doc.Document{}, err
		}
		if len(d.Blocks) > 0 {
			numbers.Legend = nil // the first table has it
		}
		d.Blocks = append(d.Blocks, one.figure(&numbers))
		if len(one.All()) > 1 {
			slopes := one.Slopes("training rows")
			slopes.Heading, slopes.Caption, slopes.Label = "", "How times grow on "+one.name, "slopes-"+one.name
			d.Blocks = append(d.Blocks, slopes)
		}
		cpus[one.CPU] = true
	}
	if len(d.Blocks) == 0 {
		return doc.Document{}, fmt.Errorf("%w: no cell of the protocol has ended", frame.ErrNoResults)
	}
	d.Notes = t.Notes(timesOn(strings.Join(slices.Sorted(maps.Keys(cpus)), ", ")))
	d.Blocks = append(d.Blocks, r)
	return d, nil
}

func families(t *frame.Table) (out []family) {
	var sets frame.Groups[string, frame.Set]
	for _, s := range t.Sets {
		sets.Add(strings.TrimSuffix(s.Name, "-"+strconv.Itoa(s.Rows)), s)
	}
	for _, name := range sets.Keys {
		part := *t
		part.Sets = sets.Of[name]
		lines := LinesOf(&part, frame.Sweep{Name: "rows", Datasets: true})
		out = append(out, family{page{sweepOptions{Against: true}, lines, nil}, name})
	}
	return out
}

func (f family) figure(numbers *doc.Table) doc.Figure {
	about := fmt.Sprintf("Mean %s against processor time on %s, from left to right as training rows grow",
		f.Table.Metric.Title, f.name)
	out := doc.Figure{Name: "scaling-" + f.name, Title: f.name, About: about, Numbers: numbers,
		Alt: about + ": " + strings.Join(f.Names, ", ")}
	if curves, _ := f.curves(f.All()); curves != nil {
		out.Plot = f.against(curves)
	}
	return out
}

// table has a section for each method and a row for each size. It adds its numbers to the records.
func (f family) table(r *doc.Records) (doc.Table, error) {
	t := doc.Table{Corner: "Method", Head: []doc.Column{{Name: "rows", Long: "training rows"},
		{Name: f.Table.Metric.Name},
		{Name: "took", Group: "time"}, {Name: "declared", Group: "time"}, {Name: "peak", Group: "memory"},
		{Name: "declared", Group: "memory"}},
		Legend: []string{"Declared time: the prediction that the cell was planned with, before times that this " +
			"machine measured corrected it.",
			"Peak memory: of the process that computed the cell, up to its end. It is no less than what the cell " +
				"took, and more after larger cells in the same process.",
			"Declared memory: the program, the set, the standardised copies of its rows, and what the method " +
				"declares for the grid point that needs most."}}
	for _, m := range f.Names {
		t.Sections = append(t.Sections, nil)
		for _, x := range f.Xs(m) {
			set := f.SetsAt(m, x)[0] // sets of a family differ in their rows
			memory, err := f.declared(m, x, set)
			if err != nil {
				return t, err
			}
			var result, seconds *float64
			if a, ok := f.Mean(m, x, f.Measured()); ok {
				result = &a.Value
			}
			if a, ok := f.Median(m, x); ok {
				seconds = &a.Value
			}
			units := largest(f.Splits(m, x, set, func(r store.Row) (float64, bool) {
				return 1e-9 * r.CostUnits, r.CostUnits > 0
			}))
			peak := largest(f.Splits(m, x, set, peakOf))
			size := func(v float64) string { return wording.Bytes(int64(v)) }
			t.Add(m, doc.Entry{Text: strconv.FormatFloat(x, 'f', -1, 64)},
				entry(result, func(v float64) string { return strconv.FormatFloat(v, 'f', f.Table.Decimals(), 64) }),
				entry(seconds, wording.Seconds), entry(units, wording.Seconds), entry(peak, size), entry(memory, size))
			r.Add(f.Table.Protocol, f.Table.Metric.Name, f.name, set, m, f.Version(m, x, set), x, result, seconds,
				units, peak, memory)
		}
	}
	return t, nil
}

func peakOf(r store.Row) (float64, bool) {
	if r.PeakRSSBytes == nil {
		return 0, false
	}
	return float64(*r.PeakRSSBytes), true
}

func entry(v *float64, text func(float64) string) doc.Entry {
	if v == nil {
		return doc.Entry{Text: frame.Absent}
	}
	return doc.Entry{Text: text(*v)}
}

// largest is the largest value of all splits; nil without one.
func largest(of map[int]float64) *float64 {
	if len(of) == 0 {
		return nil
	}
	return new(slices.Max(slices.Collect(maps.Values(of))))
}

// declared returns the bytes that a cell is planned with (see [registry.CellBytes]), for the grid point that needs
// most. It is nil if the program does not know the method or the set, if it has another version of the method, or
// if the set's description has no rows or classes.
func (f family) declared(method string, x float64, set string) (*float64, error) {
	spec, err := f.Table.Frame.Registry.Lookup(method)
	if err != nil || spec.Version != f.Version(method, x, set) {
		return nil, nil
	}
	e, err := f.Table.Frame.Sets.Entry(set)
	if err != nil || e.Rows == 0 || e.Task == registry.Multiclass && e.Counts == nil {
		return nil, nil
	}
	var broken error
	bytes := f.Splits(method, x, set, func(r store.Row) (float64, bool) {
		shape := registry.Shape{Task: e.Task, N: r.TrainRows, D: r.Features, Classes: len(e.Counts)}
		if e.Indicator || e.Impute == "none" {
			shape.D *= 2 // as planned
		}
		shape.Blocks, _ = e.Blocks()
		fit, err := f.hungriest(spec, shape, r)
		broken = errors.Join(broken, err)
		return float64(registry.CellBytes(e.Rows, r.Features, e.TextBytes(""), fit)), r.Features > 0
	})
	if broken != nil {
		return nil, fmt.Errorf("the memory that %s declares on %s: %w", method, set, broken)
	}
	return largest(bytes), nil
}

// hungriest returns what a method declares for the grid point that needs most.
func (f family) hungriest(spec registry.Spec, shape registry.Shape, r store.Row) (most int64, err error) {
	for _, point := range append([]json.RawMessage{nil}, f.Table.Frame.Grids[r.GridHash]...) {
		setting, err := merged(r.Point, point)
		if err != nil {
			return 0, err
		}
		bytes, err := spec.MemoryEstimate(shape, setting)
		if err != nil {
			return 0, err
		}
		most = max(most, bytes)
	}
	return most, nil
}

// merged returns the chosen parameters with those of another grid point in their place. A value that its author
// wrote per feature is left out: its unit is another one.
func merged(chosen, other json.RawMessage) (json.RawMessage, error) {
	setting, point := map[string]any{}, map[string]any{}
	for into, raw := range map[*map[string]any]json.RawMessage{&setting: chosen, &point: other} {
		if raw != nil {
			if err := strictjson.Unmarshal(raw, into); err != nil {
				return nil, err
			}
		}
	}
	maps.DeleteFunc(point, func(name string, _ any) bool { return strings.HasSuffix(name, "_x_d") })
	maps.Copy(setting, point)
	return json.Marshal(setting)
}
