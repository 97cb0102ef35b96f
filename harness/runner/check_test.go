package runner_test

import (
	"errors"
	"testing"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestCheck: a cell is refused by the name of what differs here, and by no other name.
func TestCheck(t *testing.T) {
	here := &runner.InProcess{Registry: tried()}
	planned := cells(t, "CART", 1)[0]
	must.Do(t, here.Check(planned))
	for what, change := range map[string]func(c *runner.CellSpec){
		"another version":     func(c *runner.CellSpec) { c.Inputs.MethodVersion += "0" },
		"no such method":      func(c *runner.CellSpec) { c.Cell.Method = "Nothing" },
		"another protocol":    func(c *runner.CellSpec) { c.Inputs.ProtocolHash = "0123456789" },
		"other data":          func(c *runner.CellSpec) { c.Inputs.Fingerprint = "0123456789" },
		"another description": func(c *runner.CellSpec) { c.Set.TOML += "\n" },
		"a file of this host": func(c *runner.CellSpec) { c.Set.Path = "/etc/hostname" },
	} {
		c := planned
		change(&c)
		want := map[string]string{"another protocol": c.Cell.Protocol, "other data": "swiss",
			"another description": "swiss", "a file of this host": "swiss"}[what]
		if want == "" {
			want = c.Cell.Method
		}
		var refused *runner.Refusal
		if err := here.Check(c); !errors.As(err, &refused) || refused.What != want {
			t.Errorf("%s: %v, which is to refuse %s", what, err, want)
		}
	}
}
