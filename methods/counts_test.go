package methods_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestCountsAreTheSame runs cells of every method on a real set, or two in make thorough, and compares, cell by cell,
// a hash of what the database holds: the counts of each fold of each grid point, the selected point, and the counts
// of the test.
func TestCountsAreTheSame(t *testing.T) {
	if testenv.Race || testing.Short() {
		t.Skip("slow under the race detector and on emulated processors; make test runs it without")
	}
	ctx := t.Context()
	p := must.Get(protocol.Load("testdata/portable.toml"))(t)
	if part(t) {
		p.Datasets = p.Datasets[:1]
	}
	h := &plan.Experiment{Protocol: p, Registry: methods.All(), Catalogue: catalogue.Builtin(),
		Data: catalogue.Directory{Root: testenv.Mirror(t)}}
	db := must.Get(store.Open(ctx, filepath.Join(t.TempDir(), "results.db")))(t)
	plan := must.Get(h.Plan(ctx, plan.Request{Methods: methods.All().Names(), Splits: []int{1}}, nil, nil))(t)
	w := db.NewWriter(environment.Current(), nil)
	_, err := schedule.Run(ctx, &runner.InProcess{Registry: h.Registry, Data: h.Data}, make(chan struct{}), plan.Cells,
		schedule.Options{Jobs: 2}, w.Put)
	must.Do(t, errors.Join(err, w.Close()))
	lines := cellHashes(t, db)
	must.Do(t, db.Close())
	binary := slices.DeleteFunc(methods.All().All(), func(s registry.Spec) bool { return s.Tasks&registry.Binary == 0 })
	if want := len(p.Datasets) * len(binary); len(lines) != want {
		t.Errorf("%d cells are stored, want %d", len(lines), want)
	}
	comparePinned(t, "testdata/counts.txt", lines, !part(t))
}

// cellHashes returns a line for each cell: data set, method, version, test counts, and the hash of its evaluations.
func cellHashes(t *testing.T, db *store.DB) []string {
	rows := func(query string, row func([]any) error) {
		must.Do(t, db.Query(t.Context(), query, func([]string) error { return nil }, row))
	}
	hashes := map[string]uint64{}
	rows(`SELECT dataset || ' ' || method, grid_index, params, fold, n_valid, n_correct, tn, fp, fn, tp
	      FROM evaluations ORDER BY dataset, method, grid_index, fold`, func(row []any) error {
		hash := fnv.New64a()
		fmt.Fprintln(hash, hashes[fmt.Sprint(row[0])], row[1:])
		hashes[fmt.Sprint(row[0])] = hash.Sum64()
		return nil
	})
	var lines []string
	rows(`SELECT dataset || ' ' || method, method_version, n_correct || '/' || n_test, params
	      FROM results WHERE status = 'ok' ORDER BY dataset, method`, func(row []any) error {
		lines = append(lines, fmt.Sprintf("%v %v %v %016x %v", row[0], row[1], row[2], hashes[fmt.Sprint(row[0])],
			row[3]))
		return nil
	})
	return lines
}
