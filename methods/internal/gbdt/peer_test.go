package gbdt

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// python returns a process that has the libraries of testdata/peers.txt, of the interpreter
// that BENCH_PEERS names, or of python3. Without one the test is skipped; under CI=true it
// fails. Under the race detector it is skipped too: our side takes ten times as long
// there, runs on one goroutine, and is compared by the plain run of make test.
func python(t testing.TB) *peers {
	t.Helper()
	if testenv.Race {
		t.Skip("compared without the race detector only")
	}
	p, err := startPeers()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	return p
}

// peers is peer.py as a process, which ends when this program does. It is used by one test at a time.
type peers struct {
	cmd      *exec.Cmd
	requests io.Writer
	answers  *bufio.Scanner
	log      bytes.Buffer
}

// startPeers starts the process once: to import the libraries takes seconds.
var startPeers = sync.OnceValues(func() (*peers, error) {
	p := &peers{}
	cmd := exec.Command(cmp.Or(os.Getenv("BENCH_PEERS"), "python3"), filepath.Join("testdata", "peer.py"))
	cmd.Stderr = &p.log
	requests, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd, p.requests, p.answers = cmd, requests, bufio.NewScanner(answers)
	err = cmd.Start()
	if err == nil && !p.answers.Scan() {
		err = cmd.Wait()
	}
	if err != nil {
		lines := bytes.Split(bytes.TrimSpace(p.log.Bytes()), []byte("\n"))
		return nil, fmt.Errorf("%s cannot import lightgbm, xgboost, numpy and scikit-learn (%v %s); "+
			"set BENCH_PEERS to an interpreter that can "+
			"(pip install --require-hashes --no-deps -r methods/internal/gbdt/testdata/peers.txt)",
			cmd.Path, err, lines[len(lines)-1])
	}
	return p, nil
})

// A peerRun is one training of the real library; the upper part is the request.
type peerRun struct {
	Library string         `json:"library"`
	Task    string         `json:"task"`
	X       string         `json:"x"`
	Y       string         `json:"y"`
	N       int            `json:"n"`
	D       int            `json:"d"`
	Params  map[string]any `json:"params"`
	Layout  map[string]any `json:"layout"`
	Model   string         `json:"model"`
	Load    string         `json:"load"`  // a text model whose scores are wanted too
	Other   string         `json:"other"` // rows that are not of the sample, whose scores are wanted too
	Scores  string         `json:"scores"`

	sample  *sample
	other   *sample
	version string
}

// runPeers trains all of them.
func runPeers(t testing.TB, runs []*peerRun) {
	t.Helper()
	p, dir := python(t), t.TempDir()
	files := map[*sample]string{}
	for i, r := range runs {
		base, known := files[r.sample]
		if !known {
			base = filepath.Join(dir, fmt.Sprint("data", i))
			files[r.sample] = base
			writeDoubles(t, base+".x", r.sample.x)
			writeDoubles(t, base+".y", r.sample.y)
		}
		r.X, r.Y, r.N, r.D, r.Task = base+".x", base+".y", r.sample.n, r.sample.d, r.sample.task
		if r.other != nil {
			r.Other = base + ".other"
			writeDoubles(t, r.Other, r.other.x)
		}
		if r.Layout == nil {
			r.Layout = map[string]any{}
		}
		extension := ".txt"
		if r.Library == "xgboost" {
			extension = ".json"
		}
		r.Model, r.Scores = filepath.Join(dir, fmt.Sprint("model", i, extension)),
			filepath.Join(dir, fmt.Sprint("scores", i))
	}
	requests := must.Get(json.Marshal(runs))(t)
	list := filepath.Join(dir, "requests.json")
	must.Do(t, os.WriteFile(list, requests, 0o600))
	must.Get(fmt.Fprintln(p.requests, list))(t)
	for _, r := range runs {
		var answer struct {
			Version string `json:"version"`
		}
		if !p.answers.Scan() {
			t.Fatalf("peer.py answered fewer than %d requests: %v\n%s", len(runs), p.cmd.Wait(), p.log.String())
		}
		must.Do(t, json.Unmarshal(p.answers.Bytes(), &answer))
		r.version = answer.Version
	}
}

func writeDoubles(t testing.TB, path string, v []float64) {
	t.Helper()
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
	must.Do(t, os.WriteFile(path, raw, 0o600))
}

func readDoubles(t testing.TB, path string) []float64 {
	t.Helper()
	raw := must.Get(os.ReadFile(path))(t)
	out := make([]float64, len(raw)/8)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), len(raw)), raw)
	return out
}

func (r *peerRun) lightgbmModel(t testing.TB) *Model {
	t.Helper()
	f := must.Get(os.Open(r.Model))(t)
	defer f.Close()
	m := must.Get(ReadText(f))(t)
	return m
}

// compareScores compares raw scores, which add gives, with those of the library, of other rows too where there are any.
func (r *peerRun) compareScores(t *testing.T, m *Model, add adder, tolerance float64) {
	t.Helper()
	for file, s := range map[string]*sample{r.Scores: r.sample, r.Scores + ".other": r.other} {
		if s == nil {
			continue
		}
		if w := worst(scoresBy(add, m, s, m.Rounds()), readDoubles(t, file)); !(w <= tolerance) {
			t.Errorf("raw scores of %s differ from %s %s by %.2g", s.name, r.Library, r.version, w)
		}
	}
}

// An adder is Model.Add, or AddSingle, which sums as XGBoost does.
type adder = func(row, out []float64, from, to int)

// scoresOf returns the model's raw scores of all rows.
func scoresOf(m *Model, s *sample, rounds int) []float64 { return scoresBy(m.Add, m, s, rounds) }

func scoresBy(add adder, m *Model, s *sample, rounds int) []float64 {
	out := make([]float64, s.n*m.Outputs)
	for i := range s.n {
		add(s.x[i*s.d:(i+1)*s.d], out[i*m.Outputs:(i+1)*m.Outputs], 0, rounds)
	}
	return out
}

// worst returns the largest difference, relative to the larger of 1 and the value.
func worst(got, want []float64) float64 {
	w := 0.0
	for i, v := range want {
		if e := math.Abs(got[i]-v) / max(1, math.Abs(v)); !(e <= w) {
			w = e
		}
	}
	return w
}

// difference names the first place where two models split differently, or "".
func difference(got, want *Model) string {
	if len(got.Trees) != len(want.Trees) {
		return fmt.Sprintf("%d trees, not %d", len(got.Trees), len(want.Trees))
	}
	for i, w := range want.Trees {
		g := got.Trees[i]
		for k := range w.Feature {
			if k >= len(g.Feature) {
				return fmt.Sprintf("tree %d has %d splits, not %d", i, len(g.Feature), len(w.Feature))
			}
			if g.Feature[k] != w.Feature[k] || g.Threshold[k] != w.Threshold[k] || g.Left[k] != w.Left[k] ||
				g.Right[k] != w.Right[k] ||
				g.DefaultLeft[k] != w.DefaultLeft[k] || g.MissingNaN[k] != w.MissingNaN[k] ||
				g.NodeCount[k] != w.NodeCount[k] {
				return fmt.Sprintf("tree %d, split %d: feature %d at %v (gain %v, %d rows, children %d %d), not %d "+
					"at %v (gain %v, %d rows, children %d %d)", i, k,
					g.Feature[k], g.Threshold[k], g.Gain[k], g.NodeCount[k], g.Left[k], g.Right[k], w.Feature[k],
					w.Threshold[k], w.Gain[k], w.NodeCount[k], w.Left[k], w.Right[k])
			}
		}
		if len(g.Feature) != len(w.Feature) {
			return fmt.Sprintf("tree %d has %d splits, not %d", i, len(g.Feature), len(w.Feature))
		}
	}
	return ""
}
