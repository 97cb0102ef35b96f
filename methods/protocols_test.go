package methods_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// A grid is what a paper says of a method: parameters that are fixed, and the values of those that are searched.
type grid struct {
	fixed map[string]float64
	axes  map[string][]float64
}

var (
	rates  = []float64{1, 0.5, 0.1, 0.05, 0.01}
	depths = []float64{1, 2, 3, 4, 5}
	costs  = []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3}
	wide   = costs[2:]
	cs     = []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
)

func features2019(rounds float64) grid {
	return grid{map[string]float64{"rounds": rounds, "features": 100},
		map[string][]float64{"gamma": {0.5 / 8}, "beta": cs, "learning_rate": rates}}
}

// TestProtocolGrids compares the settings that the shipped protocols give with the papers': Gautheron et al. 2019,
// Section 5, and, of the 2020 protocol, the methods whose grids it overrides (see TestPublishedGrids for others).
func TestProtocolGrids(t *testing.T) {
	for _, c := range []struct {
		name         string
		testFraction float64
		methods      map[string]grid
	}{
		{"table2-2019", 0.7, map[string]grid{
			"XGB": {map[string]float64{"rounds": 200},
				map[string][]float64{"learning_rate": rates, "max_depth": depths}},
			"LGBM": {map[string]float64{"rounds": 200, "num_leaves": 32},
				map[string][]float64{"learning_rate": rates, "max_depth": depths}},
			"MKBOOST": {map[string]float64{"rounds": 200}, map[string][]float64{"c": costs}},
			"BMKR": {map[string]float64{"rounds": 200},
				map[string][]float64{"c": costs, "learning_rate": rates}},
			"PBRFF": {map[string]float64{"landmarks": 200, "features": 100},
				map[string][]float64{"gamma": {0.5 / 8}, "beta": wide, "c": wide}},
			"GBRFF":        features2019(200),
			"GBRFF-random": features2019(200),
		}},
		{"table2", 0.3, map[string]grid{"GBRFF": features2019(100), "GBRFF-random": features2019(100)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := must.Get(protocol.Load(c.name))(t)
			want := protocol.Semantics{TestFraction: c.testFraction, Folds: 5, MethodSeed: 1, Standardise: true}
			must.Be(t, p.Semantics, want)
			must.Be(t, p.Splits, 20)
			must.Be(t, len(p.Methods), len(c.methods))
			for name, g := range c.methods {
				t.Run(name, func(t *testing.T) { compare(t, p, name, g) })
			}
		})
	}
}

func compare(t *testing.T, p *protocol.Protocol, name string, want grid) {
	spec := lookup(t, name)
	points := must.Get(p.GridPoints(spec, "", registry.Shape{Task: registry.Binary, N: 100, D: 8, Classes: 2}))(t)
	got, size := map[string][]float64{}, 1
	for _, raw := range points {
		var point map[string]float64
		must.Do(t, json.Unmarshal(raw, &point))
		for key, fixed := range want.fixed {
			must.Be(t, point[key], fixed, raw)
		}
		for key := range want.axes {
			if !slices.Contains(got[key], point[key]) {
				got[key] = append(got[key], point[key])
			}
		}
	}
	for _, values := range want.axes {
		size *= len(values)
	}
	must.Be(t, len(points), size)
	must.Be(t, got, want.axes)
}

// TestBuiltinProtocolsCanBeRun: every column of every protocol is a method or a variant, and has settings on every set
// whose task it solves.
func TestBuiltinProtocolsCanBeRun(t *testing.T) {
	for _, name := range protocol.Names() {
		p := must.Get(protocol.Load(name))(t)
		reg := must.Get(p.Resolve(methods.All()))(t)
		sets := catalogue.Builtin()
		must.Do(t, p.ResolveSets(sets))
		for _, column := range p.Columns {
			spec, err := reg.Lookup(column)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			points := 0
			for _, set := range p.Datasets {
				e := must.Get(sets.Lookup(set))(t)
				if spec.Tasks&e.Task == 0 {
					continue
				}
				blocks, _ := e.Blocks()
				settings, err := p.GridPoints(spec, set, registry.Shape{Task: e.Task, N: e.Rows, D: e.Features,
					Classes: len(e.Counts), Blocks: blocks})
				if err != nil {
					t.Errorf("%s: %s on %s: %v", name, column, set, err)
				}
				points += len(settings)
			}
			if points == 0 {
				t.Errorf("%s: %s solves none of its sets", name, column)
			}
		}
	}
}

// TestMFGASettings: the number of features and the intercept of the paper's Table 2, by set.
func TestMFGASettings(t *testing.T) {
	p := must.Get(protocol.Load("mfga-table2"))(t)
	reg := must.Get(p.Resolve(methods.All()))(t)
	for _, c := range []struct {
		method, set string
		task        registry.Task
		features    int
		intercept   bool
	}{
		{"MFGA", "adult-a9a", registry.Binary, 100, true}, {"EERF", "epileptic", registry.Binary, 20, true},
		{"LKRF", "online-news-scaled", registry.Regression, 200, false},
		{"RKS", "year-prediction-scaled", registry.Regression, 400, false},
		{"MFGA + intercept", "online-news-scaled", registry.Regression, 200, true},
		{"GK", "online-news-scaled", registry.Regression, 0, false},
		{"GLK + intercept", "year-prediction-scaled", registry.Regression, 0, true},
	} {
		spec := must.Get(reg.Lookup(c.method))(t)
		points, err := p.GridPoints(spec, c.set, registry.Shape{Task: c.task, N: 100, D: 8, Classes: 2})
		if err != nil || len(points) != 11 {
			t.Fatalf("%d settings, %v", len(points), err)
		}
		var got struct {
			Features  int
			Intercept bool
		}
		must.Do(t, json.Unmarshal(points[3], &got))
		must.Be(t, got.Features, c.features, c.method, c.set, points[3])
		must.Be(t, got.Intercept, c.intercept, c.method, c.set, points[3])
	}
}
