package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
)

// The defaults of --protocol and --db, which a command may leave out.
const (
	defaultProtocol = "suite"
	defaultDatabase = "results.db"
)

// invocation returns the `bench run` command for a protocol with this database and data. path is the protocol's file.
func (a *app) invocation(protocol, path string, splits int) frame.Invocation {
	v := frame.Invocation{Protocol: path, Splits: splits, Data: a.data}
	if path == "" && protocol != defaultProtocol {
		v.Protocol = protocol
	}
	if a.db != defaultDatabase && a.included == "" {
		v.Database = a.db
	}
	return v
}

// reportSource translates what is chosen for package frame.
func reportSource(a *app, f reportFlags, c choice, stored *storedSets) frame.Source {
	p := c.Protocol
	src := frame.Source{
		Protocol: frame.Protocol{
			Name: p.Name, Shown: p.Shown(), Others: p.Others(), Hash: p.Hash(),
			Metric: p.Semantics.Metric, Published: p.Published,
			PublishedNames: p.PublishedNames, Splits: p.Splits, Datasets: p.Datasets, Apart: p.Apart,
			Order: p.SortColumns, Sizes: p.Semantics.Splitter().Sizes, Once: p.Semantics.Splitter().Once,
			Fits: p.Semantics.TestsTrainingRows(),
		},
		Registry: aliasing{c.Registry, a}, Sets: stored, Methods: c.methods, Also: f.also, Datasets: c.typed,
		Exclude: c.exclude, Splits: c.splits, Folds: f.folds, Run: a.invocation(p.Shown(), p.Path, p.Splits),
	}
	if p.Sweep != nil {
		src.Protocol.Sweep = frame.Sweep{Name: p.Sweep.Name, Title: p.Sweep.Title, Datasets: p.Sweep.Datasets,
			Points: p.Points()}
	}
	return src
}

// storedSets knows the data sets of a database: those of the catalogue, and the
// user's own by the TOML files that they were run from. It is a frame.Sets.
type storedSets struct {
	app    *app
	files  map[string]string // TOML file by name of the set, as a command names it
	unread map[string]error  // files that no longer describe their set
}

func (a *app) storedSets(ctx context.Context, db *store.DB) (*storedSets, error) {
	files, err := db.SetFiles(ctx)
	for name, path := range files {
		files[name] = shortPath(path)
	}
	return &storedSets{a, files, map[string]error{}}, err
}

// File returns the TOML file of a user's set, "" for none.
func (s *storedSets) File(name string) string {
	if e, err := s.app.sets.Lookup(name); err == nil && !e.Local() {
		return ""
	}
	if file := s.files[name]; file != "" {
		return file
	}
	for known, file := range s.files {
		if strings.EqualFold(known, name) {
			return file
		}
	}
	return ""
}

// Entry looks a set up in the catalogue. If the set is missing there, it adds the user's own set of this name.
func (s *storedSets) Entry(name string) (*catalogue.Entry, error) {
	e, unknown := s.app.sets.Lookup(name)
	if unknown == nil {
		return e, nil
	}
	file := s.File(name)
	if file == "" {
		return nil, unknown
	}
	if err := s.unread[file]; err != nil {
		return nil, err
	}
	e, err := s.app.sets.Add(file)
	switch {
	case err != nil:
		err = fmt.Errorf("the file that described it cannot be read: %w", err)
	case !strings.EqualFold(e.Name, name):
		err = fmt.Errorf("%s describes a set named %s now", file, e.Name)
	default:
		return e, nil
	}
	s.unread[file] = err
	return nil, err
}

// Open reads the TOML file of a user's set, which describes it from now on.
func (s *storedSets) Open(path string) (*catalogue.Entry, error) {
	e, err := s.app.set(path)
	if err == nil {
		s.files[e.Name] = path
	}
	return e, err
}

// Now says what the files of a set hold now. It returns false if the files cannot be read.
func (s *storedSets) Now(name string) (frame.Data, bool) {
	e, err := s.Entry(name)
	if err != nil {
		return frame.Data{}, false
	}
	fingerprint, err := s.app.dataDir().Fingerprint(e)
	if err != nil {
		return frame.Data{}, false
	}
	if !e.Local() { // its checksums agree, so its files have not changed
		return frame.Data{Fingerprint: fingerprint, File: "the catalogue's reading of " + e.Name}, true
	}
	var files []string
	for _, f := range e.DataFiles() {
		files = append(files, f.Path)
	}
	return frame.Data{Fingerprint: fingerprint, File: strings.Join(files, ", ")}, true
}

// shortPath writes a path as a user would type it: relative if it is below the working directory.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
