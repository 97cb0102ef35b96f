package sandbox

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/kernelboosting/bench/internal/test/must"
	"golang.org/x/sys/unix"
)

// A counter is a number that the system keeps for all processes. Add raises it at least n times and may take a while;
// a file at the path is one that nobody has read.
type counter struct {
	Add  func(path string, n int) error
	Read func() (int64, error)
}

// counters are numbers by which a method can tell a later one something.
var counters = map[string]counter{
	"numbers of processes": {Add: repeats(func() error {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			done <- true
		}()
		<-done
		return nil
	}), Read: func() (int64, error) { return int64(os.Getpid()), nil }},
	"numbers of pipes": {Add: repeats(func() error { return must.Err(pipeNumber()) }), Read: pipeNumber},
	"numbers of files": {Add: repeats(func() error { return must.Err(fileNumber()) }), Read: fileNumber},
	"free memory": {
		Add: func(path string, _ int) error { return must.Err(os.ReadFile(path)) },
		Read: func() (int64, error) {
			var s unix.Sysinfo_t
			err := unix.Sysinfo(&s)
			return -int64(s.Freeram) / 4096, err
		},
	},
}

func repeats(do func() error) func(string, int) error {
	return func(_ string, n int) error {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
}

func pipeNumber() (int64, error) {
	runtime.LockOSThread()
	var one unix.CPUSet // each processor has numbers of its own
	one.Set(0)
	_ = unix.SchedSetaffinity(0, &one)
	var s unix.Stat_t
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	defer w.Close()
	err = unix.Fstat(int(r.Fd()), &s)
	return int64(s.Ino), err
}

func fileNumber() (int64, error) {
	name := filepath.Join(os.TempDir(), "numbered")
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer os.Remove(name)
	defer f.Close()
	var s unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &s)
	return int64(s.Ino), err
}
