package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// large is a database of 40 methods, the 16 sets of Table 2 and 20 splits, with four million evaluations.
// BENCH_KEEP names a file to keep it in, for the command line.
func large(t testing.TB) (path string, evaluations int) {
	t.Helper()
	p := must.Get(protocol.Load("table2"))(t)
	names := methods.All().Names()
	for i := len(names); i < 40; i++ {
		names = append(names, fmt.Sprintf("Imported%d", i))
	}
	path = filepath.Join(t.TempDir(), "large.db")
	if keep := os.Getenv("BENCH_KEEP"); keep != "" {
		path = keep
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("BENCH_KEEP: %s exists; name a file that does not", path)
		}
	}
	_, evaluations = sample.Fill(t, path, sample.Size{Protocol: p.Name, ProtocolHash: p.Hash(), Methods: names[:40],
		Datasets: p.Datasets, Splits: p.Splits, Points: 62, Folds: 5})
	return path, evaluations
}

// BenchmarkLarge makes a page of four million evaluations: it reads the rows, compares them with their checksums, and
// builds and lays out the page.
func BenchmarkLarge(b *testing.B) {
	path, evaluations := large(b)
	in := sample.Input{Known: map[string]sample.Set{}}
	p := must.Get(protocol.Load("table2"))(b)
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
