package reports_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
)

func whyInput() sample.Input {
	point, seconds := 1, 2.5
	in := sample.Input{Known: map[string]sample.Set{"wine": {}}, Grids: map[string][]json.RawMessage{
		"g": {json.RawMessage(`{"c":1}`), json.RawMessage(`{"c":10,"kind":"x"}`)}}}
	in.Protocol.Splits, in.Protocol.Datasets, in.Protocol.Published = 3, []string{"wine"}, sample.Published
	in.Run = frame.Invocation{Splits: 3, Database: "my.db"}
	for split, correct := range []int{50, 53} {
		r := sample.OK("wine", "GBRFF2", split+1, correct, 54)
		r.GridHash, r.Selected, r.CPUSeconds, r.Code, r.Key = "g", &point, &seconds, "c0de12345678", "k"
		five, four := 5, 4
		r.Folds = []result.Evaluation{{GridIndex: 0, Fold: 0, Score: result.Score{N: 5, Correct: &five}},
			{GridIndex: 1, Fold: 0, Score: result.Score{N: 5, Correct: &four}}}
		r.Warnings = []result.Warning{{Text: "slow", Times: 2}}
		in.Rows = append(in.Rows, r)
	}
	late := sample.Failed("wine", "GBRFF2", 3, result.Timeout, "stopped after 10m0s")
	late.GridHash = "g"
	in.Rows = append(in.Rows, late)
	in.Methods, in.Datasets = []string{"GBRFF2"}, []string{"wine"}
	return in
}

// Everything that is behind the number is on the page. Means by hand: (50 + 53)/108 = 95.370 %; printed are
// 98.5 and 1.6, our deviation is 100 * 3/54 / sqrt(2) = 3.928, so (95.370 - 98.5) / sqrt((1.6^2 + 3.928^2)/2) =
// -1.04.
func TestPage(t *testing.T) {
	d := sample.Build(t, named("why"), whyInput(), "wine", "GBRFF2")
	var out strings.Builder
	must.Do(t, render.Text(&out, d, render.Options{}))
	must.Hold(t, out.String(),
		"Accuracy, mean over 2 splits: 95.370 %, exactly 2575/27; standard deviation 2.778 (divisor n), 3.928 "+
			"(divisor n-1).",
		"the grid point is chosen by 1 fold among 2.",
		"gautheron2020-table2 prints 98.5 ± 1.6: ours is -1.0 standard errors away, were both means of 2 "+
			"independent splits.",
		"1    50/54    92.593  80.000  2.5s  c 10, kind x",
		"timeout: stopped after 10m0s",
		"Splits 1-2: GBRFF2 version , code c0de1234, in bench v0",
		"Split 2 warned 2 times: slow",
		"bench data splits wine --seed 1 --format json --db my.db",
		"bench verify --sample 100% --methods GBRFF2 --datasets wine --db my.db",
		"FROM evaluations WHERE protocol = 'table2' AND dataset = 'wine' AND method = 'GBRFF2'")
	if r := sample.Records(t, d, "splits"); len(r) != 3 || r[0]["key"] != "k" || r[2]["status"] != "timeout" {
		t.Errorf("records %v", r)
	}
}

// Where nothing is stored, the command is named that computes it.
func TestWhyNothing(t *testing.T) {
	must.Say(t, must.Err(sample.Make(t, named("why"), whyInput(), "wine", "LGBM")),
		"bench run --methods LGBM --datasets wine --db my.db")
}
