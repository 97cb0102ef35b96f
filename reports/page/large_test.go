package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// large is a database of 30 methods, the 16 sets of Table 2 and 20 splits, with three million evaluations. BENCH_KEEP names a file
// to keep it in, for the command line.
func large(t testing.TB) (path string, evaluations int) {
	t.Helper()
	p, err := protocol.Load("table2")
	if err != nil {
		t.Fatal(err)
	}
	names := methods.All().Names()
	for i := len(names); i < 30; i++ {
		names = append(names, fmt.Sprintf("Imported%d", i))
	}
	path = filepath.Join(t.TempDir(), "large.db")
	if keep := os.Getenv("BENCH_KEEP"); keep != "" {
		path = keep
	}
	_, evaluations = sample.Fill(t, path, sample.Size{Protocol: p.Name, ProtocolHash: p.Hash(), Methods: names[:30], Datasets: p.Datasets, Splits: p.Splits, Points: 62, Folds: 5})
	return path, evaluations
}

func TestTmp(t *testing.T) { large(t) }
