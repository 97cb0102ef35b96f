package harness

import (
	"fmt"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// changedInputs names what a stored cell was computed from and what is planned now, where they differ.
func changedInputs(old store.Inputs, now runner.Inputs) []string {
	var changed []string
	for _, part := range []struct{ name, before, now string }{
		{"protocol", old.ProtocolHash, now.ProtocolHash},
		{"data", old.Fingerprint, now.Fingerprint},
		{"method version", old.MethodVersion, now.MethodVersion},
		{"grid", old.GridHash, now.GridHash},
	} {
		if part.before != part.now {
			changed = append(changed, fmt.Sprintf("%s was %.8s, is %.8s", part.name, part.before, part.now))
		}
	}
	return changed
}

// keyOf hashes everything that a cell's result depends on.
func keyOf(c runner.Cell, in runner.Inputs) string {
	return protocol.HashJSON(struct {
		runner.Cell
		runner.Inputs
	}{c, in})
}
