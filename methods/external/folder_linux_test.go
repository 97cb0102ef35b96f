package external_test

import (
	"bytes"
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// linking puts links to a file outside where its matrices and models will lie.
//
//go:embed testdata/linking.py
var linking string

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
		must.Be(t, loading == nil, kinds != "m", kinds, loading, fitting)
		must.Be(t, fitting == nil, kinds == "m", kinds, loading, fitting)
	}
}

// moving is a copy that puts a link to a folder outside in place of its own.
//
//go:embed testdata/moving.py
var moving string

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
	must.Do(t, err)
	must.Be(t, len(left), 7, left)
}

// TestDataIsBounded: a process has no more data than its user lets it, and what it starts has not.
func TestDataIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sh")
	write(t, file, `read line; echo '{"id":1,"protocol":[1,1],"name":"Bounded","version":"1","tasks":["binary"],`+
		`"summary":"'$(ulimit -d; sh -c 'ulimit -d')'"}'; read line`)
	must.Be(t, load(t, file, external.Options{Data: 1 << 29}).Describes().Summary, "524288 524288", "data in KiB")
}
