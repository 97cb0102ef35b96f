package verify

import (
	"context"
	"errors"
	"iter"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/store"
)

// New stores results of h's protocol in a new database at path. Results of an earlier version of a method are taken,
// too: they are current, since their cells have no others.
func New(ctx context.Context, h *plan.Experiment, path string, sources iter.Seq2[Source, error]) (in Import,
	err error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return in, err
	}
	w := db.NewWriter(environment.Current(), nil)
	w.Trouble = func(store.Trouble) { w.Abandon() } // results that cannot be stored here can be read again
	defer context.AfterFunc(ctx, w.Abandon)()
	for src, failed := range sources {
		var one Import
		if failed == nil {
			one, failed = Runs(ctx, h, src, map[string]store.Known{}, db, w.Put)
			in.Add(one)
			w.Room()
		}
		err = errors.Join(err, failed)
	}
	return in, errors.Join(err, w.Close(), db.Close())
}
