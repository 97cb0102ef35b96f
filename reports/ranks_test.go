package reports_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/ranking"
)

func TestErrors(t *testing.T) {
	in := sample.Small()
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
		return r.Method == "A_1" && r.Status == result.OK && r.Dataset != "uneven"
	})
	in.Methods = []string{"A_1", "B&<b>"}
	if _, err := sample.Make(t, ranking.Ranks, in); !errors.Is(err, frame.ErrNoResults) ||
		!strings.Contains(err.Error(), "--methods") {
		t.Errorf("no complete set: error %v", err)
	}
	if _, err := sample.Make(t, ranking.Ranks, in, "--metric", "x"); err == nil ||
		!strings.HasPrefix(err.Error(), `no metric is named "x"`) {
		t.Errorf("unknown metric: error %v", err)
	}
	in.Rows = nil
	if _, err := sample.Make(t, ranking.Ranks, in); !errors.Is(err, frame.ErrNoResults) {
		t.Errorf("no row: error %v", err)
	}
	if d := sample.Build(t, ranking.Ranks, sample.Small(), "--title", "Places", "--label",
		"tab:x"); d.Title != "Places" || d.Label != "tab:x" {
		t.Errorf("title %q, label %q", d.Title, fmt.Sprint(d.Label))
	}
}
