//go:build unix

// Peers measures our fits beside the published Python of the 2020 paper, on the same
// standardised rows with the same parameters, each on one thread. The two take turns
// (ours, theirs, ours, ..) within one run; the table holds medians of processor time and
// their ratio, which is the figure to quote: times depend on the machine, and both sides
// suffer alike from what else it does.
//
// The published program is not part of this repository. BENCH_PUBLISHED names a checkout
// of it and BENCH_PYTHON a Python with NumPy, SciPy and scikit-learn; peer.py imports it
// from there. See make bench-peers.
//
// cases.go says what is compared, published.go runs the Python side.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

func main() {
	runtime.GOMAXPROCS(1)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	methods, sets string
	repeat        int
	budget        time.Duration
	grids         bool
	data          string
}

func run(ctx context.Context) error {
	var o options
	flag.StringVar(&o.methods, "methods", "", "only these methods, joined by commas")
	flag.StringVar(&o.sets, "sets", "", "only these data sets, joined by commas")
	flag.IntVar(&o.repeat, "repeat", 5, "turns of each side")
	flag.DurationVar(&o.budget, "budget", time.Minute, "no further turn of a case after this long")
	flag.BoolVar(&o.grids, "grids", false, "whole grids of one fold too (minutes of Python each)")
	flag.StringVar(&o.data, "data", os.Getenv("BENCH_DATA"), "data directory")
	flag.Parse()
	peer, err := startPublished(ctx)
	if err != nil {
		return err
	}
	defer peer.stop()
	fmt.Printf("Processor time of one thread, split 1, medians of up to %d turns; %s\n\n", o.repeat, peer.versions)
	fmt.Println("| method | work | set | n, d | ours | theirs | ratio | wanted |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	skipped := 0
	for _, c := range cases {
		if !c.wantedBy(o) {
			continue
		}
		if c.grid && !o.grids {
			skipped++
			continue
		}
		if err := c.measure(ctx, o, peer); err != nil {
			return fmt.Errorf("%s on %s: %w", c.method, c.set, err)
		}
	}
	if skipped > 0 {
		fmt.Printf("\nLeft out: %d rows of whole grids, minutes of Python each; -grids (make bench-peers "+
			"PEERS=-grids) runs them too.\n", skipped)
	}
	return nil
}

func (c peerCase) wantedBy(o options) bool {
	listed := func(list, name string) bool { return list == "" || slices.Contains(strings.Split(list, ","), name) }
	return listed(o.methods, c.method) && listed(o.sets, c.set)
}

// measure prints one row of the table.
func (c peerCase) measure(ctx context.Context, o options, peer *published) error {
	spec, err := methods.All().Lookup(c.method)
	if err != nil {
		return err
	}
	train, valid, err := c.load(ctx, o.data)
	if err != nil {
		return err
	}
	if err := peer.send(train, valid); err != nil {
		return err
	}
	var ours, theirs []float64
	for start := time.Now(); len(ours) < o.repeat && (len(ours) == 0 || time.Since(start) < o.budget); {
		t, err := c.ours(ctx, spec, train, valid)
		if err != nil {
			return err
		}
		ours = append(ours, t)
		if t, err = peer.fit(c.method, c.grid); err != nil {
			return err
		}
		theirs = append(theirs, t)
	}
	a, b := median(ours), median(theirs)
	sh := train.Shape()
	work := "one fit"
	if c.grid {
		work = "grid of a fold"
	}
	fmt.Printf("| %s | %s | %s | %d, %d | %.3g ms | %.3g ms | %.1f | %g |\n", c.method, work, c.set, sh.N, sh.D, 1e3*a,
		1e3*b, b/a, c.wanted)
	return nil
}

// ours returns the processor time of our side: one fit with the defaults, whose meaning
// peer.py repeats, or the published grid with a prediction of the validation rows after
// each fit.
func (c peerCase) ours(ctx context.Context, spec registry.Spec, train, valid registry.Data) (float64, error) {
	runtime.GC()
	env := registry.Env{Seed: 1}
	var err error
	took := cputime.Of(func() {
		if c.grid {
			err = wholeGrid(ctx, env, spec, train, valid)
		} else {
			_, err = spec.Fit(ctx, env, train, nil)
		}
	})
	return took, err
}

// wholeGrid fits every setting of the method's grid and scores valid with each.
func wholeGrid(ctx context.Context, env registry.Env, spec registry.Spec, train, valid registry.Data) error {
	settings, err := spec.Settings(train.Shape(), spec.DefaultGrid(), nil)
	if err != nil {
		return err
	}
	out := make([]float64, len(valid.Y))
	return spec.FitAll(ctx, env, train, settings, func(_ int, m registry.Model) error {
		return m.Score(ctx, valid.X, out)
	})
}

// load returns the training part of split 1 of the protocol table2 and, as rows to
// predict, its test part; for grids, the training and validation part of its first fold.
func (c peerCase) load(ctx context.Context, dir string) (train, valid registry.Data, err error) {
	entry, err := catalogue.Builtin().Lookup(c.set)
	if err != nil {
		return train, valid, err
	}
	set, err := read.Load(ctx, files.Directory{Root: dir}, entry)
	if err != nil {
		return train, valid, err
	}
	drawn, err := split.Splitter{TestFraction: 0.3, Folds: 5}.Split(set, 1)
	if err != nil {
		return train, valid, err
	}
	parts := split.Parts{Set: set, Split: drawn, Standardise: true}
	part, err := parts.Whole()
	if c.grid {
		part, err = parts.Fold(0)
	}
	return part.Learn, part.Score, err
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
