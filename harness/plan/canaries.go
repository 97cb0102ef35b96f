package plan

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// addCanary plans the canary of a foreign method on a data set. pair holds the requested cells of the method on
// the set. The cells of pair that will run are p.Cells[first:]. The canary copies one of the pair's splits and is
// placed somewhere in the second half of these cells. Its split, its labels and its place are drawn from the
// secret of the database and the key of the canary, so that a run that is killed and started again has the same
// canary. If a canary that ended ok is stored, none is planned. A canary that failed is run again.
func (p *Plan) addCanary(pair []*Cell, first int, secret []byte, known map[string]store.Known) {
	to := len(p.Cells) - first // the number of cells that may come before the canary
	if to == 0 || len(secret) == 0 {
		return
	}
	in := pair[0].Spec.Inputs
	in.Seed = "" // the seed is that of one split
	of := pair[0].Cell
	of.Split = 0
	key := protocol.HashJSON(struct {
		Canary runner.Cell
		Inputs runner.Inputs
	}{of, in})
	k := known[key]
	if k.Status == result.OK {
		return
	}
	from, least := pair[0], uint64(0)
	for i, c := range pair {
		if d := drawn(secret, key, fmt.Sprint("split ", c.Split)); i == 0 || d < least {
			from, least = c, d
		}
	}
	c := *from
	c.Early, c.Attempt = false, k.Attempt
	c.Spec.Key, c.Spec.Replace = key, false
	c.Spec.Canary = &runner.Canary{Seed: digest(secret, key, "labels")}
	ahead := 0
	if p.Cells[first].Early {
		ahead, to = 1, to-1
	}
	half := to / 2 // by then a method that remembers labels has seen some
	at := first + ahead + half + int(drawn(secret, key, "place")%uint64(to-half+1))
	p.Cells = append(p.Cells, nil)
	copy(p.Cells[at+1:], p.Cells[at:])
	p.Cells[at] = &c
}

// digest draws 32 bytes from a secret for one use of a canary.
func digest(secret []byte, key, use string) (sum [32]byte) {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "%s\x00%s", key, use)
	h.Sum(sum[:0])
	return sum
}

func drawn(secret []byte, key, use string) uint64 {
	sum := digest(secret, key, use)
	return binary.LittleEndian.Uint64(sum[:])
}
