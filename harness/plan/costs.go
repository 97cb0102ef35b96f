package plan

import (
	"encoding/csv"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/registry"
)

// A referenceCell is how long a cell takes on the machine of the reference run.
type referenceCell struct {
	dataset string
	shape   registry.Shape // of the training part
	points  int            // of the grid
	scale   float64        // see registry.Spec.Scale
	seconds float64
}

// referenceCells are the cells of the file of costs, by method. The program brings the file, so an error in it is a
// fault of the program.
var referenceCells = sync.OnceValue(func() map[string][]referenceCell {
	rows, failed := csv.NewReader(strings.NewReader(reference.Costs)).ReadAll()
	out := map[string][]referenceCell{}
	for _, row := range rows[min(1, len(rows)):] {
		task, err := registry.ParseTask(row[2])
		var n [6]float64
		for i, text := range row[3:9] {
			var err2 error
			n[i], err2 = strconv.ParseFloat(text, 64)
			err = errors.Join(err, err2)
		}
		failed = errors.Join(failed, err)
		out[row[0]] = append(out[row[0]], referenceCell{row[1],
			registry.Shape{Task: task, Classes: int(n[0]), N: int(n[1]), D: int(n[2])}, int(n[3]), n[4], n[5]})
	}
	if failed != nil {
		panic("harness/reference/costs.csv: " + failed.Error())
	}
	return out
})

// referenceSemantics are those of the cells of the file of costs.
var referenceSemantics = protocol.Semantics{Folds: 5}

// work is how much work the fits of a cell are: those of every fold and grid point, of the refit with every seed, and
// of the test of every grid point. The number of outputs does not count, since it is not stored.
func work(spec registry.Spec, sh registry.Shape, points int, scale float64, s protocol.Semantics) float64 {
	sh.Classes = 1
	fold, sum := sh, spec.WorkAt(sh, 1, scale)*float64(max(1, s.MethodSeeds))
	if s.Folds > 0 {
		fold.N = sh.N * (s.Folds - 1) / s.Folds
		sum += spec.WorkAt(fold, points, scale) * float64(s.Folds)
	}
	if s.TestGrid {
		sum += spec.WorkAt(sh, points, scale)
	}
	return sum
}

// referenceCost predicts the processor time of a cell on the machine of the reference run, in nanoseconds, from the
// nearest cells of the file of costs, and returns how far the nearest is. base is the name of the method, or of the
// method whose variant it is. Where the file does not have it, the cost is 0.
func referenceCost(base string, spec registry.Spec, c measured) (ns, far float64) {
	var all []measured
	outputs := func(sh registry.Shape) float64 { return math.Pow(float64(sh.Outputs()), spec.Growth.Outputs) }
	for _, r := range referenceCells()[base] {
		all = append(all, measured{r.dataset, r.shape, work(spec, r.shape, r.points, r.scale, referenceSemantics),
			r.seconds / outputs(r.shape), 1})
	}
	if all == nil {
		return 0, 0
	}
	seconds, far := nearest(all, c)
	return 1e9 * seconds * outputs(c.shape), far
}
