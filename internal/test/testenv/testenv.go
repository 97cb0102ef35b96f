// Package testenv finds what tests read from outside the repository: the mirror
// of the data files and the oracle files. A test that needs one and does not find
// it skips and says how to provide it; under CI=true it fails instead, because
// a continuous run that skips its real-data tier proves nothing.
//
// It is imported by tests only.
package testenv

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Root returns the root directory of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
}

// Mirror returns the directory that holds the data files: BENCH_MIRROR, or
// ../shared/datasets beside the repository.
func Mirror(t testing.TB) string {
	t.Helper()
	return need(t, "BENCH_MIRROR", "datasets", "the data mirror")
}

// Oracle returns the path of an oracle file inside BENCH_ORACLE, or inside
// ../shared/oracle beside the repository.
func Oracle(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(need(t, "BENCH_ORACLE", "oracle", "the oracle files"), name)
	if _, err := os.Stat(path); err != nil {
		missing(t, "oracle file "+name+" is not there: "+err.Error())
	}
	return path
}

// ReadOracle decodes the JSON oracle file name into v.
func ReadOracle(t testing.TB, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile(Oracle(t, name))
	if err != nil {
		t.Fatal(err)
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

func need(t testing.TB, env, folder, what string) string {
	t.Helper()
	dir := os.Getenv(env)
	if dir == "" {
		dir = filepath.Join(Root(), "..", "shared", folder)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		missing(t, what+" is not at "+dir+"; set "+env+" to its directory")
	}
	return dir
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}
