package runner_test

import (
	"errors"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/harness/runner"
)

// TestCheck: a cell is refused by the name of what differs here, and by no other name.
func TestCheck(t *testing.T) {
	here := &runner.InProcess{Registry: tried()}
	planned := cells(t, "CART", 1)[0]
	must.Do(t, here.Check(planned, here.CodeOf(planned)))
	for what, change := range map[string]func(c *runner.CellSpec) (code string){
		"another version":     func(c *runner.CellSpec) string { c.Inputs.MethodVersion += "0"; return "" },
		"other code":          func(*runner.CellSpec) string { return "0123456789" },
		"no such method":      func(c *runner.CellSpec) string { c.Cell.Method = "Nothing"; return "" },
		"another protocol":    func(c *runner.CellSpec) string { c.Inputs.ProtocolHash = "0123456789"; return "" },
		"other data":          func(c *runner.CellSpec) string { c.Inputs.Fingerprint = "0123456789"; return "" },
		"another description": func(c *runner.CellSpec) string { c.Set.TOML += "\n"; return "" },
		"a file of this host": func(c *runner.CellSpec) string { c.Set.Path = "/etc/hostname"; return "" },
	} {
		c := planned
		code := change(&c)
		want := map[string]string{"another protocol": c.Cell.Protocol, "other data": "swiss",
			"another description": "swiss", "a file of this host": "swiss"}[what]
		if want == "" {
			want = c.Cell.Method
		}
		var refused *runner.Refusal
		if err := here.Check(c, code); !errors.As(err, &refused) || refused.What != want {
			t.Errorf("%s: %v, which is to refuse %s", what, err, want)
		}
	}
}
