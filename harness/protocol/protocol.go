// Package protocol says how methods are compared: how often and how the data is split, which metric selects
// grid points, and which sets, columns and grids a table has.
//
// A [Protocol] is read from a TOML file. The file is built in ([Load] by name) or a user's own (by path). A
// Protocol carries its text, so that [Parse] makes the same protocol from it in another process or another
// year. Its [Semantics] decides results, and [Protocol.Hash] identifies the Semantics. [Protocol.Fits] checks whether a
// cell of the protocol can end with a given run. docs/reference/protocols.md explains every key. The package runs
// nothing.
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

var protocolFiles = FileKind{What: "protocol", Doc: "docs/reference/protocols.md", Builtin: builtin}

// resultsVersion is part of every cell's key. Raise it when a change of the harness (splits, standardising,
// selection) or of the generator that all methods draw from (registry/rng) changes numbers.
const resultsVersion = 2

// Semantics is the part of a protocol that decides results. Split s draws from
// NumPy's generator seeded with s: see [split.Splitter].
type Semantics struct {
	TestFraction float64 `toml:"test_fraction" json:"test_fraction"`
	Folds        int     `toml:"folds" json:"folds"`
	MethodSeed   uint32  `toml:"method_seed" json:"method_seed"`
	Standardise  bool    `toml:"standardise" json:"standardise"`

	// A field that was added later is left out of the hash if its value means the earlier behaviour.
	Split split.Kind `toml:"split" json:"split,omitempty"` // how the test rows are chosen; "" for stratified
	Parts int        `toml:"parts" json:"parts,omitempty"` // the number of parts of split = "kfold"
	// Metric selects the grid point. "" means accuracy for classes, and the mean squared error for regression.
	Metric string `toml:"metric" json:"metric,omitempty"`
	// ScaleTarget centres and scales the targets of regression by the training rows.
	ScaleTarget bool `toml:"scale_target" json:"scale_target,omitempty"`
	// Rounds are ascending. Models that have rounds are tested after each of these rounds, too.
	Rounds []int `toml:"rounds" json:"rounds,omitempty"`
	// TestGrid refits and tests every grid point, to show what the choice of the grid point cost.
	TestGrid bool `toml:"test_grid" json:"test_grid,omitempty"`
	// MethodSeeds is the number of seeds with which the chosen grid point is fitted and tested; 0 and 1 mean
	// one seed.
	MethodSeeds int `toml:"method_seeds" json:"method_seeds,omitempty"`
	// TrainRows is the largest number of training rows that methods learn from; 0 means all.
	TrainRows int `toml:"train_rows" json:"train_rows,omitempty"`
}

const (
	seedStep  = 1_000_000 // the distance between the seeds of a cell, and so the largest number of splits
	maxSeeds  = 1000      // of a cell
	maxRounds = 1_000_000
)

// Seeds returns the seeds with which a method is fitted to a split's training rows and tested. The fits on the split's
// folds have the first seed. Seeds returns nil if MethodSeed is the only seed. Seed k of split s is MethodSeed +
// (s - 1) + 1,000,000 (k - 1), modulo 2^32, so that splits and seeds are independent draws. But if every split divides
// the rows anew, the first seed is MethodSeed for all splits. testPart says whether the set has a test part of its own.
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

// Splitter returns the splitter that divides the rows.
func (s Semantics) Splitter() split.Splitter {
	return split.Splitter{Kind: s.Split, TestFraction: s.TestFraction, Parts: s.Parts, Folds: s.Folds,
		TrainRows: s.TrainRows}
}

// SplitterOf returns the Splitter for one method, which may learn from fewer rows than other methods.
func (p *Protocol) SplitterOf(method string) split.Splitter {
	s := p.Semantics.Splitter()
	s.TrainRows = cmp.Or(p.Methods[method].TrainRows, s.TrainRows)
	return s
}

// TestsTrainingRows reports whether the training rows are among the test rows.
func (s Semantics) TestsTrainingRows() bool { return s.Split == split.All }

// check refuses semantics that no cell can follow.
func (s Semantics) check() error {
	if err := s.Splitter().Check(); err != nil {
		return fmt.Errorf("semantics.%w", err)
	}
	if s.Metric != "" {
		if _, err := metric.Lookup(s.Metric); err != nil {
			return fmt.Errorf("semantics.metric: %w", err)
		}
	}
	if n := len(s.Rounds); !slices.IsSorted(s.Rounds) || len(slices.Compact(slices.Clone(s.Rounds))) < n || n > 0 &&
		(s.Rounds[0] < 1 || s.Rounds[n-1] > maxRounds) {
		return fmt.Errorf("semantics.rounds = %v; they must ascend from 1 on, to at most %d", s.Rounds, maxRounds)
	}
	if s.MethodSeeds < 0 || s.MethodSeeds > maxSeeds {
		return fmt.Errorf("semantics.method_seeds = %d; it must be 1 to %d", s.MethodSeeds, maxSeeds)
	}
	return nil
}

// A Protocol says how methods are compared: splits, folds, seeds, the sets and columns of its table, and the grids that
// differ from the methods' own. It is read from a TOML file. The files of built-in protocols are in the folder of this
// package.
type Protocol struct {
	Name  string `toml:"-"`
	Path  string `toml:"-"` // the TOML file; "" for a built-in protocol
	Text  string `toml:"-"` // the text of the TOML file
	Title string `toml:"title"`
	// Like is the protocol of the program whose splits, grids and stored cells this one has, on other data sets. Parse
	// returns that protocol with the data sets of this one; its List is the name of this one.
	Like      string `toml:"like"`
	List      string `toml:"-"`
	Source    string `toml:"source"`
	Published string `toml:"published"` // key of the published source that results are compared with
	// PublishedNames maps the name of a data set to its name in that source, if the two differ.
	PublishedNames map[string]string `toml:"published_names"`
	Splits         int               `toml:"splits"`   // how many splits a table needs
	Datasets       []string          `toml:"datasets"` // the rows of the table
	Apart          []string          `toml:"apart"`    // those of Datasets that count in neither means nor ranks
	Columns        []string          `toml:"columns"`  // the methods of the first columns of the table

	// Only limits a run that names no methods to the methods of Columns.
	Only      bool                      `toml:"only_columns"`
	Semantics Semantics                 `toml:"semantics"`
	Methods   map[string]MethodSettings `toml:"methods"`
	// Sweep repeats methods at several values of one quantity; nil for none. Methods has its variants, too.
	Sweep *Sweep `toml:"sweep"`

	series []string // the names of Sweep's series, in the order of Columns
}

// Names lists the built-in protocols.
func Names() []string { return protocolFiles.Names() }

// Load returns a built-in protocol by name, or reads a protocol from a path that ends in .toml. In the second
// case the protocol has the name of the file.
func Load(asked string) (*Protocol, error) {
	name, path, raw, err := protocolFiles.Read(asked)
	if err != nil {
		return nil, err
	}
	p, err := Parse(name, raw)
	if err == nil {
		p.Path = path
	}
	return p, err
}

// Parse reads the TOML text of a protocol. It leaves Path empty.
func Parse(name string, raw []byte) (*Protocol, error) {
	p := &Protocol{Name: name, Text: string(raw)}
	meta, err := toml.NewDecoder(bytes.NewReader(raw)).Decode(p)
	if err != nil {
		return nil, fmt.Errorf("protocol %s: %w", name, err)
	}
	for _, key := range meta.Undecoded() {
		// Below params and values the keys are parameters of methods. GridPoints checks them.
		if !slices.Contains(key, "params") && !slices.Contains(key, "values") {
			return nil, fmt.Errorf("protocol %s: %s", name, wording.UnknownTOMLKey(key.String(), p,
				"docs/reference/protocols.md"))
		}
	}
	if p.Like != "" {
		return p.onOtherSets()
	}
	if p.Semantics.Split == split.Stratified { // "stratified" and "" mean the same
		p.Semantics.Split = ""
	}
	if m, err := metric.Lookup(p.Semantics.Metric); err == nil {
		p.Semantics.Metric = m.Name // so that every spelling has the same hash
	}
	switch {
	case p.Splits < 1 || p.Splits > seedStep:
		err = fmt.Errorf("splits = %d; it must be 1 to %d", p.Splits, seedStep)
	case p.Only && len(p.Columns) == 0 && p.Sweep == nil:
		err = errors.New("only_columns = true without columns; name the methods in columns")
	default:
		err = errors.Join(p.Semantics.check(), p.expandSweep())
	}
	for i, d := range p.Datasets {
		if slices.ContainsFunc(p.Datasets[:i], func(other string) bool { return strings.EqualFold(other, d) }) {
			err = fmt.Errorf("datasets names %q twice; name it once", d)
		}
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

// onOtherSets returns the protocol that p is like, with the data sets of p.
func (p *Protocol) onOtherSets() (*Protocol, error) {
	raw, err := builtin.ReadFile(p.Like + ".toml")
	if err != nil || !slices.Contains(Names(), p.Name) {
		return nil, fmt.Errorf("protocol %s: like = %q is for protocols of the program alone; copy what `bench "+
			"protocol show %s` prints", p.Name, p.Like, p.Like)
	}
	q, err := Parse(p.Like, raw)
	if err == nil {
		q.List, q.Title, q.Datasets, q.Apart = p.Name, p.Title, p.Datasets, nil
	}
	return q, err
}

// Shown is the name by which people ask for the protocol.
func (p *Protocol) Shown() string { return cmp.Or(p.List, p.Name) }

// Others returns the data sets of protocols of the program that share the cells of p, without those of p.
func (p *Protocol) Others() (others []string) {
	for _, name := range Names() {
		q, err := Load(name)
		if err == nil && q.Name == p.Name {
			others = append(others, q.Datasets...)
		}
	}
	slices.Sort(others)
	return slices.DeleteFunc(slices.Compact(others), func(set string) bool { return slices.Contains(p.Datasets, set) })
}

// Hash identifies the semantics. Protocols with the same hash give a method the same splits, folds, seeds and
// selection.
func (p *Protocol) Hash() string {
	s := p.Semantics
	if s.Metric == "accuracy" || s.Metric == "mse" { // the default has the same hash whether it is named or not
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

// ResolveSets reads the TOML files among the protocol's data sets into the catalogue and replaces their paths by the
// names in the files. Paths are relative to the protocol's file. Settings of methods for a set that is not among the
// data sets are an error.
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
		if slices.Contains(p.Datasets, e.Name) {
			return fmt.Errorf("protocol %s: datasets: %s describes the set %s, which is there already; name it once",
				p.Name, name, e.Name)
		}
		p.Datasets[i] = e.Name
		if at := slices.Index(p.Apart, name); at >= 0 {
			p.Apart[at] = e.Name
		}
	}
	for method, settings := range p.Methods {
		for set := range settings.On {
			if !slices.Contains(p.Datasets, set) {
				return fmt.Errorf("protocol %s: [methods.%s]: on names %q, which is not in datasets", p.Name, method,
					set)
			}
		}
	}
	return nil
}

// SortColumns sorts methods for tables: first the protocol's columns in their order, then the others by name.
func (p *Protocol) SortColumns(methods []string) []string {
	place := func(m string) int {
		if i := slices.Index(p.Columns, m); i >= 0 {
			return i
		}
		return len(p.Columns)
	}
	out := slices.Clone(methods)
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
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
