//go:build unix

package datasets

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

	"github.com/kernelboosting/bench/internal/system/cputime"
)

// namedPipe makes a pipe that nobody writes to: opening it to read waits for ever.
func namedPipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip(err)
	}
}

// TestOnlyRegularFilesAreRead: a pipe or an endless device is an error at once,
// wherever a file is read.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	namedPipe(t, filepath.Join(dir, "pipe.csv"))
	namedPipe(t, filepath.Join(dir, "pipe.toml"))
	if _, err := Builtin().Add(filepath.Join(dir, "pipe.toml")); err == nil || !strings.HasSuffix(err.Error(), "pipe.toml: it is a named pipe and not a regular file") {
		t.Errorf("error %v", err)
	}
	for file, kind := range map[string]string{"pipe.csv": "a named pipe", "/dev/zero": "a device", ".": "a directory"} {
		description := filepath.Join(dir, "set.toml")
		if err := os.WriteFile(description, fmt.Appendf(nil, "name = \"mine\"\nfile = %q\nformat = \"csv\"\nlabel = 0\n", file), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := Builtin().Add(description)
		if err != nil {
			t.Fatal(err)
		}
		path := Directory{}.Path(e, e.Files[0])
		want := fmt.Sprintf("mine: open %s: it is %s and not a regular file", path, kind)
		if _, err := Load(t.Context(), Directory{}, e); err == nil || err.Error() != want {
			t.Errorf("Load: got  %v\nwant %s", err, want)
		}
		if state, err := (Directory{}).State(e); state != Wrong || err == nil || err.Error() != want {
			t.Errorf("State: got  %v, %v\nwant %s", state, err, want)
		}
		if _, err := (Directory{}).Fingerprint(e); err == nil || err.Error() != want {
			t.Errorf("Fingerprint: got  %v\nwant %s", err, want)
		}
	}
}

// TestMirrorsOfPipes: a mirror may hold anything under a file's name.
func TestMirrorsOfPipes(t *testing.T) {
	mirror := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(mirror, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(mirror, "one", "one.csv"), 0o644); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(mirror, "two", "two.csv")); err != nil {
		t.Fatal(err)
	}
	err := Fetch(t.Context(), Directory{Root: t.TempDir()}, []*Entry{webEntry("one", sample), webEntry("two", sample)}, FetchOptions{From: mirror, Client: &http.Client{Transport: newSite(t)}})
	if err == nil {
		t.Fatal("a pipe is a file")
	}
	for _, want := range []string{"one.csv: it is a named pipe and not a regular file; from https:", "two.csv: it is a device and not a regular file; from https:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

// failing is a network that must not be asked.
type failing struct{ t *testing.T }

func (f failing) RoundTrip(r *http.Request) (*http.Response, error) {
	f.t.Errorf("%s is asked though the failure is local", r.URL)
	return nil, errors.New("no")
}

// TestLocalFailures: a failure to write is told as such, no other source is asked,
// and many files share one line.
func TestLocalFailures(t *testing.T) {
	mirror := t.TempDir()
	var entries []*Entry
	for i := range 7 {
		name := fmt.Sprintf("set%d", i)
		entries = append(entries, webEntry(name, sample))
		if err := os.MkdirAll(filepath.Join(mirror, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(mirror, name, name+".csv"), []byte(sample), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	notADirectory := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(notADirectory, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	o := FetchOptions{From: mirror, Client: &http.Client{Transport: failing{t}}, Backoff: time.Millisecond}
	err := Fetch(t.Context(), Directory{Root: notADirectory}, entries, o)
	want := "cannot write to " + notADirectory + ": not a directory; 7 files are missing, of set0, set1, set2, set3, set4, set5, set6: choose another directory with --data"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	err = Fetch(t.Context(), Directory{Root: notADirectory}, entries[:1], o)
	want = "set0: set0/set0.csv: cannot write to " + notADirectory + "/set0: not a directory; choose another directory with --data"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if os.Getuid() != 0 { // root may write anywhere
		locked := t.TempDir()
		if err := os.Chmod(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		err = Fetch(t.Context(), Directory{Root: locked}, entries, o)
		if err == nil || !strings.HasPrefix(err.Error(), "cannot write to "+locked+": permission denied; 7 files are missing") || !strings.HasSuffix(err.Error(), ": make it writable, or choose another directory with --data") {
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
	f := &fetcher{store: Directory{Root: "/data"}}
	e := webEntry("one", sample)
	got := f.unwritten(fetchJob{entry: e, file: e.Files[0], path: "/data/one/one.csv"}, local).Error()
	want := "one: one/one.csv: cannot write to /data/one: no space left on device; free some space there, or choose another directory with --data"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestManyLevelsOfARFF: the time for n levels grows like n. With 200,000 of them it
// takes a second of the processor; comparing each with all others takes minutes.
func TestManyLevelsOfARFF(t *testing.T) {
	const levels = 200000
	var b strings.Builder
	b.WriteString("@attribute k {")
	for i := range levels {
		fmt.Fprintf(&b, "l%d,", i)
	}
	b.WriteString("last}\n@attribute x real\n@attribute y {p,q}\n@data\n")
	for i := range levels {
		fmt.Fprintf(&b, "l%d,%d,%c\n", i, i, "pq"[i%2])
	}
	seconds := cputime.Of(func() {
		s, err := userSet(t, arffSet+"drop = \"k\"\n", "my.arff", b.String())
		if err != nil {
			t.Fatal(err)
		}
		if n, d := s.X.Dims(); n != levels || d != 1 {
			t.Errorf("%d x %d", n, d)
		}
	})
	if seconds > 30 {
		t.Errorf("%d levels take %.0f s of the processor", levels, seconds)
	}
}
