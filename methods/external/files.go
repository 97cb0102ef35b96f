package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kernelboosting/bench/internal/system/files"
)

// Files returns the folder of the plugin, the name of its own file in it, and the SHA-256 of each of its files by name.
func (p *Plugin) Files() (folder, own string, sums map[string]string) {
	return p.home, filepath.Base(p.full), p.sums
}

// largestPart is the most bytes of a file of a plugin.
const largestPart = 4 << 30

// digest writes the content of a file to w and returns its size. It refuses devices and pipes, and files that
// go on beyond their size, as files of the kernel do.
func digest(w io.Writer, path string) (size int64, err error) {
	err = files.Copy(context.Background(), path, func(n int64) (io.Writer, error) {
		if size = n; n > largestPart {
			return nil, fmt.Errorf("%s has more than %d GiB", path, largestPart>>30)
		}
		return w, nil
	})
	return size, err
}

// identify hashes the content of the plugin. version is the hash of the plugin's own file and of the files that it
// declares. (The method's version also names the versions of the libraries.) sums holds the hash of each file.
func (p *Plugin) identify(d *Description) (version string, sums map[string]string, err error) {
	all, sums := sha256.New(), map[string]string{}
	add := func(name, path string) error {
		own := sha256.New()
		fmt.Fprintf(all, "%s\x00", name)
		n, err := digest(io.MultiWriter(all, own), path)
		if err != nil {
			return fmt.Errorf("a file that it declares cannot be read: %w", err)
		}
		fmt.Fprintf(all, "\x00%d\x00", n)
		sums[name] = hex.EncodeToString(own.Sum(nil))
		return nil
	}
	if err := add(filepath.Base(p.full), p.full); err != nil {
		return "", nil, err
	}
	for _, name := range slices.Sorted(slices.Values(d.Files)) {
		path, err := p.part(name)
		if err == nil {
			err = add(name, path)
		}
		if err != nil {
			return "", nil, err
		}
	}
	return hex.EncodeToString(all.Sum(nil)[:4]), sums, nil
}

// hasMore reports whether anything lies beside the plugin that it does not declare.
func (p *Plugin) hasMore() bool {
	beside, err := os.ReadDir(p.home)
	return err != nil || slices.ContainsFunc(beside, func(e fs.DirEntry) bool {
		return p.sums[e.Name()] == "" && e.Name() != "__pycache__"
	})
}

// part returns the path of a declared file. It must be in the folder of the plugin, without links that lead
// out of the folder.
func (p *Plugin) part(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("it declares the file %q; a plugin is made of files in its own folder, named relative "+
			"to it (bench's --allow-read adds what else it reads)", name)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(p.home, name))
	if err != nil {
		return "", fmt.Errorf("a file that it declares cannot be read: %w", err)
	}
	if inside, err := filepath.Rel(p.home, real); err != nil || !filepath.IsLocal(inside) {
		return "", fmt.Errorf("it declares the file %q, a link out of its own folder; a plugin is made of files in "+
			"its own folder", name)
	}
	return real, nil
}
