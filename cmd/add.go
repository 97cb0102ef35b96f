package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/croissant"
	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
)

func newDataAddCommand(a *app) *cobra.Command {
	var described croissant.Options
	var positive string
	add := fetch.Adder{Web: &fetch.Polite{Options: fetch.Options{Agent: "bench/" + environment.ProgramVersion}}}
	c := &cobra.Command{
		Use:   "add REF|FILE.json ...",
		Short: "Add data sets: of OpenML by their numbers, or described in Croissant by a file",
		Args:  takesSome("at least one REF, such as openml:40981, or a description in Croissant, FILE.json"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			out := []cobra.Completion{fetch.Set, fetch.Task}
			for _, name := range fetch.Suites() {
				out = append(out, fetch.Suite+name)
			}
			return out, cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(c *cobra.Command, args []string) error {
			if positive != "" {
				described.Positive = strings.Split(positive, ",")
			}
			return a.add(c, add, described, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&add.Server, "server", os.Getenv("BENCH_OPENML"), "address of the server (default $BENCH_OPENML, "+
		"else "+fetch.PublicServer+")")
	flags.StringVar(&add.From, "from", "", "a folder with ARFF files that is asked before the server, such as the "+
		"folder openml of another data directory")
	flags.BoolVar(&add.DropText, "drop-text", false, "leave out columns of text and of dates; without it a set that "+
		"has one is refused")
	dropFlag(c, &add.Drop)
	groupFlag(c, &add.Group)
	flags.StringVar(&described.Label, "label", "", "of a description in Croissant: the field of the label (default: "+
		"the one of type cr:Label)")
	flags.StringVar(&positive, "positive", "", "of a description in Croissant: labels of class +1, with commas "+
		"between them")
	flags.StringVar(&described.RecordSet, "record-set", "", "of a description in Croissant: the record set (default: "+
		"the only one)")
	a.forceFlag(c)
	flags.DurationVar(&add.Web.Pause, "pause", time.Second, "time between two requests")
	rare(c, "server", "pause")
	return c
}

func (a *app) add(c *cobra.Command, add fetch.Adder, described croissant.Options, refs []string) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	add.Dir, add.Memory, add.Write = a.added(), a.memory, a.write
	for _, ref := range refs {
		if err := fetch.Check(ref); err != nil && !isDescription(ref) {
			return usageError(err)
		}
	}
	if add.From != "" {
		if info, err := os.Stat(add.From); err != nil || !info.IsDir() {
			return usage("--from %s: that is no folder; name one with ARFF files", add.From)
		}
	}
	add.Tell = a.say
	add.Web.Waiting = func(address string, wait time.Duration, why error) {
		add.Tell("%s: %v; asked again in %v", address, why, wait.Round(time.Second))
	}
	var failures []error
	left := 0
	for _, ref := range refs {
		var out []fetch.LeftOut
		var err error
		if isDescription(ref) {
			described.Drop, described.Group = add.Drop, add.Group
			err = a.addDescribed(ctx, described, ref)
		} else {
			out, err = add.Add(ctx, ref)
		}
		left += len(out)
		if err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil {
			return exitError{exitInterrupted, err}
		}
	}
	switch err := errors.Join(failures...); {
	case err != nil:
		return exitError{exitIncomplete, err}
	case left > 0:
		return exitError{exitIncomplete, fmt.Errorf("%s left out, for the reasons above", plural(left, "set"))}
	}
	return nil
}

// isDescription reports whether what is to be added is a file.
func isDescription(ref string) bool {
	return filepath.Ext(ref) == ".json" || filepath.Ext(ref) == ".jsonld"
}

// addDescribed adds the set that a description in Croissant describes.
func (a *app) addDescribed(ctx context.Context, o croissant.Options, file string) error {
	defer collectWithin(a.memory)()
	o.Memory, o.Taken = a.memory, isBuiltin
	d, name, err := croissant.Describe(ctx, file, a.added(), o)
	if err == nil {
		err = os.MkdirAll(a.added(), 0o777)
	}
	if err != nil {
		return err
	}
	toml := filepath.Join(a.added(), name+".toml")
	if err := a.writeText(toml, d.TOML, fmt.Sprintf("; `bench run --datasets %s` runs on the set", name)); err != nil {
		return err
	}
	if a.sayFound(d); !d.Loads {
		return fmt.Errorf("%s: the set does not load yet; correct its description, %s", file, toml)
	}
	return nil
}
