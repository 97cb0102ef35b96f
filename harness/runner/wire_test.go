package runner

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// TestARunCrossesThePipe with all its bits, zeros behind pointers and infinite errors included.
func TestARunCrossesThePipe(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1),
		math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64}))
	finite := rapid.Float64()
	rapid.Check(t, func(r *rapid.T) {
		count := func() *int { return rapid.Ptr(rapid.IntRange(0, 5), true).Draw(r, "count") }
		real := func() *float64 { return rapid.Ptr(number, true).Draw(r, "real") }
		score := func() result.Score {
			return result.Score{N: 7, Correct: count(), TN: count(), TP: count(), AUC2: rapid.Ptr(rapid.Int64(),
				true).Draw(r, "auc"), RMSE: real(), MAE: real(), R2: real()}
		}
		run := result.Run{
			Planned: result.Planned{
				Key:  "k",
				Grid: []json.RawMessage{json.RawMessage(`{"kernel":"<rbf>"}`)},
			},
			Status: result.OK, Error: rapid.String().Draw(r, "error"), Selected: count(), Score: score(),
			Scores: rapid.SliceOfN(finite, 1, 20).Draw(r, "scores"),
			Folds:  []result.Evaluation{{GridIndex: 1, Fold: 2, Score: score(), FitSeconds: finite.Draw(r, "seconds")}},
			Stages: []result.Stage{{Round: 3, Score: score()}}, Warnings: []result.Warning{{Text: "<&>", Times: 2}},
			Model: &result.Model{Data: rapid.SliceOfN(rapid.Byte(), 1, 30).Draw(r, "model"), Features: []string{"a"},
				Mean: []float64{finite.Draw(r, "mean")}},
		}
		run.Error = strings.ToValidUTF8(run.Error, "?")
		var line bytes.Buffer
		must.Do(r, strictjson.NewEncoder(&line).Encode(reply{Key: "k", Run: &run}))
		var back reply
		must.Do(r, strictjson.NewDecoder(&line).Decode(&back))
		if !reflect.DeepEqual(*back.Run, run) {
			r.Fatalf("sent\n%+v\narrived\n%+v", run, *back.Run)
		}
		for i, v := range run.Scores {
			must.Be(r, math.Float64bits(back.Run.Scores[i]), math.Float64bits(v), "score", v)
		}
	})
}

// answering counts the bytes of requests, and answers each.
type answering struct {
	bytes int
	to    chan answer
}

func (a *answering) Write(request []byte) (int, error) {
	a.bytes += len(request)
	a.to <- answer{reply: reply{Ready: true, Key: "k"}}
	return len(request), nil
}

// TestACellIsSentOnce: grid points of many megabytes are read before the time of their cell begins, and only then.
func TestACellIsSentOnce(t *testing.T) {
	c := CellSpec{Key: "k", Grid: slices.Repeat([]json.RawMessage{json.RawMessage(`{"c":1}`)}, 10_000)}
	size := len(must.Get(strictjson.Marshal(c))(t))
	sent := &answering{to: make(chan answer, 1)}
	control := must.Get(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
	defer control.Close()
	w := &worker{ask: strictjson.NewEncoder(sent), replies: sent.to, control: control, ended: make(chan struct{})}
	if _, how := (&Workers{}).call(t.Context(), w, c); how != endWhole {
		t.Fatalf("the call ended with %d", how)
	}
	if sent.bytes < size || sent.bytes > size+1000 {
		t.Errorf("%d bytes were sent for a cell of %d bytes", sent.bytes, size)
	}
}

// TestTail keeps the end of what is written, in whatever pieces, as a terminal may show it.
func TestTail(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		end := processes.Tail{Most: mostTail}
		var all []byte
		for range rapid.IntRange(0, 30).Draw(r, "writes") {
			piece := bytes.Repeat([]byte{byte(rapid.IntRange('a', 'z').Draw(r, "letter"))},
				rapid.IntRange(0, mostTail+1000).Draw(r, "bytes"))
			if n, err := end.Write(piece); n != len(piece) || err != nil {
				r.Fatal(n, err)
			}
			all = append(all, piece...)
		}
		must.Be(r, end.String(), string(all[max(0, len(all)-mostTail):]), "kept")
	})
	end := processes.Tail{Most: mostTail}
	_, _ = end.Write([]byte("\x1b[31mred\r\n\xff\ttext\n"))
	must.Be(t, printable(end.String()), "?[31mred?\n?\ttext\n")
}

// TestReason finds what the Go runtime says at the end of a program, after whatever noise.
func TestReason(t *testing.T) {
	noise := strings.Repeat("noise\n", 100)
	for text, want := range map[string]string{
		noise + "panic: no\n\ngoroutine 1 [running]:\n": "panic: no",
		"fatal error: stack overflow\n":                 "fatal error: stack overflow",
		noise:                                           "", "": "",
		"SIGSEGV: segmentation violation\nPC=0\n": "SIGSEGV: segmentation violation",
		"no panic: here\n":                        "",
	} {
		if said, from := reason(text); said != want || !strings.HasPrefix(from, want) {
			t.Errorf("%.40q: %q, %.40q; want %q", text, said, from, want)
		}
	}
	if got := kept(noise + "the end"); !strings.HasSuffix(got, "the end") || len(got) > mostStderr {
		t.Errorf("kept %d bytes: %q", len(got), got)
	}
	if got := kept(strings.Repeat("x", 10_000) + "\npanic: why\n" + noise + noise + strings.Repeat("y",
		9000)); !strings.HasPrefix(got, "panic: why\n") || len(got) != mostStderr {
		t.Errorf("kept %d bytes: %.40q", len(got), got)
	}
}
