package cmd_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

var declaredBytes = regexp.MustCompile(`linear-[0-9]+: ([0-9.]+) MiB`)

// TestDeclaredMemoryIsEnough: an isolated cell whose --memory is what the plan declares is not ended for want of
// memory.
func TestDeclaredMemoryIsEnough(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	onLinux(t)
	methods := []string{"CART", "EIGENPRO", "FALKON", "KNN", "LDA", "LGBM", "Logistic", "NYSTROEM", "RKS", "XGB"}
	p := newProcess(t)
	p.copy(t, "many.toml")
	run := func(method string, more ...string) (code int, said string) {
		set := "linear-100000"
		if method == "Logistic" {
			set = "linear-300000" // where copies of the rows once took more than the keeper allows
		}
		args := []string{"run", "--protocol", "many.toml", "--datasets", set, "--methods", method, "--max-cell", "0"}
		c := p.command(t, append(args, more...)...)
		return c.code(), c.said.String()
	}
	for _, method := range methods {
		_, said := run(method, "--memory", "1B")
		found := declaredBytes.FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("%s: no declared memory in %q", method, said)
		}
		mib := must.Get(strconv.ParseFloat(found[1], 64))(t)
		const room = 1 // MiB: the declared bytes are printed rounded
		given := fmt.Sprintf("%dMiB", int(math.Ceil(mib+room)))
		if code, said := run(method, "--isolate", "--memory", given); code != 0 {
			t.Errorf("%s declares %s MiB and ends with exit %d within %s: %s\n%s", method, found[1], code, given,
				p.errors(t), said)
		}
	}
}
