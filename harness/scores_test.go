package harness

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
)

// FuzzReadScores: whatever a file holds, it is refused with a reason or read into finite scores of positive splits.
func FuzzReadScores(f *testing.F) {
	for _, text := range []string{"dataset,split,row,score\nwine,1,0,0.5\n",
		"row,score_0,score_1,dataset,split\n3,1,2,wine,2\n", "\ufeffdataset,split,row,score\n\"a,b\",1,0,-1e300\n",
		"dataset,split,row,score\nwine,1,0\n", "", "dataset,split,row,score,score_0\n",
		"dataset,split,row,score\nwine,0,0,1\n", "dataset,split,row,score\nwine,1,-1,1\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scores, err := verify.ReadScores(strings.NewReader(text))
		if err != nil {
			if scores != nil || strings.TrimSpace(err.Error()) == "" {
				t.Fatalf("scores %v with error %q", scores, err)
			}
			return
		}
		if len(scores) == 0 {
			t.Fatal("neither scores nor an error")
		}
		for _, splits := range scores {
			for split, rows := range splits {
				for row, values := range rows {
					if split < 1 || row < 0 || len(values) == 0 {
						t.Fatalf("split %d, row %d, values %v", split, row, values)
					}
				}
			}
		}
	})
}

// Columns may be in any order, and of several classes there are several.
func TestReadScores(t *testing.T) {
	scores := must.Get(verify.ReadScores(strings.NewReader(
		"\ufeffrow,score_1,dataset,split,score_0,note\n3,2.5,wine,2,-1,x\n4,0,wine,2,1e-3,\n")))(t)
	if got := scores["wine"][2]; len(got) != 2 || got[3][0] != -1 || got[3][1] != 2.5 || got[4][0] != 1e-3 ||
		got[4][1] != 0 {
		t.Errorf("scores %v", scores)
	}
}

// Scores are decimal numbers; what only Go takes for one is a mistake in a file.
func TestScoresAreDecimal(t *testing.T) {
	for _, score := range []string{"0x1p3", "1_0", "inf", "-Infinity", "nan", "1e400", "1,5", ""} {
		must.Say(t, must.Err(verify.ReadScores(strings.NewReader("dataset,split,row,score\nwine,1,0,\""+score+"\"\n"))),
			"line 2: score")
	}
}
