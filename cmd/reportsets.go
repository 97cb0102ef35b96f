package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/reports"
)

// reportSets says of the data sets of a report what reports asks.
type reportSets struct {
	*storedSets
	protocol *protocol.Protocol
}

// source translates the flags and the protocol for reports.
func (s *reportSets) source(f reportFlags) (reports.Source, error) {
	p, a := s.protocol, s.app
	src := reports.Source{
		Protocol: p.Name, ProtocolHash: p.Hash(), Published: p.Published, Planned: p.Splits, Order: p.Column,
		Others: func(name string) reports.Dataset { return s.row(name, reports.GroupApart) },
		Run:    s.invocation(), SetFile: s.file, Task: s.task, Now: s.now, Cannot: s.cannot,
	}
	if f.noPublished {
		src.Published = ""
	}
	for _, m := range f.methods {
		spec, err := a.reg.Lookup(m)
		if err != nil {
			return src, exitError{exitUsage, err}
		}
		src.Methods = append(src.Methods, spec.Name)
	}
	if f.splits != "" {
		splits, err := harness.ParseSplits(f.splits)
		if err != nil {
			return src, usage("--splits: %w", err)
		}
		src.Splits = splits
	}
	if f.datasets != nil {
		src.Only = true
		names, err := s.asked(f.datasets)
		for _, name := range names {
			src.Datasets = append(src.Datasets, s.row(name, reports.GroupMain))
		}
		return src, err
	}
	for _, name := range p.Datasets {
		group := reports.GroupMain
		if slices.Contains(p.Apart, name) {
			group = reports.GroupApart
		}
		src.Datasets = append(src.Datasets, s.row(name, group))
	}
	return src, nil
}

// invocation says how `bench run` is called for this report.
func (s *reportSets) invocation() reports.Invocation {
	v := reports.Invocation{Protocol: s.protocol.Path, Splits: s.protocol.Splits, Data: s.app.data}
	if v.Protocol == "" && s.protocol.Name != defaultProtocol {
		v.Protocol = s.protocol.Name
	}
	if s.app.db != defaultDatabase {
		v.Database = s.app.db
	}
	return v
}

// The defaults of --protocol and --db, which a command may leave out.
const (
	defaultProtocol = "table2"
	defaultDatabase = "results.db"
)

// asked returns the names of the sets that --datasets gives by name or as files.
// Files come first, so that they describe their sets whatever was run before.
func (s *reportSets) asked(given []string) ([]string, error) {
	names := slices.Clone(given)
	for i, name := range given {
		if strings.HasSuffix(name, ".toml") {
			e, err := s.app.set(name)
			if err != nil {
				return nil, err
			}
			names[i] = e.Name
			if s.files == nil {
				s.files = map[string]string{}
			}
			s.files[e.Name] = name
		}
	}
	return names, nil
}

// row gives what the catalogue knows of a set; a user's own set may be unknown to it
// by now.
func (s *reportSets) row(name, group string) reports.Dataset {
	row := reports.Dataset{Name: name, Group: group}
	e, err := s.entry(name)
	if err != nil {
		return row
	}
	if e.Generated && !slices.Contains(s.protocol.Datasets, e.Name) && group == reports.GroupApart {
		row.Group = reports.GroupGenerated
	}
	row.Name, row.Rows, row.Features = e.Name, e.Rows, e.Features
	if own, known := e.TrainRows(); e.Rows > 0 && known {
		if train, test, err := s.protocol.Semantics.Splitter().Sizes(e.Rows, own); err == nil {
			row.TrainRows, row.TestRows = train, test
		}
	}
	return row
}

// checkAsked refuses a set that was asked for and is neither known nor stored.
func (s *reportSets) checkAsked(in reports.Table2Input, given []string) error {
	for _, name := range given {
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if strings.HasSuffix(name, ".toml") || slices.ContainsFunc(in.Regression, same) ||
			slices.ContainsFunc(in.Runs, func(r reports.Run) bool { return same(r.Dataset) }) {
			continue
		}
		if _, err := s.entry(name); err != nil {
			return exitError{exitUsage, err}
		}
	}
	return nil
}

func (s *reportSets) task(name string) string {
	e, err := s.entry(name)
	if err != nil {
		return ""
	}
	return e.Task.String()
}

// now returns what the files of a set hold now, where they can be read.
func (s *reportSets) now(name string) (reports.Data, bool) {
	now, ok := s.storedSets.now(name)
	return reports.Data{Fingerprint: now.fingerprint, File: now.file}, ok
}

// cannot says why `bench run` would refuse a cell; "" if it would not.
func (s *reportSets) cannot(method, dataset string) string {
	spec, err := s.app.reg.Lookup(method)
	if err != nil {
		return "this program has no such method"
	}
	e, err := s.entry(dataset)
	switch {
	case err != nil && s.file(dataset) == "":
		return "the file that describes the set is not known, name it with --datasets FILE.toml"
	case err != nil:
		return err.Error()
	case spec.Tasks&e.Task == 0:
		return fmt.Sprintf("the method does not solve %s sets", e.Task)
	}
	return ""
}
