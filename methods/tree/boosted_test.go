package tree

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestLGBMConforms(t *testing.T) { conform.Run(t, LGBM()) }

func TestXGBConforms(t *testing.T) { conform.Run(t, XGB()) }

func TestForestConforms(t *testing.T) { conform.Run(t, Forest()) }

func TestPrefixes(t *testing.T) {
	for _, spec := range []registry.Spec{LGBM(), XGB(), Forest()} {
		t.Run(spec.Name, func(t *testing.T) { conform.Prefixes(t, spec, "n_estimators") })
	}
}

// What the models tell about themselves adds up, and feature 0 of the drawn sample,
// which alone decides in part, is used.
func TestImportanceAndDump(t *testing.T) {
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		data := synthetic(task, 300, 4, 3)
		for _, spec := range []registry.Spec{LGBM(), XGB(), Forest()} {
			m := fitted(t, spec, data, `{"n_estimators":10}`).(interface {
				registry.Stager
				Importance() ([]int, []float64)
				Dump(t int, names []string) (string, error)
			})
			splits, gain := m.Importance()
			printed, trees := 0, 0
			for ; ; trees++ {
				text, err := m.Dump(trees, []string{"a", "b", "c", "d"})
				if err != nil {
					break
				}
				printed += strings.Count(text, "?")
			}
			sum := 0
			for _, n := range splits {
				sum += n
			}
			perRound := 1
			if task == registry.Multiclass && spec.Name != "RF" {
				perRound = 3
			}
			if trees != m.Rounds()*perRound || sum != printed || len(splits) != 4 || len(gain) != 4 || splits[0] == 0 || gain[0] <= 0 {
				t.Errorf("%s, %s: %d trees of %d rounds, %d splits printed, importances %v and %v", spec.Name, task, trees, m.Rounds(), printed, splits, gain)
			}
			if _, err := m.Dump(0, []string{"a"}); err == nil {
				t.Errorf("%s dumps with too few names", spec.Name)
			}
		}
	}
}
