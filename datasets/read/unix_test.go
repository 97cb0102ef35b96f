//go:build unix

package read

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
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
	if _, err := catalogue.Builtin().Add(filepath.Join(dir, "pipe.toml")); err == nil ||
		!strings.HasSuffix(err.Error(), "pipe.toml: it is a named pipe and not a regular file") {
		t.Errorf("error %v", err)
	}
	for file, kind := range map[string]string{"pipe.csv": "a named pipe", "/dev/zero": "a device", ".": "a directory"} {
		description := filepath.Join(dir, "set.toml")
		must.Do(t, os.WriteFile(description, fmt.Appendf(nil, "name = \"mine\"\nfile = %q\nformat = \"csv\"\nlabel = "+
			"0\n", file), 0o644))
		e := must.Get(catalogue.Builtin().Add(description))(t)
		path := catalogue.Directory{}.Path(e, e.Files[0])
		want := fmt.Sprintf("mine: open %s: it is %s and not a regular file", path, kind)
		must.Be(t, fmt.Sprint(must.Err(Load(t.Context(), catalogue.Directory{}, e))), want)
		if state, err := (catalogue.Directory{}).State(e); state != catalogue.Wrong || err == nil ||
			err.Error() != want {
			t.Errorf("State: got  %v, %v\nwant %s", state, err, want)
		}
		must.Be(t, fmt.Sprint(must.Err((catalogue.Directory{}).Fingerprint(e))), want)
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
	seconds := processes.CPUTimeOf(func() {
		s := must.Get(userSet(t, arffSet+"drop = \"k\"\n", "my.arff", b.String()))(t)
		if n, d := s.X.Dims(); n != levels || d != 1 {
			t.Errorf("%d x %d", n, d)
		}
	})
	if seconds > 30 {
		t.Errorf("%d levels take %.0f s of the processor", levels, seconds)
	}
}
