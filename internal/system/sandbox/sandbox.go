// Package sandbox limits what a process may do: which files it reads and writes, whether it uses the
// network, whom it signals.
//
// A [Policy] says what is allowed; everything else is not. On Linux, Landlock refuses files, connections
// and signals, and a filter of system calls refuses what Landlock does not know: sockets, memory and
// messages that outlive a process. Namespaces hide the rest of the machine. They make little of the filter
// needless: the cells of a worker share them, and a system may refuse them. What cannot be enforced on a
// system, [Missing] and [Weaker] say in words.
//
// The limits are those of the thread that asks for them and of all that it starts, or of a whole process,
// and nobody can lift them again. The package decides nothing but how a Policy becomes rules.
package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// A Policy says what a process may do. Paths need not exist: there is nothing to allow or to hide then.
type Policy struct {
	Read    []string // files and folders, with all below them, that may be read and executed
	List    []string // folders whose names may be listed
	Write   []string // folders in which files may be made, changed and removed
	Use     []string // devices
	Hidden  []string // files and folders that may not be read, wherever they lie
	Never   []string // folders that are never readable as a whole, such as a home; what Read names below them is
	Network bool
	Data    int64 // the most bytes of the data segment of a process; 0 sets no bound

	Grants []Grant // what Read comes to, where it was looked up
}

// LookedUp is the policy with what Read comes to now, so that Rules need not look at the paths each time.
func (p Policy) LookedUp() Policy {
	p.Grants = p.granted()
	return p
}

// A Grant is a file or folder with what is allowed there.
type Grant struct {
	Path string
	Only bool // its names may be listed, not what is below it
}

// granted returns what Read comes to when nothing hidden is below it. A folder above something hidden
// becomes its entries, the hidden ones left out; rules of Landlock can only add.
func (p Policy) granted() []Grant {
	if p.Grants != nil {
		return p.Grants
	}
	hidden := map[string]bool{}
	for _, path := range p.Hidden {
		hidden[resolved(path)] = true
	}
	never := map[string]bool{}
	for _, path := range p.Never {
		never[resolved(path)] = true
	}
	var out []Grant
	seen := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		path = resolved(path)
		if _, err := os.Lstat(path); err != nil || seen[path] {
			return
		}
		seen[path] = true
		if never[path] || beneathAny(path, hidden) {
			return
		}
		above := false
		for _, kept := range []map[string]bool{hidden, never} {
			for each := range kept {
				above = above || beneath(each, path)
			}
		}
		if !above {
			out = append(out, Grant{Path: path})
			return
		}
		out = append(out, Grant{path, true})
		entries, err := os.ReadDir(path)
		if err != nil {
			return
		}
		for _, e := range entries {
			add(filepath.Join(path, e.Name()))
		}
	}
	for _, path := range p.Read {
		add(path)
	}
	for _, path := range p.List {
		out = append(out, Grant{resolved(path), true})
	}
	return out
}

// resolved is a path without links, as far as it exists.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(full); err == nil {
			return filepath.Join(real, rest)
		}
		if full == filepath.Dir(full) {
			return filepath.Join(full, rest)
		}
		full, rest = filepath.Dir(full), filepath.Join(filepath.Base(full), rest)
	}
}

func beneath(path, folder string) bool {
	return path != folder && strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+
		string(filepath.Separator))
}

func beneathAny(path string, folders map[string]bool) bool {
	for {
		if folders[path] {
			return true
		}
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
}
