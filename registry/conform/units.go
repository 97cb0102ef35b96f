package conform

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// Far checks that a method learns from columns whose means are 2^33, about 10^10, standard deviations from zero, or
// says that it does not: by a logged warning, or by an error. There, squared distances of rows from inner products
// have lost all digits. Saved models and stages are checked, too.
func Far(t *testing.T, spec registry.Spec) {
	eachTask(t, spec, func(t *testing.T, s suite) {
		d := easy(s.task, 80, 3)
		raw := d.X.RawMatrix().Data
		for i := range raw {
			raw[i] += 1 << 33
		}
		var said bytes.Buffer
		warnings := slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn})
		env := registry.Env{Seed: seed, Log: slog.New(warnings)}
		best := math.Inf(-1)
		for _, raw := range s.few(t, d, 9) {
			m, err := spec.Fit(t.Context(), env, d, raw)
			if err != nil || said.Len() > 0 {
				return
			}
			if best = max(best, toydata.Goodness(d, score(t, m, d))); best < learned {
				continue
			}
			if _, saves := m.(registry.Saver); saves {
				must.Get(s.subject().Saved(m, d))(t)
			}
			if m, staged := m.(registry.Stager); staged {
				must.Get(s.subject().Stages(t.Context(), m, d))(t)
			}
			return
		}
		t.Errorf("with columns far from zero the best of a few settings reaches %.2f (accuracy or R2) "+
			"and no warning is logged; %v is asked: subtract the means of the columns first", best, learned)
	})
}

// Units checks that predictions of a regression have the unit of the targets: with targets times 2^-10, 2^10 and 2^20
// or plus a number, they are the same predictions times or plus the same. The targets are multiples of 2^-10, of a
// number of rows that is a power of two, so that what subtracts their mean and divides by their deviation has the
// same bits. A method that depends on the unit by its definition gives the reason as exempt, and it is an error if it
// need not.
func Units(t *testing.T, spec registry.Spec, exempt string) {
	if spec.Tasks&registry.Regression == 0 {
		return
	}
	s, d := suite{spec: spec, task: registry.Regression}, easy(registry.Regression, 64, 3)
	predictions := func(scale, shift float64, raw json.RawMessage) []float64 {
		in := d
		in.Y = make([]float64, len(d.Y))
		for i, y := range d.Y {
			in.Y[i] = float64(math.Round(y*1024)*scale)/1024 + shift
		}
		out := score(t, s.fit(t, in, raw), in)
		for i := range out {
			out[i] = (out[i] - shift) / scale
		}
		return out
	}
	worst, at := 0.0, ""
	for _, raw := range s.few(t, d, 4) {
		want := predictions(1, 0, raw)
		for _, unit := range [][2]float64{{0x1p-10, 0}, {0x1p10, 0}, {0x1p20, 0}, {1, 64}, {0x1p10, 0x1p16}} {
			for i, v := range predictions(unit[0], unit[1], raw) {
				if off := math.Abs(v - want[i]); off > worst {
					worst, at = off, string(raw)
				}
			}
		}
	}
	switch {
	case exempt == "" && worst > 1e-6:
		t.Errorf("%s: targets in another unit change a prediction by %.2g deviations of the targets", at, worst)
	case exempt != "" && worst <= 1e-6:
		t.Errorf("predictions have the unit of the targets; the method need not be exempt (%s)", exempt)
	}
}
