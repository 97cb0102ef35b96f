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
	"github.com/kernelboosting/bench/internal/system/files"
)

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
		if e.Python, err = commons.MinorVersion(ctx, python); err != nil {
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

// makeLock makes the lock of what the plugin's libraries need in a Python.
func (s *submission) makeLock(ctx context.Context, python string) ([]byte, error) {
	libraries := maps.Clone(s.plugin.in.Describes().Libraries)
	delete(libraries, "benchplugin") // bench brings it along
	libraries["numpy"] = ""          // it imports NumPy
	needs, err := commons.Needs(ctx, python, slices.Sorted(maps.Keys(libraries)))
	var lock []commons.Package
	if err == nil {
		s.say("making the lock of %s: pip looks their wheels up", strings.Join(needs, ", "))
		lock, err = commons.Lock(ctx, python, needs)
	}
	if err != nil {
		return nil, exitError{exitIncomplete, fmt.Errorf("no lock can be made from %s: %w; write one and name it by "+
			"--lock", python, err)}
	}
	return commons.LockText(lock), nil
}
