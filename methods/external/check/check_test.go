package check

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// sinner is a plugin without the package benchplugin that does one thing wrong, which SIN names.
//
//go:embed testdata/sinner.py
var sinner string

// TestEachCheckFails: a plugin without sin passes all checks, and one that does a thing wrong fails the
// check that is about it.
func TestEachCheckFails(t *testing.T) {
	python := testenv.Python(t)
	t.Setenv("BENCH_PYTHON", python)
	sins := []string{"none", "grid", "shapes", "noise", "learns", "same again", "another process", "state", "canary",
		"points apart", "data unchanged", "rows permuted", "row by row",
		"one class", "equal rows", "constant feature", "gaps", "few rows", "path", "stages", "save and load",
		"unknown request", "memory", "ends"}
	for i, sin := range sins {
		if !testenv.Thorough(t) && i%12 != 0 {
			continue
		}
		t.Run(sin, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "sinner.py")
			must.Do(t, os.WriteFile(file, []byte(strings.ReplaceAll(sinner, "@SIN@", sin)), 0o644))
			failed := map[string]string{}
			n := 0
			o := Options{Limit: time.Hour, Canary: func(context.Context, registry.Spec) (string, error) {
				if sin == "canary" {
					return "", errors.New("it knows")
				}
				return "it does not know", nil
			}}
			ctx, enough := context.WithCancel(t.Context())
			defer enough()
			err := Run(ctx, file, o, func(r Result) {
				n++
				if r.Name == sin { // what the other checks say of this plugin does not matter
					enough()
				}
				if r.Failure != "" {
					failed[r.Name] = r.Failure
				}
				if r.Advice == "" || strings.Contains(r.Detail, "\n") {
					t.Errorf("%+v", r)
				}
			})
			if err != nil && (sin == "none" || !errors.Is(err, context.Canceled)) {
				t.Fatal(err)
			}
			if sin == "none" && n != len(checks) {
				t.Errorf("%d results of %d checks", n, len(checks))
			}
			if sin == "learns" {
				must.Say(t, errors.New(failed[sin]), "the sign of every score says class +1, although their order")
			}
			if _, caught := failed[sin]; caught == (sin == "none") || sin == "none" && len(failed) > 0 {
				t.Errorf("failed: %v", failed)
			}
		})
	}
}

// TestErrorOfTheMethod: where every fit of a method ends in the same error, the first check says that the error is one
// of the method. The checks after it point to the first one, in place of advice about what they try.
func TestErrorOfTheMethod(t *testing.T) {
	file := filepath.Join(t.TempDir(), "boom.sh")
	must.Do(t, os.WriteFile(file, []byte(`while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	case $line in
	*'"op":"describe"'*) echo '{"id":'$id',"protocol":[1,1],"name":"Boom","version":"1","tasks":["binary"]}' ;;
	*) echo '{"id":'$id',"error":"ValueError: boom"}' ;;
	esac
done
`), 0o600))
	advice := map[string]string{}
	must.Do(t, Run(t.Context(), file, Options{Limit: time.Hour}, func(r Result) { advice[r.Name] = r.Advice }))
	must.Be(t, advice["shapes"], "mend this error of the method itself")
	must.Be(t, advice["data unchanged"], "mend the failure above, which is the same")
}
