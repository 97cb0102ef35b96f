package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
)

// closure prints the distributions that imported names need, directly or by others, as NAME==VERSION. pip reads their
// requirements.
const closure = `
import sys
from importlib import metadata
from pip._vendor.packaging.requirements import Requirement

def plain(name):
    return name.lower().replace("_", "-").replace(".", "-")

owners = metadata.packages_distributions()
todo = [d for name in sys.argv[1:] for d in owners.get(name, [name])]
done = {}
while todo:
    name = todo.pop()
    if plain(name) in done:
        continue
    found = metadata.distribution(name)
    done[plain(name)] = found.metadata["Name"] + "==" + found.version
    for line in found.requires or ():
        needs = Requirement(line)
        if needs.marker is None or needs.marker.evaluate({"extra": ""}):
            todo.append(needs.name)
print("\n".join(sorted(done.values(), key=str.lower)))
`

// lockText returns the lock of a plugin: of --lock, of a file beside the plugin, or of the Python that runs the plugin.
// It notes the version of that Python in the entry.
func (s *submission) lockText(ctx context.Context, home string, e *commons.Entry) ([]byte, error) {
	python := ""
	if strings.EqualFold(filepath.Ext(e.Plugin), ".py") {
		if python = s.plugin.known.Interpreter; python == "" {
			return nil, usage("%s is run by its first line; take its executable bit away, and name a Python by "+
				"BENCH_PYTHON", e.Plugin)
		}
		var err error
		if e.Python, err = minorVersion(ctx, python); err != nil {
			return nil, err
		}
	}
	file := cmp.Or(s.lock, filepath.Join(home, strings.TrimSuffix(e.Plugin, filepath.Ext(e.Plugin))+".lock.txt"))
	text, err := files.Read(file, s.config.Limits.FileBytes)
	switch {
	case err == nil || s.lock != "" || !errors.Is(err, fs.ErrNotExist):
		return text, usageError(err)
	case python == "":
		return nil, nil
	}
	return s.makeLock(ctx, python)
}

// makeLock asks a Python which distributions the plugin's libraries need, and pip for the hashes of their wheels.
func (s *submission) makeLock(ctx context.Context, python string) ([]byte, error) {
	wrong := func(err error) error {
		return exitError{exitIncomplete, fmt.Errorf("no lock can be made from %s: %w; write one and name it by --lock",
			python, err)}
	}
	libraries := maps.Clone(s.plugin.in.Describes().Libraries)
	delete(libraries, "benchplugin") // bench brings it along
	libraries["numpy"] = ""          // it imports NumPy
	said, err := runPython(ctx, python, append([]string{"-c", closure}, slices.Sorted(maps.Keys(libraries))...)...)
	if err != nil {
		return nil, wrong(err)
	}
	needs := strings.Fields(said)
	s.say("making the lock of %s: pip looks their wheels up", strings.Join(needs, ", "))
	said, err = runPython(ctx, python, append([]string{"-m", "pip", "install", "--quiet", "--dry-run",
		"--ignore-installed", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input",
		"--report", "-"}, needs...)...)
	if err != nil {
		return nil, wrong(err)
	}
	var report struct {
		Install []struct {
			Metadata struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"metadata"`
			Download struct {
				Archive struct {
					Hashes map[string]string `json:"hashes"`
				} `json:"archive_info"`
			} `json:"download_info"`
		} `json:"install"`
	}
	if err := strictjson.UnmarshalOpen([]byte(said), &report); err != nil {
		return nil, wrong(fmt.Errorf("pip --report: %w", err))
	}
	var lock []commons.Package
	for _, i := range report.Install {
		lock = append(lock, commons.Package{Name: i.Metadata.Name, Version: i.Metadata.Version,
			Hashes: []string{i.Download.Archive.Hashes["sha256"]}})
	}
	slices.SortFunc(lock, func(a, b commons.Package) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return commons.LockText(lock), nil
}
