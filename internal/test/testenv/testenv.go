// Package testenv finds what tests read: the oracle files, which the repository has, and what is
// outside it: the mirror of the data files and the texts of the papers. A test whose files are not there
// skips and says how to provide it; under CI=true it fails instead, because a continuous run that
// skips its real-data tier proves nothing.
//
// It is imported by tests only.
package testenv

import (
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// Root returns the root directory of the repository.
func Root() string { return root }

// root is found from where the test program starts: go test starts it in the package's folder, whose path below root
// is start. The paths that the compiler keeps would not do: with -trimpath, which lets checkouts share a build cache,
// they name no folder.
var root, start = findRoot()

func findRoot() (root, start string) {
	at, err := os.Getwd()
	for dir := at; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, strings.TrimPrefix(at, dir)
		}
	}
	return "", ""
}

// Mirror returns the directory that holds the data files: BENCH_MIRROR, or
// ../shared/datasets beside the repository.
func Mirror(t testing.TB) string {
	t.Helper()
	return shared(t, "the data mirror", "BENCH_MIRROR", "datasets")
}

// Papers returns the directory that holds the texts of the papers: BENCH_PAPERS, or ../shared/papers beside the
// repository.
func Papers(t testing.TB) string {
	t.Helper()
	return shared(t, "the folder of the papers' texts", "BENCH_PAPERS", "papers")
}

func shared(t testing.TB, what, variable, folder string) string {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		dir = filepath.Join(Root(), "..", "shared", folder)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		missing(t, what+" is not at "+dir+"; set "+variable+" to its directory")
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
	raw := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("oracle %s: %v", name, err)
	}
}

// Python returns the interpreter that BENCH_PEERS names, one with the libraries of
// methods/internal/gbdt/testdata/peers.txt. Without one t is skipped, never under CI=true.
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

// Thorough reports whether a test runs all that it is made for, as make thorough asks; make test takes a part of it.
// BENCH_THOROUGH=2/8 asks for the second of eight shares; a continuous run takes such a share in turn. A test, or a
// subtest that asks for itself, belongs to a share by its name.
func Thorough(t testing.TB) bool {
	t.Helper()
	return ThoroughPart(t, t.Name())
}

// ThoroughPart is Thorough for a part of a test that is no subtest yet.
func ThoroughPart(t testing.TB, name string) bool {
	t.Helper()
	asked := os.Getenv("BENCH_THOROUGH")
	share, of, divided := strings.Cut(asked, "/")
	if !divided {
		return asked != ""
	}
	k, err1 := strconv.ParseUint(share, 10, 32)
	n, err2 := strconv.ParseUint(of, 10, 32)
	if err1 != nil || err2 != nil || k < 1 || k > n {
		t.Fatalf("BENCH_THOROUGH is %q, which is no share such as 2/8", asked)
	}
	return uint64(crc32.ChecksumIEEE([]byte(start+" "+name)))%n == k-1
}

// OnlyThorough skips t where Thorough does not ask for it.
func OnlyThorough(t testing.TB) {
	t.Helper()
	if !Thorough(t) {
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
