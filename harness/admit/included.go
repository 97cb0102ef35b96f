package admit

import (
	"context"
	"errors"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/store"
)

// Included stores the results of h's protocol that come with the program in a new database at path. It returns false
// if there are none. Results of an earlier version of a method are taken, too: they stand for their cells, since no
// others do.
func Included(ctx context.Context, h *plan.Experiment, path string) (in Import, there bool, err error) {
	name := h.Protocol.Name
	runs, err := reference.Runs(name)
	if err != nil || len(runs) == 0 {
		return in, false, err
	}
	db, err := store.Open(ctx, path)
	if err != nil {
		return in, true, err
	}
	w := db.NewWriter(environment.Current(), nil)
	w.Trouble = func(store.Trouble) { w.Abandon() } // results that cannot be stored here can be read again
	defer context.AfterFunc(ctx, w.Abandon)()
	in, err = Runs(ctx, h, OfBundle(name+".bench", runs), map[string]store.Known{}, db, w.Put)
	return in, true, errors.Join(err, w.Close(), db.Close())
}
