// Package protocol says how methods are compared: how often the data is split and how,
// what selects, and which sets, columns and grids a table has.
//
// A [Protocol] is read from a TOML file, built in ([Load] by name) or a user's own (by
// path), and carries its text, so that [Parse] makes the same protocol of it in another
// process or another year. What decides results is its [Semantics], which [Protocol.Hash]
// identifies. docs/protocols.md explains every key. The package runs nothing.
package protocol

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/wording"
)

//go:embed *.toml
var builtin embed.FS

// resultsVersion is part of every cell's key. Raise it when the harness itself
// (splits, standardising, selection) or what all methods draw from (registry/rng)
// comes to give other numbers.
const resultsVersion = 2

// Semantics is the part of a protocol that decides results. Split s draws from
// NumPy's generator seeded with s: see [split.Splitter].
type Semantics struct {
	TestFraction float64 `toml:"test_fraction" json:"test_fraction"`
	Folds        int     `toml:"folds" json:"folds"`
	MethodSeed   uint32  `toml:"method_seed" json:"method_seed"`
	Standardise  bool    `toml:"standardise" json:"standardise"`

	// What was added since is left out of the hash where it says what was done before.
	Split       split.Kind `toml:"split" json:"split,omitempty"`               // how the test rows are chosen; "" for stratified
	Parts       int        `toml:"parts" json:"parts,omitempty"`               // of split = "kfold"
	Metric      string     `toml:"metric" json:"metric,omitempty"`             // that selects the grid point; "" for accuracy, and the mean squared error of regression
	ScaleTarget bool       `toml:"scale_target" json:"scale_target,omitempty"` // centre and scale the targets of regression by the training rows
	Rounds      []int      `toml:"rounds" json:"rounds,omitempty"`             // ascending: models that have rounds are tested after each of these too
	TestGrid    bool       `toml:"test_grid" json:"test_grid,omitempty"`       // every grid point is refitted and tested, for what the choice cost
	MethodSeeds int        `toml:"method_seeds" json:"method_seeds,omitempty"` // with how many seeds the chosen point is fitted and tested; 0 and 1 for one
	TrainRows   int        `toml:"train_rows" json:"train_rows,omitempty"`     // at most so many training rows are learned from; 0 for all
}

// What lies between the seeds of a cell, as many as splits may have numbers, and how many seeds it may have.
const (
	seedStep = 1_000_000
	maxSeeds = 1000
)

// Seeds returns the seeds with which a method is fitted to a split's training rows and tested, the first of
// which is that of its folds, too. It returns nil where that is MethodSeed alone. Seed k of split s is
// MethodSeed + (s - 1) + 1,000,000 (k - 1), modulo 2^32, so that splits and seeds are independent draws; but the first is
// MethodSeed for every split of a set whose rows are divided anew. testPart says whether the set has a test part of its own.
func (s Semantics) Seeds(split int, testPart bool) []uint32 {
	seeds := make([]uint32, max(1, s.MethodSeeds))
	for k := range seeds {
		seeds[k] = s.MethodSeed + uint32(split-1) + uint32(k)*seedStep
	}
	if !s.Splitter().Once(testPart) {
		seeds[0] = s.MethodSeed
	}
	if len(seeds) == 1 && seeds[0] == s.MethodSeed {
		return nil
	}
	return seeds
}

// Splitter returns how rows are divided.
func (s Semantics) Splitter() split.Splitter {
	return split.Splitter{Kind: s.Split, TestFraction: s.TestFraction, Parts: s.Parts, Folds: s.Folds, TrainRows: s.TrainRows}
}

// SplitterOf is Splitter for a method, which may learn from fewer rows than others.
func (p *Protocol) SplitterOf(method string) split.Splitter {
	s := p.Semantics.Splitter()
	s.TrainRows = cmp.Or(p.Methods[method].TrainRows, s.TrainRows)
	return s
}

// TestsItself reports whether the rows that are learned from are tested.
func (s Semantics) TestsItself() bool { return s.Split == split.All }

// check refuses what no cell can follow.
func (s Semantics) check() error {
	if err := s.Splitter().Check(); err != nil {
		return fmt.Errorf("semantics.%w", err)
	}
	if s.Metric != "" {
		if _, err := metric.Lookup(s.Metric); err != nil {
			return fmt.Errorf("semantics.metric: %w", err)
		}
	}
	if !slices.IsSorted(s.Rounds) || len(slices.Compact(slices.Clone(s.Rounds))) < len(s.Rounds) || len(s.Rounds) > 0 && s.Rounds[0] < 1 {
		return fmt.Errorf("semantics.rounds = %v; they must ascend from 1 on", s.Rounds)
	}
	if s.MethodSeeds < 0 || s.MethodSeeds > maxSeeds {
		return fmt.Errorf("semantics.method_seeds = %d; it must be 1 to %d", s.MethodSeeds, maxSeeds)
	}
	return nil
}

// A Protocol says how methods are compared: splits, folds, seeds, the sets and
// columns of its table, and the grids where they differ from the methods' own.
// It is a TOML file; the built-in ones lie beside this one.
type Protocol struct {
	Name           string                    `toml:"-"`
	Path           string                    `toml:"-"` // of the TOML file it was read from; "" for a built-in one
	Text           string                    `toml:"-"` // the TOML itself
	Title          string                    `toml:"title"`
	Source         string                    `toml:"source"`
	Published      string                    `toml:"published"`       // source key of the published table to compare with
	PublishedNames map[string]string         `toml:"published_names"` // what that source calls data sets that have another name here, by ours
	Splits         int                       `toml:"splits"`
	Datasets       []string                  `toml:"datasets"`
	Apart          []string                  `toml:"apart"`
	Columns        []string                  `toml:"columns"`
	Only           bool                      `toml:"only_columns"` // a run that names no methods takes those of Columns, not all
	Semantics      Semantics                 `toml:"semantics"`
	Methods        map[string]MethodSettings `toml:"methods"` // with the variants of Sweep
	Sweep          *Sweep                    `toml:"sweep"`   // nil for none

	series []string // of Sweep, in the order of Columns
}

// Names lists the built-in protocols.
func Names() []string {
	files, err := builtin.ReadDir(".")
	if err != nil {
		panic(err) // the directory is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	return names
}

// Load returns a built-in protocol by name, or reads one from a path that
// ends in .toml; its name is then the file's.
func Load(name string) (*Protocol, error) {
	var raw []byte
	var err error
	path := ""
	if strings.HasSuffix(name, ".toml") {
		path = name
		raw, err = os.ReadFile(name)
		name = strings.TrimSuffix(filepath.Base(name), ".toml")
		if err == nil && slices.Contains(Names(), name) {
			err = fmt.Errorf("the name %q belongs to a built-in protocol; rename the file", name)
		}
	} else {
		raw, err = builtin.ReadFile(name + ".toml")
		if err != nil {
			known := "known: " + strings.Join(Names(), ", ")
			if meant := wording.Suggest(name, Names()); meant != nil {
				known = "did you mean " + strings.Join(meant, " or ") + "?"
			}
			err = fmt.Errorf("no protocol is named %q; %s (or the path of a .toml file: docs/protocols.md)", name, known)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := wording.CheckName(name); err != nil {
		return nil, fmt.Errorf("the name of the protocol, which is its file's: %w", err)
	}
	p, err := Parse(name, raw)
	if err == nil {
		p.Path = path
	}
	return p, err
}

// Parse reads the TOML text of a protocol; its path is left empty.
func Parse(name string, raw []byte) (*Protocol, error) {
	p := &Protocol{Name: name, Text: string(raw)}
	meta, err := toml.NewDecoder(bytes.NewReader(raw)).Decode(p)
	if err != nil {
		return nil, fmt.Errorf("protocol %s: %w", name, err)
	}
	for _, key := range meta.Undecoded() {
		// Inside params and values stand the methods' own names, which Settings checks.
		if !slices.Contains(key, "params") && !slices.Contains(key, "values") {
			return nil, fmt.Errorf("protocol %s: %s", name, wording.UnknownTOMLKey(key.String(), p, "docs/protocols.md"))
		}
	}
	if p.Semantics.Split == split.Stratified { // the other way to say what is done without it
		p.Semantics.Split = ""
	}
	if m, err := metric.Lookup(p.Semantics.Metric); err == nil {
		p.Semantics.Metric = m.Name // one hash for every spelling
	}
	switch {
	case p.Splits < 1:
		err = fmt.Errorf("splits = %d; it must be at least 1", p.Splits)
	case p.Only && len(p.Columns) == 0 && p.Sweep == nil:
		err = errors.New("only_columns = true without columns; name the methods in columns")
	default:
		err = errors.Join(p.Semantics.check(), p.expandSweep())
	}
	for _, d := range p.Apart {
		if !slices.Contains(p.Datasets, d) {
			err = fmt.Errorf("apart names %q, which is not in datasets", d)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("protocol %s: %w", name, err)
	}
	return p, nil
}

// Hash identifies the semantics: two protocols with the same hash give a method
// the same splits, folds, seeds and selection.
func (p *Protocol) Hash() string {
	s := p.Semantics
	if s.Metric == "accuracy" || s.Metric == "mse" { // what is done without a name, where they can be asked for
		s.Metric = ""
	}
	if s.MethodSeeds == 1 {
		s.MethodSeeds = 0
	}
	return HashJSON(struct {
		Semantics
		Results int `json:"results_version"`
	}{s, resultsVersion})
}

// ResolveSets reads the TOML files among the protocol's data sets, whose paths are
// relative to the protocol's file, into the catalogue, and names those sets as they
// name themselves.
func (p *Protocol) ResolveSets(c *catalogue.Catalogue) error {
	for i, name := range p.Datasets {
		if !strings.HasSuffix(name, ".toml") {
			continue
		}
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(p.Path), path)
		}
		e, err := c.Add(path)
		if err != nil {
			return fmt.Errorf("protocol %s: datasets: %w", p.Name, err)
		}
		p.Datasets[i] = e.Name
		if at := slices.Index(p.Apart, name); at >= 0 {
			p.Apart[at] = e.Name
		}
	}
	for method, settings := range p.Methods {
		for set := range settings.On {
			if !slices.Contains(p.Datasets, set) {
				return fmt.Errorf("protocol %s: [methods.%s]: on names %q, which is not in datasets", p.Name, method, set)
			}
		}
	}
	return nil
}

// Column orders methods for tables: the protocol's columns first, then by name.
func (p *Protocol) Column(methods []string) []string {
	place := func(m string) int {
		if i := slices.Index(p.Columns, m); i >= 0 {
			return i
		}
		return len(p.Columns)
	}
	out := slices.Clone(methods)
	slices.SortFunc(out, func(a, b string) int {
		if pa, pb := place(a), place(b); pa != pb {
			return pa - pb
		}
		return strings.Compare(a, b)
	})
	return out
}

// HashJSON returns the first 16 bytes of the SHA-256 of v's JSON, in hex.
func HashJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain structs are hashed
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
