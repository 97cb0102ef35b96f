package external_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// linking puts links to a file outside where its matrices and models will lie.
const linking = `
from benchplugin import serve
import os, pickle
import benchplugin._serve as side
def everywhere(kinds):
    for n in range(1, 60):
        for kind in kinds:
            try:
                os.symlink("@VICTIM@", os.environ["TMPDIR"] + "/%s%d.npy" % (kind, n))
            except OSError:
                pass
def save(self, r):
    with open(r["out"], "wb") as f:
        f.write(b"a model")
    everywhere("@KINDS@")
side.Server.op_save = save
side.Server.op_load = lambda self, r: None
class Links:
    def fit(self, X, y): pass
    def decision_function(self, X): return X[:, 0]
serve(Links, save=True)
`

// TestLinksInTheFolder: this program writes through no link that a plugin puts in its way.
func TestLinksInTheFolder(t *testing.T) {
	for _, kinds := range []string{"m", "xys"} {
		victim := filepath.Join(t.TempDir(), "precious")
		write(t, victim, "precious")
		p := must.Get(script(t, strings.NewReplacer("@VICTIM@", victim, "@KINDS@", kinds).Replace(linking)))(t)
		m := must.Get(p.Spec().Fit(context.Background(), registry.Env{}, sample(10, 2), nil))(t)
		var saved bytes.Buffer
		must.Do(t, m.(registry.Saver).Save(&saved))
		_, loading := p.Spec().LoadModel(bytes.NewReader(saved.Bytes()))
		_, fitting := p.Spec().Fit(context.Background(), registry.Env{}, sample(10, 2), nil)
		if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
			t.Errorf("%s: %q, %v", kinds, text, err)
		}
		for _, err := range []error{loading, fitting} {
			if err != nil && strings.Contains(err.Error(), "/") {
				t.Errorf("%s: %v; an error of this program's own names no folder that differs each time", kinds, err)
			}
		}
		if (loading == nil) != (kinds != "m") || (fitting == nil) != (kinds == "m") {
			t.Errorf("%s: %v, %v", kinds, loading, fitting)
		}
	}
}

// moving is a copy that puts a link to a folder outside in place of its own.
const moving = `
import benchplugin._serve as side
from benchplugin import serve
import os, shutil
side.write_below = lambda folder, devices: None
class Moves:
    def fit(self, X, y):
        own = os.environ["TMPDIR"]
        if not own.endswith("x"):
            os.rename(own, own + "x")
            os.symlink("@VICTIM@", own)
            os.environ["TMPDIR"] = own + "x"
    def decision_function(self, X): return X[:, 0]
serve(Moves)
`

// TestALinkInPlaceOfTheFolder: what lies where a link leads, which a copy has put in place of its folder, is neither
// read nor changed.
func TestALinkInPlaceOfTheFolder(t *testing.T) {
	victim := t.TempDir()
	for _, name := range []string{"in", "out", "err", "x1.npy", "y2.npy", "x3.npy", "s4.npy"} {
		write(t, filepath.Join(victim, name), "precious")
	}
	p := forkingPlugin(t, strings.ReplaceAll(moving, "@VICTIM@", victim))
	d := sample(10, 2)
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		for range 2 {
			if m, err := p.Spec().Fit(ctx, registry.Env{}, d, nil); err == nil {
				_ = m.Score(ctx, d.X, make([]float64, 10))
			}
		}
		cancel()
	}
	p.Close()
	left, err := os.ReadDir(victim)
	if err != nil || len(left) != 7 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestDataIsBounded: a process has no more data than its user lets it, and what it starts has not.
func TestDataIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sh")
	write(t, file, `read line; echo '{"id":1,"protocol":[1,1],"name":"Bounded","version":"1","tasks":["binary"],`+
		`"summary":"'$(ulimit -d; sh -c 'ulimit -d')'"}'; read line`)
	if said := load(t, file, external.Options{Data: 1 << 29}).Describes().Summary; said != "524288 524288" {
		t.Errorf("data of %s KiB", said)
	}
}
