package reports_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// cell is a run on a set of two features with a peak of 5 MiB, which took some seconds and had declared a tenth.
func cell(set, method string, rows, correct int, seconds float64) store.Row {
	r := sample.OK(set, method, 1, correct, 100)
	peak := int64(5 << 20)
	r.TrainRows, r.Features, r.CPUSeconds, r.CostUnits, r.PeakRSSBytes = rows-100, 2, &seconds, 1e8*seconds, &peak
	r.Environment, r.GridHash = &result.Environment{CPU: "one"}, "g"
	return r
}

// A has times that grow with the rows to the power of one, B with the power of two and has no cell of the larger
// linear set.
func scalingInput() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{}, Rows: []store.Row{
		cell("linear-1100", "A", 1100, 80, 1), cell("linear-10100", "A", 10100, 90, 10),
		cell("linear-1100", "B", 1100, 95, 2),
		cell("steps-1100", "A", 1100, 60, 3), cell("steps-10100", "A", 10100, 61, 30),
		cell("steps-1100", "B", 1100, 62, 2), cell("steps-10100", "B", 10100, 63, 200),
		cell("other", "A", 500, 50, 4), cell("other", "B", 500, 51, 4),
	}}
	in.Protocol.Splits, in.Protocol.Datasets = 1, []string{"linear-1100", "linear-10100", "steps-1100", "steps-10100",
		"other"}
	for i, rows := range []int{1100, 10100, 1100, 10100, 500} {
		in.Known[in.Protocol.Datasets[i]] = sample.Set{Entry: catalogue.Entry{Rows: rows, Features: 2,
			Counts: []int{1, rows - 1}}}
	}
	return in
}

// By hand: each family has a drawing with the numbers behind it, and a table of powers where it has two sizes. The
// method declares nothing, and so two copies of the training rows; the set and the copies of its rows are 2 x 8
// bytes x rows x 3.
func TestScalingByHand(t *testing.T) {
	d := sample.Build(t, named("scaling"), scalingInput())
	var got []string
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case doc.Figure:
			got = append(got, b.Title+": "+text(*b.Numbers))
		case doc.Table:
			got = append(got, b.Caption+": "+text(b))
		}
	}
	want := []string{
		"linear: A 1000 80.00 1.0s 0.1s 5.0 MiB 48 MiB; A 10000 90.00 10s 1.0s 5.0 MiB 49 MiB; B 1000 95.00 2.0s " +
			"0.2s 5.0 MiB 48 MiB",
		"How times grow on linear: A 1.00 1.00 1.00 1.00 1000 10000",
		"steps: A 1000 60.00 3.0s 0.3s 5.0 MiB 48 MiB; A 10000 61.00 30s 3.0s 5.0 MiB 49 MiB; B 1000 62.00 2.0s " +
			"0.2s 5.0 MiB 48 MiB; B 10000 63.00 3m20s 20s 5.0 MiB 49 MiB",
		"How times grow on steps: A 1.00 1.00 1.00 1.00 1000 10000; B 2.00 2.00 2.00 2.00 1000 10000",
		"other: A 400 50.00 4.0s 0.4s 5.0 MiB 48 MiB; B 400 51.00 4.0s 0.4s 5.0 MiB 48 MiB",
	}
	must.Be(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
	r := sample.Records(t, d, "scaling")
	if len(r) != 9 || r[1]["family"] != "linear" ||
		*r[1]["declared_bytes"].(*float64) != 48<<20+3*24*10100+16*10000*2 ||
		math.Abs(*r[1]["cpu_seconds"].(*float64)-10) > 1e-12 {
		t.Errorf("%d records, the second %v", len(r), r[1])
	}
}

// hungry declares bytes of its parameters.
type hungry struct{ sample.Input }

func (hungry) Lookup(name string) (registry.Spec, error) {
	type params struct {
		Rounds int     `json:"rounds"`
		Gamma  float64 `json:"gamma"`
	}
	fit := func(context.Context, registry.Env, registry.Data, params) (registry.Model, error) { return nil, nil }
	return registry.Define(registry.Spec{Name: name, Version: "1", Source: "a test", Tasks: registry.Binary}, params{},
		nil, fit, registry.Memory(func(s registry.Shape, p params) int64 { return int64(p.Rounds * s.N) })), nil
}

// The declared memory is that of the grid point that needs most, with the parameters that the protocol gave all
// points. A value per feature, which has another name and another unit, plays no part. A method at another version
// declares nothing.
func TestDeclaredMemory(t *testing.T) {
	in := scalingInput()
	f := in.Frame(t)
	f.Registry = hungry{in}
	f.Grids = map[string][]json.RawMessage{"g": {json.RawMessage(`{"rounds":5,"gamma_x_d":1}`),
		json.RawMessage(`{"rounds":7,"gamma_x_d":1}`)}}
	for i := range f.Rows {
		f.Rows[i].Point, f.Rows[i].MethodVersion = json.RawMessage(`{"rounds":5,"gamma":0.5}`), "1"
		if f.Rows[i].Method == "B" {
			f.Rows[i].MethodVersion = "2"
		}
	}
	table := must.Get(f.Table(""))(t)
	d := must.Get(named("scaling").Build(&table))(t)
	var got []string
	for _, r := range sample.Records(t, d, "scaling")[:3] {
		bytes := "none"
		if v := r["declared_bytes"].(*float64); v != nil {
			bytes = fmt.Sprint(int64(*v) - registry.CellBytes(int(r["train_rows"].(float64))+100, 2, 0, 0))
		}
		got = append(got, fmt.Sprint(r["method"], " ", bytes))
	}
	must.Be(t, strings.Join(got, "; "), "A 7000; A 70000; B none", "in addition to the rows")
}
