package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// runImportScores counts and stores test scores of a method that another program computed.
func runImportScores(ctx context.Context, a *app, path, protocolName string, of admit.Elsewhere) error {
	if err := wording.CheckName(of.Method); err != nil {
		return usage("--as: %w", err)
	}
	if _, taken := a.reg.Taken(of.Method); taken != "" && !strings.EqualFold(taken, of.Method) {
		return usage("--as: the name %+q looks like %s; give another", of.Method, taken)
	}
	if of.Version == "" {
		return usage("--version is empty; give one")
	}
	f, size, err := files.Open(path)
	if err != nil {
		return usageError(err)
	}
	defer f.Close()
	scores, err := admit.ReadScores(io.LimitReader(f, size))
	if err != nil {
		return usage("%s: %w", path, err)
	}
	exp, err := a.experiment(cmp.Or(protocolName, defaultProtocol))
	if err != nil {
		return err
	}
	if scores, err = scoredSets(ctx, a, scores); err != nil {
		return usage("%s: %w", path, err)
	}
	of.File = filepath.Base(path)
	runs, err := admit.OfScores(ctx, exp, of, scores)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	fresh, err := notStored(ctx, db, runs)
	if err != nil {
		return err
	}
	put, end := newImporter(ctx, a, db)
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
	a.say("%s: %s of %s imported, %d stored already", of.File, plural(len(fresh), "cell"), of.Method,
		len(runs)-len(fresh))
	a.err.noteUnsigned(of, runs, scores)
	return nil
}

// noteUnsigned says where scores of two classes look like probabilities and were not read as such, or all have one
// sign.
func (m *messages) noteUnsigned(of admit.Elsewhere, runs []result.Run, scores admit.Scores) {
	var sets, sided []string
	for _, r := range runs {
		class, area, is := metric.OneSided(r.Score)
		switch {
		case slices.Contains(sets, r.Dataset) || slices.Contains(sided, r.Dataset):
		case r.Task == registry.Binary.String() && scores.Unsigned(r.Dataset) && !of.Probabilities:
			sets = append(sets, r.Dataset)
		case is:
			sided = append(sided, r.Dataset)
			m.say("note: %s on %s, split %d: "+oneSided, of.Method, r.Dataset, r.Split, class, 100*area)
		}
	}
	if len(sets) > 0 {
		m.say("note: all scores of %s lie in [0, 1], so that every row counts as class +1; if they are "+
			"probabilities, import them with --scores probability and another --version", strings.Join(sets, ", "))
	}
}

// scoredSets returns the scores by the sets' names in the catalogue. A file of scores names a user's own set by its
// TOML file, or by its name where the database knows it.
func scoredSets(ctx context.Context, a *app, scores admit.Scores) (admit.Scores, error) {
	lookup, _, err := namesHere(ctx, a)
	if err != nil {
		return nil, err
	}
	out := admit.Scores{}
	for name, splits := range scores {
		e, err := lookup(name)
		switch {
		case err != nil:
			return nil, err
		case out[e.Name] != nil:
			return nil, fmt.Errorf("two names in its column dataset are of set %s", e.Name)
		}
		out[e.Name] = splits
	}
	return out, nil
}

// namesHere returns a function that finds a set by its name in the catalogue or the database, or by its TOML file, and
// the protocols of the database.
func namesHere(ctx context.Context, a *app) (set func(name string) (*catalogue.Entry, error),
	protocols map[string]store.StoredProtocol, err error) {
	db, err := a.readerIfAny(ctx)
	if db == nil {
		return a.set, nil, err
	}
	defer db.Close()
	stored, err := a.storedSets(ctx, db)
	if err == nil {
		protocols, err = db.Protocols(ctx)
	}
	return func(name string) (*catalogue.Entry, error) {
		if strings.HasSuffix(name, ".toml") {
			return a.set(name)
		}
		return stored.Entry(name)
	}, protocols, databaseError(err)
}

// notStored returns the runs that the database does not hold yet. A run that it holds with the same scores is left out,
// and the stored run is the result of its cell again. It is an error if the database holds other scores under a run's
// key.
func notStored(ctx context.Context, db *store.DB, runs []result.Run) ([]result.Run, error) {
	known, err := db.Keys(ctx)
	if err != nil {
		return nil, databaseError(err)
	}
	var fresh []result.Run
	var revived []string
	for _, r := range runs {
		k, stored := known[r.Key]
		switch {
		case !stored:
			fresh = append(fresh, r)
		case k.ScoresHash != r.ScoresHash:
			return nil, usage("%s on %s, split %d, is stored with other scores; nothing is imported, give these "+
				"another --version", r.Method, r.Dataset, r.Split)
		case !k.Current: // another version of the method has replaced it since
			revived = append(revived, r.Key)
		}
	}
	return fresh, db.MakeCurrent(ctx, revived)
}
