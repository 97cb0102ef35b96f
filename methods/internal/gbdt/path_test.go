package gbdt

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
)

func paperGrid(rounds int) []LeafwiseParams {
	var out []LeafwiseParams
	for depth := 1; depth <= 10; depth++ {
		for _, l2 := range []float64{0, 1. / 32, 1. / 16, 1. / 8, 1. / 4} {
			p := lightgbmDefaults
			p.Rounds, p.MaxDepth, p.NumLeaves, p.L2 = rounds, depth, 1<<depth, l2
			out = append(out, p)
		}
	}
	return out
}

// A path is single fits, bit for bit, whatever is shared.
func TestPathEqualsSingleFits(t *testing.T) {
	for _, s := range []*sample{drawn(registry.Binary, 150, 3, 2, 1), drawn(registry.Binary, 700, 4, 2, 1),
		drawn(registry.Multiclass, 300, 3, 3, 1), drawn(registry.Regression, 300, 3, 0, 1)} {
		ps := append(paperGrid(12), lightgbmDefaults)
		ds := must.Get(NewDataset(t.Context(), s.x, s.n, s.d, 20))(t)
		seen := 0
		err := LeafwisePath(t.Context(), ds, s.target(), ps, func(i int, m *Model) error {
			single, err := fitLeafwise(t.Context(), ds, s.target(), ps[i])
			if err != nil {
				return err
			}
			if !bytes.Equal(text(t, m), text(t, single)) {
				t.Errorf("%s, n=%d: the path's model of %+v is not the single fit's: %s", s.task, s.n, ps[i],
					difference(m, single))
			}
			seen++
			return nil
		})
		if err != nil || seen != len(ps) {
			t.Fatalf("%d of %d models, %v", seen, len(ps), err)
		}
	}
}

func TestPathStops(t *testing.T) {
	s := drawn(registry.Binary, 150, 3, 2, 1)
	ds := must.Get(NewDataset(t.Context(), s.x, s.n, s.d, 20))(t)
	stop := errors.New("stop")
	if err := LeafwisePath(t.Context(), ds, s.target(), paperGrid(3),
		func(int, *Model) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error is %v, not the caller's", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := LeafwisePath(gone, ds, s.target(), paperGrid(3), func(int, *Model) error { return nil }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error is %v, not the context's", err)
	}
}
