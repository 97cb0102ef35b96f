package commons

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
)

// An Entry is what entry.toml says of a method.
type Entry struct {
	Name        string `toml:"name"` // of the method and of its folder
	Plugin      string `toml:"plugin"`
	Author      string `toml:"author"`
	Description string `toml:"description"`
	URL         string `toml:"url,omitempty"`
	Python      string `toml:"python,omitempty"` // its version, such as 3.11; "" for a plugin that is no Python
}

// A File is a file of an entry.
type File struct {
	Content    []byte
	Executable bool
}

var (
	entryName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	fileName      = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)
	pythonVersion = regexp.MustCompile(`^3\.[0-9]{1,2}$`)
)

// deepest is how many parts the path of a file in an entry may have.
const deepest = 5

// checkPath refuses the path of a file below the folder of an entry that could name something else on a disk.
func checkPath(name string) error {
	parts := strings.Split(name, "/")
	if len(parts) > deepest || slices.ContainsFunc(parts, func(p string) bool { return !fileName.MatchString(p) }) {
		return fmt.Errorf("file %s: each part of a path has letters, digits, ., _ and -, and none of . and - first; "+
			"there are at most %d parts", wording.Spelled(name), deepest)
	}
	return nil
}

// written are the files that the commons itself writes for an entry.
func written(name string) bool { return name == ReceiptFile || name == SignatureFile(ReceiptFile) }

// ReadEntry reads entry.toml and lock.txt of the files of an entry, and checks that its plugin is among the files.
func ReadEntry(files map[string]File) (Entry, []Package, error) {
	var e Entry
	for _, needed := range []string{EntryFile, LockFile, ResultsFile} {
		if _, there := files[needed]; !there {
			return e, nil, fmt.Errorf("%s is missing", needed)
		}
	}
	if err := parseTOML(files[EntryFile].Content, &e); err != nil {
		return e, nil, fmt.Errorf("%s: %w", EntryFile, err)
	}
	python := strings.EqualFold(path.Ext(e.Plugin), ".py")
	_, there := files[e.Plugin]
	var err error
	switch {
	case !entryName.MatchString(e.Name):
		err = fmt.Errorf("name %q: use letters, digits, - and _, a letter first, at most 64", e.Name)
	case !there || slices.Contains([]string{EntryFile, LockFile, ResultsFile}, e.Plugin):
		err = fmt.Errorf("plugin %q is no file of the entry", e.Plugin)
	case python != (e.Python != "") || python && !pythonVersion.MatchString(e.Python):
		err = fmt.Errorf("python = %q: a plugin in Python needs its version, such as \"3.11\", and no other has one",
			e.Python)
	case len(e.Author) > 200 || len(e.Description) > 1000 || len(e.URL) > 300:
		err = errors.New("author has at most 200 bytes, description 1000, url 300")
	case e.URL != "" && !strings.HasPrefix(e.URL, "https://"):
		err = fmt.Errorf("url = %q: it must begin with https://", e.URL)
	}
	if err != nil {
		return e, nil, fmt.Errorf("%s: %w", EntryFile, err)
	}
	lock, err := ParseLock(files[LockFile].Content)
	if err == nil && !python && len(lock) > 0 {
		err = errors.New("only a plugin in Python has packages")
	}
	if err != nil {
		return e, nil, fmt.Errorf("%s: %w", LockFile, err)
	}
	return e, lock, nil
}

// Text is the entry as entry.toml.
func (e Entry) Text() ([]byte, error) { return toml.Marshal(e) }

// Runs reads the results of an entry. They are one result for each of the first splits of every set, all of which ended
// ok, by one version of the method. Between least and all splits are there, the same for every set.
func (c Config) Runs(e Entry, file []byte) ([]result.Run, error) {
	if int64(len(file)) > c.Limits.ResultsBytes {
		return nil, fmt.Errorf("%s has more than %d bytes", ResultsFile, c.Limits.ResultsBytes)
	}
	runs, err := bundle.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ResultsFile, err)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s has no results", ResultsFile)
	}
	bad := func(r result.Run, why string) error { return fmt.Errorf("%s: %s %s", ResultsFile, r.Name(), why) }
	seen := map[string]map[int]bool{}
	for _, r := range runs {
		if r.Method != e.Name || r.MethodVersion != runs[0].MethodVersion {
			return nil, bad(r, "is of another method, or of another version of it, than the entry")
		}
		if r.Protocol != c.Protocol || !slices.Contains(c.Datasets, r.Dataset) || r.Split < 1 || r.Split > c.Splits {
			return nil, bad(r, "is no cell of this commons")
		}
		if r.Status != result.OK {
			return nil, bad(r, "did not end ok")
		}
		if r.Score.Correct == nil {
			return nil, bad(r, "has no accuracy, which a commons compares")
		}
		if seen[r.Dataset] == nil {
			seen[r.Dataset] = map[int]bool{}
		}
		if seen[r.Dataset][r.Split] {
			return nil, bad(r, "is there twice")
		}
		seen[r.Dataset][r.Split] = true
	}
	splits := len(runs) / len(c.Datasets)
	for _, set := range c.Datasets {
		for s := 1; s <= max(splits, c.LeastSplits); s++ {
			if !seen[set][s] {
				return nil, fmt.Errorf("%s: split %d of %s is missing; an entry has the first %d splits or more of "+
					"every set, of each set the same number", ResultsFile, s, set, c.LeastSplits)
			}
		}
	}
	if len(runs) != splits*len(c.Datasets) {
		return nil, fmt.Errorf("%s: the sets have different numbers of splits", ResultsFile)
	}
	return runs, nil
}

// A Package is a line of a lock: a distribution of Python with the hashes of its files.
type Package struct {
	Name, Version string
	Hashes        []string // SHA-256
}

var lockLine = regexp.MustCompile(
	`^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)==([0-9A-Za-z.!+]{1,64})((?: +--hash=sha256:[0-9a-f]{64})+)$`)

// most is the number of packages of a lock.
const most = 200

// ParseLock reads a lock. Each line is NAME==VERSION with one --hash=sha256:... or several; a backslash at the end of a
// line continues it, and # begins a line of comment. All else that pip reads is refused: addresses, options, other
// files, markers.
func ParseLock(text []byte) ([]Package, error) {
	if len(text) > 4*maxText {
		return nil, fmt.Errorf("it has more than %d bytes", 4*maxText)
	}
	var out []Package
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		m := lockLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("entry %d, %q: write NAME==VERSION --hash=sha256:HASH and nothing else", i+1,
				shortened(line))
		}
		p := Package{Name: m[1], Version: m[2]}
		for _, h := range strings.Fields(m[3]) {
			p.Hashes = append(p.Hashes, strings.TrimPrefix(h, "--hash=sha256:"))
		}
		if seen[plain(p.Name)] || len(out) == most {
			return nil, fmt.Errorf("%s is there twice, or there are more than %d packages", p.Name, most)
		}
		seen[plain(p.Name)] = true
		out = append(out, p)
	}
	return out, nil
}

// LockText writes packages as ParseLock reads them.
func LockText(packages []Package) []byte {
	var b strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&b, "%s==%s", p.Name, p.Version)
		for _, h := range p.Hashes {
			fmt.Fprintf(&b, " \\\n    --hash=sha256:%s", h)
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// plain is the name of a package in the form in which names are compared.
func plain(name string) string {
	return strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(name))
}

func shortened(s string) string { return s[:min(len(s), 80)] }

// EntryHash identifies a version of an entry: what its files are, without results and receipt.
func EntryHash(files map[string]File) string {
	h := sha256.New()
	for _, name := range slices.SortedFunc(maps.Keys(files), cmp.Compare[string]) {
		if f := files[name]; name != ResultsFile && !written(name) {
			fmt.Fprintf(h, "%d %s %t %d\n", len(name), name, f.Executable, len(f.Content))
			h.Write(f.Content)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
