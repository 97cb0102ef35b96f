package frame_test

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestFindingsWarn: what was found of a method stands above every table that shows cells of the version and the data
// that it was found of, once a method.
func TestFindingsWarn(t *testing.T) {
	in := lacking()
	row := sample.OK("wine", "A", 1, 1, 2)
	leak := store.Finding{Kind: store.Leak, Method: "A", MethodVersion: row.MethodVersion, Dataset: "wine", Fingerprint: row.Fingerprint, Split: 3, Details: "50 of 53 rows, p = 2e-13"}
	other, sonar, state := leak, leak, leak
	other.MethodVersion = "of long ago"
	sonar.Dataset = "sonar"
	sonar.Fingerprint = sample.OK("sonar", "A", 1, 1, 2).Fingerprint
	state.Kind, state.Method, state.Details = store.State, "B", "n_correct was 3, is 4"
	in.Found = []store.Finding{leak, other, sonar, state}
	got := table(t, in).Warnings
	if len(got) < 2 || !strings.HasPrefix(got[0], "leak: A is right about test rows of wine, sonar ") || !strings.Contains(got[0], "wine, split 3: 50 of 53 rows, p = 2e-13") ||
		!strings.HasPrefix(got[1], "state: results of B on wine depend on ") {
		t.Errorf("warnings %q", got)
	}
	in.Found = []store.Finding{other}
	in.Methods = []string{"B", "C"}
	for _, w := range table(t, in).Warnings {
		if strings.Contains(w, "leak") {
			t.Errorf("a finding of cells that are not shown: %q", w)
		}
	}
}
