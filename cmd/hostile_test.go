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
	if channel, path, found := strings.Cut(os.Getenv(faulty.ChannelVariable), ":"); found {
		os.Exit(serve.Main(faulty.Forgetful(name, faulty.Channels[channel], path)))
	}
	os.Exit(serve.Main(faulty.Hostile(name)))
}

// TestHostilePlugins: plugins that try to read, change, stop or reach what is not theirs run beside CART, and in make
// fire also a plugin with each fault of package faulty. No attempt succeeds, and the plugins that make one end as
// honest plugins do; the row of a faulty plugin says what happened. CART's results are those of a run without plugins,
// the database is whole, and no process and no file is left.
func TestHostilePlugins(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	withSandbox(t)
	idleAndBusy(t, hostilePlugins)
}

// withSandbox skips a test where plugins are not kept within limits.
func withSandbox(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || sandbox.Missing() != "" {
		t.Skip("plugins are kept within limits on Linux with Landlock 6 or later: " + sandbox.Missing())
	}
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
		args := append([]string{"--jobs", "2", "--allow-read", filepath.Dir(program), "--data", p.file("data")},
			more...)
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
	must.Be(t, p.rows(t, "status = 'ok'"), int64(len(faulty.HostileNames())+1), p.errors(t))
	var ending, endless, large []string
	for _, f := range faulty.All() {
		switch {
		case f.Endless:
			endless = append(endless, f.Name)
		case f.Large:
			large = append(large, f.Name)
		// its worker, as a plugin: tried above
		case f.Name != "KillsItsKeeper" && f.Name != "StopsItsKeeper" && f.Name != "ChangesItsVersion":
			ending = append(ending, f.Name)
		}
	}
	if os.Getenv("BENCH_BUSY") != "" { // a minute; TestFaultyMethods tries them in Go
		run(ending)
		run(large, "--memory", "400MiB", "--jobs", "1")
		run(endless, "--timeout", "2s")
		must.Be(t, p.rows(t, "status = 'timeout'"), int64(len(endless)), p.errors(t))
		must.Be(t, p.rows(t, "failure = 'oom'"), int64(len(large)), p.errors(t))
	}
	must.Be(t, p.rows(t, "method = 'CART' AND status = 'ok'"), 1)
	const cart = "SELECT n_correct || ' ' || scores_hash FROM results WHERE method = 'CART'"
	if got, want := p.value(t, cart), alone.value(t, cart); got != want || want == nil {
		t.Errorf("CART is %q beside them and %q alone", got, want)
	}
	p.run(t, "db", "check")
	for _, pattern := range []string{"/dev/shm/hostile-*", p.file("plugins", "new.sh"),
		p.file("plugins", "*was-here")} {
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

// TestWhatAPluginLeavesWhenItIsAsked: a process that a plugin takes out of its group and session when it describes
// itself, as it does before any cell, ends with the questions.
func TestWhatAPluginLeavesWhenItIsAsked(t *testing.T) {
	onLinux(t)
	p := newProcess(t)
	mark := faulty.Mark + "=" + p.dir
	file := p.write(t, "leaves.sh", mark+" setsid sh -c 'sleep 1000 & exit' >/dev/null 2>&1 </dev/null\nread line; "+
		"echo '"+
		`{"id":1,"protocol":[1,1],"name":"Leaves","version":"1","tasks":["binary"]}`+"'; read line\n")
	p.command(t, "methods", "check", file, "--timeout", "1h").ends(3, "checks failed")
	noneLeft(t, mark)
}

// TestPluginsThatRemember: plugins that leave the labels of their training rows where other cells may find them,
// earlier cells or cells that run at the same time, are right about as many rows as one that leaves nothing.
func TestPluginsThatRemember(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	withSandbox(t)
	closed := []string{"F_SETLK", "flock", "access times"}
	idleAndBusy(t, func(t *testing.T) { remembering(t, closed) })
}

// TestNeighboursAreFound: what cells tell others that run at the same time, by a way that nothing closes, they do not
// know when one is computed once more alone. That is a finding, unless the drawn cell met no other: then the method
// is tried again.
func TestNeighboursAreFound(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	withSandbox(t)
	for range 5 {
		p, _ := forgetful(t, []string{"futex"})
		if n, _ := p.value(t, "SELECT count(*) FROM findings").(int64); n > 0 {
			return
		}
	}
	t.Error("no finding in five runs")
}

const wineInFourCells = `splits = 4
datasets = ["wine"]
[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = false
`

// forgetful runs a plugin for each channel on wine, and returns the names of their methods, in this order.
func forgetful(t *testing.T, channels []string) (p process, names []string) {
	p = newProcess(t)
	p.write(t, "wine.toml", wineInFourCells)
	program := must.Get(exec.LookPath("bench-hostile"))(t)
	args := []string{"--jobs", "2", "--allow-read", filepath.Dir(program)}
	for i, channel := range channels {
		name := fmt.Sprintf("Forgetful%d", i)
		names = append(names, name)
		path := p.file("plugins", name+".memory")
		text := fmt.Sprintf("HOSTILE=%s %s='%s:%s' exec '%s'\n", name, faulty.ChannelVariable, channel, path, program)
		p.write(t, "plugins/"+name+".sh", text)
		must.Do(t, faulty.Channels[channel].Carve(path, faulty.Slots))
		args = append(args, "--plugin", p.file("plugins", name+".sh"))
	}
	p.run(t, append([]string{"run", "--protocol", "wine.toml", "--methods", strings.Join(names, ",")}, args...)...)
	return p, names
}

func remembering(t *testing.T, channels []string) {
	channels = append([]string{"nothing"}, channels...)
	p, names := forgetful(t, channels)
	right := "SELECT group_concat(n_correct ORDER BY split) FROM results WHERE method = '%s'"
	want := p.value(t, fmt.Sprintf(right, names[0]))
	for i, name := range names {
		if got := p.value(t, fmt.Sprintf(right, name)); got != want || got == nil {
			t.Errorf("%s: right about %v rows, and about %v without memory", channels[i], got, want)
		}
	}
}

// TestHostilePluginsOfAnOrdinaryUser: what the superuser's plugins cannot do, those of another user cannot either,
// whatever the umask.
func TestHostilePluginsOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	testenv.AsOrdinaryUser(t, "^(TestHostilePlugins|TestFoldersThatCannotBeWritten)$", "077")
	testenv.AsOrdinaryUser(t, "^(TestHostilePlugins|TestFoldersThatCannotBeWritten|TestPluginsThatRemember)$", "000")
}

// TestFoldersThatCannotBeWritten: where the data, the plugins or the home cannot be written, a hostile plugin ends as
// elsewhere. Where the folder of the database or that of temporary files cannot be, the program says so in one line,
// and nothing is computed.
func TestFoldersThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser writes everywhere; TestHostilePluginsOfAnOrdinaryUser runs this")
	}
	withSandbox(t)
	program := must.Get(exec.LookPath("bench-hostile"))(t)
	for _, c := range []struct{ folder, says string }{
		{"data", ""}, {"plugins", ""}, {"home", ""}, {"", "the folder is not writable"}, {"tmp", "tmp"},
	} {
		for _, missing := range []bool{false, true} {
			if missing && c.folder != "tmp" && c.folder != "data" {
				continue
			}
			p := newProcess(t)
			p.copy(t, "short.toml")
			p.env = []string{"HOME=" + p.file("home"), "TMPDIR=" + p.file("tmp"), faulty.Target + "=" + p.dir}
			for _, name := range []string{"data", "home", "tmp"} {
				must.Do(t, os.MkdirAll(p.file(name), 0o700))
			}
			text := fmt.Sprintf("HOSTILE=WritesItsScript exec '%s'\n", program)
			plugin := p.write(t, "plugins/WritesItsScript.sh", text)
			if missing {
				must.Do(t, os.Remove(p.file(c.folder)))
			} else {
				must.Do(t, os.Chmod(p.file(c.folder), 0o500))
				t.Cleanup(func() { _ = os.Chmod(p.file(c.folder), 0o700) })
			}
			run := p.short(t, "WritesItsScript,CART", "--allow-read", filepath.Dir(program), "--plugin", plugin)
			code := run.code()
			lines := strings.Split(strings.TrimSpace(run.said.String()), "\n")
			last := lines[len(lines)-1]
			if c.says == "" {
				must.Be(t, code, 0, c.folder, missing, &run.said)
				must.Be(t, p.rows(t, "status = 'ok'"), 2, c.folder, missing, &run.said)
			} else if code < 2 || !strings.HasPrefix(last, "bench: ") || !strings.Contains(last, c.says) ||
				strings.Count(run.said.String(), "bench: ") != 1 {
				t.Errorf("%q, missing %v: exit %d\n%s", c.folder, missing, code, &run.said)
			}
		}
	}
}
