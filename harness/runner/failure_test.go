package runner

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
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
		errors.New("why"): result.ClassError, named("crash"): result.ClassCrash, named("oom"): result.ClassOOM, named("bad-output"): result.ClassBadOutput,
		named("no class"): result.ClassError, named("timeout"): result.ClassTimeout, errChangedData: result.ClassBadOutput, errGoexit: result.ClassCrash,
	} {
		if got := classOf(fmt.Errorf("fold 1: %w", err)); got != want {
			t.Errorf("%#v: %s, want %s", err, got, want)
		}
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
	if fingerprint(part()) != want {
		t.Error("equal parts differ")
	}
}
