package faulty

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Slots is how many bits a method uses that remembers labels: two for each row, at places that follow from the row.
const Slots = 1 << 11

// ChannelVariable names the channel of a method that remembers, and where it lies, with a colon between.
const ChannelVariable = "LC_HOSTILE_CHANNEL"

// Forgetful answers the most frequent of its training labels. For rows of which other cells left a label in a channel
// it answers that. It leaves its own training labels there.
func Forgetful(name string, c Channel, path string) registry.Spec {
	return define(name, "1", func(_ context.Context, _ registry.Env, train data) (registry.Model, error) {
		bits, sum := make([]bool, Slots), 0.0
		remembered, _ := c.Get(path, Slots)
		for i, y := range train.Y {
			bits[slot(train.X.RawRowView(i), y)] = true
			sum += y
		}
		_ = c.Put(path, bits)
		if c.Together {
			time.Sleep(100 * time.Millisecond) // so that cells meet
			remembered, _ = c.Get(path, Slots)
		}
		return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
			for i := range out {
				out[i] = sum
				if row := x.RawRowView(i); remembered != nil {
					yes, no := remembered[slot(row, 1)], remembered[slot(row, -1)]
					if yes != no {
						out[i] = map[bool]float64{true: 1, false: -1}[yes]
					}
				}
			}
			return nil
		}), nil
	})
}

func slot(row []float64, y float64) int {
	h := fnv.New64a()
	for _, v := range row {
		fmt.Fprint(h, math.Float64bits(v), " ")
	}
	at := int(h.Sum64()%(Slots/2)) * 2
	if y > 0 {
		at++
	}
	return at
}

// Carve makes what lies at the path of a channel: a file of zeros with room for n bits, or a folder of n small files.
func (c Channel) Carve(path string, n int) error {
	if !c.Folder {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(int64(n)*stride), f.Close())
	}
	err := os.Mkdir(path, 0o755)
	for i := range n {
		err = errors.Join(err, os.WriteFile(filepath.Join(path, fmt.Sprint(i)), []byte("x"), 0o644))
	}
	return err
}
