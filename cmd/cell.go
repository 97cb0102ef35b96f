package cmd

import (
	"encoding/json"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/system/scarcity"
	"github.com/spf13/cobra"
)

// newCellCommand is the verb by which the program starts itself for isolated cells. It answers on pipes that only
// another bench process gives it.
func newCellCommand(a *app) *cobra.Command {
	var serve bool
	c := &cobra.Command{
		Use:    isolatedVerb,
		Short:  "Run cells that another bench asks for on its pipes",
		Hidden: true,
		Args:   takes(),
		RunE: func(*cobra.Command, []string) error {
			if !runner.Started() {
				return usage("cell is how bench starts itself for isolated cells; use `bench run --isolate`")
			}
			scarcity.Dump() // the harness reads last words
			if serve {
				a.isolated = true
				for _, file := range a.named {
					a.found = append(a.found, &foundPlugin{file: file, from: fromFlag})
				}
				return runner.Serve(&runner.InProcess{
					Registry: a.own, Plugin: a.methodOfPlugin, Data: a.dataDir(), Prepare: a.startPlugin,
					Settle: a.settlePlugin,
					Guests: sandbox.Policy{Read: a.allowRead, Hidden: a.hide, Network: a.network},
				}, a.memory)
			}
			return runner.RunKeeper(append(os.Args[:len(os.Args):len(os.Args)], "--serve"), a.memory)
		},
	}
	c.Flags().BoolVar(&serve, "serve", false, "be the worker itself, below its keeper")
	c.Flags().StringArrayVar(&a.methods, "method", nil, "the name of a plugin's method, for each --plugin")
	c.Flags().StringArrayVar(&a.declared, "files", nil, "the files of a plugin as a JSON list, for each --plugin")
	c.Flags().StringArrayVar(&a.hide, "hide", nil, "what plugins may not read, wherever it lies; repeatable")
	permissionFlags(a, c)
	return c
}

// jobsFlag adds --jobs. Help says its default in words, which are the same on every machine.
func jobsFlag(c *cobra.Command, to *int, means string) {
	c.Flags().IntVar(to, "jobs", runtime.NumCPU(), means)
	c.Flags().Lookup("jobs").DefValue = "one a processor"
}

// isolation is the value of --isolate: whether it was given, and whether cells run in processes of their own.
type isolation struct{ given, value bool }

func isolateFlag(c *cobra.Command, to *isolation) {
	c.Flags().BoolVar(&to.value, "isolate", false, "run each cell in a process of its own (default for methods that "+
		"are not this program's own)")
	rare(c, "isolate")
	beforehand(c, func() error {
		to.given = c.Flags().Changed("isolate")
		if to.given && to.value && !runner.CanIsolate {
			return usage("--isolate needs Linux; leave it out")
		}
		return nil
	})
}

// cells returns a runner of cells, and its workers, which must be closed.
func (a *app) cells(timeout time.Duration, how isolation) (runner.Runner, *runner.Workers) {
	here := &runner.InProcess{Registry: a.reg, Data: a.dataDir(), Timeout: timeout, Prepare: a.startPlugin}
	adopts := processes.Adopt() == nil // so that processes end even if their keeper was killed
	apart := &runner.Workers{Args: a.workerArgs(), Timeout: timeout, Memory: a.memory, Adopts: adopts}
	return runner.Choice{
		Here:  here,
		Apart: apart,
		Isolated: func(c runner.CellSpec) bool {
			switch {
			case c.Suspect && runner.CanIsolate:
				return true
			case how.given:
				return how.value
			}
			spec, err := here.Method(c)
			return err == nil && runner.CanIsolate && spec.Foreign()
		},
	}, apart
}

// workerArgs are the arguments by which this program becomes a keeper with the same methods and data.
func (a *app) workerArgs() []string {
	args := []string{isolatedVerb}
	if a.memory > 0 {
		args = append(args, "--memory", strconv.FormatInt(a.memory, 10)+"B")
	}
	if a.data != "" {
		args = append(args, "--data", a.data)
	}
	for _, f := range a.found { // plugins of folders, too, since the worker does not search folders
		if f.usable() {
			_, _, sums := f.in.Files()
			files, _ := json.Marshal(slices.AppendSeq([]string{}, maps.Keys(sums)))
			args = append(args, "--plugin", f.file, "--method", f.in.Spec().Name, "--files", string(files))
		}
	}
	return append(args, a.permissions()...)
}
