package external

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
)

// recordFormat is the version of the records that this program reads. Other records are ignored.
const recordFormat = 1

// A Record keeps the description of a plugin, so that later runs need not ask the plugin. It is valid for one content
// of the file. If the file or a declared part changes, the plugin is unknown again.
type Record struct {
	Format      int    `json:"format"`
	File        string `json:"file"`                  // absolute
	Hash        string `json:"sha256"`                // SHA-256 of the file
	Interpreter string `json:"interpreter,omitempty"` // the interpreter that ran it for this description, "" for none
	// the user named the interpreter, by BENCH_PYTHON or Options
	Chosen      bool              `json:"chosen,omitempty"`
	Description *Description      `json:"description,omitempty"` // its description; nil if that is not known
	Parts       map[string]string `json:"parts,omitempty"`       // SHA-256 of the files that the description names
	Fault       string            `json:"fault,omitempty"`       // why it cannot be used, in one line
	// the fault is that the file is no plugin, see ErrNoPlugin
	NoPlugin bool `json:"no_plugin,omitempty"`
	// what a process of it took for fits of a small set, as package check measured; 0 if it was not checked
	PeakBytes int64 `json:"peak_bytes,omitempty"`

	Elsewhere string `json:"-"` // of an unknown file: another interpreter, under which it is known; "" for none
}

// Python is the interpreter that the user named for the plugin, "" for none. It is what Options.Python is to be.
func (r Record) Python() string {
	if r.Chosen {
		return r.Interpreter
	}
	return ""
}

// Records is the user's folder of records. They are not in a database, since a database from another person must not
// say what a plugin of this user is. "" means no folder; then nothing is kept.
type Records string

func (r Records) at(file, hash string) string {
	sum := sha256.Sum256([]byte(file + "\x00" + hash))
	return filepath.Join(string(r), hex.EncodeToString(sum[:16])+".json")
}

// Of returns what is known of a file. For an unknown or changed file the record only names the file. A description
// counts only where the same interpreter would run the file. A Python that the user named when the file was asked
// runs it also where no Python is named now, such as in another terminal.
func (r Records) Of(file string, o Options) (Record, error) {
	p, err := located(file, o)
	if err != nil {
		return Record{}, err
	}
	fresh := Record{Format: recordFormat, File: p.full, Interpreter: p.interpreter(), Chosen: p.chosen()}
	if fresh.Hash, err = hashOfFile(p.full); err != nil {
		return Record{}, fmt.Errorf("plugin %s: %w", file, err)
	}
	if r == "" {
		return fresh, nil
	}
	text, err := os.ReadFile(r.at(fresh.File, fresh.Hash))
	if err != nil { // there is no record, or Keep will report that the folder cannot be read
		return fresh, nil
	}
	var known Record
	if strictjson.Unmarshal(text, &known) != nil || known.Format != recordFormat ||
		known.File != fresh.File || known.Hash != fresh.Hash {
		return fresh, nil // the plugin is asked again
	}
	for name, hash := range known.Parts {
		path, err := p.part(name)
		if err != nil {
			return fresh, nil
		}
		if now, err := hashOfFile(path); err != nil || now != hash {
			return fresh, nil
		}
	}
	if known.Interpreter == fresh.Interpreter {
		return known, nil
	}
	if _, err := exec.LookPath(known.Interpreter); err == nil && known.Chosen && !fresh.Chosen &&
		known.Description != nil {
		return known, nil
	}
	if known.Description != nil {
		fresh.Elsewhere = cmp.Or(known.Interpreter, "the program that its first line names")
	}
	return fresh, nil
}

// Keep writes a record, whole or not at all.
func (r Records) Keep(record Record) error {
	if r == "" {
		return errors.New("there is no folder for it")
	}
	if err := os.MkdirAll(string(r), 0o700); err != nil {
		return err
	}
	return files.Write(r.at(record.File, record.Hash), func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(record)
	})
}

// Record returns the record of a plugin that described itself.
func (p *Plugin) Record() Record {
	return Record{
		Format: recordFormat, File: p.full, Hash: p.sums[""], Interpreter: p.interpreter(), Chosen: p.chosen(),
		Description: p.described, Parts: p.parts(), PeakBytes: p.spec.Peak,
	}
}

// SetPeak notes what a process of the plugin takes for fits of a small set, in bytes.
func (p *Plugin) SetPeak(bytes int64) { p.spec.Peak = bytes }

// parts returns the hashes of the declared files alone.
func (p *Plugin) parts() map[string]string {
	out := maps.Clone(p.sums)
	delete(out, "")
	return out
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

func hashOfFile(path string) (string, error) {
	sum := sha256.New()
	if _, err := digest(sum, path); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// identify hashes the content of the plugin. version is the hash of the plugin's own file and of the files that it
// declares. (The method's version also names the versions of the libraries.) sums holds the hash of each file; the key
// of the plugin's own file is "".
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
		if path == p.full {
			name = ""
		}
		sums[name] = hex.EncodeToString(own.Sum(nil))
		return nil
	}
	if err := add(filepath.Base(p.file), p.full); err != nil {
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
