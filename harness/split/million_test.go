package split

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestMemoryOfAMillionRows reads, splits and standardises a million rows of twenty columns in a process of its own,
// which needs at most 2.5 times their bytes at its peak: the file or the copies of the rows, beside the matrix.
func TestMemoryOfAMillionRows(t *testing.T) {
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	e := must.Get(catalogue.Builtin().Lookup("linear-1000000"))(t)
	data := must.Get(catalogue.Make(e, e.Files[0]))(t)
	root := t.TempDir()
	path := catalogue.Directory{Root: root}.Path(e, e.Files[0])
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, data, 0o644))
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestReadsAMillionRows$", "-test.v")
	c.Env = append(os.Environ(), "BENCH_MILLION="+root)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var peak int64
	_, said, _ := strings.Cut(string(out), "peak ")
	if _, err := fmt.Sscanf(said, "%d", &peak); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if peak == 0 {
		t.Skip("the system does not tell the peak of a process")
	}
	times := float64(peak) / float64(8*e.Rows*e.Features)
	t.Logf("%.2f times the bytes of the rows", times)
	if times > 2.5 {
		t.Errorf("%d bytes at the peak, %.2f times those of the rows", peak, times)
	}
}

// TestReadsAMillionRows is the process that TestMemoryOfAMillionRows starts, with the data directory in BENCH_MILLION.
func TestReadsAMillionRows(t *testing.T) {
	root := os.Getenv("BENCH_MILLION")
	if root == "" {
		return
	}
	e := must.Get(catalogue.Builtin().Lookup("linear-1000000"))(t)
	set := must.Get(read.Load(t.Context(), catalogue.Directory{Root: root}, e))(t)
	after := processes.Peak()
	s := must.Get(Splitter{TestFraction: 0.3, Folds: 3}.Split(set, 1))(t)
	part := must.Get(Parts{Set: set, Split: s, Standardise: true}.Whole())(t)
	learned, _ := part.Learn.X.Dims()
	scored, _ := part.Score.X.Dims()
	must.Be(t, learned+scored, e.Rows)
	fmt.Printf("peak %d, after reading %d\n", processes.Peak(), after)
}
