package cmd_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/must"
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
	p, alone := newProcess(t), newProcess(t)
	for _, q := range []process{p, alone} {
		q.copy(t, "short.toml")
	}
	p.write(t, "data/wine.data", "labels")
	p.write(t, "home/wine.data", "labels")
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	mark := faulty.Mark + "=" + p.dir
	p.env = []string{mark, "HOME=" + p.file("home"), faulty.Target + "=" + p.dir, faulty.Listener + "=" +
		listener.Addr().String()}
	program := must.Get(exec.LookPath("bench-hostile"))(t)
	run := func(names []string, more ...string) {
		t.Helper()
		args := append([]string{"--jobs", "2", "--allow-read", filepath.Dir(program), "--data", p.file("data")}, more...)
		for _, name := range names {
			text := fmt.Sprintf("HOSTILE=%s exec '%s'\n", name, program)
			args = append(args, "--plugin", p.write(t, "plugins/"+name+".sh", text))
		}
		c := p.short(t, strings.Join(append(names, "CART"), ","), args...)
		if code := c.code(); code != 0 && code != 3 || !strings.Contains(c.said.String(), "complete ") {
			t.Errorf("exit %d\n%s", code, &c.said)
		}
		noneLeft(t, mark)
	}
	alone.short(t, "CART").ends(0)

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
	const cart = "SELECT n_correct || ' ' || scores_hash FROM results WHERE method = 'CART'"
	if got, want := p.value(t, cart), alone.value(t, cart); got != want || want == nil {
		t.Errorf("CART is %q beside them and %q alone", got, want)
	}
	p.run(t, "db", "check")
	for _, pattern := range []string{"/dev/shm/hostile-*", p.file("plugins", "new.sh"), p.file("plugins", "*was-here")} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// errors lists the failures that are stored.
func (p process) errors(t *testing.T) any {
	t.Helper()
	return p.value(t, "SELECT group_concat(method || ': ' || status || ' ' || coalesce(failure, '') || ' ' || "+
		"coalesce(error, ''), x'0a') FROM results WHERE status <> 'ok'")
}

// TestWhatAPluginLeavesWhenItIsAsked: a process that a plugin takes out of its group and session when it describes itself, as it does
// before any cell, ends with the questions.
func TestWhatAPluginLeavesWhenItIsAsked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are adopted on Linux")
	}
	p := newProcess(t)
	mark := faulty.Mark + "=" + p.dir
	file := p.write(t, "leaves.sh", mark+" setsid sh -c 'sleep 1000 & exit' >/dev/null 2>&1 </dev/null\nread line; echo '"+
		`{"id":1,"protocol":[1,1],"name":"Leaves","version":"1","tasks":["binary"]}`+"'; read line\n")
	p.command(t, "methods", "check", file).ends(3, "checks failed")
	noneLeft(t, mark)
}
