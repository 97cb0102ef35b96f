// Package testenv finds what tests read: the oracle files, which the repository has, and what is
// outside it, as the mirror of the data files. A test that needs such a thing and does not find it
// skips and says how to provide it; under CI=true it fails instead, because a continuous run that
// skips its real-data tier proves nothing.
//
// It is imported by tests only.
package testenv

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Root returns the root directory of the repository.
func Root() string { return root }

// root is found where the test program starts, which go test does in the package's folder. The paths that the
// compiler keeps would not do: with -trimpath, which lets checkouts share a build cache, they name no folder.
var root = findRoot()

func findRoot() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// Mirror returns the directory that holds the data files: BENCH_MIRROR, or
// ../shared/datasets beside the repository.
func Mirror(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("BENCH_MIRROR")
	if dir == "" {
		dir = filepath.Join(Root(), "..", "shared", "datasets")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		missing(t, "the data mirror is not at "+dir+"; set BENCH_MIRROR to its directory")
	}
	return dir
}

// ReadOracle decodes the oracle file name into v (internal/test/oracle/README.md). BENCH_ORACLE names
// another folder of such files.
func ReadOracle(t testing.TB, name string, v any) {
	t.Helper()
	dir := os.Getenv("BENCH_ORACLE")
	if dir == "" {
		dir = filepath.Join(Root(), "internal", "test", "oracle")
	}
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatalf("oracle file: %v", err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("oracle %s: %v", name, err)
	}
}

// Python returns the interpreter that BENCH_PEERS names, one with the libraries of methods/internal/gbdt/testdata/peers.txt.
// Without one t is skipped, never under CI=true.
func Python(t testing.TB) string {
	t.Helper()
	path := os.Getenv("BENCH_PEERS")
	if path == "" {
		missing(t, "BENCH_PEERS is not set: no Python with the libraries of methods/internal/gbdt/testdata/peers.txt")
	}
	return path
}

// NotUnderRace skips t under the race detector: a test whose work is done by one goroutine at a
// time, and takes ten times as long there. `make test` runs it without the detector.
func NotUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("one goroutine at a time: it runs without the race detector")
	}
}

// Thorough reports whether comparisons with other programs run on all that they are made for, as make thorough asks; make test
// takes a part of it.
func Thorough() bool { return os.Getenv("BENCH_THOROUGH") != "" }

// OnlyThorough skips t where Thorough does not ask for it.
func OnlyThorough(t testing.TB) {
	t.Helper()
	if !Thorough() {
		t.Skip("make thorough runs it")
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Pages returns the first page, that for contributors and all documents, by their paths from the root.
func Pages(t testing.TB) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := fs.Glob(os.DirFS(Root()), pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(found), err)
		}
		pages = append(pages, found...)
	}
	return pages
}
