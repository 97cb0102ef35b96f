// Package catalogue describes data sets: which sets there are, which files each set has, and how the
// files become numbers.
//
// A set is described by data, not code: an [Entry], read from a TOML file. The
// entries of the published experiments are compiled in ([Builtin]); a user's own
// set is a TOML file of a few lines beside the data ([Catalogue.Add]):
//
//	name = "mydata"
//	file = "my.csv"
//	label = "class"
//	positive = ["yes"]
//
// or one of several in a folder ([Catalogue.AddFolder]).
//
// An Entry has a [Reading], and each [File] has its checksum. The numbers of a set depend on these
// alone, and [Entry.Fingerprint] hashes them. A [Description] takes an entry to another
// process. Where the published experiments read a damaged file, the damaged reading is the default,
// and the repaired one a variant with a name of its own ("australian", "australian-uci").
//
// A [Directory] finds the files of an entry and checks them (files.go), and makes those of generated sets (generate.go,
// published.go, large.go).
//
// The package gets no file from elsewhere (package fetch does) and does not interpret a file (package read does). A
// column that only the file can resolve, such as a range between two names, stays as it is written.
package catalogue

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// builtinGroups are names that stand for several sets, in the order of the published tables.
var builtinGroups = map[string][]string{
	"small15": {
		"wine", "sonar", "newthyroid", "heart", "bupa", "iono", "wdbc", "balance",
		"australian", "pima", "vehicle", "german", "splice", "spambase", "occupancy",
	},
	"toys": {"moons-100", "swiss-roll", "rings", "checkerboard"},
}

// A Kind is a group of the sets whose descriptions have a property. Its members have two classes and are measured: they
// are no variants of another set and not drawn by a generator, and are not fetched only where they are named.
type Kind struct {
	Name, Rule string // Rule says for people which sets are members
	has        func(*Entry) bool
}

// Kinds are the groups by property. The rules follow from the catalogue alone and not from results.
var Kinds = []Kind{
	{"small", "at most 1,000 rows", func(e *Entry) bool { return e.Rows > 0 && e.Rows <= 1000 }},
	{"wide", "at most 20 rows for each column", func(e *Entry) bool { return e.Rows > 0 && e.Rows <= 20*e.Features }},
	{"categorical", "categories as 0/1 columns, or at most four values in at least a third of the columns",
		func(e *Entry) bool { return len(e.Categorical) > 0 || e.Codes > 0 && 3*e.Codes >= e.Features }},
	{"included", "the program brings or makes their rows", func(e *Entry) bool {
		return e.Generated || slices.ContainsFunc(e.Files, e.Embedded)
	}},
}

// GroupNames returns the names that stand for several sets, sorted.
func (c *Catalogue) GroupNames() []string {
	names := slices.Collect(maps.Keys(builtinGroups))
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	names = slices.AppendSeq(names, maps.Keys(c.groups))
	slices.Sort(names)
	return slices.Compact(names)
}

// Group returns the sets that a name stands for, in upper or lower case, and false if it is no name of a group.
func (c *Catalogue) Group(name string) ([]string, bool) {
	for _, groups := range []map[string][]string{c.groups, builtinGroups} {
		for group, sets := range groups {
			if strings.EqualFold(group, name) {
				return sets, true
			}
		}
	}
	for _, k := range Kinds {
		if strings.EqualFold(k.Name, name) {
			sets := []string{}
			for _, e := range c.All() {
				drawn := e.Generated && e.Protocols == nil
				if e.Task == registry.Binary && e.VariantOf == "" && !drawn && !e.Named && k.has(e) {
					sets = append(sets, e.Name)
				}
			}
			return sets, true
		}
	}
	return nil, false
}

// Groups returns the names that stand for several sets, each with its sets. It reads every description.
func (c *Catalogue) Groups() map[string][]string {
	out := map[string][]string{}
	for _, name := range c.GroupNames() {
		out[name], _ = c.Group(name)
	}
	return out
}

//go:embed sets/*.toml
var builtinFiles embed.FS

// A Catalogue is a set of entries with distinct names.
type Catalogue struct {
	entries   map[string]named  // by lower-case name
	skeletons map[string]string // the names of the sets by wording.Skeleton; nil until a set is added
	groups    map[string][]string
}

// A named is the name of a data set with its entry. The entry is read from the TOML file when it is first asked for,
// since most commands need the entries of a few sets. The name of a built-in set is the name of its file.
type named struct {
	name  string
	entry func() (*Entry, error)
}

var builtinEntries = sync.OnceValue(func() map[string]named {
	files, err := builtinFiles.ReadDir("sets")
	if err != nil {
		panic(err)
	}
	entries := map[string]named{}
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".toml")
		entries[strings.ToLower(name)] = named{name, sync.OnceValues(func() (*Entry, error) {
			raw, err := builtinFiles.ReadFile("sets/" + file.Name())
			if err != nil {
				panic(err)
			}
			e, err := decodeEntry(file.Name(), raw, "")
			if err == nil && e.Name != name {
				err = fmt.Errorf("file %s holds the set %q", file.Name(), e.Name)
			}
			if err != nil {
				panic("catalogue: built-in catalogue: " + err.Error())
			}
			return e, nil
		})}
	}
	return entries
})

// Builtin returns a new catalogue of the built-in entries.
func Builtin() *Catalogue {
	return &Catalogue{entries: maps.Clone(builtinEntries())}
}

// Add reads a user's set from a TOML file and returns its entry. File paths in it
// are relative to the TOML file. It is an error if the catalogue has a set of this name from another file.
func (c *Catalogue) Add(tomlPath string) (*Entry, error) {
	e, err := readEntry(tomlPath)
	if err != nil {
		return nil, err
	}
	if known, ok := c.entries[strings.ToLower(e.Name)]; ok {
		if have, err := known.entry(); err == nil && have.sameFile(e) {
			return have, nil
		}
	}
	if err := c.add(e); err != nil {
		return nil, fmt.Errorf("%s: %w", tomlPath, err)
	}
	return e, nil
}

// sameFile reports whether two entries were read from one TOML file.
func (e *Entry) sameFile(other *Entry) bool {
	a, errA := filepath.Abs(e.toml)
	b, errB := filepath.Abs(other.toml)
	return e.toml != "" && errA == nil && errB == nil && a == b
}

func (c *Catalogue) add(e *Entry) error {
	key := strings.ToLower(e.Name)
	if _, taken := c.entries[key]; taken {
		return fmt.Errorf("a set named %q exists already; choose another name", e.Name)
	}
	if c.entries == nil {
		c.entries = map[string]named{}
	}
	if c.skeletons == nil {
		c.skeletons = map[string]string{}
		for _, other := range c.entries {
			c.skeletons[wording.Skeleton(other.name)] = other.name
		}
	}
	skeleton := wording.Skeleton(e.Name)
	if other := c.skeletons[skeleton]; other != "" {
		return fmt.Errorf("the name of set %q looks like %q, which exists already; choose another name", e.Name, other)
	}
	c.skeletons[skeleton] = e.Name
	c.entries[key] = named{e.Name, func() (*Entry, error) { return e, nil }}
	return nil
}

// GroupExtension ends the name of a file that describes a group, in a folder of AddFolder. Each line of the file is the
// name of a set.
const GroupExtension = ".group"

// AddFolder adds the sets and the groups of a folder, each by the name of its file. The TOML file of a set is read when
// the set is first asked for. A folder that does not exist has no sets and no groups. A set that the catalogue already
// has is not replaced.
func (c *Catalogue) AddFolder(dir string) error {
	found, err := os.ReadDir(dir)
	// what lies in a file is not there
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	for _, f := range found {
		path := filepath.Join(dir, f.Name())
		name, isSet := strings.CutSuffix(f.Name(), ".toml")
		if _, taken := c.entries[strings.ToLower(name)]; isSet && !taken {
			c.entries[strings.ToLower(name)] = named{name, sync.OnceValues(func() (*Entry, error) {
				e, err := readEntry(path)
				if err == nil && e.Name != name {
					err = fmt.Errorf("%s: the file holds the set %q; in this folder a file has the name of its set",
						path, e.Name)
				}
				return e, err
			})}
		}
		if group, isGroup := strings.CutSuffix(f.Name(), GroupExtension); isGroup {
			raw, err := files.Read(path, maxDescription)
			if err != nil {
				return err
			}
			if c.groups == nil {
				c.groups = map[string][]string{}
			}
			c.groups[group] = strings.Fields(string(raw))
		}
	}
	return nil
}

// All returns the entries sorted by name. It leaves out sets of a folder whose description cannot be read: Lookup says
// why.
func (c *Catalogue) All() []*Entry {
	var all []*Entry
	for _, name := range c.Names() {
		if e, err := c.Lookup(name); err == nil {
			all = append(all, e)
		}
	}
	return all
}

// Names returns the names of the entries, sorted.
func (c *Catalogue) Names() []string {
	var names []string
	for _, e := range c.entries {
		names = append(names, e.name)
	}
	slices.Sort(names)
	return names
}

// Lookup finds an entry by name, ignoring case. The error names the nearest
// names; for the path of a data file it shows the TOML file that describes a set.
func (c *Catalogue) Lookup(name string) (*Entry, error) {
	if e, ok := c.entries[strings.ToLower(name)]; ok {
		return e.entry()
	}
	if isDataPath(name) {
		return nil, howToDescribe(name)
	}
	if meant := wording.Suggest(name, c.Names()); meant != nil {
		return nil, fmt.Errorf("no data set is named %q; did you mean %s?", name, strings.Join(meant, " or "))
	}
	return nil, fmt.Errorf("no data set is named %q; see `bench data list`, or name a TOML file that describes your "+
		"own", name)
}

// isDataPath reports whether a name looks like a path of a data file rather than
// like the name of a set.
func isDataPath(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	switch extension {
	case ".data", ".dat", ".txt", ".test", ".xls", ".xlsx", ".json", ".gz", ".zip":
		return true
	case ".toml":
		return false
	}
	return FormatByExtension(extension) != nil || strings.ContainsAny(name, `/\`)
}

// howToDescribe is the error for a data file where a set is asked for, with the
// description to write.
func howToDescribe(name string) error {
	base := path.Base(filepath.ToSlash(name))
	label := "label = \"the name of the label's column\"   # or its number: -1 is the last\n"
	if f := FormatByExtension(strings.ToLower(path.Ext(base))); f != nil && !f.Takes("label") {
		label = ""
	}
	set := SetName(name)
	description := path.Join(path.Dir(filepath.ToSlash(name)), set+".toml")
	shell := name
	if strings.ContainsAny(name, " '\"$`\\") {
		shell = strconv.Quote(name)
	}
	return fmt.Errorf("%[1]q is not the name of a set; a data file is described by a TOML file beside it. `bench "+
		"data describe %[6]s -o %[2]s` writes one; or write %[2]s, and name that instead:\nname = %[3]q\nfile = "+
		"%[4]q\n%[5]s", name, description, set, base, label, shell)
}

// SetName makes a name for a set from the path of its data file.
func SetName(file string) string {
	base := path.Base(filepath.ToSlash(file))
	if (File{Path: base}).Packed() {
		base = strings.TrimSuffix(base, path.Ext(base))
	}
	name := strings.Trim(unfitForName.ReplaceAllString(strings.TrimSuffix(base, path.Ext(base)), "-"), "._-")
	if name == "" {
		return "mydata"
	}
	return name
}

var unfitForName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
