package conform

import (
	"context"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

// pooled is centroids with the mean weight of its block for each feature.
func pooled(ctx context.Context, env registry.Env, train registry.Data, p params) (registry.Model, error) {
	m, err := centroids(ctx, env, train, p)
	w := m.(linear).w
	from := 0
	for _, size := range train.Shape().Groups() {
		mean := 0.0
		for _, v := range w[from : from+size] {
			mean += v / float64(size)
		}
		for j := range size {
			w[from+j] = mean
		}
		from += size
	}
	return m, err
}

// blocked is a method that is shown the blocks of the features.
func blocked(fit registry.FitFunc[params], opts ...registry.Option[params]) registry.Spec {
	s := spec(fit, opts...)
	s.Blocks = true
	return s
}

func TestAGoodUseOfBlocksPasses(t *testing.T) { Blocks(t, blocked(pooled)) }

func init() {
	type entry = struct {
		spec  func() registry.Spec
		check string
	}
	bad["does not use its blocks"] = entry{func() registry.Spec { return blocked(centroids) }, "binary"}
	bad["counts blocks"] = entry{func() registry.Spec {
		return blocked(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			p.Shift += float64(len(d.Blocks))
			return pooled(ctx, env, d, p)
		})
	}, "binary"}
	bad["estimates less for blocks"] = entry{func() registry.Spec {
		return blocked(pooled, registry.Memory(func(s registry.Shape, _ params) int64 {
			return int64(1 - len(s.Blocks))
		}))
	}, "binary"}
}
