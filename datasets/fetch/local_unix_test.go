//go:build unix

package fetch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestMirrorsOfPipes: a mirror may hold anything under a file's name.
func TestMirrorsOfPipes(t *testing.T) {
	mirror := t.TempDir()
	for _, name := range []string{"one", "two"} {
		must.Do(t, os.Mkdir(filepath.Join(mirror, name), 0o755))
	}
	if err := syscall.Mkfifo(filepath.Join(mirror, "one", "one.csv"), 0o644); err != nil {
		t.Skip(err)
	}
	must.Do(t, os.Symlink("/dev/zero", filepath.Join(mirror, "two", "two.csv")))
	err := Files(t.Context(), catalogue.Directory{Root: t.TempDir()}, []*catalogue.Entry{webEntry("one", sample),
		webEntry("two", sample)}, Options{From: mirror, Client: &http.Client{Transport: newSite(t)}})
	if err == nil {
		t.Fatal("a pipe is a file")
	}
	must.Hold(t, err.Error(), "one.csv: it is a named pipe and not a regular file; from https:",
		"two.csv: it is a device and not a regular file; from https:")
}

// failing is a network that must not be asked.
type failing struct{ t *testing.T }

func (f failing) RoundTrip(r *http.Request) (*http.Response, error) {
	f.t.Errorf("%s is asked though the failure is local", r.URL)
	return nil, errors.New("no")
}

// TestLocalFailures: a failure to write is reported, no other source is asked,
// and many files share one line.
func TestLocalFailures(t *testing.T) {
	mirror := t.TempDir()
	var entries []*catalogue.Entry
	for i := range 7 {
		name := fmt.Sprintf("set%d", i)
		entries = append(entries, webEntry(name, sample))
		must.Do(t, os.MkdirAll(filepath.Join(mirror, name), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(mirror, name, name+".csv"), []byte(sample), 0o644))
	}
	notADirectory := filepath.Join(t.TempDir(), "data")
	must.Do(t, os.WriteFile(notADirectory, nil, 0o644))
	o := Options{From: mirror, Client: &http.Client{Transport: failing{t}}, Backoff: time.Millisecond}
	err := Files(t.Context(), catalogue.Directory{Root: notADirectory}, entries, o)
	want := "cannot write to " + notADirectory + ": not a directory; 7 files are missing, of set0, set1, set2, set3, " +
		"set4, set5, set6: choose another directory with --data"
	must.Be(t, fmt.Sprint(err), want)
	err = Files(t.Context(), catalogue.Directory{Root: notADirectory}, entries[:1], o)
	want = "set0: set0/set0.csv: cannot write to " + notADirectory + "/set0: not a directory; choose another " +
		"directory with --data"
	must.Be(t, fmt.Sprint(err), want)
	if os.Getuid() != 0 { // root may write anywhere
		locked := t.TempDir()
		must.Do(t, os.Chmod(locked, 0o555))
		err = Files(t.Context(), catalogue.Directory{Root: locked}, entries, o)
		if err == nil || !strings.HasPrefix(err.Error(), "cannot write to "+locked+": permission denied; 7 files are "+
			"missing") || !strings.HasSuffix(err.Error(), ": make it writable, or choose another directory with "+
			"--data") {
			t.Errorf("error %v", err)
		}
	}
}

// TestFullDisk writes to /dev/full, which behaves like a file on a full disk.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	_, cause := (&countingWriter{w: full, sum: sha256.New()}).Write([]byte(sample))
	var local localError
	if !errors.As(cause, &local) || !errors.Is(cause, syscall.ENOSPC) {
		t.Fatalf("error %v", cause)
	}
	f := &fetcher{store: catalogue.Directory{Root: "/data"}}
	e := webEntry("one", sample)
	got := f.unwritten(job{entry: e, file: e.Files[0], path: "/data/one/one.csv"}, local).Error()
	want := "one: one/one.csv: cannot write to /data/one: no space left on device; free some space there, or choose " +
		"another directory with --data"
	must.Be(t, got, want)
}
