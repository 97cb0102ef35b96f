package admit

import (
	"context"
	"errors"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/store"
)

// Included stores the results of h's protocol that come with the program in a new database at path. Without any there is false.
func Included(ctx context.Context, h *plan.Experiment, path string) (in Import, there bool, err error) {
	name := h.Protocol.Name
	file, there, err := reference.File(name)
	if err != nil || !there {
		return in, there, err
	}
	runs, err := bundle.Read(file)
	if err != nil {
		return in, true, err
	}
	if in, err = Runs(ctx, h, runs, name+".bench", nil); err != nil {
		return in, true, err
	}
	db, err := store.Open(ctx, path)
	if err != nil {
		return in, true, err
	}
	w := db.NewWriter(environment.Current(), nil)
	w.Trouble = func(store.Trouble) { w.Abandon() } // what cannot be stored here can be read again
	defer context.AfterFunc(ctx, w.Abandon)()
	for _, r := range in.Runs {
		if err = w.Put(r); err != nil {
			break
		}
	}
	return in, true, errors.Join(err, w.Close(), db.Close())
}
