package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// large is a database of 42 methods, the sets of the suite and 20 splits, with the folds of five grid points. Its
// accuracies are invented.
// BENCH_KEEP names a file to keep it in, for the command line.
func large(t testing.TB) (path string, evaluations int) {
	t.Helper()
	p := must.Get(protocol.Load("suite"))(t)
	names := methods.All().Names()
	for i := len(names); i < 42; i++ {
		names = append(names, fmt.Sprintf("Imported%d", i))
	}
	path = filepath.Join(t.TempDir(), "large.db")
	if keep := os.Getenv("BENCH_KEEP"); keep != "" {
		path = keep
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("BENCH_KEEP: %s exists; name a file that does not", path)
		}
	}
	db := must.Get(store.Open(t.Context(), path))(t)
	w := db.NewWriter(result.Environment{ProgramVersion: "v1", CPU: "cpu"}, nil)
	const points, folds = 5, 5
	var grid []json.RawMessage
	for i := range points {
		grid = append(grid, json.RawMessage(fmt.Sprintf(`{"c":%d}`, i)))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for s, set := range p.Datasets {
		test := 100 + 37*s
		for m, method := range names[:42] {
			for split := 1; split <= p.Splits; split++ {
				score := sample.OK(set, method, split, test*(60+s*2%20+m%7)/100+rng.IntN(9), test).Score
				selected, seconds := rng.IntN(points), 0.01*float64(1+m*s)+rng.Float64()
				run := result.Run{Planned: result.Planned{Key: fmt.Sprint(s, m, split), Protocol: p.Name,
					ProtocolHash: p.Hash(), Method: method, MethodVersion: "1", Dataset: set, Fingerprint: "f",
					Split: split, Task: "binary", Grid: grid, GridHash: "g"}, Status: result.OK, Selected: &selected,
					TrainRows: 5 * test, TestRows: test, Score: score, FitSeconds: &seconds,
					PredictSeconds: &seconds, CPUSeconds: &seconds, StartedAt: "2026-01-01T00:00:00Z"}
				for i := range points * folds {
					run.Folds = append(run.Folds, result.Evaluation{GridIndex: i / folds, Fold: i % folds, Score: score,
						FitSeconds: seconds})
				}
				must.Do(t, w.Put(run))
				evaluations += len(run.Folds)
			}
		}
	}
	must.Do(t, errors.Join(w.Close(), db.Close()))
	return path, evaluations
}

// BenchmarkLarge makes a page of 1.1 million evaluations: it reads the rows, compares them with their checksums, and
// builds and lays out the page.
func BenchmarkLarge(b *testing.B) {
	path, evaluations := large(b)
	in := sample.Input{Known: map[string]sample.Set{}}
	p := must.Get(protocol.Load("suite"))(b)
	in.Protocol = frame.Protocol{Name: p.Name, Hash: p.Hash(), Published: p.Published, Splits: p.Splits,
		Datasets: p.Datasets, Apart: p.Apart, Order: slices.Clone[[]string], Sizes: p.Semantics.Splitter().Sizes}
	for _, name := range p.Datasets {
		in.Known[name] = sample.Set{Entry: catalogue.Entry{Rows: 300}}
	}
	in.Registry, in.Sets = in, in
	size := 0
	for b.Loop() {
		db := must.Get(store.OpenReader(b.Context(), path))(b)
		f := must.Get(frame.Read(b.Context(), db, in.Source))(b)
		page := must.Get(Build(f, Options{Level: 0.05, Groups: Groups{Methods: methods.All().Groups()}}))(b)
		var out bytes.Buffer
		must.Do(b, page.Write(&out))
		size = out.Len()
		must.Do(b, db.Close())
	}
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(evaluations), "evaluations")
}
