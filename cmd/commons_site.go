package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/page"
	"github.com/spf13/cobra"
)

func newCommonsSiteCommand(a *app) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "site [DIR]",
		Short: "Write the pages of a commons: leaderboard, history, each entry with its source and receipt",
		Args:  cobra.MaximumNArgs(1),
	}
	a.outputFlag(c, &output, "write this folder, whole or not at all (default DIR/site)")
	c.RunE = func(c *cobra.Command, args []string) error {
		dir := cmp.Or(strings.Join(args, ""), ".")
		ctx, done := a.untilSignal(c.Context())
		defer done()
		s, err := a.readCommons(ctx, commons.Git(dir))
		if err != nil {
			return err
		}
		p, remove, err := s.page(ctx)
		if err != nil {
			return err
		}
		defer remove()
		folder := cmp.Or(output, filepath.Join(dir, "site"))
		return a.wrote(folder, p.Warnings, a.writeFolder(ctx, folder, page.Mark, func(add addFile) error {
			for _, name := range slices.Sorted(maps.Keys(s.files)) {
				err := add("methods/"+name, func(w io.Writer) error { _, err := w.Write(s.files[name]); return err })
				if err != nil {
					return err
				}
			}
			return p.Site(add)
		}))
	}
	return c
}

// A commonsSite is a commons as its last commit has it.
type commonsSite struct {
	*app
	config  commons.Config
	about   page.Commons
	sources []admit.Source    // the results of entries
	files   map[string][]byte // that the site has for each entry
}

const referenceLevel = "reference run"

// readCommons reads the entries of a commons, checks them against their receipts, and collects their history.
func (a *app) readCommons(ctx context.Context, git commons.Git) (*commonsSite, error) {
	s := &commonsSite{app: a, files: map[string][]byte{}}
	s.about = page.Commons{Others: referenceLevel, Entries: map[string]page.Entry{}}
	s.about.Levels = []page.Level{{Name: referenceLevel, Means: "the method and its results come with the program"}}
	for _, l := range commons.Levels() {
		s.about.Levels = append(s.about.Levels, page.Level{Name: string(l), Means: l.Means()})
	}
	head, err := git.Commit(ctx, "HEAD")
	if err != nil {
		return nil, usageError(err)
	}
	if s.config, err = git.Config(ctx, head); err != nil {
		return nil, usageError(err)
	}
	names, err := git.Entries(ctx, head)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := s.entry(ctx, git, head, name); err != nil {
			return nil, exitError{exitIncomplete, fmt.Errorf("%s/%s: %w", commons.Methods, name, err)}
		}
	}
	refusals, err := git.AllRefusals(ctx, head)
	if err != nil {
		return nil, exitError{exitIncomplete, err}
	}
	for _, r := range refusals {
		s.happened(r.Date, r.Entry, r.EntryHash, "refused: "+r.Why, "-")
	}
	slices.SortStableFunc(s.about.History, func(x, y page.Event) int { return -strings.Compare(x.Date, y.Date) })
	return s, nil
}

// happened notes an event of an entry.
func (s *commonsSite) happened(date, method, hash, what, mean string) {
	event := page.Event{Date: date[:min(10, len(date))], Method: method, Version: hash[:min(8, len(hash))],
		What: wording.Spelled(what), Mean: mean}
	s.about.History = append(s.about.History, event)
	if e, there := s.about.Entries[method]; there {
		e.History = append(e.History, event)
		s.about.Entries[method] = e
	}
}

// entry reads an entry: its results, its files, its receipt and its earlier versions.
func (s *commonsSite) entry(ctx context.Context, git commons.Git, head, name string) error {
	files, e, err := git.Entry(ctx, head, name, s.config)
	if err != nil {
		return err
	}
	runs, err := s.config.Runs(e, files[commons.ResultsFile].Content)
	if err != nil {
		return err
	}
	versions, err := git.Versions(ctx, head, name, s.config)
	if err != nil {
		return err
	}
	out := page.Entry{Level: string(commons.Reported), About: wording.Spelled(e.Description), URL: e.URL,
		Facts:   [][2]string{{"author", wording.Spelled(cmp.Or(e.Author, "unnamed"))}},
		Command: "bench commons rerun --entries " + name}
	s.files[name+".bench"] = files[commons.ResultsFile].Content
	out.Files = [][2]string{{name + ".bench", "results, for bench import"}}
	if len(versions) > 0 {
		r := versions[0].Receipt
		if err := r.Check(runs); err != nil {
			return err
		}
		if hash := commons.EntryHash(files); hash != r.EntryHash {
			return fmt.Errorf("its files have the hash %s, and its receipt is of %s", hash, r.EntryHash)
		}
		out.Level = string(r.Level)
		out.Facts = append(out.Facts, receiptFacts(r)...)
		s.files[name+".json"] = versions[0].Text
		out.Files = append(out.Files, [2]string{name + ".json", "receipt"})
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if file != commons.ResultsFile {
			out.Sources = append(out.Sources, page.Source{Name: file, Text: sourceText(files[file].Content)})
		}
	}
	s.about.Entries[name] = out
	for _, v := range versions {
		s.happened(v.Receipt.Date, name, v.Receipt.EntryHash, "enters: "+string(v.Receipt.Level),
			fmt.Sprintf("%.2f", v.Mean))
	}
	s.sources = append(s.sources, admit.OfBundle(name, runs))
	return nil
}

// receiptFacts are what a receipt says, for people.
func receiptFacts(r commons.Receipt) [][2]string {
	caught := fmt.Sprintf("with probability %.4g, if %s", r.Caught, r.Floor)
	if r.Again() == len(r.Cells) {
		caught = "always: every count is the commons' own"
	}
	deterministic := "yes"
	if !r.Deterministic {
		deterministic = "no: each run gives other counts, and these are the commons' own"
	}
	return [][2]string{
		{"level", string(r.Level)},
		{"computed again", fmt.Sprintf("%d of %s", r.Again(), plural(len(r.Cells), "cell"))},
		{fmt.Sprintf("who gains %g points is caught", r.Gain), caught}, {"deterministic", deterministic},
		{"version", r.EntryHash}, {"seed of the draw", r.Seed}, {"program", "bench " + r.Program},
		{"processor", wording.Spelled(cmp.Or(r.Processor, "not known"))}, {"date", r.Date},
		{"root of the cells", r.Root},
	}
}

// longest is how many bytes of a file its page shows.
const longest = 200 << 10

// sourceText is a file as a page shows it: characters that would be obeyed are spelled.
func sourceText(content []byte) string {
	if len(content) > longest {
		return fmt.Sprintf("The file has %d bytes; read it in the repository.", len(content))
	}
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\t")
		for k := range parts {
			parts[k] = wording.Spelled(parts[k])
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

// page compares the entries with each other and with the reference run, on the cells of the commons.
func (s *commonsSite) page(ctx context.Context) (*page.Page, func(), error) {
	exp, err := s.experiment(s.config.Protocol)
	if err != nil {
		return nil, nil, err
	}
	runs, err := reference.Runs(s.config.Protocol)
	if err != nil {
		return nil, nil, err
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r result.Run) bool {
		return !slices.Contains(s.config.Datasets, r.Dataset) || r.Split > s.config.Splits
	})
	sources := s.sources
	if len(runs) > 0 {
		sources = append([]admit.Source{admit.OfBundle("the reference run", runs)}, sources...)
	}
	if len(sources) == 0 {
		return nil, nil, usage("the commons has no entry, and the program has no reference run of its protocol")
	}
	remove, err := s.temporary("the commons", func(path string) error {
		_, err := admit.New(ctx, exp, path, sources...)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	f := pageFlags{Options: page.Options{Level: 0.05, Commons: &s.about,
		Title: fmt.Sprintf("A commons of methods, protocol %s", s.config.Protocol)}}
	f.protocol, f.datasets, f.splits = s.config.Protocol, s.config.Datasets, fmt.Sprint(s.config.Splits)
	p, err := s.app.page(ctx, f)
	if err != nil {
		remove()
	}
	return p, remove, err
}
