package processes

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"golang.org/x/sys/unix"
)

func FuzzParse(f *testing.F) {
	own := must.Get(os.ReadFile("/proc/self/stat"))(f)
	f.Add(own)
	f.Add([]byte("7 (a) b) (c) R 1 7 7 0 -1 4194304 100 0 0 0 3 4 5 6 20 0 1 0 99 1000 50 0"))
	f.Add([]byte("7 () "))
	f.Fuzz(func(t *testing.T, line []byte) {
		if p, there := parse(line); there && p.Zombie && p.Stopped {
			t.Errorf("%+v", p)
		}
	})
}

// TestParse: a name may hold anything.
func TestParse(t *testing.T) {
	p, there := parse([]byte("7 (a) b) (c) T 1 7 7 0 -1 4194304 100 0 0 0 3 4 5 6 20 0 1 0 99 1000 50 0"))
	want := Process{ID: 7, Parent: 1, Group: 7, Threads: 1, Stopped: true, Started: 99, CPU: 180 * time.Millisecond,
		Resident: 50 * int64(os.Getpagesize())}
	if !there || p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// slept reports whether both children of a shell have become programs of their own, which have memory.
func slept(children []Process) bool {
	return len(children) == 2 && children[0].Resident > 0 && children[1].Resident > 0
}

// TestBelow: children and theirs, none that has ended.
func TestBelow(t *testing.T) {
	c := exec.Command("sh", "-c", "sleep 1000 & sleep 1000 & wait")
	must.Do(t, c.Start())
	p, there := Of(c.Process.Pid)
	if !there || p.Parent != os.Getpid() || !Alive(p.ID, p.Started) || Alive(p.ID, p.Started+1) {
		t.Errorf("the child is %+v", p)
	}
	for deadline := time.Now().Add(10 * time.Minute); !slept(Below(p.ID)); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("below the child: %+v", Below(p.ID))
		}
	}
	all := Below(os.Getpid())
	if len(all) != 3 || all[0].ID != p.ID || Sum(all).Resident <= Sum(all[:1]).Resident {
		t.Errorf("below this process: %+v", all)
	}
	must.Do(t, Adopt())
	go func() { _ = c.Wait() }()
	must.Be(t, EndBelow(time.Minute), 0, Below(os.Getpid()))
	must.Be(t, len(Below(os.Getpid())), 0, Below(os.Getpid()))
	if Alive(p.ID, p.Started) || !Exiting(p.ID) {
		t.Error("the child is still there")
	}
}

// TestFilesOfAThread: a file in memory counts also where a thread alone holds it, of two that do so the one that is not
// the first.
func TestFilesOfAThread(t *testing.T) {
	ready, done := make(chan error), make(chan struct{})
	defer close(done)
	hold := func() {
		runtime.LockOSThread() // and it ends with this goroutine
		err := unix.Unshare(unix.CLONE_FILES)
		var fd int
		if err == nil {
			fd, err = unix.MemfdCreate("held", 0)
		}
		if err == nil {
			_, err = unix.Write(fd, make([]byte, 1<<20))
		}
		ready <- err
		<-done
	}
	for range 2 {
		go hold()
		must.Do(t, <-ready)
	}
	own, _ := Of(os.Getpid())
	if n := HeldInMemory([]Process{own}); n < 2<<20 {
		t.Errorf("%d bytes; the files have %d", n, 2<<20)
	}
}

// TestWrittenBelow: what lies deeper than paths are long counts.
func TestWrittenBelow(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for range 3000 {
		must.Do(t, os.Mkdir("deeper", 0o700))
		must.Do(t, syscall.Chdir("deeper"))
	}
	must.Do(t, os.WriteFile("file", make([]byte, 1<<20), 0o600))
	if n := WrittenBelow(dir); n < 1<<20 {
		t.Errorf("%d bytes; the file has %d", n, 1<<20)
	}
}
