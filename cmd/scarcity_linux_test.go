package cmd_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestScarcity runs commands while the system refuses memory, files or processes that they need. Each command ends with
// a documented exit code, never that of an internal error, and prints at most one line on the refusal.
func TestScarcity(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	p := newProcess(t)
	p.dir = must.Get(os.MkdirTemp("", "bench-scarcity"))(t) // t.TempDir is for this user alone
	t.Cleanup(func() { _ = os.RemoveAll(p.dir) })
	must.Do(t, os.Chmod(p.dir, 0o777))
	p.run(t, "run", "--methods", "CART,KNN", "--datasets", "swiss,board", "--splits", "2", "--db", "r.db")
	p.run(t, "export", "r.bench", "--db", "r.db")
	own := p.write(t, "own.csv", "a,b,y\n1,2,u\n2,1,v\n3,5,u\n4,1,v\n5,2,u\n6,3,v\n")
	must.Do(t, os.Chmod(own, 0o644))
	if os.Getuid() == 0 { // another user cannot read the folder of the program
		program := must.Get(os.ReadFile(must.Get(exec.LookPath("bench"))(t)))(t)
		must.Do(t, os.WriteFile(p.file("bench"), program, 0o755))
	}
	verbs := []struct{ name, args string }{
		{"version", `--version`}, {"methods", `methods list`}, {"sets", `data list --format csv`},
		{"run", `run --methods CART,GBRFF2 --datasets swiss,board --splits 1 --db $new/n.db`},
		{"isolated", `run --isolate --methods CART --datasets swiss --splits 2 --db $new/n.db`},
		{"report", `report accuracy --db r.db`}, {"page", `report html -o $new/r.html --db r.db`},
		{"paper", `paper CART -o $new/paper --db r.db`}, {"query", `query "SELECT * FROM evaluations" --db r.db`},
		{"parquet", `query -o $new/q.parquet "SELECT * FROM results" --db r.db`},
		{"import", `import r.bench --db $new/n.db`}, {"export", `export $new/x.bench --db r.db`},
		{"describe", `data describe own.csv`}, {"verify", `verify --db r.db`}, {"check", `db check --db r.db`},
		{"backup", `db backup $new/b.db --db r.db`}, {"diff", `diff r.db r.db`},
	}
	for _, c := range []struct {
		shell string // $verb is the command
		hits  string // a verb that fails
		code  int
	}{
		{`ulimit -v 400000; $verb`, "version", 5},
		{`ulimit -v 1000000; $verb`, "run", 5},
		{`ulimit -d 100000; $verb`, "report", 5},
		{`ulimit -s 128; $verb`, "query", 5},
		{`ulimit -n 5; $verb`, "methods", 5},
		{`ulimit -n 8; $verb`, "run", 5},
		{`ulimit -n 12; $verb`, "", 0},
		{`ulimit -n 16; $verb`, "isolated", 5},
		{`ulimit -n 24; $verb`, "", 0},
		{`ulimit -n 32; $verb`, "", 0},
		{`ulimit -f 0; $verb`, "run", 5},
		{`ulimit -f 512; $verb`, "run", 5},
		{`ulimit -p 3 2>&- || ulimit -u 3; $verb`, "version", 5},
		{`ulimit -p 8 2>&- || ulimit -u 8; $verb`, "", 0},
		{`TMPDIR=/nonexistent; export TMPDIR; $verb`, "paper", 5},
		{`TMPDIR=/dev/null; export TMPDIR; $verb`, "isolated", 5},
		{`new=/proc; $verb`, "page", 2},
		{`unset HOME BENCH_DATA; $verb`, "", 0},
		{`export HOME=/proc BENCH_DATA=/proc/x; $verb`, "", 0},
		{`mkdir $new/gone; cd $new/gone; rmdir ../gone; $verb`, "", 0},
		{`$verb >/dev/full`, "query", 5},
		{`$verb 2>/dev/full`, "", 0},
		{`$verb >&-`, "", 0},
		{`$verb <&- 2>&-`, "", 0},
		{`: unread; $verb`, "query", 141},
		{`: unread; $verb`, "version", 141},
		{`: unread; $verb 2>&1`, "", 0},
	} {
		for _, v := range verbs {
			t.Run(v.name+" "+c.shell, func(t *testing.T) {
				p := p
				p.program = "sh"
				folder := must.Get(os.MkdirTemp(p.dir, "new"))(t)
				must.Do(t, os.Chmod(folder, 0o777))
				run := p.command(t, "-c", "new="+folder+"; "+strings.ReplaceAll(c.shell, "$verb", "bench "+v.args))
				if strings.Contains(c.shell, "unread") {
					r, w, err := os.Pipe()
					must.Do(t, errors.Join(err, r.Close()))
					run.Stdout = w
					defer w.Close()
				}
				if strings.Contains(c.shell, "ulimit -u") && os.Getuid() == 0 { // which no such limit binds
					run.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
					run.Env = append(run.Env, "PATH="+p.dir+":"+os.Getenv("PATH"))
				}
				code, said := run.code(), run.said.String()
				if !slices.Contains([]int{0, 2, 3, 5, 130, 141}, code) || v.name == c.hits && code != c.code {
					t.Errorf("exit code %d, want %d", code, c.code)
				}
				ours := strings.Count("\n"+said, "\nbench: ")
				if code != 0 && ours > 1 || strings.Count(said, "\n") > 9 {
					t.Errorf("%d lines begin with bench:", ours)
				}
				for _, dump := range []string{"goroutine ", "panic", "SIG", "fatal error", "runtime"} {
					must.Lack(t, said+run.printed.String(), dump)
				}
				if t.Failed() {
					t.Logf("exit code %d\n%s", code, said)
				}
			})
		}
	}
}

// TestFilesThatAreNone: what is no regular file is refused in one line, and no verb waits for it or reads it for ever.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	p := newProcess(t)
	p.run(t, "run", "--methods", "CART", "--datasets", "swiss", "--splits", "1")
	must.Do(t, syscall.Mkfifo(p.file("fifo.toml"), 0o600))
	must.Do(t, os.Symlink("/dev/zero", p.file("device.toml")))
	must.Do(t, os.Mkdir(p.file("folder.toml"), 0o700))
	socket := must.Get(net.Listen("unix", p.file("socket.toml")))(t)
	defer socket.Close()
	files := []string{"fifo.toml", "device.toml", "folder.toml", "socket.toml"}
	for _, verb := range []string{
		"import FILE", "import FILE --as M", "import reference --protocol FILE", "run --all --protocol FILE",
		"run --methods CART --datasets FILE", "run --all --listen 127.0.0.1:0 --token-file FILE",
		"run --methods M --datasets swiss --plugin FILE",
		"data describe FILE", "data describe own.csv --test FILE", "data show FILE", "data verify FILE",
		"data add FILE",
		"methods check FILE", "methods score FILE --datasets swiss", "methods export XGB --datasets FILE --params {}",
		"report accuracy --protocol FILE", "report accuracy --db FILE", "query SELECT+1 --db FILE",
		"diff results.db FILE",
		"db check --db FILE", "experiment FILE", "protocol show FILE", "worker FILE",
		"verify --protocol FILE", "status --db FILE",
	} {
		for _, file := range files {
			args := strings.Fields(strings.ReplaceAll(verb, "FILE", file))
			for j := range args {
				args[j] = strings.ReplaceAll(args[j], "+", " ")
			}
			run := p.command(t, args...)
			code, said := run.code(), run.said.String()
			if (code != 2 && code != 3) || strings.Count(said, "\n") != 1 {
				t.Errorf("%s: exit code %d\n%s", strings.Join(args, " "), code, said)
			}
		}
	}
}
