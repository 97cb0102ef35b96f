package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/nats-io/nats.go"
)

// give gives a pool a worker's result.
func give(t *testing.T, p *Pool, d done) {
	t.Helper()
	p.finish(&nats.Msg{Header: nats.Header{headerFrom: {"w"}}, Data: must.Get(strictjson.Marshal([]done{d}))(t)})
}

// TestResultsCountOnce: another result of a cell changes nothing. It is a conflict where it says something else than
// the first, other than times, what only a machine's limits say, and what a coordinator fills in itself: a worker may
// still have a result for the coordinator of another database, whose protocol has the same hash and another path.
func TestResultsCountOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	out := &call{id: "id", spec: cell("M", 1), ends: make(chan callEnd, 1)}
	p.calls[out.spec.Key] = out
	first := out.spec.NewRun()
	right := 7
	first.Status, first.TestRows, first.ScoresHash, first.Score = result.OK, 10, "abc", result.Score{N: 10,
		Correct: &right}
	first.Folds = []result.Evaluation{{FitSeconds: 1}}
	slower, late, other := first, first, first
	seconds, wrong := 3.5, 6
	slower.FitSeconds, slower.StartedAt, slower.Folds = &seconds, "later", []result.Evaluation{{FitSeconds: 2}}
	late.Status, late.Class = result.Timeout, result.ClassTimeout
	other.Score.Correct, other.ScoresHash = &wrong, "abd"
	elsewhere := first
	elsewhere.ProtocolPath, elsewhere.ProtocolText, elsewhere.ProtocolSplits = "elsewhere.toml", "# the same protocol",
		3
	elsewhere.SetFile, elsewhere.Replace, elsewhere.GridWritten = "elsewhere-set.toml", true,
		[]json.RawMessage{[]byte(`{"C": 1}`)}
	for i, r := range []result.Run{first, slower, late, other, other, elsewhere} {
		give(t, p, done{ID: "id", Key: out.spec.Key, Machine: fmt.Sprint("machine ", i), Run: &r})
	}
	if end := <-out.ends; *end.run.Score.Correct != 7 || len(out.ends) != 0 {
		t.Errorf("%+v and %d more", end.run, len(out.ends))
	}
	want := []string{
		"M on swiss, split 1: ok, 7 of 10 test rows correct, hash of the test scores abc by machine 0, ok, 6 of 10 " +
			"test rows correct, hash of the test scores abd by machine 3",
		"M on swiss, split 1: ok, 7 of 10 test rows correct, hash of the test scores abc by machine 0, ok, 6 of 10 " +
			"test rows correct, hash of the test scores abd by machine 4",
	}
	var got []string
	for _, c := range p.Conflicts() {
		got = append(got, fmt.Sprintf("%v: %s by %s, %s by %s", c.Cell, c.Values[0], c.Workers[0], c.Values[1],
			c.Workers[1]))
	}
	must.Be(t, got, want)
}

// TestUnaskedResultsAreKept: a result that an earlier coordinator asked for counts when its cell is handed out.
func TestUnaskedResultsAreKept(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	c := cell("M", 1)
	run := c.NewRun()
	run.TestRows = 100
	give(t, p, done{ID: "of another time", Key: c.Key, Run: &run})
	must.Be(t, must.Get(p.RunIn(t.Context(), "nobody", cell("M", 1)))(t).TestRows, 100)
	if _, err := p.RunIn(t.Context(), "nobody", cell("M", 2)); !errors.Is(err, schedule.ErrGivenBack) {
		t.Error(err)
	}
}
