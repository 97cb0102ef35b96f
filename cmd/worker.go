package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

func newWorkerCommand(a *app) *cobra.Command {
	var jobs int
	var tokenFile string
	var foreign bool
	c := &cobra.Command{
		Use:   "worker nats://HOST:PORT",
		Short: "Run cells for a bench run --listen on another machine",
		Args:  takes("nats://HOST:PORT"),
		RunE: func(c *cobra.Command, args []string) error {
			if jobs < 1 {
				return usage("--jobs %d: at least one cell must run at a time", jobs)
			}
			token, err := readToken(tokenFile)
			if err != nil {
				return err
			}
			if err := a.know("", nil); err != nil {
				return err
			}
			if foreign {
				if err := a.mayStart("those of the coordinator"); err != nil {
					return err
				}
			}
			ctx, done := a.untilSignal(c.Context())
			defer done()
			return runWorker(ctx, a, args[0], jobs, token, foreign)
		},
	}
	jobsFlag(c, &jobs, "cells to run at a time")
	c.Flags().StringVar(&tokenFile, "token-file", "", "a file with the run's token (default the one in the address)")
	c.Flags().BoolVar(&foreign, "plugins-from-coordinator", false, "run plugins that the coordinator sends; it may "+
		"then run any program here, with the rights of plugins")
	permissionFlags(a, c)
	return c
}

// runWorker is a worker until its run has ended or ctx is done. If foreign is set, it takes plugins from the
// coordinator.
func runWorker(ctx context.Context, a *app, at string, jobs int, token string, foreign bool) error {
	var known atomic.Pointer[app] // with the methods that the worker knows, to which plugins of the coordinator add
	known.Store(a)
	var workers []*runner.Workers
	defer func() {
		for _, w := range workers {
			w.Close()
		}
		known.Load().closePlugins()
	}()
	machine, _ := os.Hostname()
	var saying sync.Mutex
	opt := remote.WorkerOptions{
		Machine: fmt.Sprintf("%s/%d", cmp.Or(machine, "worker"), os.Getpid()), Jobs: jobs, Memory: a.memory,
		Token:       token,
		Environment: environment.Measured(), Data: a.dataDir(),
		Check: func(c runner.CellSpec) error {
			return (&runner.InProcess{Registry: known.Load().reg, Data: a.dataDir()}).Check(c)
		},
		Cells: func(timeout time.Duration) runner.Runner {
			run, apart := known.Load().cells(timeout, isolation{given: true, value: runner.CanIsolate})
			workers = append(workers, apart)
			return run
		},
		Fetch: func(ctx context.Context, e *catalogue.Entry) error {
			from := fetch.DefaultMirror()
			if from == "" {
				return fmt.Errorf("there is no mirror")
			}
			return fetch.Files(ctx, a.dataDir(), []*catalogue.Entry{e}, fetch.Options{From: from})
		},
		Log: func(format string, args ...any) {
			saying.Lock()
			defer saying.Unlock()
			fmt.Fprintf(a.err, format+"\n", args...)
		},
	}
	if foreign {
		folder, err := os.MkdirTemp("", "bench-plugins-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		opt.Plugins, opt.Install = folder, func(_ context.Context, file string) error {
			now, err := withPlugin(known.Load(), file)
			if err == nil {
				known.Store(now)
			}
			return err
		}
	}
	err := remote.Serve(ctx, at, opt)
	if expelled := (*remote.ExpelledError)(nil); errors.As(err, &expelled) {
		return exitError{exitConflict, err}
	}
	if err != nil {
		return usageError(err)
	}
	return nil
}

// withPlugin asks a plugin what it is and returns the app with its method. The user who started the worker said so.
func withPlugin(a *app, file string) (*app, error) {
	now := *a
	f := &foundPlugin{file: file, from: fromFlag}
	now.found = append(slices.Clip(now.found), f)
	return &now, now.ask(func(other *foundPlugin) bool { return other == f })
}

// pluginOf returns the files of a cell's method, nil if the method is no plugin.
func pluginOf(a *app, c runner.CellSpec) *remote.Plugin {
	for _, f := range a.found {
		if f.usable() && f.in.Spec().Version == c.Inputs.MethodVersion { // the version contains a hash of the files
			folder, file, sums := f.in.Files()
			return &remote.Plugin{Folder: folder, File: file, Files: sums}
		}
	}
	return nil
}

// A coordinator hands the cells of a run to workers.
type coordinator struct {
	*remote.Pool
	join   string // the command that starts a worker, without the token
	remove func() // of what it keeps while it runs
}

// stop tells the workers whether the run has ended, and ends the coordinator, if there is one. It returns the conflicts
// among the workers' results, and whether there are any or workers were expelled.
func (w *coordinator) stop(ended bool) (conflicts []remote.Conflict, wrong bool) {
	if w == nil {
		return nil, false
	}
	w.Close(ended)
	w.remove()
	conflicts = w.Conflicts()
	return conflicts, conflicts != nil || w.Expelled() != nil
}

// lostAfter is for how long a worker is silent that counts as lost; 0 is the usual time. Tests set less.
var lostAfter time.Duration

func listenForWorkers(a *app, printer *runPrinter, f runOptions) (*coordinator, error) {
	token, err := readToken(f.tokenFile)
	if err != nil {
		return nil, err
	}
	opt := remote.Options{Engine: f.engine, Token: token, Data: a.dataDir(), Timeout: f.timeout, Lost: lostAfter,
		Log:    printer.worker,
		Plugin: func(c runner.CellSpec) *remote.Plugin { return pluginOf(a, c) }}
	opt.Protocol = printer.experiment.Protocol
	made, remove := false, func() {}
	at := "--listen " + f.listen
	if f.engine != "" {
		at = "--engine " + f.engine
		opt.Run, err = runName(a)
	} else if made, err = secureServer(a, &opt, f); err == nil {
		opt.Folder, remove, err = files.Scratch(filepath.Dir(a.db), filepath.Base(a.db))
	}
	if err != nil {
		return nil, err
	}
	p, err := remote.Listen(opt)
	if err != nil {
		remove()
		return nil, usage("%s: %w", at, err)
	}
	a.say("workers: %s", workerCommand(p.URL, opt.Token, made, f.tokenFile))
	join := "`" + workerCommand(p.URL, "", false, f.tokenFile) + "`"
	if made {
		join += " with the token that the run has printed"
	}
	return &coordinator{p, join, remove}, nil
}

// runName returns the name of this run at an external NATS server. It is made of the machine's name and the path of the
// database, so that a coordinator that is started again finds the queues of its first start.
func runName(a *app) (string, error) {
	host, err1 := os.Hostname()
	path, err2 := filepath.Abs(a.db)
	sum := sha256.Sum256([]byte(host + "\x00" + path))
	return hex.EncodeToString(sum[:6]), errors.Join(err1, err2)
}

// runIdentity is the file of the certificate and the token by which workers know a run.
func (a *app) runIdentity() string { return a.db + ".listen" }

// secureServer chooses the certificate and the token of a server that other machines reach. made says that the program
// made the token, not the user.
func secureServer(a *app, opt *remote.Options, f runOptions) (made bool, err error) {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return false, usage("--listen %q is not HOST:PORT, such as 127.0.0.1:4222", f.listen)
	}
	opt.Address = f.listen
	if f.certFile != "" {
		own, err := tls.LoadX509KeyPair(f.certFile, f.certFile)
		if err != nil {
			return false, usage("--cert %s: %s", f.certFile, wording.Spelled(err.Error()))
		}
		opt.Certificate = &own
	}
	if remote.Loopback(host) || opt.Certificate != nil && opt.Token != "" {
		return false, nil
	}
	kept, err := remote.KeptIdentity(a.runIdentity())
	if err != nil {
		return false, usage("%w", err)
	}
	if opt.Certificate == nil {
		opt.Certificate = &kept.Certificate
	}
	made = opt.Token == ""
	opt.Token = cmp.Or(opt.Token, kept.Token)
	return made, nil
}

func (m *messages) printConflicts(conflicts []remote.Conflict) {
	if conflicts == nil {
		return
	}
	m.say("workers gave different results for %s; the first result is stored, and `bench verify` computes it once "+
		"more here:", plural(len(conflicts), "cell"))
	for _, c := range conflicts {
		m.say("  %s: %s from %s (stored), %s from %s", c.Cell, c.Values[0], c.Workers[0], c.Values[1], c.Workers[1])
	}
}

// workerCommand returns the command that starts a worker on another machine. It contains the token if that was made for
// this run.
func workerCommand(at, token string, made bool, file string) string {
	args := []string{"bench", "worker"}
	if file != "" {
		args = append(args, "--token-file", file)
	}
	if link, err := url.Parse(at); err == nil && made {
		link.User = url.User(token)
		at = link.String()
	}
	return frame.CommandLine(args...) + " '" + at + "'" // shells read a question mark as a pattern
}

// readToken reads the first line of a file; "" is no file.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	raw, err := files.Read(file, 1<<20)
	if err != nil {
		return "", usage("--token-file: %s", wording.Spelled(err.Error()))
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	if line = strings.TrimSpace(line); len(line) < 16 {
		return "", usage("--token-file %s: the first line is a token of at least 16 characters; it has %d", file,
			len(line))
	}
	return line, nil
}
