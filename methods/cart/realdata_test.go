package cart

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A table says where a file of the mirror has its target; positive is the binary
// label +1. Columns before first are left out.
type table struct {
	name, file    string
	task          registry.Task
	first, target int
	positive      string
	header        bool
}

var tables = []table{
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

// read returns about the given share of the table's rows, spread evenly.
func (tb table) read(t testing.TB, most int, share float64) registry.Data {
	t.Helper()
	f, err := os.Open(filepath.Join(testenv.Mirror(t), tb.file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if tb.header {
		records = records[1:]
	}
	keep := min(most, int(share*float64(len(records))))
	data := registry.Data{Task: tb.task, Y: make([]float64, keep)}
	codes := map[string]float64{}
	var values []float64
	for i := range keep {
		r := records[i*len(records)/keep]
		for j := tb.first; j < len(r); j++ {
			if j != tb.target {
				values = append(values, number(t, r[j]))
			}
		}
		data.Y[i] = tb.label(t, codes, strings.TrimSpace(r[tb.target]))
	}
	data.X = mat.NewDense(keep, len(values)/keep, values)
	if data.Task != registry.Regression {
		data.Classes = max(2, len(codes))
	}
	return data
}

func (tb table) label(t testing.TB, codes map[string]float64, s string) float64 {
	switch tb.task {
	case registry.Regression:
		return number(t, s)
	case registry.Binary:
		if s == tb.positive {
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
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEqualsGolearnOnRealSets(t *testing.T) {
	rows := 120
	if testenv.Thorough() {
		rows = 300
	}
	for _, tb := range tables {
		t.Run(tb.name, func(t *testing.T) {
			criteria := []string{"gini", "entropy"}
			if tb.task == registry.Regression {
				criteria = []string{"mse"}
			}
			for _, c := range criteria {
				equalsGolearn(t, tb.read(t, rows, 1), c, []int{1, 2, 5, 10})
			}
		})
	}
}
