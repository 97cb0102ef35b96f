package faulty

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kernelboosting/bench/registry"
)

// Target is the environment variable that tells a hostile method where there is something to harm: a folder with a
// database results.db, a folder data, and a folder plugins with the method's own script. Listener names a TCP address.
const (
	Target   = "LC_HOSTILE_TARGET"
	Listener = "LC_HOSTILE_LISTENER"
)

// Harm begins the error of a cell whose method has done what it must not be able to do.
const Harm = "harm was done: "

var errRefused = errors.New("refused")

// hostile are what methods try to do to what is not theirs; each returns nil if it could.
var hostile = map[string]func(dir string) error{
	"ReadsLabels":   func(dir string) error { return readsBelow(filepath.Join(dir, "data")) },
	"ReadsTheHome":  func(dir string) error { return readsBelow(filepath.Join(dir, "home")) },
	"ReadsResults":  func(dir string) error { return first(os.ReadFile(filepath.Join(dir, "results.db"))) },
	"WritesResults": func(dir string) error { return appends(filepath.Join(dir, "results.db")) },
	"CutsResults":   func(dir string) error { return os.Truncate(filepath.Join(dir, "results.db"), 100) },
	"RemovesResults": func(dir string) error {
		return os.Remove(filepath.Join(dir, "results.db"))
	},
	"MovesResults": func(dir string) error {
		return os.Rename(filepath.Join(dir, "results.db"), filepath.Join(os.TempDir(), "results.db"))
	},
	"LinksResults": func(dir string) error {
		return os.Link(filepath.Join(dir, "results.db"), filepath.Join(os.TempDir(), "results.db"))
	},
	"WritesItsScript": func(dir string) error {
		for _, each := range []string{"new.sh", "WritesItsScript.sh"} {
			if appends(filepath.Join(dir, "plugins", each)) == nil {
				return nil
			}
		}
		return errRefused
	},
	"WritesSharedMemory": func(string) error {
		return os.WriteFile(fmt.Sprintf("/dev/shm/hostile-%d", os.Getpid()), []byte("here"), 0o600)
	},
	"FindsOpenFiles":  func(string) error { return findsOpen("results.db") },
	"TracesItsWorker": func(string) error { return syscall.PtraceAttach(os.Getppid()) },
	"EndsItsWorker":   func(string) error { return syscall.Kill(os.Getppid(), syscall.SIGTERM) },
	"Connects": func(string) error {
		c, err := net.Dial("tcp", os.Getenv(Listener))
		if err == nil {
			c.Close()
		}
		return err
	},
}

// HostileNames are the names of the hostile methods.
func HostileNames() []string {
	var out []string
	for name := range hostile {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Hostile is a method that tries one thing and then goes on as it should. Its fits fail if it could.
func Hostile(name string) registry.Spec {
	return define(name, "1", func(context.Context, registry.Env, data) (registry.Model, error) {
		if hostile[name](os.Getenv(Target)) == nil {
			return nil, errors.New(Harm + name)
		}
		return nil, nil
	})
}

func first[T any](_ T, err error) error { return err }

func appends(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString("#")
		f.Close()
	}
	return err
}

// readsBelow reads some file below a folder.
func readsBelow(dir string) error {
	found := errRefused
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if _, err := os.ReadFile(path); err == nil {
				found = nil
			}
		}
		return nil
	})
	return found
}

// findsOpen looks through the open files of all processes for one of a name and opens it.
func findsOpen(name string) error {
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, each := range links {
		if to, err := os.Readlink(each); err == nil && strings.HasSuffix(to, name) {
			if f, err := os.OpenFile(each, os.O_RDWR, 0); err == nil {
				f.Close()
				return nil
			}
		}
	}
	return errRefused
}
