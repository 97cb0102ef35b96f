package cmd

import (
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/spf13/cobra"
)

func newRunCommand(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [--all | --methods A,B --datasets x,y]",
		Short: "Run methods on data sets under a protocol and store every evaluation",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return a.run(c.Context(), f) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.all, "all", false, "every method on every set of the protocol")
	f.selection.add(a, c, defaultProtocol)
	jobsFlag(c, &f.jobs, "cells to run at a time; 0 with --listen or --engine leaves all to workers")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and the predicted times, and run nothing")
	f.plan = a.listing(c)
	flags.Lookup("format").Usage += ", of --dry-run"
	flags.BoolVar(&f.explain, "explain", false, "with --dry-run: say why each cell is to be run")
	flags.BoolVar(&f.retry, "retry", false, "run cells again that failed or timed out")
	flags.StringSliceVar(&f.rerun, "rerun", nil, "methods of the request whose stored cells are run again; the new "+
		"results replace the old ones")
	completeList(c, "rerun", a.methodCompletions)
	oneOf(c, &f.keep, "keep", string(runner.KeepScores), "what to keep besides the counts: scores of the test rows, "+
		"models too, or none", string(runner.KeepScores), string(runner.KeepModels), string(runner.KeepNone))
	flags.DurationVar(&f.timeout, "timeout", 0, "limit for one cell, e.g. 10m (default none)")
	isolateFlag(c, &f.isolate)
	maxCellFlag(c, &f.maxCell, "")
	oneOf(c, &f.until, "until", "", "decided: stop once the verdict that all splits would give is certain enough, of "+
		"the method against those of --against", "decided")
	flags.StringSliceVar(&f.against, "against", nil, "run these methods, too, and write down before the first result "+
		"that the method is compared with them")
	completeList(c, "against", a.methodCompletions)
	flags.StringVar(&f.equivalence, "equivalence", "", "with --against: the largest difference that does not matter, "+
		"as for compare")
	flags.BoolVar(&f.goOn, "continue", false, "with --until decided: run the cells that the verdict did not need, too")
	flags.StringVar(&f.shard, "shard", "", "run one of several shares of the cells, such as 3/40, with a database of "+
		"its own; bench import joins the databases")
	flags.StringVar(&f.listen, "listen", "", "let workers on other machines run cells, too (bench worker); HOST:PORT "+
		"is where they find this run")
	flags.StringVar(&f.engine, "engine", "", "let workers run cells, too, through a NATS server that is running: "+
		"nats://HOST:PORT or tls://HOST:PORT")
	flags.StringVar(&f.tokenFile, "token-file", "", "a file with the token that workers must have (default one that "+
		"is kept beside the database, if other machines reach HOST); for --engine with the server's token or "+
		"USER:PASSWORD")
	flags.StringVar(&f.certFile, "cert", "", "with --listen: a file with the server's certificate and its key "+
		"(default one that is kept beside the database)")
	flags.StringVar(&f.verifyShare, "verify-share", "", "share of each worker's cells that is computed again here; 0 "+
		"for none (default 1%, with a loopback address none)")
	permissionFlags(a, c)
	yesToLongRuns(c)
	flags.DurationVar(&f.budget, "budget", 0, "time limit of the whole run: sets are taken in order of predicted "+
		"cost, as long as they fit")
	rare(c, "cert", "engine", "explain", "format", "keep", "token-file", "verify-share")
	return c
}
