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

// teller is a plugin in a file that reads which library it uses from another.
func teller(t *testing.T) (file, library string) {
	t.Helper()
	dir := t.TempDir()
	file, library = filepath.Join(dir, "teller.sh"), filepath.Join(dir, "library")
	write(t, library, "1.26")
	write(t, filepath.Join(dir, "part"), "a part")
	write(t, file, `while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	case $line in
	*describe*) echo '{"id":'$id',"protocol":[1,1],"name":"Teller","version":"1","tasks":["binary"],"network":true,' \
		'"files":["part"],"libraries":{"numbers":"'$(cat library)'"}}' ;;
	*) echo '{"id":'$id'}' ;;
	esac
done
`)
	return file, library
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
}

// TestRecall: a plugin that is remembered is the same method, and no process of it is started before a fit.
func TestRecall(t *testing.T) {
	file, library := teller(t)
	known := external.Records(filepath.Join(t.TempDir(), "made"))
	asked := load(t, file, external.Options{})
	record := asked.Record()
	must.Do(t, known.Keep(record))
	back, err := known.Of(file, external.Options{})
	if err != nil || back.Description == nil {
		t.Fatalf("%+v %v", back, err)
	}
	p := must.Get(external.Recall(file, back, external.Options{}))(t)
	defer p.Close()
	if got, want := p.Spec(), asked.Spec(); got.Name != want.Name || got.Version != want.Version ||
		len(p.Processes()) != 0 || p.Changed(record) != "" {
		t.Errorf("%s %s with processes %v, %q; want %s %s", got.Name, got.Version, p.Processes(), p.Changed(record),
			want.Name, want.Version)
	}
	if _, err := p.Spec().Fit(t.Context(), env, sample(4, 2), nil); err != nil || len(p.Processes()) != 1 {
		t.Errorf("%v, processes %v", err, p.Processes())
	}
	write(t, library, "2.0")
	other := must.Get(external.Recall(file, back, external.Options{}))(t)
	defer other.Close()
	_, err = other.Spec().Fit(t.Context(), env, sample(4, 2), nil)
	if err == nil || !strings.Contains(err.Error(),
		"teller.sh changed since it was last asked (numbers 1.26 → 2.0); `bench run` asks it again") {
		t.Errorf("%v", err)
	}
	if fresh := load(t, file, external.Options{}); fresh.Changed(record) != "numbers 1.26 → 2.0" {
		t.Errorf("%q", fresh.Changed(record))
	}
}

// TestForgotten: what is remembered is of this file with this content, and of its parts.
func TestForgotten(t *testing.T) {
	file, _ := teller(t)
	text := must.Get(os.ReadFile(file))(t)
	known := external.Records(t.TempDir())
	record := load(t, file, external.Options{}).Record()
	must.Do(t, known.Keep(record))
	state := func(what string, described bool) {
		t.Helper()
		r, err := known.Of(file, external.Options{})
		if err != nil || (r.Description != nil) != described {
			t.Errorf("%s: %+v %v", what, r, err)
		}
	}
	state("as it was", true)
	write(t, file, string(text)+"#")
	state("another text", false)
	write(t, file, string(text))
	part := filepath.Join(filepath.Dir(file), "part")
	write(t, part, "another part")
	state("another part", false)
	must.Do(t, os.Remove(part))
	state("no part", false)
	write(t, part, "a part")
	state("as it was again", true)
	if err := os.Chmod(file, 0o755); err != nil { // it is a program now and needs no interpreter
		t.Fatal(err)
	}
	state("another interpreter", false)
	must.Do(t, os.Chmod(file, 0o644))
	kept, err := filepath.Glob(filepath.Join(string(known), "*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v %v", kept, err)
	}
	write(t, kept[0], "{")
	state("damaged", false)
	copied := filepath.Join(t.TempDir(), "teller.sh")
	write(t, copied, string(text))
	file = copied
	state("another place", false)
}

// TestNetwork: a plugin has the network if it asks for it and its user gives it.
func TestNetwork(t *testing.T) {
	asks, _ := teller(t)
	for _, c := range []struct {
		file string
		may  bool
		has  bool
	}{{asks, true, true}, {asks, false, false}, {plugin(t, "ridge"), true, false}} {
		o := external.Options{Network: c.may}
		p := load(t, c.file, o)
		recalled := must.Get(external.Recall(c.file, p.Record(), o))(t)
		defer recalled.Close()
		if p.Network() != c.has || recalled.Network() != c.has {
			t.Errorf("%+v: %v, %v when recalled", c, p.Network(), recalled.Network())
		}
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
