package reports

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
)

// TestATableNeverMixes: cells made from other inputs than the newest ones of their
// row or column are left out, and the notes say so.
func TestATableNeverMixes(t *testing.T) {
	cell := func(method, dataset string, change func(*store.Result)) store.Result {
		r := store.Result{Method: method, Dataset: dataset, MethodVersion: "1", ProtocolHash: "p", Fingerprint: "f", GridHash: "g", StartedAt: "2026-01-01"}
		if change != nil {
			change(&r)
		}
		return r
	}
	newer := func(r *store.Result) { r.StartedAt = "2026-01-02" }
	results, notes := consistent([]store.Result{
		cell("A", "wine", nil),
		cell("A", "wine", func(r *store.Result) { r.ProtocolHash = "old"; newer(r) }),
		cell("A", "sonar", nil),
		cell("B", "sonar", func(r *store.Result) { r.Fingerprint = "changed"; newer(r) }),
		cell("A", "pima", nil),
		cell("A", "pima", func(r *store.Result) { r.MethodVersion = "2"; newer(r) }),
		cell("B", "pima", nil),
		cell("B", "pima", func(r *store.Result) { r.GridHash = "h"; newer(r) }),
	}, "p")
	var kept []string
	for _, r := range results {
		kept = append(kept, r.Method+r.Dataset+r.MethodVersion+r.GridHash)
	}
	if got, want := strings.Join(kept, " "), "Awine1g Bsonar1g Apima2g Bpima1h"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	all := strings.Join(notes, "\n")
	for _, want := range []string{"before it was edited: A on wine", "data that has changed since: A on sonar", "another method version or grid: A on pima, B on pima"} {
		if !strings.Contains(all, want) {
			t.Errorf("notes %q lack %q", all, want)
		}
	}
	if _, notes := consistent([]store.Result{cell("A", "wine", nil), cell("B", "wine", nil)}, "p"); notes != nil {
		t.Errorf("a table of one kind has notes %v", notes)
	}
}
