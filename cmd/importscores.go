package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
)

// importScores counts and stores test scores of a method that another program computed.
func (a *app) importScores(ctx context.Context, path, protocolName, method, version string) error {
	if err := wording.CheckName(method); err != nil {
		return usage("--as: %w", err)
	}
	if version == "" {
		return usage("--version is empty; give one")
	}
	f, err := os.Open(path)
	if err != nil {
		return refused(err)
	}
	defer f.Close()
	scores, err := admit.ReadScores(f)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	h, err := a.harness(cmp.Or(protocolName, defaultProtocol))
	if err != nil {
		return err
	}
	runs, err := admit.OfScores(ctx, h, method, version, filepath.Base(path), scores)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	fresh, err := a.notStored(ctx, db, runs)
	if err != nil {
		return err
	}
	put, end := a.importer(ctx, db)
	for _, r := range fresh {
		if err == nil {
			err = put(r)
		}
	}
	if stored := end(); stored != nil {
		err = stored
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s: %s of %s imported, %d stored already\n", filepath.Base(path), plural(len(fresh), "cell"), method, len(runs)-len(fresh))
	return nil
}

// notStored returns the runs that the database does not hold yet. A run that it holds with the same scores is left out,
// and the stored run stands for its cell again. It is an error if the database holds other scores under a run's key.
func (a *app) notStored(ctx context.Context, db *store.DB, runs []result.Run) ([]result.Run, error) {
	known, err := db.Keys(ctx)
	if err != nil {
		return nil, unreadable(err)
	}
	var fresh []result.Run
	var revived []string
	for _, r := range runs {
		k, stored := known[r.Key]
		switch {
		case !stored:
			fresh = append(fresh, r)
		case k.ScoresHash != r.ScoresHash:
			return nil, usage("%s on %s, split %d, is stored with other scores; nothing is imported, give these another --version", r.Method, r.Dataset, r.Split)
		case !k.Current: // another version of the method has replaced it since
			revived = append(revived, r.Key)
		}
	}
	return fresh, db.MakeCurrent(ctx, revived)
}
