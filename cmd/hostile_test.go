package cmd_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/external/serve"
)

// hostileMain serves the hostile or faulty method that HOSTILE names, as a plugin.
func hostileMain() {
	name := os.Getenv("HOSTILE")
	for _, f := range faulty.All() {
		if f.Name == name {
			os.Exit(serve.Main(f.Spec))
		}
	}
	os.Exit(serve.Main(faulty.Hostile(name)))
}

// TestHostilePlugins: plugins that try to read, change, stop or reach what is not theirs run beside CART, and in make fire also a
// plugin with each fault of package faulty. No attempt succeeds, and the plugins that make one end as honest plugins do; the row of a
// faulty plugin says what happened. CART's results are those of a run without plugins, the database is whole, and no process and
// no file is left.
func TestHostilePlugins(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	if runtime.GOOS != "linux" || sandbox.Missing() != "" {
		t.Skip("plugins are kept within limits on Linux with Landlock 6 or later: " + sandbox.Missing())
	}
	t.Run("idle", hostilePlugins)
	t.Run("busy", func(t *testing.T) {
		if os.Getenv("BENCH_BUSY") == "" {
			t.Skip("keeps every core busy; make fire runs it")
		}
		defer load(2 * runtime.NumCPU())()
		hostilePlugins(t)
	})
}

func hostilePlugins(t *testing.T) {
	p := newProcess(t)
	p.protocol(t, "short.toml", short)
	for _, dir := range []string{"data", "home"} {
		if err := os.MkdirAll(filepath.Join(p.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.dir, dir, "wine.data"), []byte("labels"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	mark := faulty.Mark + "=" + p.dir
	program := mustLookPath(t, "bench-hostile")
	run := func(names []string, more ...string) {
		t.Helper()
		args := []string{"run", "--protocol", "short.toml", "--datasets", "swiss", "--jobs", "2", "--allow-read", filepath.Dir(program), "--data", filepath.Join(p.dir, "data")}
		for _, name := range names {
			args = append(args, "--plugin", p.plugin(t, name, fmt.Sprintf("HOSTILE=%s exec '%s'\n", name, program)))
		}
		c, stderr := p.command(append(append(args, "--methods", strings.Join(append(names, "CART"), ",")), more...)...)
		c.Env = append(c.Env, mark, faulty.Target+"="+p.dir, faulty.Listener+"="+listener.Addr().String(), "HOME="+filepath.Join(p.dir, "home"))
		if code := startedCode(t, c); code != 0 && code != 3 || !strings.Contains(stderr.String(), "complete ") {
			t.Errorf("exit %d\n%s", code, stderr)
		}
		if left := carriersOf(t, mark); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	}
	alone := newProcess(t)
	alone.protocol(t, "short.toml", short)
	c, stderr := alone.command("run", "--protocol", "short.toml", "--datasets", "swiss", "--methods", "CART")
	if code := startedCode(t, c); code != 0 {
		t.Fatal(stderr)
	}

	run(faulty.HostileNames())
	if n := p.rows(t, "status = 'ok'"); n != int64(len(faulty.HostileNames())+1) {
		t.Errorf("%d methods of %d and CART are as if they had tried nothing: %s", n-1, len(faulty.HostileNames()), p.errors(t))
	}
	var ending, endless, large []string
	for _, f := range faulty.All() {
		switch {
		case f.Endless:
			endless = append(endless, f.Name)
		case f.Large:
			large = append(large, f.Name)
		case f.Name != "KillsItsKeeper" && f.Name != "StopsItsKeeper" && f.Name != "ChangesItsVersion": // its worker, as a plugin: tried above
			ending = append(ending, f.Name)
		}
	}
	if os.Getenv("BENCH_BUSY") != "" { // a minute; TestFaultyMethods tries them in Go
		run(ending)
		run(large, "--memory", "400MiB", "--jobs", "1")
		run(endless, "--timeout", "2s")
		if n := p.rows(t, "status = 'timeout'"); n != int64(len(endless)) {
			t.Errorf("%d timeouts of %d: %s", n, len(endless), p.errors(t))
		}
		if n := p.rows(t, "failure = 'oom'"); n != int64(len(large)) {
			t.Errorf("%d of %d ended for want of memory: %s", n, len(large), p.errors(t))
		}
	}
	if n := p.rows(t, "method = 'CART' AND status = 'ok'"); n != 1 {
		t.Errorf("%d rows of CART", n)
	}
	if got, want := p.scalar(t, "SELECT n_correct || ' ' || scores_hash FROM results WHERE method = 'CART'"), alone.scalar(t, "SELECT n_correct || ' ' || scores_hash FROM results WHERE method = 'CART'"); got != want || want == "" {
		t.Errorf("CART is %q beside them and %q alone", got, want)
	}
	check, said := p.command("db", "check")
	if code := startedCode(t, check); code != 0 {
		t.Errorf("db check: exit %d\n%s", code, said)
	}
	for _, pattern := range []string{"/dev/shm/hostile-*", filepath.Join(p.dir, "plugins", "new.sh"), filepath.Join(p.dir, "plugins", "*was-here")} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// plugin writes a shell script into plugins/ and returns its path.
func (p process) plugin(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(p.dir, "plugins", name+".sh")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// errors lists the failures that are stored.
func (p process) errors(t *testing.T) string {
	t.Helper()
	return p.scalar(t, "SELECT group_concat(method || ': ' || status || ' ' || coalesce(failure, '') || ' ' || coalesce(error, ''), x'0a') FROM results WHERE status <> 'ok'")
}

// TestWhatAPluginLeavesWhenItIsAsked: a process that a plugin takes out of its group and session when it describes itself, as it does
// before any cell, ends with the questions.
func TestWhatAPluginLeavesWhenItIsAsked(t *testing.T) {
	testenv.NotUnderRace(t)
	if runtime.GOOS != "linux" {
		t.Skip("processes are adopted on Linux")
	}
	p := newProcess(t)
	mark := faulty.Mark + "=" + p.dir
	file := p.plugin(t, "Leaves", mark+" setsid sh -c 'sleep 1000 & exit' >/dev/null 2>&1 </dev/null\nread line; echo '"+
		`{"id":1,"protocol":[1,1],"name":"Leaves","version":"1","tasks":["binary"]}`+"'; read line\n")
	c, said := p.command("methods", "check", file)
	startedCode(t, c)
	if !strings.Contains(said.String(), "checks failed") {
		t.Errorf("it was not asked: %s", said)
	}
	if left := carriersOf(t, mark); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
