package published

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Table says where a file of the mirror has its target. Columns before First are left out.
type Table struct {
	Name, File    string
	Task          registry.Task
	First, Target int
	Positive      string // the binary label +1
	Header        bool
}

// Tables are those that this package's problems and the comparisons with golearn's trees are made of.
var Tables = []Table{
	{"wine", "wine/wine.data", registry.Binary, 1, 0, "1", false},
	{"wine 3 classes", "wine/wine.data", registry.Multiclass, 1, 0, "", false},
	{"glass 6 classes", "glass/glass.data", registry.Multiclass, 1, 10, "", false},
	{"pima", "pima/pima-indians-diabetes.data", registry.Binary, 0, 8, "1", false},
	{"german", "german/german.data", registry.Binary, 1, 24, "2", false},
	{"splice", "splice/splice.data", registry.Binary, 1, 0, "-1", false},
	{"year", "year-prediction/year_prediction_subset.csv", registry.Regression, 1, 0, "", false},
	{"spambase", "spambase/spambase.dat", registry.Binary, 0, 57, "1", false},
	{"occupancy", "occupancy/occupancy.csv", registry.Binary, 0, 5, "1", false},
	{"epileptic", "epileptic/epileptic.csv", registry.Binary, 1, 179, "1", true},
}

// Read returns about the given share of the table's rows, at most the given number of them, spread evenly.
func (tb Table) Read(t testing.TB, most int, share float64) registry.Data {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(testenv.Mirror(t), tb.File)))(t)
	defer f.Close()
	records := must.Get(csv.NewReader(f).ReadAll())(t)
	if tb.Header {
		records = records[1:]
	}
	keep := min(most, int(share*float64(len(records))))
	data := registry.Data{Task: tb.Task, Y: make([]float64, keep)}
	codes := map[string]float64{}
	var values []float64
	for i := range keep {
		r := records[i*len(records)/keep]
		for j := tb.First; j < len(r); j++ {
			if j != tb.Target {
				values = append(values, number(t, r[j]))
			}
		}
		data.Y[i] = tb.label(t, codes, strings.TrimSpace(r[tb.Target]))
	}
	data.X = mat.NewDense(keep, len(values)/keep, values)
	if data.Task != registry.Regression {
		data.Classes = max(2, len(codes))
	}
	return data
}

func (tb Table) label(t testing.TB, codes map[string]float64, s string) float64 {
	switch tb.Task {
	case registry.Regression:
		return number(t, s)
	case registry.Binary:
		if s == tb.Positive {
			return 1
		}
		return -1
	}
	if _, known := codes[s]; !known {
		codes[s] = float64(len(codes))
	}
	return codes[s]
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseFloat(strings.TrimSpace(s), 64))(t)
	return v
}

// real returns the training rows of the problem on a set and the rows to predict, by the rule of problems.py: 400 rows,
// of which every fourth is to be predicted; features, and targets that are numbers, of mean 0 and deviation 1 over the
// training rows.
func real(t testing.TB, set string) (train registry.Data, rows *mat.Dense) {
	t.Helper()
	for _, tb := range Tables {
		if tb.Name != set {
			continue
		}
		all := tb.Read(t, 400, 1)
		var learn, other []int
		for i := range all.Y {
			if i%4 == 3 {
				other = append(other, i)
			} else {
				learn = append(learn, i)
			}
		}
		x := standardised(all.X, learn)
		y := datasets.Rows(mat.NewDense(len(all.Y), 1, all.Y), learn)
		if tb.Task == registry.Regression {
			y = standardised(y, nil)
		}
		return registry.Data{Task: tb.Task, X: datasets.Rows(x, learn), Y: y.RawMatrix().Data, Classes: all.Classes},
			datasets.Rows(x, other)
	}
	t.Fatalf("there is no set %q among the tables", set)
	return registry.Data{}, nil
}

// standardised returns x with columns of mean 0 and deviation 1 over the given rows, nil for all.
func standardised(x *mat.Dense, rows []int) *mat.Dense {
	out := mat.DenseCopyOf(x)
	datasets.FitStandardiser(x, rows).Apply(out, x, nil)
	return out
}
