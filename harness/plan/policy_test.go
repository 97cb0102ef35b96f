package plan_test

import (
	"context"
	"fmt"
	"os"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/methods"
)

// The default policy starts heavy cells early, so that all jobs end together. This one starts short cells early, so
// that many results come soon.
func ExamplePolicy() {
	shortestFirst := plan.Default
	shortestFirst.Order = func(_ *plan.Cell, seconds float64) (round int, weight float64) { return 0, seconds }

	table2, err := protocol.Load("table2")
	if err != nil {
		panic(err)
	}
	e := plan.Experiment{Protocol: table2, Registry: methods.All(), Catalogue: catalogue.Builtin(),
		Data: catalogue.Directory{Root: os.TempDir()}}
	req := plan.Request{Methods: []string{"KNN", "SVM", "LDA"}, Datasets: []string{"balance"}, Splits: []int{1, 2}}
	for _, policy := range []plan.Policy{plan.Default, shortestFirst} {
		req.Policy = &policy
		todo, err := e.Plan(context.Background(), req, nil, nil)
		if err != nil {
			panic(err)
		}
		for _, c := range todo.Cells {
			fmt.Print(c.Method, c.Split, " ")
		}
		fmt.Println(len(todo.Cells), "cells")
	}
	// Output:
	// LDA1 KNN1 SVM1 SVM2 KNN2 LDA2 6 cells
	// LDA1 LDA2 KNN1 KNN2 SVM1 SVM2 6 cells
}
