package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/published"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
)

// printedFile is a file of values that others print.
type printedFile struct {
	path, source string
	replace      bool // no other value of the source is kept
}

// runImportPrinted stores the values of a file, or none of them, and lists values that contradict stored ones.
func runImportPrinted(ctx context.Context, a *app, file printedFile, conflicts *listing) error {
	switch {
	case file.source == "":
		return usage("--published needs --source \"...\": say where the values are printed")
	case len(file.source) > wording.MostName || wording.Spelled(file.source) != file.source:
		return usage("--source is too long, or holds what cannot be seen; use at most %d bytes", wording.MostName)
	case slices.ContainsFunc(published.Values(), func(v published.Value) bool { return v.Source == file.source }):
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
			i := slices.IndexFunc(values, func(v published.Value) bool {
				return v.Dataset == s.Dataset && v.Method == s.Method
			})
			conflicts.add(s.Dataset, s.Method, s.String(), values[i].String())
		}
		return exitError{exitIncomplete, fmt.Errorf("%s: %s otherwise in the database, so that nothing is imported; "+
			"take the file's with --replace, or give these another --source", name,
			counted(len(stored), "value of "+file.source, "is", "are"))}
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
func readPrinted(ctx context.Context, a *app, file printedFile) ([]published.Value, error) {
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
	values, err := admit.ReadPrinted(io.LimitReader(f, size), file.source, admit.Names{
		Set: func(name string) (string, error) {
			e, err := set(name)
			if err != nil {
				return name, err
			}
			return e.Name, nil
		},
		Method: func(name string) string {
			if i := slices.IndexFunc(a.reg.Names(), func(n string) bool { return strings.EqualFold(n, name) }); i >= 0 {
				return a.reg.Names()[i]
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
