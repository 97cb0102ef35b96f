package harness

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/near"
	"github.com/kernelboosting/bench/registry"
)

//go:embed protocols/*.toml
var protocolFiles embed.FS

// resultsVersion is part of every cell's key. Raise it when the harness itself
// (splits, standardising, selection) or what all methods draw from (registry/rng)
// comes to give other numbers.
const resultsVersion = 2

// Semantics is the part of a protocol that decides results. Split s draws from
// NumPy's generator seeded with s: see NewSplit.
type Semantics struct {
	TestFraction float64 `toml:"test_fraction" json:"test_fraction"`
	Folds        int     `toml:"folds" json:"folds"`
	MethodSeed   uint32  `toml:"method_seed" json:"method_seed"`
	Standardise  bool    `toml:"standardise" json:"standardise"`
}

// A Protocol says how methods are compared: splits, folds, seeds, the sets and
// columns of its table, and the grids where they differ from the methods' own.
// It is a TOML file; the built-in ones are in harness/protocols.
type Protocol struct {
	Name      string                    `toml:"-"`
	Path      string                    `toml:"-"` // of the TOML file it was read from; "" for a built-in one
	Text      string                    `toml:"-"` // the TOML itself
	Title     string                    `toml:"title"`
	Source    string                    `toml:"source"`
	Published string                    `toml:"published"` // source key of the published table to compare with
	Splits    int                       `toml:"splits"`
	Datasets  []string                  `toml:"datasets"`
	Apart     []string                  `toml:"apart"`
	Columns   []string                  `toml:"columns"`
	Semantics Semantics                 `toml:"semantics"`
	Methods   map[string]MethodSettings `toml:"methods"`
}

// MethodSettings replaces a method's parameters and grid within a protocol.
type MethodSettings struct {
	Params map[string]any `toml:"params"`
	Grid   registry.Grid  `toml:"grid"`
}

// ProtocolNames lists the built-in protocols.
func ProtocolNames() []string {
	files, err := protocolFiles.ReadDir("protocols")
	if err != nil {
		panic(err) // the directory is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	return names
}

// LoadProtocol returns a built-in protocol by name, or reads one from a path that
// ends in .toml; its name is then the file's.
func LoadProtocol(name string) (*Protocol, error) {
	var raw []byte
	var err error
	path := ""
	if strings.HasSuffix(name, ".toml") {
		path = name
		raw, err = os.ReadFile(name)
		name = strings.TrimSuffix(filepath.Base(name), ".toml")
		if err == nil && slices.Contains(ProtocolNames(), name) {
			err = fmt.Errorf("the name %q belongs to a built-in protocol; rename the file", name)
		}
	} else {
		raw, err = protocolFiles.ReadFile("protocols/" + name + ".toml")
		if err != nil {
			known := "known: " + strings.Join(ProtocolNames(), ", ")
			if meant := near.Names(name, ProtocolNames()); meant != nil {
				known = "did you mean " + strings.Join(meant, " or ") + "?"
			}
			err = fmt.Errorf("no protocol is named %q; %s (or the path of a .toml file: docs/protocols.md)", name, known)
		}
	}
	if err != nil {
		return nil, err
	}
	p, err := parseProtocol(name, raw)
	if err == nil {
		p.Path = path
	}
	return p, err
}

func parseProtocol(name string, raw []byte) (*Protocol, error) {
	p := &Protocol{Name: name, Text: string(raw)}
	meta, err := toml.NewDecoder(bytes.NewReader(raw)).Decode(p)
	if err != nil {
		return nil, fmt.Errorf("protocol %s: %w", name, err)
	}
	for _, key := range meta.Undecoded() {
		// Inside params and values stand the methods' own names, which Settings checks.
		if !slices.Contains(key, "params") && !slices.Contains(key, "values") {
			return nil, fmt.Errorf("protocol %s: unknown key %q", name, key)
		}
	}
	s := p.Semantics
	switch {
	case p.Splits < 1:
		err = fmt.Errorf("splits = %d; it must be at least 1", p.Splits)
	case !(s.TestFraction > 0 && s.TestFraction < 1):
		err = fmt.Errorf("semantics.test_fraction = %g; it must lie between 0 and 1", s.TestFraction)
	case s.Folds < 2:
		err = fmt.Errorf("semantics.folds = %d; it must be at least 2", s.Folds)
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
// the same splits, folds and seeds.
func (p *Protocol) Hash() string {
	return hashJSON(struct {
		Semantics
		Results int `json:"results_version"`
	}{p.Semantics, resultsVersion})
}

// grid is a method's grid under the protocol.
func (p *Protocol) grid(spec registry.Spec) registry.Grid {
	if m := p.Methods[spec.Name]; m.Grid != nil {
		return m.Grid
	}
	return spec.DefaultGrid()
}

// Settings returns a method's grid points under the protocol.
func (p *Protocol) Settings(spec registry.Spec, sh registry.Shape) ([]json.RawMessage, error) {
	grid, fixed := p.grid(spec), json.RawMessage(nil)
	if m, ok := p.Methods[spec.Name]; ok {
		if m.Params != nil {
			raw, err := json.Marshal(m.Params)
			if err != nil {
				return nil, fmt.Errorf("protocol %s: %w", p.Name, err)
			}
			fixed = raw
		}
	}
	points, err := spec.Settings(sh, grid, fixed)
	if err != nil {
		return nil, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	return points, nil
}

// Resolve spells the methods of [methods.NAME] as the registry does, ignoring case.
// A name that it does not know is an error in a user's own file; a built-in
// protocol may name methods that a smaller registry lacks.
func (p *Protocol) Resolve(reg registry.Registry) error {
	resolved := map[string]MethodSettings{}
	for name, settings := range p.Methods {
		spec, err := reg.Lookup(name)
		switch {
		case err == nil:
			resolved[spec.Name] = settings
		case slices.Contains(ProtocolNames(), p.Name):
		default:
			return fmt.Errorf("protocol %s: [methods.%s]: %w", p.Name, name, err)
		}
	}
	p.Methods = resolved
	return nil
}

// ResolveSets reads the TOML files among the protocol's data sets, whose paths are
// relative to the protocol's file, into the catalogue, and names those sets as they
// name themselves.
func (p *Protocol) ResolveSets(c *datasets.Catalogue) error {
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

// hashJSON returns the first 16 bytes of the SHA-256 of v's JSON, in hex.
func hashJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain structs are hashed
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
