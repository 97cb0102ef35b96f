package conform

import (
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// easy is data that every sensible method can learn.
func easy(task registry.Task, n, d int) registry.Data { return toydata.Easy(task, n, d, seed) }
