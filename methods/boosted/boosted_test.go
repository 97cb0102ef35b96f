package boosted

import (
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/methods/internal/treetest"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// declared checks what a method declares; memory by a setting.
func declared(setting string) []conform.Option {
	return []conform.Option{
		conform.Late(testsplit.Waves(1, 34000, 100), 0, 20*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond),
		conform.Memory(testsplit.Waves(9, 20000, 50), setting),
		conform.Cost(testsplit.Waves(3, 700, 20), 8),
	}
}

func TestLGBMConforms(t *testing.T) {
	conform.Run(t, LGBM(), declared(`{"rounds":5}`)...)
}

func TestXGBConforms(t *testing.T) {
	conform.Run(t, XGB(), declared(`{"rounds":5,"max_depth":12}`)...)
}

func TestPrefixes(t *testing.T) {
	for _, spec := range []registry.Spec{LGBM(), XGB()} {
		t.Run(spec.Name, func(t *testing.T) { conform.Prefixes(t, spec, "rounds") })
	}
}

// The defaults of the scikit-learn interfaces of LightGBM 4.7.0 (get_params) and XGBoost 3.2.0 (save_config), and the papers' grids.
func TestDefaultsAndGrids(t *testing.T) {
	sh := registry.Shape{Task: registry.Binary, N: 100, D: 5, Classes: 2}
	for _, c := range []struct {
		spec        registry.Spec
		defaults    string
		points      int
		first, last string
	}{
		{LGBM(), `{"rounds":100,"learning_rate":0.1,"num_leaves":31,"max_depth":-1,"min_child_samples":20,"min_child_weight":0.001,"lambda":0}`, 50,
			`"num_leaves":2,"max_depth":1,"min_child_samples":20,"min_child_weight":0.001,"lambda":0}`,
			`"num_leaves":1024,"max_depth":10,"min_child_samples":20,"min_child_weight":0.001,"lambda":0.25}`},
		{XGB(), `{"rounds":100,"learning_rate":0.3,"max_depth":6,"min_child_weight":1,"lambda":1}`, 25,
			`"learning_rate":1,"max_depth":1,"min_child_weight":1,"lambda":1}`, `"learning_rate":0.01,"max_depth":5,"min_child_weight":1,"lambda":1}`},
	} {
		if got := string(c.spec.Defaults()); got != c.defaults {
			t.Errorf("%s: defaults %s, want %s", c.spec.Name, got, c.defaults)
		}
		points, err := c.spec.Settings(sh, c.spec.DefaultGrid(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) != c.points || !strings.HasSuffix(string(points[0]), c.first) || !strings.HasSuffix(string(points[len(points)-1]), c.last) {
			t.Errorf("%s: %d points from %s to %s, want %d from %s to %s", c.spec.Name, len(points), points[0], points[len(points)-1], c.points, c.first, c.last)
		}
	}
}

// Feature 0 of the drawn sample, which alone decides in part, is used.
func TestLooks(t *testing.T) {
	for _, spec := range []registry.Spec{LGBM(), XGB()} {
		t.Run(spec.Name, func(t *testing.T) { treetest.Looks(t, spec, `{"rounds":10}`, true) })
	}
}
