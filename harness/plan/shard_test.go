package plan

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// Shards share the cells of a request out: each cell is in one shard, in the same whatever the order of methods and
// sets, all shards have the same list, and no shard has more than the mean load and one cell.
func TestShardsAreShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(2, 40).Draw(t, "shards")
		var pairs []pair
		total, largest := 0.0, 0.0
		for p := range rapid.IntRange(1, 20).Draw(t, "pairs") {
			var cells []*Cell
			seconds := math.Exp(rapid.Float64Range(-5, 9).Draw(t, "log of seconds"))
			for s := range rapid.IntRange(1, 20).Draw(t, "splits") {
				c := &Cell{Spec: runner.CellSpec{Key: fmt.Sprintf("%d-%d", p, s), Cost: 1e9 * seconds}}
				cells = append(cells, c)
				if seconds <= result.ForecastError*1800 {
					total, largest = total+seconds, max(largest, seconds)
				}
			}
			pairs = append(pairs, pair{cells: cells})
		}
		owners := map[string]int{}
		list := ""
		for k := 1; k <= of; k++ {
			if k%2 == 0 {
				pairs[0], pairs[len(pairs)-1] = pairs[len(pairs)-1], pairs[0]
			}
			d := Shard{k, of}.deal(pairs, Default, 30*time.Minute)
			if list == "" {
				list = d.List
			}
			if d.List != list || d.Cells != count(pairs) {
				t.Fatalf("shard %d has list %s of %d cells, the first %s", k, d.List, d.Cells, list)
			}
			load := 0.0
			for _, p := range pairs {
				for _, c := range p.cells {
					if d.has(c) {
						owners[c.Spec.Key]++
						if seconds := c.Spec.Cost / 1e9; seconds <= result.ForecastError*1800 {
							load += seconds
						}
					}
				}
			}
			if load > total/float64(of)+largest+1e-9*total {
				t.Fatalf("shard %d of %d has %g s, of %g s in all", k, of, load, total)
			}
		}
		for _, p := range pairs {
			for _, c := range p.cells {
				must.Be(t, owners[c.Spec.Key], 1, "cell")
			}
		}
	})
}

func count(pairs []pair) (n int) {
	for _, p := range pairs {
		n += len(p.cells)
	}
	return n
}

func TestParseShard(t *testing.T) {
	must.Be(t, must.Get(ParseShard("3/40"))(t), Shard{3, 40})
	for _, bad := range []string{"3", "0/4", "5/4", "-1/2", "a/b", "1/2/3", "1/0", "1/1000000"} {
		must.Say(t, must.Err(ParseShard(bad)), "as 3/40")
	}
}
