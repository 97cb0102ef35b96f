package plan

import (
	"encoding/csv"
	"fmt"
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
	shape   registry.Shape // of the training part
	points  int            // of the grid
	scale   float64        // see registry.Spec.Scale
	seconds float64
}

// referenceCells are the cells of the file of costs, by method, task and data set. The program brings the file, so an
// error in it is a fault of the program.
var referenceCells = sync.OnceValue(func() map[string]map[registry.Task]map[string]referenceCell {
	rows, err := csv.NewReader(strings.NewReader(reference.Costs)).ReadAll()
	out := map[string]map[registry.Task]map[string]referenceCell{}
	for _, row := range rows[min(1, len(rows)):] {
		task, err2 := registry.ParseTask(row[2])
		var n [6]float64
		for i, text := range row[3:9] {
			if n[i], err = strconv.ParseFloat(text, 64); err != nil {
				break
			}
		}
		if err != nil || err2 != nil {
			err = fmt.Errorf("%v: %v, %v", row, err, err2)
			break
		}
		method := row[0]
		if out[method] == nil {
			out[method] = map[registry.Task]map[string]referenceCell{}
		}
		if out[method][task] == nil {
			out[method][task] = map[string]referenceCell{}
		}
		sh := registry.Shape{Task: task, Classes: int(n[0]), N: int(n[1]), D: int(n[2])}
		out[method][task][row[1]] = referenceCell{sh, int(n[3]), n[4], n[5]}
	}
	if err != nil {
		panic("harness/reference/costs.csv: " + err.Error())
	}
	return out
})

// referenceSemantics are those of the cells of the file of costs.
var referenceSemantics = protocol.Semantics{Folds: 5}

// work is how much work the fits of a cell are: those of every fold and grid point, of the refit with every seed, and
// of the test of every grid point.
func work(spec registry.Spec, sh registry.Shape, points int, scale float64, s protocol.Semantics) float64 {
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

// sameSize is how far the rows of a set may be from those of the reference run, as a factor, for its time to count as
// that of the set.
const sameSize = 1.5

// ReferenceCost predicts the processor time of a cell on the machine of the reference run, in nanoseconds. base is the
// name of the method, or of the method whose variant it is. It returns false if the run does not have the method: then
// the work stands for n d numbers that take a hundred nanoseconds each.
func ReferenceCost(
	base, dataset string, spec registry.Spec, sh registry.Shape, points int, scale float64, s protocol.Semantics,
) (ns float64, known bool) {
	tasks := referenceCells()[base]
	cells := tasks[sh.Task]
	for _, other := range []registry.Task{registry.Binary, registry.Regression, registry.Multiclass} {
		if cells == nil {
			cells = tasks[other]
		}
	}
	units := work(spec, sh, points, scale, s)
	if cells == nil {
		return 100 * units, false
	}
	return 1e9 * secondsFrom(cells, dataset, spec, sh, units), true
}

// secondsFrom predicts the time of some units of work. If cells have the set, its time is scaled by the work of both
// cells; else the law (see law) of all sets is.
func secondsFrom(
	cells map[string]referenceCell, dataset string, spec registry.Spec, sh registry.Shape, units float64,
) float64 {
	sets := map[string]timing{}
	for name, c := range cells {
		t := timing{c.seconds, work(spec, c.shape, c.points, c.scale, referenceSemantics), 1, c.shape.N, c.shape.D}
		rows := math.Abs(math.Log(float64(max(1, sh.N)) / float64(c.shape.N)))
		if name == dataset && sh.D == c.shape.D && rows < math.Log(sameSize) {
			return t.seconds / t.units * units
		}
		sets[name] = t
	}
	l, _ := lawOf(sets)
	return l.seconds(units, sh.N, sh.D)
}
