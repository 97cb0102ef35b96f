package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// named is an error of a method elsewhere, which names its class.
type named string

func (n named) Error() string        { return "why" }
func (n named) FailureClass() string { return string(n) }

// TestClassOf an error: the one that it names, if there is such a class, however it is wrapped.
func TestClassOf(t *testing.T) {
	for err, want := range map[error]result.Class{
		errors.New("why"): result.ClassError, named("crash"): result.ClassCrash, named("oom"): result.ClassOOM,
		named("bad-output"): result.ClassBadOutput,
		named("no class"):   result.ClassError, named("timeout"): result.ClassTimeout,
		errChangedData: result.ClassBadOutput, errGoexit: result.ClassCrash,
	} {
		must.Be(t, classOf(fmt.Errorf("fold 1: %w", err)), want, err)
	}
}

// TestBounded: a text that is short enough once it is readable is whole, and says nothing of a cut.
func TestBounded(t *testing.T) {
	for text, want := range map[string]string{
		"short":                               "short",
		"a" + strings.Repeat(" ", 3000) + "b": "a b",
		strings.Repeat("x", maxError+1): strings.Repeat("x", maxError) + "... (cut; the whole message has 2001 " +
			"bytes)",
		"a" + strings.Repeat(" ", 9000) + "b": "a... (cut; the whole message has 9002 bytes)",
	} {
		must.Be(t, bounded(text, words), want, len(text))
	}
}

// TestFilledWith: what a plan knows of a cell is the plan's, whatever a worker writes.
func TestFilledWith(t *testing.T) {
	c := CellSpec{Key: "k", Shape: registry.Shape{Task: registry.Binary, N: 10, D: 3}, Cost: 5}
	got := c.FilledWith(result.Run{Planned: result.Planned{Key: "other", Task: "regression", Features: 7,
		CostUnits: 99}, Status: result.OK})
	if got.Key != "k" || got.Task != "binary" || got.Features != 3 || got.CostUnits != 5 || got.Status != result.OK {
		t.Errorf("the run is of key %s, task %s, %d features, %v units, status %s", got.Key, got.Task, got.Features,
			got.CostUnits, got.Status)
	}
}

// TestFingerprint differs wherever one value of a part does, also for the sign of a zero.
func TestFingerprint(t *testing.T) {
	part := func() split.Part {
		data := func() registry.Data {
			return registry.Data{X: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Y: []float64{-1, 1, 1}}
		}
		return split.Part{Learn: data(), Score: data()}
	}
	want := fingerprint(part())
	seen := map[uint64]bool{want: true}
	for i := range 18 {
		p := part()
		values := [][]float64{p.Learn.X.RawMatrix().Data, p.Learn.Y, p.Score.X.RawMatrix().Data, p.Score.Y}
		at := i
		for _, v := range values {
			if at < len(v) {
				v[at] = -v[at]
				break
			}
			at -= len(v)
		}
		if got := fingerprint(p); seen[got] {
			t.Errorf("value %d: a change is not seen", i)
		} else {
			seen[got] = true
		}
	}
	must.Be(t, fingerprint(part()), want, "equal parts differ")
}
