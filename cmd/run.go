package cmd

import (
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/spf13/cobra"
)

func newRunCommand(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [--all | --methods A,B --datasets x,y]",
		Short: "Run methods on data sets under a protocol and store every evaluation",
		Long: `run plans the cells asked for (protocol, data set, split, method), passes over
those already stored, and runs the rest in parallel: first one split of every
method on every set, so that a whole table stands early, then the others, heaviest
first. A cell is stored whole when it ends, so a run that was stopped or killed is
continued by the same command. The first Ctrl-C lets running cells finish, the
second stops. Runs of different cells may share a database; a run whose cells another
run is computing is refused, with what to do instead (exit code 2).

Cells of methods that are not this program's own are run in worker processes, so
that a crash, an exit or a leak of memory costs one cell: its row says timeout, oom,
crash, bad-output or error. --isolate does so for every method, --isolate=false for
none but the cells that an earlier run died of. At the limits of --timeout and
--memory a worker ends with everything that it started.

Of such a method one further cell is computed for each set, a canary: a method that
is right although the training labels contradict the truth is named as a leak, and
one whose cell comes out otherwise in a new process as state (docs/explanation/evidence.md).
A cell that the program died of comes last, alone, and is a row if it dies of it again.

A cell that is predicted to take longer than --max-cell, or more than --memory, is
skipped; the run, its last line and every table say so. A run of more than a day
asks first, or needs --yes. Predictions come from the reference run that the
program brings and from the cells that this machine has stored: --dry-run shows them.
Of a method that the reference run does not have nothing is known at first: its cell on the smallest set runs before
its others, and they are judged by what that cell took.

Data sets are names of the catalogue or paths of TOML files that describe your
own (docs/how-to/own-data.md). Methods and data sets may be groups: --methods trees,
--datasets small15. Without --methods or --datasets: every method that solves
the task, the protocol's sets whose data is here. The results are the same bits
for any --jobs.`,
		Example: `  bench run --all                                  the protocol's 20 splits of everything
  bench run --all --splits 3 --budget 7m           what fits 7 minutes, cheapest sets first
  bench run --methods GBRFF2,trees --datasets small15 --splits 5
  bench run --all --exclude bankmarketing,KRR-GD   everything but these
  bench run --methods GBRFF2 --split 7,9           two splits alone
  bench run --methods GBRFF2 --datasets ./mydata.toml --dry-run
  bench run --all --listen 127.0.0.1:4222          with workers (docs/how-to/many-machines.md)
  bench run --all --shard 3/40 --db shard3.db      a share, for machines that share no network`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return a.run(c.Context(), f) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.all, "all", false, "every method on every set of the protocol")
	f.selection.add(a, c, defaultProtocol)
	jobsFlag(c, &f.jobs, "cells to run at a time; 0 with --listen or --engine leaves all to workers")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and the predicted times, run nothing")
	flags.StringVar(&f.format, "format", "table", "with --dry-run: "+strings.Join(listingFormats, ", "))
	flags.BoolVar(&f.explain, "explain", false, "with --dry-run: say for each cell why it is to be run")
	flags.BoolVar(&f.retry, "retry", false, "run again cells that failed or timed out")
	flags.StringSliceVar(&f.rerun, "rerun", nil, "methods of the request whose stored cells are run again; each new "+
		"result replaces the old one")
	_ = c.RegisterFlagCompletionFunc("rerun", listCompletion(a.methodCompletions))
	flags.StringVar(&f.keep, "keep", string(runner.KeepScores), "what to keep beside the counts: scores of the test "+
		"rows, models too, or none")
	flags.DurationVar(&f.timeout, "timeout", 0, "limit for one cell, e.g. 10m (default none)")
	isolateFlag(c, &f.isolate)
	flags.DurationVar(&f.maxCell, "max-cell", defaultMaxCell, "skip cells that are predicted to take longer on one "+
		"core; 0 for none")
	flags.StringVar(&f.shard, "shard", "", "one of several shares of the cells, each for a database of its own that "+
		"bench import joins: 3/40")
	flags.StringVar(&f.listen, "listen", "", "let workers on other machines run cells, too (bench worker), at this "+
		"HOST:PORT")
	flags.StringVar(&f.engine, "engine", "", "let workers run cells, too, by a NATS server that stands already: "+
		"nats://HOST:PORT or tls://HOST:PORT")
	flags.StringVar(&f.tokenFile, "token-file", "", "a file with the token that workers must have (default one that "+
		"is kept beside the database, where other machines reach HOST), or for --engine with the server's token or "+
		"USER:PASSWORD")
	flags.StringVar(&f.certFile, "cert", "", "with --listen: a file with the server's certificate (default one that "+
		"is kept beside the database)")
	flags.StringVar(&f.keyFile, "key", "", "with --cert: a file with the key of the certificate")
	flags.DurationVar(&f.lost, "lost", 30*time.Second, "hand the cells of a worker out again that is silent for so "+
		"long")
	flags.StringVar(&f.verifyShare, "verify-share", "",
		"compute this share of each worker's cells again here, 0 for none (default 1%, with a loopback address none)")
	permissionFlags(a, c)
	yesToLongRuns(c)
	flags.DurationVar(&f.budget, "budget", 0, "wall time for the whole run: sets are taken in order of predicted "+
		"cost as long as they fit")
	rare(c, "cert", "engine", "explain", "format", "keep", "key", "lost", "token-file", "verify-share")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(listingFormats,
		cobra.ShellCompDirectiveNoFileComp))
	return c
}
