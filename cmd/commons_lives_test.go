package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestCommonsLives makes the commons of a release with one set and two splits: five methods of Python's libraries are
// in it, each computed again. It needs PyPI and ten minutes, so that make fire alone runs it.
func TestCommonsLives(t *testing.T) {
	if os.Getenv("BENCH_FIRE") == "" {
		t.Skip("make fire runs it")
	}
	p := newProcess(t)
	program := must.Get(exec.LookPath("bench"))(t)
	c := exec.Command(filepath.Join(testenv.Root(), "scripts", "commons.sh"), program, p.file("commons.tar"),
		"wine", "2")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if said, err := exec.Command("tar", "-xf", p.file("commons.tar"), "-C", p.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for method, cells := range map[string]int{"sklearn-HGB": 2, "EBM": 2, "ChimeraBoost": 1, "Perpetual": 1,
		"sklearn-MLP": 1} {
		file := p.file("commons", "methods", method, commons.ReceiptFile)
		p.run(t, "verify", "--receipt", file)
		receipt := must.Get(commons.ParseReceipt(must.Get(os.ReadFile(file))(t)))(t)
		if len(receipt.Cells) != cells || receipt.Level != commons.AllAgain {
			t.Errorf("%s: %d cells, %s", method, len(receipt.Cells), receipt.Level)
		}
		if lock := must.Get(os.ReadFile(p.file("commons", "methods", method, commons.LockFile)))(t); len(lock) == 0 {
			t.Errorf("%s has an empty lock", method)
		}
	}
}
