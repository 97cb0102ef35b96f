package cmd

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/store"
)

// A setNow is a data set as it is described and lies on disk at this moment.
type setNow struct {
	fingerprint string
	file        string // of its data, to name it to people
	toml        string // of a user's own set; "" for a built-in one
}

// dataNow tells of stored data sets what they are now. Those of a user's own are found
// by the file that described them when they were run last.
type dataNow struct {
	app   *app
	files map[string]string // TOML files by name
	known map[string]setNow // "" as fingerprint: it cannot be told
}

func (a *app) dataNow(ctx context.Context, db *store.DB) (*dataNow, error) {
	files, err := db.SetFiles(ctx)
	if err != nil {
		return nil, err
	}
	return &dataNow{a, files, map[string]setNow{}}, nil
}

// entry returns the description of a stored set, or nil if it cannot be found any more.
func (d *dataNow) entry(name string) *datasets.Entry {
	if e, err := d.app.sets.Lookup(name); err == nil {
		return e
	}
	if path := d.files[name]; path != "" {
		if e, err := d.app.sets.Add(path); err == nil && e.Name == name {
			return e
		}
	}
	return nil
}

// of returns a set as it is now, and false where that cannot be told: its files are not
// here.
func (d *dataNow) of(name string) (setNow, bool) {
	now, seen := d.known[name]
	if !seen {
		if e := d.entry(name); e != nil {
			now.fingerprint, _ = d.app.store().Fingerprint(e) // "" where the files are missing
			now.file = filepath.Base(e.DataFiles()[0].Path)
			now.toml = shortPath(e.File())
		}
		d.known[name] = now
	}
	return now, now.fingerprint != ""
}

// shortPath is a path as one would type it here: relative below the working directory.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil || path == "" {
		return path
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, full); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return full
}

// noteChangedData says of which sets of a plan cells of other data are stored.
func (a *app) noteChangedData(ctx context.Context, db *store.DB, plan *harness.Plan) error {
	names, err := db.DataNames(ctx)
	if err != nil {
		return err
	}
	for _, dataset := range slices.Sorted(maps.Keys(plan.Data)) {
		for _, n := range names {
			if n.Dataset == dataset && n.Fingerprint != plan.Data[dataset] {
				fmt.Fprintf(a.err, "%s changed: %s stored under this name of data %.8s, it is %.8s now; status and reports leave them out\n",
					dataset, areCells(n.Cells), n.Fingerprint, plan.Data[dataset])
			}
		}
	}
	return nil
}

func areCells(n int) string {
	if n == 1 {
		return "1 cell is"
	}
	return fmt.Sprintf("%d cells are", n)
}
