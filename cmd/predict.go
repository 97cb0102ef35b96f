package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/spf13/cobra"
)

func newMethodsPredictCommand(a *app) *cobra.Command {
	var of place
	c := a.lists(&cobra.Command{
		Use:   "predict METHOD FILE.csv",
		Short: "Score the rows of a file with a model that a run kept",
		Args:  takes("METHOD", "FILE.csv"),
		ValidArgsFunction: func(c *cobra.Command, before []string, word string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(before) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completion(a.names("methods"), false)(c, before, word)
		},
	}, func(c *cobra.Command, args []string, l *listing) error {
		return runMethodsPredict(a, c, args[0], args[1], of, l)
	})
	of.addAll(a, c)
	permissionFlags(a, c)
	return c
}

func runMethodsPredict(a *app, c *cobra.Command, method, file string, of place, l *listing) error {
	p, like, err := storedPredictor(a, c, method, of)
	if err != nil {
		return err
	}
	x, err := read.Rows(file, p.Features, p.Dates(), p.Gaps(), like, a.memory)
	if err != nil {
		return usageError(err)
	}
	scores, err := p.Scores(c.Context(), x)
	if err != nil {
		return usage("%s: %w", file, err)
	}
	l.addPredictions(p, scores)
	return nil
}

// storedPredictor loads the stored model of a cell. It also returns the catalogue's entry of the cell's data set, nil
// if the catalogue has no such set.
func storedPredictor(a *app, c *cobra.Command, method string, of place) (*runner.Predictor, *catalogue.Entry, error) {
	exp, spec, err := a.methodOf(of.protocol, method)
	if err != nil {
		return nil, nil, err
	}
	db, err := a.reader(c.Context())
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	dataset := of.dataset
	like, err := a.sets.Lookup(dataset)
	if err != nil && strings.HasSuffix(dataset, ".toml") {
		if like, err = a.set(dataset); err != nil {
			return nil, nil, err
		}
	}
	if like != nil {
		dataset = like.Name
	}
	cell := runner.Cell{Protocol: exp.Protocol.Name, Dataset: dataset, Split: of.split, Method: spec.Name}
	l, found, err := db.Artifacts(context.WithoutCancel(c.Context()), cell.Protocol, cell.Dataset, cell.Method,
		cell.Split)
	switch {
	case err != nil:
		return nil, nil, exitError{exitIncomplete, err}
	case !found || l.Model == nil:
		v := a.invocation(exp.Protocol.Shown(), exp.Protocol.Path, exp.Protocol.Splits)
		if v.Database = "models.db"; filepath.Base(a.db) == v.Database { // a stored cell is not run again
			v.Database = "models-2.db"
		}
		return nil, nil, usage("%s keeps no model of %s; a run into a database of its own does: %s --keep models; "+
			"then predict with --db %s",
			a.db, cell, v.Command([]string{cell.Method}, []string{of.dataset}, []int{cell.Split}, false), v.Database)
	}
	p, err := runner.NewPredictor(spec, l)
	if err != nil {
		return nil, nil, exitError{exitIncomplete, fmt.Errorf("%s: %w", cell, err)}
	}
	return p, like, nil
}

// addPredictions lists the rows, numbered from 1.
func (l *listing) addPredictions(p *runner.Predictor, scores []float64) {
	k := p.Outputs()
	l.header = []string{"row", "prediction"}
	if p.Labels != nil {
		l.header = []string{"row", "class", "score"}
	}
	if k > 1 {
		l.header = []string{"row", "class"}
		for _, label := range p.Labels {
			l.header = append(l.header, "score "+label)
		}
	}
	for i := 0; i+k <= len(scores); i += k {
		row := []any{i/k + 1}
		if p.Labels != nil {
			row = append(row, p.Label(scores[i:i+k]))
		}
		for _, v := range scores[i : i+k] {
			row = append(row, v)
		}
		l.add(row...)
	}
}
