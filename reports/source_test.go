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
	src := Source{ProtocolHash: "p"}
	got := consistent([]store.Result{
		cell("A", "wine", nil),
		cell("A", "wine", func(r *store.Result) { r.ProtocolHash = "old"; newer(r) }),
		cell("A", "sonar", nil),
		cell("B", "sonar", func(r *store.Result) { r.Fingerprint = "changed"; newer(r) }),
		cell("A", "pima", nil),
		cell("A", "pima", func(r *store.Result) { r.MethodVersion = "2"; newer(r) }),
		cell("B", "pima", nil),
		cell("B", "pima", func(r *store.Result) { r.GridHash = "h"; newer(r) }),
	}, src)
	var kept []string
	for _, r := range got.results {
		kept = append(kept, r.Method+r.Dataset+r.MethodVersion+r.GridHash)
	}
	if kept, want := strings.Join(kept, " "), "Awine1g Bsonar1g Apima2g Bpima1h"; kept != want {
		t.Errorf("kept %s, want %s", kept, want)
	}
	all := strings.Join(append(got.warnings, got.notes...), "\n")
	for _, want := range []string{"before it was edited: A on wine", "Left out, 1 cell of A on sonar: run on other data (f) than the cells that are shown (changed).", "another method version or grid: A on pima, B on pima"} {
		if !strings.Contains(all, want) {
			t.Errorf("notes %q lack %q", all, want)
		}
	}
	if one := consistent([]store.Result{cell("A", "wine", nil), cell("B", "wine", nil)}, src); one.notes != nil || one.warnings != nil {
		t.Errorf("a table of one kind has notes %v, %v", one.warnings, one.notes)
	}
}
