package datasets

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"sync"
)

//go:embed catalogue/*.toml
var builtinFiles embed.FS

// A Catalogue is a set of entries with distinct names.
type Catalogue struct {
	entries map[string]*Entry // by lower-case name
}

var builtinEntries = sync.OnceValue(func() map[string]*Entry {
	c := &Catalogue{entries: map[string]*Entry{}}
	files, err := fs.Glob(builtinFiles, "catalogue/*.toml")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		raw, err := builtinFiles.ReadFile(file)
		if err != nil {
			panic(err)
		}
		e, err := decodeEntry(path.Base(file), raw, "")
		if err == nil {
			err = c.add(e)
		}
		if err != nil {
			panic("datasets: built-in catalogue: " + err.Error())
		}
	}
	return c.entries
})

// Builtin returns a new catalogue of the built-in entries.
func Builtin() *Catalogue {
	c := &Catalogue{entries: map[string]*Entry{}}
	for key, e := range builtinEntries() {
		c.entries[key] = e
	}
	return c
}

// Add reads a user's set from a TOML file and returns its entry. File paths in it
// are relative to the TOML file. A name that the catalogue already has is refused.
func (c *Catalogue) Add(tomlPath string) (*Entry, error) {
	e, err := readEntry(tomlPath)
	if err != nil {
		return nil, err
	}
	if err := c.add(e); err != nil {
		return nil, fmt.Errorf("%s: %w", tomlPath, err)
	}
	return e, nil
}

func (c *Catalogue) add(e *Entry) error {
	key := strings.ToLower(e.Name)
	if c.entries[key] != nil {
		return fmt.Errorf("a set named %q exists already; choose another name", e.Name)
	}
	if c.entries == nil {
		c.entries = map[string]*Entry{}
	}
	c.entries[key] = e
	return nil
}

// All returns the entries sorted by name.
func (c *Catalogue) All() []*Entry {
	out := make([]*Entry, 0, len(c.entries))
	for _, e := range c.entries {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Names returns the names of the entries, sorted.
func (c *Catalogue) Names() []string {
	var names []string
	for _, e := range c.All() {
		names = append(names, e.Name)
	}
	return names
}

// InProtocol returns the entries that list the protocol, by ascending number of
// rows, which is the order of the rows in the published tables.
func (c *Catalogue) InProtocol(protocol string) []*Entry {
	var out []*Entry
	for _, e := range c.All() {
		for _, p := range e.Protocols {
			if p == protocol {
				out = append(out, e)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Rows < out[j].Rows })
	return out
}

// Lookup finds an entry by name, ignoring case. The error names the nearest
// names, or all of them if none is near.
func (c *Catalogue) Lookup(name string) (*Entry, error) {
	if e := c.entries[strings.ToLower(name)]; e != nil {
		return e, nil
	}
	var near []string
	for _, known := range c.Names() {
		if isNear(strings.ToLower(name), strings.ToLower(known)) {
			near = append(near, known)
		}
	}
	if len(near) > 0 {
		return nil, fmt.Errorf("no data set is named %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return nil, fmt.Errorf("no data set is named %q; known: %s", name, strings.Join(c.Names(), ", "))
}

// isNear reports whether a contains b, or b a, or few edits turn one into the other.
func isNear(a, b string) bool {
	if len(a) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	return editDistance(a, b) <= max(1, len(b)/4)
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
