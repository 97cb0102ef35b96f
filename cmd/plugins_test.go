package cmd

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/spf13/cobra"
)

// TestWorkersGiveTheSameRights: what plugins may do in this process they may do in those for isolated cells,
// which know neither the database nor the mirror.
func TestWorkersGiveTheSameRights(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("BENCH_MIRROR", filepath.Join(dir, "mirror"))
	here := &app{db: filepath.Join(dir, "results.db"), data: filepath.Join(dir, "data"), plugins: plugins{
		allowRead: []string{dir}, network: true, found: []*foundPlugin{{file: "a.sh", in: &external.Plugin{}},
			{file: "unknown.sh"}},
	}}
	worker := &app{plugins: plugins{isolated: true}}
	c := newCellCommand(worker)
	c.Flags().StringVar(&worker.data, "data", "", "")
	c.Flags().StringArrayVar(&worker.named, "plugin", nil, "")
	c.RunE = func(*cobra.Command, []string) error { return nil }
	c.SetArgs(here.workerArgs()[1:])
	must.Do(t, c.Execute())
	must.Be(t, worker.named, []string{"a.sh"}, "a worker knows the plugins")
	must.Be(t, worker.methods, []string{""}, "a worker knows the plugins")
	was, is := here.pluginOptions(), worker.pluginOptions()
	want := []string{here.db, here.db + "-wal", here.db + "-shm", here.db + ".listen", here.data,
		filepath.Join(dir, "mirror")}
	if !slices.Equal(was.Hidden, want) || !slices.Equal(is.Hidden, want) ||
		!slices.Equal(is.AllowRead, []string{dir}) || !is.Network {
		t.Errorf("a worker gives %+v, not %+v", is, was)
	}
}
