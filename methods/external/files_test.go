package external_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/external"
)

// teller is a plugin that asks for the network.
func teller(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "teller.sh")
	write(t, file, `while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	case $line in
	*describe*) echo '{"id":'$id',"protocol":[1,1],"name":"Teller","version":"1","tasks":["binary"],"network":true}' ;;
	*) echo '{"id":'$id'}' ;;
	esac
done
`)
	return file
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
}

// TestNetwork: a plugin has the network if it asks for it and its user gives it.
func TestNetwork(t *testing.T) {
	asks := teller(t)
	for _, c := range []struct {
		file string
		may  bool
		has  bool
	}{{asks, true, true}, {asks, false, false}, {plugin(t, "ridge"), true, false}} {
		p := load(t, c.file, external.Options{Network: c.may})
		must.Be(t, p.Network(), c.has, c)
		if left := len(p.Processes()); c.has == (left > 0) {
			t.Errorf("%+v: %d processes that were started without it", c, left)
		}
	}
}

// TestNoPlugin: a file that ends well and says nothing is none, which is no fault of it.
func TestNoPlugin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "helper.sh")
	write(t, file, "exit 0")
	_, err := external.Load(t.Context(), file, external.Options{})
	must.Be(t, fmt.Sprint(err), "plugin "+file+": it ended without an answer, so it is no plugin")
}

// TestFilesOfAPlugin: what a plugin is made of lies in its own folder. Other files are not its to declare, and so to
// read.
func TestFilesOfAPlugin(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "key"), "secret")
	write(t, filepath.Join(dir, "own"), "own")
	for link, to := range map[string]string{"leads-out": filepath.Join(outside, "key"), "leads-in": "own"} {
		must.Do(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	file := filepath.Join(dir, "a.sh")
	for name, says := range map[string]string{
		"own": "", "leads-in": "", "./own": "", filepath.Join(outside, "key"): "in its own folder",
		"../key":    "in its own folder",
		"leads-out": "a link out of its own folder", "/proc/self/pagemap": "in its own folder",
		"none": "cannot be read",
	} {
		write(t, file, "read line; echo '"+strings.Replace(goodDescription, `"name"`, `"files":["`+name+`"],"name"`,
			1)+"'; read line")
		p, err := external.Load(t.Context(), file, external.Options{})
		if err == nil {
			p.Close()
		}
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v; want %q", name, err, says)
		}
	}
}

// TestWhatIsNotListed: a plugin sees the files that it declares, which are those of its version, and no others of its
// folder. One that needs another is not loaded, or its fit fails, with the name of the file and what to do.
func TestWhatIsNotListed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "listed"), "one")
	write(t, filepath.Join(dir, "helper"), "two")
	file := filepath.Join(dir, "a.sh")
	for when, want := range map[string]string{"never": "", "describe": "none of its files: list it",
		"fit": "none of its files: list it"} {
		write(t, file, `while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	cat listed >/dev/null || exit 1
	case $line in
	*`+when+`*) cat helper >/dev/null || exit 2 ;;
	esac
	echo '`+strings.Replace(goodDescription, `"id":1`, `"id":'$id',"files":["listed"]`, 1)+`'
done
`)
		p, err := external.Load(t.Context(), file, external.Options{})
		if err == nil {
			_, err = p.Spec().Fit(t.Context(), env, sample(4, 2), nil)
			p.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), `files=["helper"]`)) {
			t.Errorf("%s: %v", when, err)
		}
	}
}
