package cmd

import (
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/reports/frame"
)

// The defaults of --protocol and --db, which a command may leave out.
const (
	defaultProtocol = "table2"
	defaultDatabase = "results.db"
)

// invocation returns the `bench run` command for a protocol with this database and data. path is the protocol's file.
func (a *app) invocation(protocol, path string, splits int) frame.Invocation {
	v := frame.Invocation{Protocol: path, Splits: splits, Data: a.data}
	if path == "" && protocol != defaultProtocol {
		v.Protocol = protocol
	}
	if a.db != defaultDatabase && a.included == "" {
		v.Database = a.db
	}
	return v
}

// reportSource translates the flags and the protocol for package frame.
func (a *app) reportSource(f reportFlags, h *plan.Experiment, stored *storedSets) (frame.Source, error) {
	p := h.Protocol
	src := frame.Source{
		Protocol: frame.Protocol{
			Name: p.Name, Hash: p.Hash(), Metric: p.Semantics.Metric, Published: p.Published, PublishedNames: p.PublishedNames, Splits: p.Splits, Datasets: p.Datasets, Apart: p.Apart, Order: p.Column,
			Sizes: p.Semantics.Splitter().Sizes, Once: p.Semantics.Splitter().Once, Fits: p.Semantics.TestsItself(),
		},
		Registry: h.Registry, Sets: stored, Methods: h.MethodNames(f.methods), Beside: f.beside, Datasets: plan.SetNames(a.sets, f.datasets), Folds: f.folds,
		Run: a.invocation(p.Name, p.Path, p.Splits),
	}
	if p.Sweep != nil {
		src.Protocol.Sweep = frame.Sweep{Name: p.Sweep.Name, Title: p.Sweep.Title, Datasets: p.Sweep.Datasets, Points: p.Points()}
	}
	var err error
	src.Splits, err = f.numbers()
	return src, err
}
