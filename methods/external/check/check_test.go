package check

import (
	"context"
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
const sinner = `
import json, os, sys, time
import numpy as np
SIN = "@SIN@"
models, kept, seen = {}, 0, None
describe = {"protocol": [1, 1], "name": "Sinner", "version": "1", "tasks": ["binary"],
            "parameters": [{"name": "c", "default": 1.0}], "grid": [{"name": "c", "values": [1, 2, 3]}],
            "ops": ["path", "save", "stages"], "gaps": True}
def load(file):
    X = np.load(file)
    return X if SIN == "gaps" else np.nan_to_num(X)
if SIN == "grid":
    describe["grid"][0]["values"] = [1, 1.0]
for line in sys.stdin:
    r = json.loads(line)
    a = {"id": r["id"]}
    for m in r.get("drop", []):
        if SIN != "memory":
            models.pop(m, None)
    op = r["op"]
    if op == "describe":
        a.update(describe)
    elif op in ("fit", "path"):
        X, y = load(r["x"]), np.load(r["y"])
        if SIN == "few rows" and len(y) == 1 or SIN == "one class" and len(set(y)) == 1 or SIN == "constant feature" and (X == 0).all(axis=0).any():
            sys.exit(3)
        if SIN == "equal rows" and len(np.unique(X, axis=0)) < len(X):
            sys.exit(4)
        if SIN == "cancellation" and len(y) == 400:
            time.sleep(0.02)
        if SIN == "data unchanged":
            np.save(r["x"], X + 1e-9)
        for i, m in enumerate(r.get("models", [r.get("model")])):
            w = X.T @ y / len(y)
            if SIN == "same again": w = w + 1e-9 * np.random.rand()
            if SIN == "another process": w = w + 1e-12 * os.getpid()
            if SIN == "state":
                seen = X.mean() if seen is None else seen
                w = w + 1e-9 * (seen - X.mean())
            if SIN == "points apart":
                w, kept = w + kept, 1e-9 * (r.get("settings") or [r["setting"]])[i]["c"]
            if SIN == "path" and op == "path": w = w * 2
            models[m] = (w, np.ones(1 << 19) if SIN == "memory" else None)
        a["rounds"] = [2] * len(r.get("models", [1]))
        if SIN == "noise": print("fitted")
    elif op in ("score", "stages"):
        X = load(r["x"])
        s = X @ models[r["model"]][0]
        if SIN == "learns": s = -s
        if SIN == "row by row": s = s - s.mean()
        if SIN == "rows permuted": s = s + 0.1 * np.arange(len(s))
        if SIN == "shapes" and len(s) == 1: s = np.array([np.nan])
        if op == "stages":
            s = np.stack([s / 2 if t == 1 else s + (SIN == "stages") for t in r["at"]])
        np.save(r["out"], s)
    elif op == "save":
        w = models[r["model"]][0]
        np.save(r["out"], w + (SIN == "save and load"))
    elif op == "load":
        models[r["model"]] = (np.load(r["in"]), None)
    elif SIN != "unknown request":
        a["error"] = "not known"
    print(json.dumps(a), flush=True)
if SIN == "ends":
    time.sleep(100)
`

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
			if _, caught := failed[sin]; caught == (sin == "none") || sin == "none" && len(failed) > 0 {
				t.Errorf("failed: %v", failed)
			}
		})
	}
}
