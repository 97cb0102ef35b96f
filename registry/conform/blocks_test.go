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

func TestAGoodUseOfBlocksPasses(t *testing.T) {
	Blocks(t, spec(pooled, registry.Blocks[params]()))
}

func init() {
	type entry = struct {
		spec  func() registry.Spec
		check string
	}
	bad["does not use its blocks"] = entry{func() registry.Spec { return spec(centroids, registry.Blocks[params]()) }, "binary"}
	bad["counts blocks"] = entry{func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			p.Shift += float64(len(d.Blocks))
			return pooled(ctx, env, d, p)
		}, registry.Blocks[params]())
	}, "binary"}
	bad["estimates less for blocks"] = entry{func() registry.Spec {
		return spec(pooled, registry.Blocks[params](), registry.Memory(func(s registry.Shape, _ params) int64 {
			return int64(1 - len(s.Blocks))
		}))
	}, "binary"}
}
