package external_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

const goodDescription = `{"id":1,"protocol":[1,1],"name":"Faulty","version":"1","tasks":["binary"]}`

// nested is a list in a list, and so on, deeper than any message is.
var nested = strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)

// badJSON are scores, and what follows them in the answer, that are no good JSON, with what the error says.
var badJSON = map[string]struct{ scores, want string }{
	"null":     {`[1,1,null,1]`, "an answer cannot be read (scores[2] is null; a number is wanted)"}, // of JavaScript
	"nulls":    {`null`, "scores is null; a list is wanted"},
	"NaN":      {`[1,1,NaN,1]`, "it is no JSON at scores[2], after 22 bytes: invalid character 'N'"}, // NaN in Python
	"textNaN":  {`[1,1,"NaN",1]`, "scores[2] is a text; a number is wanted"},
	"huge":     {`[1,1,1e999,1]`, "scores[2] is 1e999; a number is wanted"},
	"twice":    {`[1,1,1,1],"scores":[1,1,1,1]`, "the field scores comes twice"},
	"case":     {`[1,1,1,1],"Scores":[-1,-1,-1,-1]`, `the field Scores must be written "scores"`},
	"fraction": {`[1,1,1,1],"rounds":[1.5]`, "rounds[0] is 1.5; a whole number that fits int is wanted"},
	"rows":     {`[[1],[1],[1],[1]]`, "scores[0] is a list; a number is wanted"},
	"deep":     {nested, "[0][0]..., after 10016 bytes: exceeded max depth"},
	"unknown":  {`[1,1,1,1],"new":` + nested, "exceeded max depth"},
	"two":      {`[1,1,1,1]} {`, "after top-level value"},
}

// misbehave is a plugin that describes itself as asked and then does what its name says.
func misbehave(name string) int {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var r external.Request
		if err := json.Unmarshal(line, &r); err != nil {
			return 9
		}
		answer := fmt.Sprintf(`{"id":%d}`, r.ID)
		switch r.Op {
		case "describe":
			switch name {
			case "future":
				answer = strings.Replace(goodDescription, "[1,1]", "[7,9]", 1)
			case "changing":
				answer = strings.Replace(goodDescription, `"1"`, `"`+fmt.Sprint(time.Now().UnixNano())+`"`, 1)
			case "silent":
				return 4
			default:
				answer = goodDescription
			}
		case "fit":
			answer = misfit(name, answer)
		case "score":
			answer = misscore(name, answer, r)
		}
		fmt.Println(answer)
	}
}

func misfit(name, answer string) string {
	switch name {
	case "exit0":
		os.Exit(0)
	case "exit3":
		fmt.Fprintln(os.Stderr, "the last words")
		os.Exit(3)
	case "segfault":
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, nil) // Go would catch it
	case "prints":
		fmt.Println("fitting now ...")
	case "half":
		fmt.Print(answer[:4])
		os.Exit(0)
	case "closes":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "otherid":
		return `{"id":999}`
	case "noid":
		return `{}`
	case "long":
		chunk := strings.Repeat("x", 1<<20)
		for range 20 {
			fmt.Print(chunk)
		}
	case "chatter":
		line := strings.Repeat("e", 1<<20)
		for range 100 {
			fmt.Fprintln(os.Stderr, line)
		}
		fmt.Fprintln(os.Stderr, "and the end")
		os.Exit(5)
	case "orphans": // a process whose parent has ended takes time and memory
		done := filepath.Join(os.TempDir(), "done")
		_ = exec.Command("sh", "-c", "(head -c 300000000 /dev/zero | tail -c 200000000 >/dev/null; : >"+done+") "+
			"</dev/null >/dev/null 2>&1 & exit").Run()
		for err := error(os.ErrNotExist); err != nil; time.Sleep(time.Millisecond) {
			_, err = os.Stat(done)
		}
		_ = os.Remove(done)
	case "ignoring": // the kernel forgets processes whose parent ignores their ends
		signal.Ignore(syscall.SIGCHLD)
		_ = exec.Command("sh", "-c", "head -c 300000000 /dev/zero | tail -c 200000000 >/dev/null").Run()
	case "hangs", "forks":
		if name == "forks" {
			c := exec.Command("sleep", "1000")
			if err := c.Start(); err == nil {
				_ = os.WriteFile(filepath.Join(os.TempDir(), "started"), nil, 0o600)
			}
		}
		time.Sleep(time.Hour)
	case "warns":
		return strings.Replace(answer, "}", `,"warnings":["w"`+strings.Repeat(`,"w"`, 1_000_000)+`]}`, 1)
	case "rounds":
		return strings.Replace(answer, "}", `,"rounds":[1`+strings.Repeat(`,1`, 1_000_000)+`]}`, 1)
	case "raises":
		return strings.Replace(answer, "}", `,"error":"ValueError: no such thing","trace":"File \"x.py\", line 3"}`, 1)
	}
	return answer
}

func misscore(name, answer string, r external.Request) string {
	scores := map[string]string{"short": "[1]", "none": "[]",
		"many": "[1" + strings.Repeat(",1", 1_000_000) + "]"}[name]
	if scores == "" {
		scores = badJSON[name].scores
	}
	switch {
	case scores != "":
		return strings.Replace(answer, "}", `,"scores":`+scores+`}`, 1)
	case name == "nofile":
		return answer
	}
	f, err := os.Create(r.Out)
	if err != nil {
		os.Exit(8)
	}
	defer f.Close()
	switch name {
	case "nan":
		zero := 0.0
		err = npy.Write(f, []float64{1, zero / zero, 3, 4})
	case "text":
		_, err = f.WriteString("1 2 3 4\n")
	case "wrongshape":
		err = npy.Write(f, []float64{1, 2, 3})
	default:
		err = npy.Write(f, []float64{1, 2, 3, 4})
	}
	if err != nil {
		os.Exit(8)
	}
	return answer
}

// gone waits until a process is no more than an unreaped entry.
func gone(pid int) bool {
	for range 12000 { // ten minutes, on a machine whose cores are busy
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

// TestFaults: whatever a plugin does wrong is an error of the right type that says what to know, and
// the next fit gets a process that works.
func TestFaults(t *testing.T) {
	crash := func(exit int, signal string) func(error) bool {
		return func(err error) bool {
			var c *external.Crash
			return errors.As(err, &c) && c.Exit == exit && c.Signal == signal && c.Plugin == "Faulty"
		}
	}
	bad := func(err error) bool { return errors.As(err, new(*external.BadOutput)) }
	own := func(err error) bool { return errors.As(err, new(*external.MethodError)) }
	type fault struct {
		name, want string
		is         func(error) bool
	}
	faults := []fault{
		{"exit0", "fit: its process ended with exit code 0", crash(0, "")},
		{"exit3", "exit code 3; the end of its standard error: the last words", crash(3, "")},
		{"segfault", "ended by signal SIGSEGV", crash(-1, "SIGSEGV")},
		{"half", "exit code 0", crash(0, "")},
		{"chatter", "and the end", crash(5, "")},
		{"prints", `no answer; print to standard error: "fitting now`, bad},
		{"otherid", "the answer is to request 999", bad},
		{"noid", `has no "id"`, bad},
		{"long", "a line of more than 16 MiB", bad},
		{"closes", "closed its standard output", bad},
		{"raises", "ValueError: no such thing\nFile \"x.py\", line 3", own},
		{"short", "1 scores in the answer; 4 rows of 1 scores need 4", bad},
		{"none", "0 scores in the answer", bad},
		{"many", "1000001 scores in the answer; 4 rows", bad},
		{"warns", "an answer has 1000001 warnings; 20 are allowed", bad},
		{"rounds", "the rounds of 1000001 models; it was asked for 1", bad},
		{"nofile", "is not there", bad},
		{"nan", "score 0 of row 1 is NaN", bad},
		{"text", "does not begin as an array does", bad},
		{"wrongshape", "shape [3]; it must be [4 1]", bad},
	}
	for name, json := range badJSON {
		faults = append(faults, fault{name, json.want, bad})
	}
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			switch c.name {
			case "long", "many", "warns", "rounds": // answers of megabytes, read by one goroutine
				testenv.NotUnderRace(t)
			}
			p := load(t, plugin(t, c.name), external.Options{})
			times := 2
			if c.name == "closes" { // ten seconds each
				times = 1
			}
			for range times {
				d := sample(4, 2)
				m, err := p.Spec().Fit(context.Background(), registry.Env{}, d, nil)
				if err == nil {
					err = m.Score(context.Background(), d.X, make([]float64, 4))
				}
				if err == nil || !strings.Contains(err.Error(), c.want) || !c.is(err) {
					t.Fatalf("%T %.300v; want %q", err, err, c.want)
				}
			}
			if alive := p.Processes(); len(alive) > 1 {
				t.Errorf("processes %v are left", alive)
			}
		})
	}
}

// TestRefused: a plugin that cannot be used is refused with one line that says what to do.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	n := 0
	describes := func(old, new string) string {
		n++
		answer := strings.Replace(goodDescription, old, new, 1)
		return script(fmt.Sprint(n, ".sh"), "read line; echo '"+answer+"'; read line")
	}
	has := func(fields string) string { return describes(`"name"`, fields+`,"name"`) }
	grid := func(values string) string { return has(`"grid":[{"name":"c","values":[` + values + `]}]`) }
	ones := strings.Repeat(",1", 2999)
	for file, want := range map[string]string{
		plugin(t, "future"):             "speaks versions 7 to 9 of the protocol and this program 1 to 1; update",
		plugin(t, "silent"):             "describe: its process ended with exit code 4",
		filepath.Join(dir, "absent.py"): "there is no such file",
		dir:                             "it is no file",
		script("notes.txt", "hello"):    "not executable",
		script("prints.sh", "echo hello; cat"): `bad output: a line on standard output is no answer; print to ` +
			`standard error: "hello`,
		describes(`"Faulty"`, `""`):          `no "name"`,
		describes(`"1"`, `"1+2"`):            `the version "1+2"`,
		describes(`"1"`, `"1\\u001b[31m"`):   `the version holds what a terminal obeys, or is no UTF-8: 1\x1b[31m`,
		has(`"summary":"a\\udb40\\udc41"`):   `the summary holds what a terminal obeys`,
		has(`"libraries":{"numpy":"1\\n2"}`): `the version of a library holds`,
		has(`"libraries":{"R":"4.3 (2023)"}`): `the library "R" has the version "4.3 (2023)"; both are part of the ` +
			`method's version`,
		describes(`"binary"`, `"ranking"`): `task "ranking" is not binary, multiclass or regression`,
		describes(`"binary"`, ``):          `no "tasks"`,
		has(`"ops":["fly"]`):               `"fly" is not one of path, stages, save`,
		has(`"probabilities":"odds"`):      `"probabilities" is "odds", not one of logit, shifted`,
		has(`"files":["x"]`):               "a file that it declares cannot be read",
		grid("1"):                          `unknown field "c"`,
		has(`"parameters":[{"name":"c","default":1,"range":"much"}]`):  "much",
		has(`"parameters":[{"name":"c","default":-1,"range":"[0,)"}]`): "c = -1",
		has(`"parameters":[{"name":"c","default":null}]`):              `of parameter c is null; that needs "mixed"`,
		has(`"parameters":[{"name":"p"}` + strings.Repeat(`,{"name":"p"}`, 20_000) + `]`): "the description has " +
			"20001 parameters; 1000 are allowed",
		grid("1" + strings.Repeat(",1", 20_000)): "the grid has more than 10000 points",
		has(`"grid":[` + strings.Repeat(`{"name":"c","values":[1,2,3,4,5,6,7,8,9]},`, 30) +
			`{"name":"d","values":[1]}]`): "the grid has more than 10000 points",
		has(`"summary":"` + strings.Repeat("s", 3000) + `"`): "the description has 3000 bytes in its summary; " +
			"2000 are allowed",
		has(`"parameters":[{"name":"c","default":[1],"mixed":true}]`): "" +
			"c = [1]; it must be a number, a string",
		has(`"parameters":[{"name":"c","default":1}],"grid":[{"name":"c","values":[1,null]}]`): "c = null; it must be",
		has(`"Deterministic":false`): `Deterministic must be written "deterministic"`,
		has(`"version":"2"`):         "the field version comes twice",
		has(`"parameters":[{"name":"c","default":1}],` +
			`"grid":[{"name":"c","values":[1]},{"name":"c","values":[2]}]`): `the axis "c" of the grid comes twice`,
		describes(`"binary"`, `null`): "tasks[0] is null; a text is wanted",
		// Short descriptions whose grid points would be many megabytes.
		has(`"parameters":[{"name":"p","default":"` + strings.Repeat("d", 5800) + `","mixed":true}],` +
			`"grid":[{"name":"c","values":[1` + ones + `]}]`): "the grid has 3000 points of up to 5810 bytes, " +
			"more than 16 MiB together; give fewer",
		grid(`"` + strings.Repeat("t", 5800) + `"` + ones): "the grid has 3000 points of up to 5804 bytes",
	} {
		p, err := external.Load(context.Background(), file, readSelf(external.Options{}))
		if err == nil {
			p.Close()
			t.Errorf("%s is accepted, want %q", file, want)
			continue
		}
		must.Hold(t, err.Error(), want)
		must.Lack(t, err.Error(), "\n")
		must.Begin(t, err.Error(), "plugin ")
	}
}

// A second process that says something else than the first is not trusted.
func TestChangingDescription(t *testing.T) {
	p := load(t, plugin(t, "changing"), external.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	first, giveBack, err := p.Take(ctx)
	must.Do(t, err)
	defer giveBack()
	defer cancel()
	_, _, err = p.Take(ctx)
	if err == nil || first == nil || !strings.Contains(err.Error(), "describes itself differently") {
		t.Errorf("%v", err)
	}
}

// TestCancelled: a plugin that does not stop is ended, with what it started, soon after its context.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	p := load(t, plugin(t, "forks"), external.Options{Folder: dir})
	ctx, cancel := context.WithCancel(context.Background())
	var all []processes.Process
	go func() {
		for len(all) == 0 {
			time.Sleep(10 * time.Millisecond)
			if written, _ := filepath.Glob(filepath.Join(dir, "*", "*", "started")); len(written) > 0 {
				all = processes.Below(os.Getpid())
			}
		}
		cancel()
	}()
	_, err := p.Spec().Fit(ctx, registry.Env{}, sample(4, 2), nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	for _, each := range all {
		must.Be(t, gone(each.ID), true, "what the plugin started lives on")
	}
	if left := p.Processes(); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// TestClosed: no process and no file outlives the plugin.
func TestClosed(t *testing.T) {
	dir := t.TempDir()
	p := must.Get(external.Load(context.Background(), plugin(t, "ridge"), readSelf(external.Options{Folder: dir})))(t)
	must.Get(p.Spec().Fit(context.Background(), registry.Env{}, sample(10, 2), nil))(t)
	pids := p.Processes()
	p.Close()
	for _, pid := range pids {
		must.Be(t, gone(pid), true, "process", pid)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || len(pids) != 1 {
		t.Errorf("left behind: %v %v, of processes %v", left, err, pids)
	}
	must.Say(t, must.Err(p.Spec().Fit(t.Context(), registry.Env{}, sample(10, 2), nil)), "the plugin was closed")
}

// TestLeftBehind: the folder of a program that was killed is removed by the next, and that of one that
// lives is not.
func TestLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("folders are locked on Linux and macOS")
	}
	dir := t.TempDir()
	live := load(t, plugin(t, "ridge"), readSelf(external.Options{Folder: dir}))
	must.Do(t, os.Mkdir(filepath.Join(dir, ".bench-plugin.7.bench-partial"), 0o700))
	load(t, plugin(t, "ridge"), readSelf(external.Options{Folder: dir}))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v %v", left, err)
	}
	must.Get(live.Spec().Fit(t.Context(), env, sample(10, 2), nil))(t)
}

// TestFaultsOfAnOrdinaryUser: what plugins of the superuser do wrong ends the same way for those of another user.
func TestFaultsOfAnOrdinaryUser(t *testing.T) {
	testenv.OnlyThorough(t)
	const tests = "^(TestFaults|TestRefused|TestChangingDescription|TestCancelled|TestClosed|TestLeftBehind|" +
		"TestARefusalSaysWhatToDo)$"
	testenv.NotUnderRace(t)
	testenv.AsOrdinaryUser(t, tests, "077")
	testenv.AsOrdinaryUser(t, tests, "000")
}
