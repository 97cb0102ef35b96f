package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/methods/external/check"
	"github.com/spf13/cobra"
)

type submitFlags struct {
	to, lock, author, url string
	checks                time.Duration
}

func newSubmitCommand(a *app) *cobra.Command {
	var f submitFlags
	c := &cobra.Command{
		Use:               "submit METHOD",
		Short:             "Ask a commons to take a method of a plugin, with its stored results",
		Args:              takes("METHOD"),
		ValidArgsFunction: a.completeMethods,
		RunE:              func(c *cobra.Command, args []string) error { return a.submit(c, args[0], f) },
	}
	c.Flags().StringVar(&f.to, "to", ".", "the commons: a folder or an address that git knows")
	c.Flags().StringVar(&f.lock, "lock", "", "the lock `file` of the plugin's packages (default PLUGIN.lock.txt "+
		"beside the plugin, else made from the Python that runs it)")
	c.Flags().StringVar(&f.author, "author", "", "who enters the method (default git's user.name)")
	c.Flags().StringVar(&f.url, "url", "", "an https address with more about the method")
	c.Flags().DurationVar(&f.checks, "timeout", check.Limit,
		"limit for all checks of the plugin together; longer for slow methods and busy machines")
	permissionFlags(a, c)
	return c
}

// A submission is a method on its way into a commons.
type submission struct {
	*app
	submitFlags
	plugin *foundPlugin
	git    commons.Git // a clone of the commons
	base   string      // the commit that the entry is to enter
	config commons.Config
	files  map[string]commons.File // of the entry
}

// submit does what `bench submit` says.
func (a *app) submit(c *cobra.Command, method string, f submitFlags) error {
	ctx := c.Context()
	s := &submission{app: a, submitFlags: f, files: map[string]commons.File{}}
	if err := s.find(ctx, method); err != nil {
		return err
	}
	room, err := os.MkdirTemp("", "bench-submit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(room)
	if err := s.clone(ctx, room); err != nil {
		return err
	}
	if err := s.results(ctx); err != nil {
		return err
	}
	if err := a.checkPlugin(c, s.plugin.file, s.checks); err != nil {
		return err
	}
	if err := s.gather(ctx); err != nil {
		return err
	}
	return s.push(ctx)
}

// find asks the plugin of a method what it is now.
func (s *submission) find(ctx context.Context, method string) error {
	for _, p := range s.found {
		if p.usable() && strings.EqualFold(p.in.Spec().Name, method) {
			s.plugin = p
		}
	}
	if s.plugin == nil {
		if spec, err := s.reg.Lookup(method); err == nil {
			return usage("%s is a method of this program; a commons takes plugins, whose files it can keep", spec.Name)
		}
		return usage("no plugin is known whose method is %s; `bench methods plugins` lists those that are found",
			method)
	}
	if err := s.askPlugins(ctx, []*foundPlugin{s.plugin}); err != nil {
		return err
	}
	if s.plugin.fault != nil {
		return usageError(s.plugin.fault)
	}
	return s.register()
}

func (s *submission) method() string { return s.plugin.in.Spec().Name }

// clone clones the commons and reads its settings.
func (s *submission) clone(ctx context.Context, room string) error {
	if _, err := os.Stat(s.to); err == nil { // git would not take a relative path for an address
		if s.to, err = filepath.Abs(s.to); err != nil {
			return err
		}
	}
	if _, err := commons.Git(room).Do(ctx, "clone", "-q", "--", s.to, "commons"); err != nil {
		return usage("--to %s: %w", s.to, err)
	}
	s.git = commons.Git(filepath.Join(room, "commons"))
	var err error // a bare repository may name a branch that it does not have
	if s.base, err = s.git.Commit(ctx, "HEAD"); err != nil {
		s.base, err = s.git.Commit(ctx, "origin/main")
	}
	if err != nil {
		return usage("--to %s: it is empty; `bench commons init` begins a commons", s.to)
	}
	if s.config, err = s.git.Config(ctx, s.base); err != nil {
		return usage("--to %s: %w", s.to, err)
	}
	_, err = s.measuredBy(s.config)
	return err
}

// results reads the stored results that the commons asks for, and says which are missing.
func (s *submission) results(ctx context.Context) error {
	db, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	exp, err := s.experiment(s.config.Protocol)
	if err != nil {
		return err
	}
	cells, err1 := db.Cells(ctx)
	findings, err2 := db.Findings(ctx, s.config.Protocol)
	if err := errors.Join(err1, err2); err != nil {
		return databaseError(err)
	}
	version := s.plugin.in.Spec().Version
	findings = slices.DeleteFunc(findings, func(f store.Finding) bool {
		return f.Method != s.method() || f.MethodVersion != version
	})
	if findings != nil {
		return exitError{exitIncomplete, fmt.Errorf("a commons would refuse it: %s",
			strings.Join(store.Describe(findings), "; "))}
	}
	stand, err := exp.Standing(ctx, slices.DeleteFunc(cells, func(c store.Cell) bool {
		return c.Protocol != s.config.Protocol || c.Method != s.method() || c.Status != result.OK ||
			!slices.Contains(s.config.Datasets, c.Dataset)
	}), false)
	if err != nil {
		return err
	}
	keys := map[string]map[int]string{}
	for _, c := range stand.Cells {
		if keys[c.Dataset] == nil {
			keys[c.Dataset] = map[int]string{}
		}
		keys[c.Dataset][c.Split] = c.Spec.Key
	}
	return s.bundle(ctx, db, keys)
}

// bundle writes the results of the first splits, as many as all sets have.
func (s *submission) bundle(ctx context.Context, db *store.DB, keys map[string]map[int]string) error {
	splits, missing := s.config.Splits, 0
	for _, set := range s.config.Datasets {
		has := 0
		for has < s.config.Splits && keys[set][has+1] != "" {
			has++
		}
		splits = min(splits, has)
		for split := range s.config.LeastSplits {
			if keys[set][split+1] == "" {
				missing++
			}
		}
	}
	if missing > 0 {
		return exitError{exitIncomplete, fmt.Errorf("%d of the %d cells that the commons asks for are missing of this "+
			"version of %s; compute them: bench run --protocol %s --methods %s --datasets %s --splits %d", missing,
			len(s.config.Datasets)*s.config.LeastSplits, s.method(), s.config.Protocol, s.method(),
			strings.Join(s.config.Datasets, ","), s.config.LeastSplits)}
	}
	var runs []result.Run
	for _, set := range s.config.Datasets {
		for split := range splits {
			r, _, err := db.Result(ctx, keys[set][split+1])
			if err != nil {
				return databaseError(err)
			}
			runs = append(runs, r.Condense())
		}
	}
	var file bytes.Buffer
	_, err := bundle.Write(&file, runs)
	s.files[commons.ResultsFile] = commons.File{Content: file.Bytes()}
	return err
}

// gather reads the files of the plugin, and makes its lock and its entry.toml.
func (s *submission) gather(ctx context.Context) error {
	real, err := filepath.EvalSymlinks(s.plugin.file)
	if err != nil {
		return err
	}
	home, described := filepath.Dir(real), s.plugin.in.Describes()
	entry := commons.Entry{Name: s.method(), Author: s.author, URL: s.url, Description: described.Summary,
		Plugin: filepath.Base(s.plugin.file)} // of a link, since the version of the method hashes this name
	paths := map[string]string{entry.Plugin: real}
	for _, name := range described.Files {
		if name == entry.Plugin {
			return usage("%s is a link to a plugin that imports another file %s; give the link another name, and run "+
				"it again", s.plugin.file, name)
		}
		paths[filepath.ToSlash(filepath.Clean(name))] = filepath.Join(home, name)
	}
	for name, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		text, err := files.Read(path, s.config.Limits.FileBytes)
		if err != nil {
			return exitError{exitIncomplete, fmt.Errorf("a file of an entry has at most %d bytes: %w",
				s.config.Limits.FileBytes, err)}
		}
		s.files[name] = commons.File{Content: text, Executable: info.Mode()&0o111 != 0}
	}
	if entry.Author == "" {
		name, _ := s.git.Do(ctx, "config", "user.name") // the commit says it if there is none
		entry.Author = strings.TrimSpace(name)
	}
	lock, err := s.lockText(ctx, home, &entry)
	if err != nil {
		return err
	}
	text, err := entry.Text()
	if err != nil {
		return err
	}
	s.files[commons.LockFile] = commons.File{Content: lock}
	s.files[commons.EntryFile] = commons.File{Content: text}
	if _, _, err = commons.ReadEntry(s.files); err == nil {
		_, err = s.config.Runs(entry, s.files[commons.ResultsFile].Content)
	}
	return usageError(err)
}

// push commits the entry on a branch of the clone, pushes the branch, and says what to open.
func (s *submission) push(ctx context.Context) error {
	branch := "submit/" + s.method() + "-" + commons.EntryHash(s.files)[:8]
	folder := commons.Methods + "/" + s.method()
	full := filepath.Join(string(s.git), filepath.FromSlash(folder))
	steps := [][]string{{"checkout", "-q", "-b", branch, s.base}}
	if had, _, err := s.git.Entry(ctx, s.base, s.method(), s.config); err == nil &&
		commons.EntryHash(had) == commons.EntryHash(s.files) {
		return usage("this version of %s is in the commons already", s.method())
	}
	if _, err := os.Lstat(full); err == nil { // an earlier version goes, but for what the commons wrote
		steps = append(steps, []string{"rm", "-r", "-q", "--cached", "--", folder})
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, step := range steps {
		if _, err := s.git.Do(ctx, step...); err != nil {
			return err
		}
	}
	if err := writeFiles(full, s.files); err != nil {
		return err
	}
	add := []string{"add", "--"}
	for _, name := range append(slices.Sorted(maps.Keys(s.files)), commons.ReceiptFile,
		commons.SignatureFile(commons.ReceiptFile)) {
		if _, err := os.Lstat(filepath.Join(full, name)); err == nil {
			add = append(add, folder+"/"+name)
		}
	}
	for _, step := range [][]string{add, {"commit", "-q", "-m", "Enter " + s.method()},
		{"push", "-q", "origin", branch}} {
		if _, err := s.git.Do(ctx, step...); err != nil {
			return exitError{exitIncomplete, err}
		}
	}
	fmt.Fprintln(s.out, branch)
	return s.open(ctx, branch)
}

// open opens a pull request where gh can, else says what to open.
func (s *submission) open(ctx context.Context, branch string) error {
	at, err := url.Parse(s.to)
	if err != nil || at.Host != "github.com" {
		s.say("pushed to %s; who keeps the commons runs: sh check.sh origin/%s", s.to, branch)
		return nil
	}
	repository := strings.TrimSuffix(strings.Trim(at.Path, "/"), ".git")
	if gh, err := exec.LookPath("gh"); err == nil {
		c := exec.CommandContext(ctx, gh, "pr", "create", "--head", branch, "--title", "Enter "+s.method(), "--body",
			"Written by `bench submit`.")
		c.Dir = string(s.git)
		if said, err := c.Output(); err == nil {
			s.say("opened %s", strings.TrimSpace(string(said)))
			return nil
		}
	}
	s.say("pushed; open the pull request: https://github.com/%s/compare/%s?expand=1", repository,
		url.PathEscape(branch))
	return nil
}
