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
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// printedFile is a file of values that others print.
type printedFile struct {
	path, source string
	replace      bool // no other value of the source is kept
}

// runImportPrinted stores the values of a file, or none of them, and lists values that contradict stored ones.
func runImportPrinted(ctx context.Context, a *app, file printedFile, conflicts *listing) error {
	switch {
	case strings.TrimSpace(file.source) == "":
		return usage("--published needs --source \"...\": say where the values are printed")
	case len(file.source) > wording.MostName || wording.Spelled(file.source) != file.source:
		return usage("--source is too long, or holds what cannot be seen; use at most %d bytes", wording.MostName)
	case slices.ContainsFunc(experiments.Values(), func(v experiments.Value) bool { return v.Source == file.source }):
		return usage("--source: the program has values of %s itself; name another", file.source)
	}
	values, err := readPrinted(ctx, a, file)
	if err != nil {
		return err
	}
	name := filepath.Base(file.path)
	if len(values) == 0 && !file.replace {
		return exitError{exitIncomplete, fmt.Errorf("%s: nothing is imported", name)}
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	fresh, stored, err := db.PutQuoted(ctx, file.source, values, file.replace)
	if err != nil {
		return databaseError(err)
	}
	if len(stored) > 0 && !file.replace {
		conflicts.header = []string{"dataset", "method", "stored", "imported"}
		for _, s := range stored {
			i := slices.IndexFunc(values, func(v experiments.Value) bool {
				return v.Dataset == s.Dataset && v.Method == s.Method
			})
			conflicts.add(s.Dataset, s.Method, s.String(), values[i].String())
		}
		return exitError{exitIncomplete, fmt.Errorf("%s: %s otherwise in the database, so that nothing is imported; "+
			"take the file's with --replace, which keeps no other value of %s, or give these another --source", name,
			counted(len(stored), "value of "+file.source, "is", "are"), file.source)}
	}
	kept := ""
	if file.replace {
		kept = "; no other value of it is kept"
	}
	a.say("%s: %s of %s imported, %d stored already%s", name, plural(fresh, "value"), file.source, len(values)-fresh,
		kept)
	return nil
}

// readPrinted reads the file and notes protocols that are not known here.
func readPrinted(ctx context.Context, a *app, file printedFile) ([]experiments.Value, error) {
	f, size, err := files.Open(file.path)
	if err != nil {
		return nil, usageError(err)
	}
	defer f.Close()
	set, stored, err := namesHere(ctx, a)
	if err != nil {
		return nil, err
	}
	var unknown []string
	values, err := verify.ReadPrinted(io.LimitReader(f, size), file.source, verify.Names{
		Set: func(name string) (string, error) {
			e, err := set(name)
			if err != nil {
				return name, err
			}
			return e.Name, nil
		},
		Method: func(name string) string {
			if spec, err := a.reg.Lookup(name); err == nil {
				return spec.Name
			}
			return name
		},
		Protocol: func(name string) (splits int, known bool) {
			if p, here := stored[name]; here {
				return p.Splits, true
			}
			if slices.Contains(protocol.Names(), name) {
				p, err := protocol.Load(name)
				return p.Splits, err == nil
			}
			if name != "" && !slices.Contains(unknown, name) {
				unknown = append(unknown, name)
			}
			return 0, false
		},
	})
	if err != nil {
		name := filepath.Base(file.path)
		return nil, usage("%s: %s", name, strings.ReplaceAll(err.Error(), "\n", "\n"+name+": "))
	}
	for _, name := range unknown {
		meant := ""
		if names := wording.Suggest(name, protocol.Names()); names != nil {
			meant = ": did you mean " + strings.Join(names, " or ") + "?"
		}
		a.say("note: %s is no protocol that is known here, so that reports say \"another protocol\"%s", name, meant)
	}
	return values, nil
}

func runImportScores(ctx context.Context, a *app, path, protocolName string, of verify.Elsewhere) error {
	if err := checkElsewhere(a, of); err != nil {
		return err
	}
	f, size, err := files.Open(path)
	if err != nil {
		return usageError(err)
	}
	defer f.Close()
	scores, err := verify.ReadScores(io.LimitReader(f, size))
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
	runs, err := verify.OfScores(ctx, exp, of, scores)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	cells, err := db.Cells(ctx)
	if err != nil {
		return err
	}
	for _, c := range cells { // reports find names in any case
		if c.Method != of.Method && strings.EqualFold(c.Method, of.Method) {
			return usage("--as: results of %s are stored here; write the name so, or give another", c.Method)
		}
	}
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

// checkElsewhere refuses names and versions that would be taken for others, or cannot be seen.
func checkElsewhere(a *app, of verify.Elsewhere) error {
	spec, taken := a.reg.Taken(of.Method)
	switch {
	case wording.CheckName(of.Method) != nil:
		return usage("--as: %w", wording.CheckName(of.Method))
	case taken != "" && spec.Name == "":
		return usage("--as: the name %+q is, or looks like, the group of methods %s; give another", of.Method, taken)
	case taken != "" && !strings.EqualFold(taken, of.Method):
		return usage("--as: the name %+q looks like %s; give another", of.Method, taken)
	case of.Version == "" || wording.Spelled(of.Version) != of.Version || strings.TrimSpace(of.Version) == "":
		return usage("--version %q is empty, or holds what cannot be seen; give another", of.Version)
	}
	return nil
}

// noteUnsigned says where scores of two classes look like probabilities and were not read as such, or all have one
// sign.
func (m *messages) noteUnsigned(of verify.Elsewhere, runs []result.Run, scores verify.Scores) {
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
func scoredSets(ctx context.Context, a *app, scores verify.Scores) (verify.Scores, error) {
	lookup, _, err := namesHere(ctx, a)
	if err != nil {
		return nil, err
	}
	out := verify.Scores{}
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
