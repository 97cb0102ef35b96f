package harness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

const swept = `
splits = 2
datasets = ["balance"]
columns = ["Plain", "Line", "Twice"]
[semantics]
test_fraction = 0.3
folds = 2
[methods.Line]
params = { free = true }
[sweep]
name = "order"
values = [2, 4, 10]
[sweep.series]
Line = { param = "order" }
Twice = { of = "Line", param = "order", divide = 2, params = { free = false } }
Less = { of = "Line", param = "train_rows", grid = [{ name = "slope", values = [1.0] }] }
`

// TestSweep: a sweep makes a variant of each series at each value, in the order of the columns.
func TestSweep(t *testing.T) {
	p := must.Get(protocol.Parse("mine", []byte(swept)))(t)
	want := "[Plain Line order=2 Line order=4 Line order=10 Twice order=2 Twice order=4 Twice order=10 Less order=2 " +
		"Less order=4 Less order=10]"
	must.Be(t, fmt.Sprint(p.Columns), want)
	var points []string
	for _, at := range p.Points() {
		points = append(points, fmt.Sprint(at.Series, at.Value))
	}
	must.Be(t, strings.Join(points, " "), "Line2 Line4 Line10 Twice2 Twice4 Twice10 Less2 Less4 Less10")
	must.Be(t, fmt.Sprint(p.Expand([]string{"Plain", "twice"})), "[Plain Twice order=2 Twice order=4 Twice order=10]")
	reg := must.Get(p.Resolve(registry.New(lineSpec())))(t)
	for name, want := range map[string]string{
		"Line order=10":  `[{"slope":1,"order":10,"free":true} {"slope":2,"order":10,"free":true}]`,
		"Twice order=10": `[{"slope":1,"order":5,"free":false} {"slope":2,"order":5,"free":false}]`,
		"Less order=4":   `[{"slope":1,"order":1,"free":true}]`,
	} {
		spec := must.Get(reg.Lookup(name))(t)
		points, err := p.GridPoints(spec, "balance", registry.Shape{Task: registry.Binary, N: 20, D: 4, Classes: 2})
		if got := fmt.Sprintf("%s", points); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	must.Be(t, p.SplitterOf("Less order=4").TrainRows, 4)
	must.Be(t, p.SplitterOf("Line order=4").TrainRows, 0)
	must.Be(t, p.Hash(), mustParse(t, strings.Replace(swept, "[2, 4, 10]", "[2, 4, 10, 20]", 1)).Hash())
}

func mustParse(t *testing.T, text string) *protocol.Protocol {
	t.Helper()
	p := must.Get(protocol.Parse("mine", []byte(text)))(t)
	return p
}

// TestSweepAlone: without columns, a protocol has only the columns of its sweep.
func TestSweepAlone(t *testing.T) {
	p := mustParse(t, strings.Replace(swept, "columns = [\"Plain\", \"Line\", \"Twice\"]\n", "", 1))
	if !p.Only || len(p.Columns) != 9 || p.Columns[0] != "Less order=2" {
		t.Errorf("only %v, columns %v; want the nine points, by the names of the series", p.Only, p.Columns)
	}
	p = mustParse(t, "splits = 1\ndatasets = [\"balance\"]\n[semantics]\ntest_fraction = 0.3\nfolds = "+
		"2\n[sweep]\nname = \"rows\"\ndatasets = true\n")
	if p.Points() != nil || !p.Sweep.Datasets {
		t.Errorf("a sweep over sets has points %v", p.Points())
	}
}

func TestSweepIsChecked(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`name = "order"`, `name = "two words"`}: "protocol mine: sweep: name " +
			"= \"two words\"; it must be one word without =, since columns are named SERIES NAME=VALUE",
		{"[2, 4, 10]", "[4, 2]"}: "protocol mine: sweep: " +
			"values = [4 2]; they must ascend",
		{"[2, 4, 10]", "[2, 2]"}: "protocol mine: sweep: " +
			"values = [2 2]; they must ascend",
		{"values = [2, 4, 10]\n", ""}: "protocol mine: sweep needs " +
			"name, values and series",
		{"[2, 4, 10]", "[2.5]"}: "protocol mine: " +
			"sweep.series.Less: train_rows = 2.5; it must be a whole number from 1 on",
		{`Line = { param = "order" }`, `Line = { }`}: "protocol mine: " +
			"sweep.series.Line: param is missing: the parameter that takes the values, or train_rows",
		{"free = false", "order = 3"}: `protocol mine: ` +
			`sweep.series.Twice: params sets "order", which the sweep varies`,
		{"[sweep.series]", "datasets = true\n[sweep.series]"}: "protocol mine: sweep: " +
			"datasets = true makes the data sets its points; leave out values and series",
		{"[methods.Line]", "[methods.\"Line order=2\"]\nof = \"Line\"\n[methods.Line]"}: `protocol mine: sweep and ` +
			`[methods] both have "Line order=2"`,
	} {
		if _, err := protocol.Parse("mine", []byte(strings.Replace(swept, change[0], change[1], 1))); err == nil ||
			err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
