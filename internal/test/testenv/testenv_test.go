package testenv_test

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestShares: each test is in exactly one of the shares, and no share is everything.
func TestShares(t *testing.T) {
	const shares = 3
	of := map[string][]int{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		t.Run(name, func(t *testing.T) {
			for k := 1; k <= shares; k++ {
				t.Setenv("BENCH_THOROUGH", fmt.Sprintf("%d/%d", k, shares))
				if testenv.Thorough(named{t, "Test" + name}) {
					of[name] = append(of[name], k)
				}
			}
		})
	}
	used := map[int]bool{}
	for name, in := range of {
		must.Be(t, len(in), 1, name, in)
		used[in[0]] = true
	}
	if len(of) != 6 || len(used) < 2 {
		t.Errorf("shares %v of six tests", of)
	}
}

// named is a test with another name.
type named struct {
	*testing.T
	name string
}

func (n named) Name() string { return n.name }
