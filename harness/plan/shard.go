package plan

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Shard is one of several shares of a request, each computed into a database of its own: number Number, from 1, of Of. The zero value is
// the whole request.
type Shard struct{ Number, Of int }

// maxShards is more than any cluster of machines that share nothing but files needs.
const maxShards = 100000

// ParseShard reads "3/40". The empty text is the whole request.
func ParseShard(text string) (Shard, error) {
	if text == "" {
		return Shard{}, nil
	}
	number, of, _ := strings.Cut(text, "/")
	k, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || k < 1 || n < k || n > maxShards {
		return Shard{}, fmt.Errorf("shard %q: write the number of the share and how many there are, as 3/40; shares are numbered from 1", text)
	}
	return Shard{k, n}, nil
}

// A dealing is which cells of a request are those of a shard.
type dealing struct {
	Shard
	Cells int    // of all shards
	List  string // a hash of the keys of these cells: shards of one request have the same
	own   map[string]bool
}

// has tells whether a cell is the shard's.
func (d *dealing) has(c *Cell) bool { return d == nil || d.own[c.Spec.Key] }

// deal divides the cells of a request among shards, nil where there is one. Each cell is in one shard, whatever a database holds and a machine has
// measured: cells are dealt by their declared costs alone, the costliest first, each to the shard with the least by then. Shards end together as far
// as declared costs are right. Cells of methods that declare none are dealt by themselves, by rows times features. Cells that exceed maxCell by
// declared costs weigh nothing, since they are skipped.
func (s Shard) deal(pairs []pair, maxCell time.Duration) *dealing {
	if s.Of <= 1 {
		return nil
	}
	declared, limits := NewForecast(nil), Limits{MaxCell: maxCell}
	type weighed struct {
		key  string
		cost float64
	}
	var all [2][]weighed // cells with declared costs, and without
	var keys []string
	for _, p := range pairs {
		for _, c := range p.cells {
			w, at := weighed{c.Spec.Key, declared.Seconds(c)}, 0
			if limits.exceededBy(c, w.cost) != "" {
				w.cost = 0
			}
			if c.Guessed {
				at = 1
			}
			all[at] = append(all[at], w)
			keys = append(keys, w.key)
		}
	}
	d := &dealing{Shard: s, Cells: len(keys), own: map[string]bool{}}
	slices.Sort(keys)
	d.List = fmt.Sprintf("%.4x", sha256.Sum256([]byte(strings.Join(keys, " "))))
	for _, cells := range all {
		slices.SortFunc(cells, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.key, b.key)) })
		loads := make([]float64, s.Of)
		for i, w := range cells {
			least := i % s.Of // of equal loads, such as of cells that weigh nothing, each shard in turn
			for k := range loads {
				if loads[k] < loads[least] {
					least = k
				}
			}
			if loads[least] += w.cost; least == s.Number-1 {
				d.own[w.key] = true
			}
		}
	}
	return d
}
