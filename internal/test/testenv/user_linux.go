package testenv

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// ordinary is the id of a user and of a group that own no file but those that a test gives them.
const ordinary = 64321

// AsOrdinaryUser starts this test program again as a user without privileges and with the given umask. It runs the
// tests whose names match the pattern, in their full form if t has its own. It skips t if the tests are already run by
// an ordinary user, or if that user could not read the repository.
func AsOrdinaryUser(t *testing.T, pattern, umask string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user already")
	}
	dir := must.Get(os.MkdirTemp("", "user"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must.Do(t, os.Chmod(dir, 0o755))
	own := filepath.Join(dir, "own")
	must.Do(t, cmp.Or(os.Mkdir(own, 0o700), os.Chown(own, ordinary, ordinary)))
	program := filepath.Join(dir, filepath.Base(os.Args[0]))
	copyProgram(t, program)
	const script = `umask "$1"; cd "$2" && exec "$3" -test.v -test.run "$4"`
	c := exec.Command("sh", "-c", script, "sh", umask, must.Get(os.Getwd())(t), program, pattern)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	c.Dir = "/"
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "HOME" && name != "TMPDIR" && name != "GOCOVERDIR" &&
			name != "BENCH_THOROUGH" {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "HOME="+own, "TMPDIR="+own)
	if Thorough(t) {
		c.Env = append(c.Env, "BENCH_THOROUGH=1")
	}
	out, err := c.CombinedOutput()
	switch text := string(out); {
	case strings.Contains(text, "can't cd to") || strings.HasSuffix(strings.TrimSpace(text), "Permission denied"):
		t.Skipf("an ordinary user cannot read the repository: %s", text)
	case err != nil || !strings.Contains(text, "--- PASS: Test"):
		t.Errorf("as user %d with umask %s: %v\n%s", ordinary, umask, err, text)
	}
}

// copyProgram copies this test program to a file that every user may run.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	in := must.Get(os.Open(must.Get(os.Executable())(t)))(t)
	defer in.Close()
	out := must.Get(os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755))(t)
	must.Get(io.Copy(out, in))(t)
	must.Do(t, cmp.Or(out.Chmod(0o755), out.Close()))
}
