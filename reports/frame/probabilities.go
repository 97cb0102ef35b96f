package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

// withoutProbabilities removes the cells that lack a metric of probabilities, and says why: their method does
// not declare that its scores stand for probabilities, or they were stored before the metric existed. It
// returns the methods that lost all cells for the first reason.
func (t *Table) withoutProbabilities(f Frame, of *together) (methods []string) {
	if !t.Metric.Probabilities {
		return nil
	}
	declares := func(method string) bool {
		spec, err := f.Registry.Lookup(method)
		return err == nil && spec.Probability != nil
	}
	has := map[string]bool{}
	for _, r := range of.rows {
		has[r.Method] = has[r.Method] || t.Value(r) != nil
	}
	var old []string
	n := 0
	of.rows = slices.DeleteFunc(of.rows, func(r store.Row) bool {
		switch {
		case !has[r.Method] && !declares(r.Method):
			note(&methods, r.Method)
			return true
		case r.Status == result.OK && t.Value(r) == nil:
			n++
			note(&old, r.Method)
			return true
		}
		return false
	})
	if methods != nil {
		of.notes = append(of.notes, fmt.Sprintf("No %s of methods whose scores are not declared as probabilities: %s.", t.Metric.Name, strings.Join(methods, ", ")))
	}
	if n > 0 {
		of.notes = append(of.notes, fmt.Sprintf("Left out, %s of %s stored without %s; `bench run --rerun %s` computes them again.",
			Count(n, "cell"), strings.Join(old, ", "), t.Metric.Name, strings.Join(old, ",")))
	}
	return methods
}
