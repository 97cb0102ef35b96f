package methods_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// rounds is the parameter of methods whose stages are the models of its smaller values. GBRFF-random is left out: it
// draws its landmarks after the frequencies of all rounds.
var rounds = map[string]string{
	"BMKR": "rounds", "GBRFF": "rounds", "GBRFF1": "rounds", "GBRFF2": "rounds", "LGBM": "rounds", "MFGA": "features",
	"MKBOOST": "rounds",
	"RF":      "trees", "RFRBoost": "rounds", "RFRBoost-greedy": "rounds", "XGB": "rounds",
}

// oneTask has the task in which a slow method is checked where the run is not thorough.
var oneTask = map[string]registry.Task{
	"EERF": registry.Multiclass, "EIGENPRO": registry.Regression, "FALKON": registry.Binary, "GK": registry.Multiclass,
	"GLK":  registry.Regression,
	"GMKL": registry.Regression, "KRR-GD": registry.Binary, "LKRF": registry.Binary, "NYSTROEM": registry.Multiclass,
	"RFF-MKL":       registry.Multiclass,
	"RFF-MKL-JOINT": registry.Binary, "RFF-SKL": registry.Binary, "RFF-SQL-MKL": registry.Binary,
	"RFF-SQL-MKL-JOINT": registry.Regression,
	"RFRBoost":          registry.Multiclass, "RKS": registry.Regression,
}

// ownUnit has the reasons of methods of regression whose predictions depend on the unit of the targets. The rest does
// not.
var ownUnit = map[string]string{
	"BMKR": "epsilon, the half-width of the tube, and C of its published grid are in the unit of the targets",
	"GMKL": "epsilon, the half-width of the tube, and C of its published grid are in the unit of the targets",
	"XGB":  "XGBoost starts all rows at 0.5 (base_score), in the unit of the targets",
}

// TestConform runs the suite on every method, with the checks of what the method has: blocks, stages.
func TestConform(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, spec := range methods.All().All() {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("units", func(t *testing.T) { conform.Units(t, spec, ownUnit[spec.Name]) })
			if task, slow := oneTask[spec.Name]; slow && !testenv.Thorough(t) {
				spec.Tasks = task
			}
			conform.Run(t, spec)
			t.Run("columns far from zero", func(t *testing.T) { conform.Far(t, spec) })
			if spec.Blocks {
				t.Run("blocks", func(t *testing.T) { conform.Blocks(t, spec) })
			}
			if name, stages := rounds[spec.Name]; stages {
				t.Run("prefixes", func(t *testing.T) { conform.Prefixes(t, spec, name) })
			}
		})
	}
}

// waves and rough draw n rows of d features with labels that a smooth function gives, or none.
func waves(n, d int) registry.Data { return fits.Waves(9, n, d) }
func rough(n, d int) registry.Data { return fits.Rough(n, d) }

// given returns data with a task's targets: the labels as they are, as numbers, or four classes by turns.
func given(d registry.Data, task registry.Task) registry.Data {
	switch d.Task = task; task {
	case registry.Regression:
		d.Classes = 0
	case registry.Multiclass:
		d.Classes = 4
		for i := range d.Y {
			d.Y[i] = float64(i % 4)
		}
	}
	return d
}

// path returns count settings, which are fitted together.
func path(format string, count int) (settings []string) {
	for i := range count {
		settings = append(settings, fmt.Sprintf(format, i))
	}
	return settings
}

// TestDeclaredMemory compares declared memory with that of fits. Of a grid whose settings are fitted at the same
// time, there is a row with all of it.
func TestDeclaredMemory(t *testing.T) {
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	const tall = 3000
	small := []string{`{"c": 0.001}`}
	penalties := append(path(`{"lambda": 1e-%d}`, 6), path(`{"lambda": 1e+%d}`, 6)[1:]...)
	type row struct {
		methods  string
		draw     func(n, d int) registry.Data
		n, d     int
		task     registry.Task
		settings []string
	}
	rows := []row{
		{"GBRFF1 GBRFF2", waves, tall, 30, registry.Binary, nil},
		{"GBRFF", waves, 300, 30, registry.Binary, path(`{"beta": %d}`, 60)},
		{"GBRFF-random", waves, tall, 30, registry.Binary, path(`{"beta": %d}`, 60)},
		{"GFC", waves, 2000, 30, registry.Binary, []string{`{"features": 50}`}},
		{"PBRFF", waves, 2000, 30, registry.Binary, path(`{"beta": %d}`, 5)},
		{"RF", waves, 20_000, 50, registry.Binary, []string{`{"trees": 3}`}},
		{"LGBM", waves, 20_000, 50, registry.Binary, []string{`{"rounds": 5}`}},
		{"XGB", waves, 20_000, 50, registry.Binary, []string{`{"rounds": 5, "max_depth": 12}`}},
		// Products for several classes at once copy a part of the rows, those for one output copy nothing.
		{"Logistic", rough, 20_000, 50, registry.Binary, small},
		{"Logistic", rough, 20_000, 50, registry.Multiclass, small},
		{"MFGA RKS EERF LKRF", waves, 3000, 30, registry.Binary, []string{`{"features": 30}`}},
		{"MFGA RKS EERF LKRF", waves, 3000, 30, registry.Regression, nil},
		{"MFGA RKS EERF LKRF", waves, 6000, 100, registry.Regression, []string{`{"sigma": 3, "features": 60}`}},
		{"MFGA RKS EERF LKRF", waves, 2000, 20, registry.Multiclass, nil},
		{"RFF-SQL-SKL RFF-SKL RFF-SQL-SQR-MKL RFF-SQL-MKL RFF-MKL RFF-SQL-MKL-JOINT RFF-MKL-JOINT", rough, 300, 30,
			registry.Binary, nil},
		{"GK GLK", rough, 300, 8, registry.Binary, penalties},
		{"GK GLK", rough, 1400, 8, registry.Binary, penalties},
		// KRR-GD leaves garbage on few rows, which would count as its memory
		{"EIGENPRO", rough, 1400, 8, registry.Binary, nil},
		{"FALKON", rough, 1400, 8, registry.Binary, []string{`{"loss": "logistic"}`}},
		{"RFRBoost", rough, 400, 30, registry.Binary, path(`{"rounds": 2, "lambda": 1e-%d}`, 12)},
		// features in blocks
		{"RKS", waves, 45_000, 3, registry.Binary, []string{`{"sigma": 2}`}},
		{"FALKON", waves, 45_000, 3, registry.Binary, path(`{"landmarks": 800, "max_iter": 2, "lambda": 1e-%d}`, 16)},
		{"EIGENPRO", waves, 45_000, 3, registry.Binary, []string{`{"landmarks": 800, "epochs": 2}`}},
		{"GBRFF-random", waves, 45_000, 3, registry.Binary, path(`{"rounds": 3, "beta": %d}`, 60)},
		{"RFRBoost", waves, 45_000, 3, registry.Binary, []string{`{"features": 400, "rounds": 1}`}},
		{"RFM", rough, 300, 8, registry.Binary, nil},
		{"RFM", rough, 1400, 8, registry.Binary, nil},
		{"XRFM", rough, 2400, 8, registry.Binary, []string{`{"max_leaf_size": 350, "subset_size": 600}`}},
	}
	if testenv.Thorough(t) {
		rows = append(rows, []row{
			{"RFF-SQL-SKL RFF-SKL RFF-SQL-SQR-MKL RFF-SQL-MKL RFF-MKL RFF-SQL-MKL-JOINT RFF-MKL-JOINT", rough, 1500, 6,
				registry.Binary, nil},
			{"XRFM", rough, 2400, 8, registry.Binary, []string{`{"max_leaf_size": 800, "subset_size": 600}`}},
			{"XRFM", rough, 2400, 8, registry.Binary, []string{`{"max_leaf_size": 2400, "subset_size": 600}`}},
			{"KRR-GD", rough, 1400, 8, registry.Binary, nil},
		}...)
	}
	for _, c := range rows {
		data := given(c.draw(c.n, c.d), c.task)
		for _, name := range strings.Fields(c.methods) {
			t.Run(fmt.Sprintf("%s/%s/%dx%d", name, c.task, c.n, c.d), func(t *testing.T) {
				conform.Memory(data, c.settings...).Check(t, lookup(t, name))
			})
		}
	}
}
