package commons

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
)

// A Change is what a commit asks of a commons: one entry that is new or has other files.
type Change struct {
	Base, Head string // hashes of commits
	Name       string // of the entry's folder
	Files      map[string]File
	Config     Config // of the base
}

// Config reads what a commons says of itself in a commit.
func (g Git) Config(ctx context.Context, commit string) (Config, error) {
	blobs, err := g.tree(ctx, commit, ConfigFile)
	if err != nil {
		return Config{}, err
	}
	if len(blobs) != 1 || blobs[0].size > maxText {
		return Config{}, fmt.Errorf("it is no commons: %s, which `bench commons init` writes, is not there", ConfigFile)
	}
	text, err := g.Do(ctx, "cat-file", "blob", blobs[0].hash)
	if err != nil {
		return Config{}, err
	}
	return ParseConfig([]byte(text))
}

// A blob is a file of a commit.
type blob struct {
	mode, kind, hash, path string
	size                   int64
}

// tree lists the files of a commit at a path or below it.
func (g Git) tree(ctx context.Context, commit, at string) ([]blob, error) {
	out, err := g.Do(ctx, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", at)
	if err != nil {
		return nil, err
	}
	var blobs []blob
	for _, line := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		head, name, found := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if !found || len(fields) != 4 {
			continue
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64) // a submodule has none
		blobs = append(blobs, blob{fields[0], fields[1], fields[2], name, size})
	}
	return blobs, nil
}

// Change reads what head changes since it left base. Nothing is checked out.
func (g Git) Change(ctx context.Context, base, head string) (Change, error) {
	var c Change
	var err error
	if c.Base, err = g.Commit(ctx, base); err != nil {
		return c, err
	}
	if c.Head, err = g.Commit(ctx, head); err != nil {
		return c, err
	}
	if c.Config, err = g.Config(ctx, c.Base); err != nil {
		return c, err
	}
	left, err := g.Do(ctx, "merge-base", c.Base, c.Head)
	if err != nil {
		return c, fmt.Errorf("%s and %s have no commit in common", base, head)
	}
	changed, err := g.Do(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--name-only",
		strings.TrimSpace(left), c.Head)
	if err != nil {
		return c, err
	}
	if c.Name, err = folderOf(strings.Split(strings.TrimSuffix(changed, "\x00"), "\x00")); err != nil {
		return c, err
	}
	if err := g.free(ctx, c); err != nil {
		return c, err
	}
	c.Files, err = g.entry(ctx, c.Head, c.Name, c.Config.Limits)
	return c, err
}

// folderOf returns the name of the one entry that changed files belong to.
func folderOf(changed []string) (string, error) {
	name := ""
	for _, file := range changed {
		parts := strings.SplitN(file, "/", 3)
		if file == "" {
			return "", errors.New("the change is empty")
		}
		if len(parts) < 3 || parts[0] != Methods || !entryName.MatchString(parts[1]) || name != "" && parts[1] != name {
			return "", fmt.Errorf("the change has %s; it may have files of one folder %s/NAME alone",
				wording.Spelled(file), Methods)
		}
		if name = parts[1]; written(parts[2]) {
			return "", fmt.Errorf("the change has %s, which only a check writes", wording.Spelled(file))
		}
	}
	return name, nil
}

// free refuses an entry whose name looks like that of another one.
func (g Git) free(ctx context.Context, c Change) error {
	names, err := g.Entries(ctx, c.Base)
	for _, other := range names {
		if other != c.Name && wording.Alike(other, c.Name) {
			return fmt.Errorf("the name %s looks like %s, which is there already; choose another one", c.Name, other)
		}
	}
	return err
}

// Entries lists the names of the entries of a commit.
func (g Git) Entries(ctx context.Context, commit string) ([]string, error) {
	out, err := g.Do(ctx, "ls-tree", "-z", "--name-only", "--full-tree", commit, "--", Methods+"/")
	var names []string
	for _, name := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		if name = path.Base(name); entryName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// entry reads the files of an entry of a commit, within limits that are checked before a file is read.
func (g Git) entry(ctx context.Context, commit, name string, limits Limits) (map[string]File, error) {
	blobs, err := g.tree(ctx, commit, Methods+"/"+name+"/")
	if err != nil {
		return nil, err
	}
	folder := Methods + "/" + name + "/"
	blobs = slices.DeleteFunc(blobs, func(b blob) bool { return written(strings.TrimPrefix(b.path, folder)) })
	if len(blobs) == 0 {
		return nil, fmt.Errorf("%s/%s is gone in the change; only the owner of a commons removes an entry", Methods,
			name)
	}
	if len(blobs) > limits.Files {
		return nil, fmt.Errorf("the entry has %d files; at most %d may be there", len(blobs), limits.Files)
	}
	files, lower := map[string]File{}, map[string]bool{}
	for _, b := range blobs {
		at := strings.TrimPrefix(b.path, folder)
		if err := checkPath(at); err != nil {
			return nil, err
		}
		if b.kind != "blob" || b.mode != "100644" && b.mode != "100755" {
			return nil, fmt.Errorf("%s is a link or another repository; an entry has files alone", at)
		}
		bound := limits.FileBytes
		if at == ResultsFile {
			bound = limits.ResultsBytes
		}
		if b.size > bound {
			return nil, fmt.Errorf("%s has %d bytes; at most %d may be there", at, b.size, bound)
		}
		if lower[strings.ToLower(at)] {
			return nil, fmt.Errorf("%s is there twice, but for the case of letters", at)
		}
		lower[strings.ToLower(at)] = true
		content, err := g.Do(ctx, "cat-file", "blob", b.hash)
		if err != nil {
			return nil, err
		}
		files[at] = File{[]byte(content), b.mode == "100755"}
	}
	return files, nil
}

// Entry reads an entry that is in a commons already, with its results.
func (g Git) Entry(ctx context.Context, commit, name string, c Config) (map[string]File, Entry, error) {
	files, err := g.entry(ctx, commit, name, c.Limits)
	if err != nil {
		return nil, Entry{}, err
	}
	e, _, err := ReadEntry(files)
	if err != nil {
		err = fmt.Errorf("%s/%s: %w", Methods, name, err)
	}
	return files, e, err
}

// Refusals counts the versions of an entry that were refused before, and says whether this one was.
func (g Git) Refusals(ctx context.Context, commit, name, version string) (before int, this bool, err error) {
	all, err := g.AllRefusals(ctx, commit)
	for _, r := range all {
		if this = this || r.EntryHash == version; r.Entry == name {
			before++
		}
	}
	return before, this, err
}
