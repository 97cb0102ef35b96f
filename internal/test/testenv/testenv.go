// Package testenv gives tests what they need from their environment: the files that they read, the choice between the
// short and the full form of a test, a user without privileges, a small disk, and the check that work stops soon after
// its context has ended.
//
// The oracle files are in the repository. The texts of the papers and the data files that the program does not bring
// are outside of it. A test whose files are missing is skipped with a message that says how to provide them. Under
// CI=true it fails instead, since a continuous run that skips the tests on real data says nothing about them.
//
// Only tests and packages for tests import this package.
package testenv

import (
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// Root returns the root directory of the repository.
func Root() string { return root }

// go test starts a test program in the folder of its package. root is the nearest folder above it with a go.mod, and
// packageFolder is the path from there to the folder of the package. The paths of source files in the program cannot be
// used: with -trimpath, which lets checkouts share a build cache, they name no folder.
var root, packageFolder = findRoot()

func findRoot() (root, packageFolder string) {
	at, err := os.Getwd()
	for dir := at; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, strings.TrimPrefix(at, dir)
		}
	}
	return "", ""
}

// Mirror returns the directory of the data files: BENCH_MIRROR, or ../shared/datasets seen from the repository.
func Mirror(t testing.TB) string {
	t.Helper()
	return shared(t, "the data mirror", "BENCH_MIRROR", "datasets")
}

// Papers returns the directory of the papers' texts: BENCH_PAPERS, or ../shared/papers seen from the repository.
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

// Python returns the Python interpreter that BENCH_PEERS names. It has the libraries of
// methods/internal/gbdt/testdata/peers.txt. If the variable is not set, t is skipped, or fails under CI=true.
func Python(t testing.TB) string {
	t.Helper()
	path := os.Getenv("BENCH_PEERS")
	if path == "" {
		missing(t, "BENCH_PEERS is not set: no Python with the libraries of methods/internal/gbdt/testdata/peers.txt")
	}
	return path
}

// NotUnderRace skips t under the race detector. Only one goroutine at a time works in such a test, so that the detector
// finds nothing and makes it ten times slower. `make test` runs the test without the detector.
func NotUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("one goroutine at a time: it runs without the race detector")
	}
}

// Thorough reports whether t runs in its full form, as in `make thorough`, or in its short form, as in `make test`.
// BENCH_THOROUGH is set for the full form. The value 2/8 chooses the full form for the second of eight shares of all
// tests only. A continuous run takes one share, which depends on the commit. The names of t and of its package decide
// to which share t belongs.
func Thorough(t testing.TB) bool {
	t.Helper()
	return thorough(t, t.Name())
}

// ThoroughPart is Thorough for a part of t: a subtest of that name, before it is started, or another part.
func ThoroughPart(t testing.TB, name string) bool {
	t.Helper()
	return thorough(t, t.Name()+"/"+strings.ReplaceAll(name, " ", "_"))
}

func thorough(t testing.TB, name string) bool {
	t.Helper()
	asked := os.Getenv("BENCH_THOROUGH")
	share, of, divided := strings.Cut(asked, "/")
	if !divided {
		return asked != ""
	}
	k, err1 := strconv.ParseUint(share, 10, 32)
	n, err2 := strconv.ParseUint(of, 10, 32)
	if err1 != nil || err2 != nil || k < 1 || k > n {
		t.Fatalf("BENCH_THOROUGH is %q, want 1 for all tests or a share like 2/8", asked)
	}
	return uint64(crc32.ChecksumIEEE([]byte(packageFolder+" "+name)))%n == k-1
}

// OnlyThorough skips t unless it runs in its full form.
func OnlyThorough(t testing.TB) {
	t.Helper()
	if !Thorough(t) {
		t.Skip("make thorough runs it")
	}
}

// missing skips t, or ends it under CI=true.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Tracked returns the paths, from the root of the repository and with slashes, of the files that git tracks and one of
// its patterns matches. What else lies in a checkout, such as what a run wrote, is a user's.
func Tracked(t testing.TB, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", Root(), "ls-files", "-z", "--"}, patterns...)...).Output()
	if err != nil {
		missing(t, "git does not say which files it tracks")
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool {
		_, err := os.Stat(filepath.Join(Root(), name))
		return name == "" || err != nil
	})
}

// Documents returns the paths, relative to the root of the repository, of README.md, CONTRIBUTING.md and all documents
// in docs.
func Documents(t testing.TB) []string {
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
