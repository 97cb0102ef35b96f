// Package codehash identifies the code of a package: a hash of its source and of everything that it
// imports, down to the standard library.
//
// Sources are those that the program was compiled from, embedded in it ([Tree]). Packages of other
// modules count by module, version and checksum, as the build recorded them. Where neither is known
// (a package of another program whose sources are not embedded, a module that is replaced by a
// folder) the running program's own file counts, which changes with every build.
//
// All files of a package count, whatever processor or build tag they are for, but tests: a method
// gives the same bits in every build. The standard library and the compiler do not count.
package codehash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Tree is the source of packages: the files of package Path/a/b are in the folder a/b of Files.
type Tree struct {
	Path  string
	Files fs.FS
}

// A Hasher hashes packages. Its fields must not be changed after the first call; it is safe for
// concurrent use, and hashes every package once.
type Hasher struct {
	Trees   []Tree   // the first that holds a package counts
	Ignored []string // packages that no result depends on
	// version of the other module that a package belongs to, and whether the build tells it
	Module  func(pkg string) (string, bool)
	Program func() (string, error) // hash of the running program

	mu   sync.Mutex
	read map[string]source
}

// A source is what a package's files say.
type source struct {
	known   bool // its files are embedded
	digest  string
	imports []string // of other packages than the standard library's
}

// Package returns what identifies the code of a package: half a SHA-256 in hexadecimal digits.
func (h *Hasher) Package(pkg string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines, program, err := h.closure(pkg)
	if err != nil {
		return "", err
	}
	if program {
		sum, err := h.Program()
		if err != nil {
			return "", err
		}
		lines["the program"] = sum
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(all, "%s\x00%s\x00", name, lines[name])
	}
	return hex.EncodeToString(all.Sum(nil)[:16]), nil
}

// closure returns the digests of a package and of all that it imports, by name, and whether the
// code of some of them is not known.
func (h *Hasher) closure(pkg string) (digests map[string]string, unknown bool, err error) {
	digests = map[string]string{}
	for left := []string{pkg}; len(left) > 0; {
		next := left[len(left)-1]
		left = left[:len(left)-1]
		if _, seen := digests[next]; seen || slices.Contains(h.Ignored, next) {
			continue
		}
		s, err := h.source(next)
		if err != nil {
			return nil, false, err
		}
		if s.known {
			digests[next] = s.digest
			left = append(left, s.imports...)
			continue
		}
		version, ok := "", false
		if h.Module != nil {
			version, ok = h.Module(next)
		}
		digests[next] = version
		unknown = unknown || !ok
	}
	return digests, unknown, nil
}

// source reads a package's files, where a tree holds them.
func (h *Hasher) source(pkg string) (source, error) {
	if s, ok := h.read[pkg]; ok {
		return s, nil
	}
	var s source
	for _, t := range h.Trees {
		below, ok := strings.CutPrefix(pkg+"/", t.Path+"/")
		if !ok {
			continue
		}
		var err error
		if s, err = readSource(t.Files, path.Clean(below)); err != nil {
			return s, fmt.Errorf("sources of %s: %w", pkg, err)
		}
		if s.known {
			break
		}
	}
	if h.read == nil {
		h.read = map[string]source{}
	}
	h.read[pkg] = s
	return s, nil
}

// readSource digests the files of a folder that a compiler may see: Go but for tests, and C. A
// folder without Go files is no package.
func readSource(files fs.FS, dir string) (source, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil { // no such folder
		return source{}, nil
	}
	var s source
	sum := sha256.New()
	imports := map[string]bool{}
	for _, e := range entries {
		kind := path.Ext(e.Name())
		if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") || !slices.Contains([]string{".go", ".c", ".h", ".s"},
			kind) {
			continue
		}
		text, err := fs.ReadFile(files, path.Join(dir, e.Name()))
		if err != nil {
			return s, err
		}
		fmt.Fprintf(sum, "%s\x00%d\x00", e.Name(), len(text))
		sum.Write(text)
		if kind == ".go" {
			s.known = true
			if err := addImports(imports, e.Name(), text); err != nil {
				return s, err
			}
		}
	}
	s.digest = hex.EncodeToString(sum.Sum(nil))
	s.imports = slices.Sorted(maps.Keys(imports))
	return s, nil
}

func addImports(into map[string]bool, name string, text []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
			into[imported] = true
		}
	}
	return nil
}

// HashOf returns half the SHA-256 of what r gives.
func HashOf(r io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// Program returns the hash of the running program's file, read once.
var Program = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return HashOf(f)
})

// BuiltWith returns what looks up the version of a package's module in what the build recorded. A
// package of the main module, of a module that a folder replaces, or of none has no version.
func BuiltWith(info *debug.BuildInfo) func(pkg string) (string, bool) {
	return func(pkg string) (string, bool) {
		if info == nil {
			return "", false
		}
		var found *debug.Module
		for _, m := range info.Deps {
			if (pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/")) &&
				(found == nil || len(m.Path) > len(found.Path)) {
				found = m
			}
		}
		if found == nil {
			return "", false
		}
		if found.Replace != nil {
			found = found.Replace
		}
		return fmt.Sprintf("%s@%s %s", found.Path, found.Version, found.Sum), found.Sum != ""
	}
}
