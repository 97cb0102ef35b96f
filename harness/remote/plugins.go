package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Plugin is the files of a method that runs in another process.
type Plugin struct {
	Folder string            `json:"-"`     // where the coordinator has the files
	File   string            `json:"file"`  // the program itself, by its name in the folder
	Files  map[string]string `json:"files"` // SHA-256 by name in the folder, File among them
}

func (p *Plugin) hash() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		fmt.Fprintf(sum, "%s\x00%s\x00", name, p.Files[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// offerPlugin makes the files of a plugin available to workers, who ask for a file by its SHA-256; p.mu is held.
func (p *Pool) offerPlugin(files *Plugin) {
	if files != nil {
		for name, sum := range files.Files {
			p.files[sum] = filepath.Join(files.Folder, name)
		}
	}
}

// check compares a cell with this program. If the coordinator's plugin is missing or different here, check first gets
// the plugin, provided that this worker takes plugins.
func (w *worker) check(ctx context.Context, t task) error {
	err := w.opt.Check(t.Spec)
	if err == nil || t.Plugin == nil {
		return err
	}
	if w.opt.Install == nil {
		return fmt.Errorf("%w; the method is a plugin of the coordinator, and this worker takes no plugins from it "+
			"(--plugins-from-coordinator)", err)
	}
	w.installing.Lock()
	defer w.installing.Unlock()
	if hash := t.Plugin.hash(); !w.installed[hash] {
		file, err := w.getPlugin(ctx, t.Plugin, filepath.Join(w.opt.Plugins, hash))
		if err == nil {
			err = w.opt.Install(ctx, file)
		}
		if err != nil {
			return fmt.Errorf("its plugin from the coordinator: %w", err)
		}
		w.installed[hash] = true
		w.mu.Lock()
		clear(w.runners) // runners that start from now on know the plugin
		w.mu.Unlock()
		w.log("took the plugin %s of the coordinator, SHA-256 %.16s", t.Plugin.File, t.Plugin.Files[t.Plugin.File])
	}
	return w.opt.Check(t.Spec)
}

// These bound what the coordinator can make a worker write: the files of a plugin, and the bytes of each.
const (
	mostFiles = 1000
	mostFile  = 1 << 30
)

// getPlugin gets the files of a plugin into a folder, and returns the path of the program itself.
func (w *worker) getPlugin(ctx context.Context, p *Plugin, folder string) (string, error) {
	if _, there := p.Files[p.File]; !there || strings.ContainsAny(p.File, `/\`) {
		return "", fmt.Errorf("%q is no file of the plugin", p.File)
	}
	if len(p.Files) > mostFiles {
		return "", fmt.Errorf("it has %d files; at most %d are taken", len(p.Files), mostFiles)
	}
	for name := range p.Files {
		if !filepath.IsLocal(name) {
			return "", fmt.Errorf("%q leads out of the plugin's folder", name)
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for name, want := range p.Files {
		path := filepath.Join(folder, name)
		if err := w.download(ctx, path, want, mostFile); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if err := os.Chmod(path, 0o700); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, p.File), nil
}
