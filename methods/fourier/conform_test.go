package fourier

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

func all() []registry.Spec {
	return []registry.Spec{SQLSKL(), SKL(), SQLSQRMKL(), SQLMKL(), MKL(), SQLMKLJoint(), MKLJoint()}
}

func TestConform(t *testing.T) {
	for _, spec := range all() {
		t.Run(spec.Name, func(t *testing.T) {
			if spec.Name == MKLJoint().Name && !testenv.Thorough(t) {
				spec.Tasks = registry.Binary // its other tasks take as long as all other methods together, and RFF-SQL-MKL-JOINT has them
			}
			conform.Run(t, spec)
			t.Run("blocks", func(t *testing.T) { conform.Blocks(t, spec) })
		})
	}
}
