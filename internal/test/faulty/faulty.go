// Package faulty holds methods that do to their process, to their data and to their harness what a
// method may do. It is for tests: each method has one fault, and says how its cell has to end.
package faulty

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/kernelboosting/bench/registry"
	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/mat"
)

// A Fault is a method and how its cells end when they are isolated.
type Fault struct {
	registry.Spec
	Status  string // as it is stored
	Class   string // "" if ok
	Says    string // part of the error
	Endless bool   // it ends by a limit of time only
	Large   bool   // it ends by a limit of memory only
}

// Mark is an environment variable that processes inherit which methods start, so that tests find what is left of them.
// Its name begins as those do that plugins are given.
const Mark = "LC_FAULTY_MARK"

type settings struct {
	Shift float64 `json:"shift" means:"added to every score"`
}

type data = registry.Data

// fits is what a method does when it is asked for a model.
type fits func(ctx context.Context, env registry.Env, train data) (registry.Model, error)

func define(name, version string, fit fits, options ...registry.Option[settings]) registry.Spec {
	return registry.Define(registry.Spec{Name: name, Version: version, Tasks: registry.Binary, Source: "a test"},
		settings{}, registry.Grid{{Name: "shift", Values: registry.Values(-0.5, 0.0)}},
		func(ctx context.Context, env registry.Env, train data, s settings) (registry.Model, error) {
			m, err := fit(ctx, env, train)
			if err == nil && m == nil {
				m, err = centroid(train, s.Shift), nil
			}
			return m, err
		}, options...)
}

// centroid separates the classes by the difference of their means.
func centroid(train data, shift float64) registry.Model {
	n, d := train.X.Dims()
	w := make([]float64, d)
	for i := range n {
		for j, v := range train.X.RawRowView(i) {
			w[j] += train.Y[i] * v
		}
	}
	return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
		for i := range out {
			out[i] = shift
			for j, v := range x.RawRowView(i) {
				out[i] += w[j] * v
			}
		}
		return nil
	})
}

// Good is a method without a fault.
func Good() registry.Spec {
	return define("Good", "1", func(context.Context, registry.Env, data) (registry.Model, error) { return nil, nil })
}

// All returns the faults, each once.
func All() []Fault {
	return slices.Concat(endlessFaults(), crashes(), memoryFaults(), answerFaults())
}

// Registry has all faulty methods and Good.
func Registry() registry.Registry {
	r := registry.New(Good())
	for _, f := range All() {
		r = r.With(f.Spec)
	}
	return r
}

// does is a fit that begins with something and then goes on as it should.
func does(what func()) fits {
	return func(context.Context, registry.Env, data) (registry.Model, error) {
		what()
		return nil, nil
	}
}

func fault(name string, class, says string, what func()) Fault {
	return Fault{Spec: define(name, "1", does(what)), Status: "failed", Class: class, Says: says}
}

func crash(name, says string, what func()) Fault { return fault(name, "crash", says, what) }

func endlessFaults() []Fault {
	endless := func(name string, what func()) Fault {
		f := fault(name, "timeout", "did not stop when asked", what)
		f.Status, f.Endless = "timeout", true
		return f
	}
	return []Fault{
		endless("Hangs", func() { select {} }),
		endless("Spins", func() {
			for i := 0; ; i++ {
				sink = i
			}
		}),
		endless("IgnoresSIGTERM", func() {
			signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
			child("trap '' TERM HUP INT; exec sleep 200000")
			select {}
		}),
	}
}

// crashes end the process of a method, or would.
func crashes() []Fault {
	return []Fault{
		crash("Panics", "panic: on purpose", func() { panic("on purpose") }),
		crash("PanicsElsewhere", "panic: in a goroutine", func() {
			go panic("in a goroutine")
			select {}
		}),
		crash("Overflows", "stack overflow", func() {
			debug.SetMaxStack(16 << 20) // a GiB by itself, which takes a second to fill
			sink = deeper(1)
		}),
		crash("RacesOnAMap", "concurrent map", raceOnAMap),
		crash("Segfaults", "fault", func() { *(*int)(unsafe.Add(unsafe.Pointer(&sink), 1<<46)) = 1 }),
		crash("IsAborted", "SIGABRT", func() { signalSelf(syscall.SIGABRT) }),
		crash("IsKilled", "killed from outside", func() { signalSelf(syscall.SIGKILL) }),
		crash("KillsItsKeeper", "not permitted", func() { signals(os.Getppid(), syscall.SIGKILL) }),
		crash("StopsItsKeeper", "not permitted", func() { signals(os.Getppid(), syscall.SIGSTOP) }),
		crash("ReadsOthers", "no such process can be read", func() {
			for _, file := range []string{"environ", "mem", "fd/0", "cmdline"} {
				if _, err := os.ReadFile("/proc/" + strconv.Itoa(os.Getppid()) + "/" + file); err == nil {
					return
				}
			}
			panic("no such process can be read")
		}),
		crash("WritesEverywhere", "only its own folder", func() {
			for _, dir := range []string{".", "/tmp", "/dev/shm", "/var/tmp"} {
				if os.WriteFile(dir+"/faulty-was-here", nil, 0o600) == nil {
					return
				}
			}
			if os.WriteFile(os.TempDir()+"/own", nil, 0o600) == nil {
				panic("only its own folder")
			}
		}),
		crash("Exits0", "exit code 0", func() { os.Exit(0) }),
		crash("Exits7", "exit code 7", func() { os.Exit(7) }),
		{Spec: define("ChildWorks", "1", does(sync.OnceFunc(func() {
			_ = exec.Command("sh", "-c", "ulimit -t 1; while :; do :; done").Run() // until the system ends it
		}))), Status: "ok"},
		{Spec: define("LeavesAnOrphan", "1", does(orphan)), Status: "ok"},
		{Spec: define("LeavesAGoroutine", "1", does(func() { go spin() })), Status: "ok"},
		crash("OrphanThenExit", "exit code 1", func() { orphan(); os.Exit(1) }),
	}
}

func memoryFaults() []Fault {
	large := func(name string, what func()) Fault {
		f := fault(name, "oom", "memory", what)
		f.Large = true
		return f
	}
	return []Fault{
		large("GrowsSlowly", func() { grow(8<<20, 5*time.Millisecond) }),
		large("GrowsFast", func() { grow(256<<20, 0) }),
		large("FillsItsFolder", func() {
			f, err := os.Create(os.TempDir() + "/large")
			for err == nil {
				_, err = f.Write(make([]byte, 1<<20))
			}
			select {}
		}),
		large("FillsAFileWithoutAName", func() {
			fd, err := unix.MemfdCreate("large", 0)
			for err == nil {
				_, err = unix.Write(fd, make([]byte, 1<<20))
			}
			select {}
		}),
		large("ChildGrows", func() {
			_ = exec.Command("sh", "-c", "head -c 100000000000 /dev/zero | tail").Run()
			select {}
		}),
	}
}

func answerFaults() []Fault {
	bad := func(name, says string, fit fits, options ...registry.Option[settings]) Fault {
		return Fault{Spec: define(name, "1", fit, options...), Status: "failed", Class: "bad-output", Says: says}
	}
	scoring := func(score func(out []float64)) fits {
		return func(context.Context, registry.Env, data) (registry.Model, error) {
			return registry.ScoreFunc(func(_ context.Context, _ *mat.Dense, out []float64) error {
				score(out)
				return nil
			}), nil
		}
	}
	restless := Fault{Status: "ok", Spec: define("Restless", "1", scoring(func(out []float64) {
		for i := range out {
			out[i] = float64(time.Now().UnixNano()%1000) - 500
		}
	}))}
	remembers := Fault{Status: "ok", Spec: define("Remembers", "1", memory())}
	noisy := Fault{Status: "failed", Class: "error", Says: "after much noise", Spec: define("Noisy", "1",
		func(context.Context, registry.Env, data) (registry.Model, error) {
			for range 100 {
				_, _ = os.Stderr.WriteString(strings.Repeat("noise and more noise\n", 1<<20/21))
			}
			_, _ = os.Stderr.WriteString("the last line\n")
			return nil, errors.New("after much noise")
		})}
	version := "1"
	if len(os.Args) > 1 && os.Args[1] == "cell" {
		version = "2"
	}
	return []Fault{
		restless, remembers, noisy,
		bad("SaysNaN", "NaN", scoring(func(out []float64) { out[0] = math.NaN() })),
		bad("WritesHalf", "never written", scoring(func(out []float64) { copy(out, make([]float64, len(out)/2)) })),
		bad("GivesTooMany", "out of range", does(func() {}), registry.Path(
			func(_ context.Context, _ registry.Env, train data, s []settings,
				yield func(int, registry.Model) error) error {
				return yield(len(s), centroid(train, 0))
			})),
		bad("ChangesItsData", "changed the data", func(_ context.Context, _ registry.Env, train data) (registry.Model,
			error) {
			train.Y[0] = -train.Y[0]
			return nil, nil
		}),
		bad("HalfAMessage", "in the middle of its answer", does(func() { toHarness(`{"key": "`); os.Exit(0) })),
		bad("Garbles", "cannot be read", does(func() { toHarness("hello\n") })),
		bad("ClosesItsPipes", "closed the pipe", does(func() {
			_, _ = syscall.Close(3), syscall.Close(4)
			select {}
		})),
		{Spec: define("ChangesItsVersion", version, does(func() {})), Status: "failed", Class: "bad-output",
			Says: "version 1 of ChangesItsVersion was asked for"},
	}
}

// memory is a fit that keeps the labels of all rows that its process has seen and answers those.
func memory() fits {
	var mu sync.Mutex
	votes := map[string]float64{}
	return func(_ context.Context, _ registry.Env, train data) (registry.Model, error) {
		mu.Lock()
		defer mu.Unlock()
		for i, y := range train.Y {
			votes[fmt.Sprint(train.X.RawRowView(i))] += y
		}
		honest := centroid(train, 0)
		return registry.ScoreFunc(func(ctx context.Context, x *mat.Dense, out []float64) error {
			mu.Lock()
			defer mu.Unlock()
			err := honest.Score(ctx, x, out)
			for i := range out {
				if y := votes[fmt.Sprint(x.RawRowView(i))]; y != 0 {
					out[i] = y
				}
			}
			return err
		}), nil
	}
}

var sink int

func deeper(n int) int {
	if n == 0 {
		return 0
	}
	var room [1 << 12]int
	room[n%len(room)] = n
	return deeper(n+1) + room[n%len(room)]
}

func raceOnAMap() {
	m := map[int]int{}
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				m[i%100] = i
			}
		}()
	}
	select {}
}

func spin() {
	for i := 0; ; i++ {
		sink = i
	}
}

// signals signals other processes and panics with what refuses it.
func signals(id int, s syscall.Signal) {
	if err := syscall.Kill(id, s); err != nil {
		panic(err)
	}
}

func signalSelf(s syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), s)
	select {}
}

// grow takes memory until it gets no more.
func grow(step int, pause time.Duration) {
	var all [][]byte
	for {
		b := make([]byte, step)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
		time.Sleep(pause)
		sink = len(all)
	}
}

// child starts a shell in a session of its own that goes on for ever.
func child(script string) {
	c := exec.Command("sh", "-c", script)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		panic(err)
	}
}

// orphan starts a process that leaves its parent, its group and its session, and ignores signals. It is there when
// orphan returns.
func orphan() {
	c := exec.Command("sh", "-c", `(trap '' TERM HUP INT; setsid sh -c 'echo there; exec sleep 100000 >/dev/null' &)`)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err == nil {
		err = c.Wait()
	}
	if err != nil {
		panic(err)
	}
}

// toHarness writes what only the worker itself may write.
func toHarness(text string) { _, _ = syscall.Write(4, []byte(text)) }
