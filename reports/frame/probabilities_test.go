package frame_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestMetricsOfProbabilities: methods without them and cells stored before are left out, and the notes say so.
func TestMetricsOfProbabilities(t *testing.T) {
	in := sample.Input{Known: map[string]sample.Set{"wine": {}, "sonar": {}}}
	in.Protocol.Splits, in.Protocol.Datasets = 2, []string{"wine", "sonar"}
	in.Protocol.Order = func([]string) []string { return []string{"A", "B", "C"} }
	for _, d := range in.Protocol.Datasets {
		for split := 1; split <= 2; split++ {
			a, b := sample.OK(d, "A", split, 1, 2), sample.OK(d, "B", split, 1, 2)
			if d == "wine" || split == 1 {
				value := 0.25
				a.Score.LogLoss, a.Score.Brier, a.Score.ECE = &value, &value, &value
			}
			in.Rows = append(in.Rows, a, b, sample.Failed(d, "C", split, result.Failed, "why"))
		}
	}
	f := in.Frame(t)
	got, err := f.TableOf("brier")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Methods, []string{"A"}) || len(got.Sets) != 2 || got.Sets[0].Finished() != 2 || got.Sets[1].Finished() != 1 {
		t.Errorf("the table has methods %v and sets %+v", got.Methods, got.Sets)
	}
	for _, want := range []string{
		"No brier of methods whose scores are not declared as probabilities: B, C.",
		"Left out, 1 cell of A stored without brier; `bench run --rerun A` computes them again.",
	} {
		if !slices.Contains(got.Notes(), want) {
			t.Errorf("notes %q lack %q", got.Notes(), want)
		}
	}
	in.Methods = []string{"B"}
	f = in.Frame(t)
	if _, err := f.TableOf("brier"); !errors.Is(err, frame.ErrNoResults) || !strings.Contains(err.Error(), "not declared as probabilities: B.") {
		t.Errorf("a table of B alone: %v", err)
	}
}
