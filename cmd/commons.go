package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

func newCommonsCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "commons",
		Short: "A repository of methods of many people, each computed again before it counts",
	}, newCommonsInitCommand(a), newCommonsCheckCommand(a), newCommonsSiteCommand(a), newCommonsRerunCommand(a))
}

func newCommonsInitCommand(a *app) *cobra.Command {
	var s selection
	config := commons.Usual()
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a new commons and commit it: settings, texts, check.sh, workflows",
		Args:  takes("DIR"),
	}
	protocolFlag(c, &s.protocol, defaultProtocol)
	c.Flags().StringSliceVar(&s.datasets, "datasets", nil, "data sets or groups that entries are measured on "+
		"(default those of the protocol that come with the program)")
	c.Flags().IntVar(&config.Splits, "splits", 0, "splits of every set (default the protocol's)")
	c.Flags().IntVar(&config.LeastSplits, "least-splits", 0, "the first splits that an entry must have (default all)")
	completeList(c, "datasets", a.setsAndGroups)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.fillConfig(&config, s); err != nil {
			return err
		}
		return a.commonsInit(c.Context(), args[0], config)
	}
	return c
}

// fillConfig completes the configuration of a new commons, and checks it by reading it.
func (a *app) fillConfig(config *commons.Config, s selection) error {
	chosen, err := a.choose(s, nothingStored)
	if err != nil {
		return err
	}
	p := chosen.Protocol
	if config.Protocol = p.Name; config.Splits == 0 {
		config.Splits = p.Splits
	}
	if config.LeastSplits == 0 {
		config.LeastSplits = config.Splits
	}
	if config.Datasets = chosen.datasets; config.Datasets == nil {
		for _, name := range p.Datasets {
			if e, err := a.sets.Lookup(name); err == nil && (e.Generated || slices.ContainsFunc(e.Files, e.Embedded)) {
				config.Datasets = append(config.Datasets, e.Name)
			}
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if config.Program.SHA256, err = files.SHA256(program); err != nil {
		return err
	}
	config.Program.Version = environment.ProgramVersion
	_, err = a.measuredBy(*config)
	return err
}

// measuredBy returns the protocol of a commons, and refuses what a commons cannot compare. It compares accuracies of
// one test of each cell.
func (a *app) measuredBy(config commons.Config) (*protocol.Protocol, error) {
	if !slices.Contains(protocol.Names(), config.Protocol) {
		return nil, usage("protocol %s: a commons has a protocol of the program (%s)", config.Protocol,
			strings.Join(protocol.Names(), ", "))
	}
	exp, err := a.experiment(config.Protocol)
	if err != nil {
		return nil, err
	}
	p := exp.Protocol
	s := p.Semantics
	if s.TestsTrainingRows() || s.Rounds != nil || s.TestGrid || s.MethodSeeds > 1 {
		return nil, usage("protocol %s: a commons takes no protocol that tests training rows, rounds, grid points or "+
			"seeds", p.Name)
	}
	for _, name := range config.Datasets {
		e, err := a.set(name)
		if err != nil {
			return nil, err
		}
		if e.Task == registry.Regression {
			return nil, usage("%s is a regression; a commons compares accuracies", name)
		}
	}
	return p, nil
}

func (a *app) commonsInit(ctx context.Context, dir string, config commons.Config) error {
	files, err := commons.New(config)
	if err != nil {
		return err
	}
	if _, err := commons.ParseConfig(files[commons.ConfigFile].Content); err != nil {
		return usageError(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return usage("%s is there already; name a folder without it", filepath.Join(dir, name))
		}
	}
	if err := writeFiles(dir, files); err != nil {
		return err
	}
	git := commons.Git(dir)
	if _, err := os.Stat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		if _, err := git.Do(ctx, "init", "-q", "-b", "main"); err != nil {
			return err
		}
	}
	if _, err := git.Do(ctx, append([]string{"add", "--"}, slices.Sorted(maps.Keys(files))...)...); err != nil {
		return err
	}
	if _, err := git.Do(ctx, "commit", "-q", "-m", "A commons"); err != nil {
		return fmt.Errorf("%w; the files are written, and not committed", err)
	}
	a.say("wrote %s: %s, %s each. Its address is what entrants need: push it, and read README.md there", dir,
		plural(len(config.Datasets), "data set"), plural(config.Splits, "split"))
	return nil
}

// writeFiles writes files below a folder. Their paths are the program's own, or package commons has checked them.
func writeFiles(dir string, files map[string]commons.File) error {
	for name, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := os.WriteFile(path, f.Content, mode); err != nil {
			return err
		}
	}
	return nil
}
