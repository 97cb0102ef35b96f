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

// A Shard is a share of a request, computed into a database of its own: share Number, counted from 1, of Of
// shares. The zero value is the whole request.
type Shard struct{ Number, Of int }

// maxShards is more than any cluster needs.
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
		return Shard{}, fmt.Errorf("shard %q: write the number of the share and how many there are, as 3/40; shares "+
			"are numbered from 1 to %d at most", text, maxShards)
	}
	return Shard{k, n}, nil
}

// A dealing says which cells of a request belong to a shard.
type dealing struct {
	Shard
	Cells int    // of all shards
	List  string // a hash of the keys of these cells; all shards of one request have the same hash
	own   map[string]bool
}

func (d *dealing) has(c *Cell) bool { return d == nil || d.own[c.Spec.Key] }

// deal divides the cells of a request among shards. It returns nil if there is one shard. Each cell goes to
// exactly one shard. The division depends on the costs of the reference run alone, not on what a database holds or a
// machine measured. The costliest cell is dealt first, each cell to the shard with the smallest load so far. So shards
// end together if these costs are right. Cells of methods that the reference run does not have are dealt separately, by
// their work. A cell that the policy leaves out weighs nothing.
func (s Shard) deal(pairs []pair, policy Policy, maxCell time.Duration) *dealing {
	if s.Of <= 1 {
		return nil
	}
	declared, limits := NewForecast(nil), Limits{MaxCell: maxCell}
	type weighed struct {
		key  string
		cost float64
	}
	var all [2][]weighed // cells with costs of the reference run, and without
	var keys []string
	for _, p := range pairs {
		for _, c := range p.cells {
			w, at := weighed{c.Spec.Key, declared.Seconds(c)}, 0
			need := Resources{Jobs: 1, Seconds: w.cost, Bytes: c.Memory + c.SetBytes}
			if _, out := policy.LeaveOut(c, need, limits); out {
				w.cost = 0
			}
			if c.Spec.Cost == 0 {
				w.cost, at = c.Work, 1
			}
			all[at] = append(all[at], w)
			keys = append(keys, w.key)
		}
	}
	d := &dealing{Shard: s, Cells: len(keys), own: map[string]bool{}}
	slices.Sort(keys)
	d.List = fmt.Sprintf("%.4x", sha256.Sum256([]byte(strings.Join(keys, " "))))
	for _, cells := range all {
		slices.SortFunc(cells, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.key, b.key))
		})
		loads := make([]float64, s.Of)
		for i, w := range cells {
			least := i % s.Of // shards with equal loads take turns
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
