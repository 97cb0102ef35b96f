package architecture

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// fetches are the ways in which scripts could get files of others, and what shows that a checksum names each file.
// A way without pinned is refused wherever it is. Go has checksums of every version, and so no version that changes.
var fetches = []struct{ command, pinned *regexp.Regexp }{
	{regexp.MustCompile(`\bpip[0-9.]*["']? +(install|download)\b`),
		regexp.MustCompile(` --(require-hashes|no-index)\b`)},
	{regexp.MustCompile(`\bpip[0-9.]*["']? +wheel\b`), regexp.MustCompile(` --no-deps .*--no-build-isolation\b`)},
	{regexp.MustCompile(`\bnpm +(install|i|add|exec|update)\b`), nil}, // npm ci goes by the lock file
	{regexp.MustCompile(`\b(npx|yarn|pnpm|pipx|uvx?|conda|easy_install|gem|cargo) |install\.packages`), nil},
	{regexp.MustCompile(`@(latest|upgrade|patch|main|master|HEAD)\b`), nil},
	{regexp.MustCompile(`\b(curl|wget)\b`), regexp.MustCompile(`\bsha256sum (-c|--check)\b`)},
}

// unpinned returns the lines of a script that install what no checksum names, each after its number.
func unpinned(script string) []string {
	var found []string
	lines := strings.Split(script, "\n")
	for i := 0; i < len(lines); i++ {
		at, line := i, lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + lines[i]
		}
		code, _, _ := strings.Cut(" "+line, " #")
		for _, f := range fetches {
			if f.command.MatchString(code) && (f.pinned == nil || !f.pinned.MatchString(code)) {
				found = append(found, strconv.Itoa(at+1)+": "+strings.TrimSpace(line))
			}
		}
	}
	return found
}

// TestInstallsArePinned: what scripts install is named by checksums, in a file of requirements or a lock file.
func TestInstallsArePinned(t *testing.T) {
	t.Parallel()
	root := testenv.Root()
	scripts := []string{filepath.Join(root, ".ci", "run"), filepath.Join(root, "Makefile")}
	must.Do(t, filepath.WalkDir(filepath.Join(root, "scripts"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".sh" {
			scripts = append(scripts, path)
		}
		return err
	}))
	installs := 0
	for _, path := range scripts {
		text := string(must.Get(os.ReadFile(path))(t))
		installs += strings.Count(text, "--require-hashes")
		for _, line := range unpinned(text) {
			t.Errorf("%s:%s\ninstalls what no checksum names (pip install --require-hashes, npm ci)", path, line)
		}
	}
	if installs < 3 {
		t.Errorf("%d of the scripts' installations were found", installs)
	}
}

// TestUnpinned: the search finds each way to install without a checksum, and takes none that has one for such.
func TestUnpinned(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"pip install pandas", `"$tools/zig/bin/pip" install -q ziglang==0.17.1`, "python3 -m pip install -r peers.txt",
		"pip install \\\n  pandas", "pip wheel --no-deps .", "pip3 download numpy", "true && npm install axe-core",
		"npx axe", "go install golang.org/x/vuln/cmd/govulncheck@latest", "$(GO) run x/y@master",
		"curl -fsS https://sh.example | sh", "bash <(wget -O- https://sh.example)", "pipx install zig",
	} {
		must.Be(t, len(unpinned(line)), 1, line)
	}
	for _, line := range []string{
		"# pip install pandas", "pip install -q \\\n  --require-hashes -r peers.txt",
		"npm ci --silent # not npm install",
		"pip install --no-index dist/x.whl", "pip wheel --no-deps --no-build-isolation .", "go install x/y@v1.2.3",
		"curl -O https://x.example/y && sha256sum -c y.sum",
	} {
		if found := unpinned(line); found != nil {
			t.Errorf("%q is refused", found)
		}
	}
}

// vulns runs scripts/vulns.sh on one package with a database of vulnerabilities.
func vulns(t *testing.T, database, pkg string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3, which asks the database for an answer")
	}
	command := filepath.Join(testenv.Root(), "scripts", "vulns.sh")
	out, err := exec.CommandContext(t.Context(), command, database, pkg).CombinedOutput()
	return string(out), err
}

// TestVulnerabilitiesAreNotChecked: where the database does not answer, the check says so and is no failure.
func TestVulnerabilitiesAreNotChecked(t *testing.T) {
	t.Parallel()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer failing.Close()
	absent := httptest.NewServer(http.NotFoundHandler())
	absent.Close()
	for _, database := range []string{failing.URL, absent.URL} {
		out := must.Get(vulns(t, database, "./internal/wording"))(t)
		must.Be(t, out, "known vulnerabilities were not checked: the database at "+database+" does not answer\n")
	}
}

// TestVulnerabilitiesAreFound: a vulnerability that a package calls fails the check, one that it does not call passes,
// and an answer that is no database fails.
func TestVulnerabilitiesAreFound(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t) // govulncheck is compiled
	database := t.TempDir()
	const about = `"id": "GO-2026-0001", "modified": "2026-01-01T00:00:00Z"`
	for name, text := range map[string]string{
		"index/db.json":      `{"modified": "2026-01-01T00:00:00Z"}`,
		"index/modules.json": `[{"path": "golang.org/x/sys", "vulns": [{` + about + `}]}]`,
		"ID/GO-2026-0001.json": `{` + about + `, "schema_version": "1.3.1", "summary": "Made up for a test",
			"database_specific": {"url": "https://vuln.example/GO-2026-0001"}, "affected": [{
			"package": {"name": "golang.org/x/sys", "ecosystem": "Go"},
			"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
			"ecosystem_specific": {"imports": [{"path": "golang.org/x/sys/unix", "symbols": ["Flock"]}]}}]}`,
	} {
		path := filepath.Join(database, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	out, err := vulns(t, "file://"+database, "./internal/system/files")
	if err == nil {
		t.Error("a vulnerability that is called passes")
	}
	must.Hold(t, out, "affected by 1 vulnerability from 1 module", "GO-2026-0001", "unix.Flock")
	out = must.Get(vulns(t, "file://"+database, "./internal/wording"))(t)
	must.Hold(t, out, "No vulnerabilities found")
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if out, err := vulns(t, other.URL, "./internal/wording"); err == nil {
		t.Errorf("an answer that is no database passes: %s", out)
	}
}

// TestFuzzTurns: a number chooses a target, all have their turn, and a target fails with an input alone, not by the end
// of its time.
func TestFuzzTurns(t *testing.T) {
	t.Parallel()
	fake := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(fake, "go"), []byte("#!/bin/sh\nprintf %s \"$SAYS\"\nexit $ENDS\n"), 0o700))
	fuzz := func(number int, says, ends string) (string, error) {
		c := exec.CommandContext(t.Context(), filepath.Join(testenv.Root(), "scripts", "fuzz.sh"), strconv.Itoa(number))
		c.Env = append(os.Environ(), "PATH="+fake+":"+os.Getenv("PATH"), "SAYS="+says, "ENDS="+ends)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	first := must.Get(fuzz(0, "", "0"))(t)
	turns := 1
	for ; turns < 100; turns++ {
		if must.Get(fuzz(turns, "", "0"))(t) == first {
			break
		}
	}
	if turns < 2 || turns == 100 {
		t.Errorf("the first target's turn comes again after %d", turns)
	}
	out := must.Get(fuzz(0, "--- FAIL: FuzzX (20.1s)\n    context deadline exceeded\nFAIL\n", "1"))(t)
	must.Hold(t, out, "ended; no input failed")
	for _, says := range []string{"--- FAIL: FuzzX\n", "x_test.go:3: context deadline exceeded\n",
		"    context deadline exceeded\n    Failing input written to testdata/fuzz/FuzzX/1\n"} {
		if out, err := fuzz(0, says, "1"); err == nil {
			t.Errorf("a target that fails passes: %s", out)
		}
	}
}
