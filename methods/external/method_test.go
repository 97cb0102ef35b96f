package external_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// TestConform: a method of another process passes what every method passes.
func TestConform(t *testing.T) {
	testenv.NotUnderRace(t)
	conform.Run(t, load(t, plugin(t, "ridge"), external.Options{}).Spec())
}

// fitAndScore returns the scores of the training rows.
func fitAndScore(t *testing.T, ctx context.Context, s registry.Spec, d registry.Data, setting string) []float64 {
	t.Helper()
	m := must.Get(s.Fit(ctx, registry.Env{Seed: 1}, d, json.RawMessage(setting)))(t)
	out := make([]float64, d.Shape().N)
	must.Do(t, m.Score(ctx, d.X, out))
	return out
}

// TestSameBitsAsHere: the scores are those of the same method in this process, whatever the data.
func TestSameBitsAsHere(t *testing.T) {
	there := load(t, plugin(t, "ridge"), external.Options{}).Spec()
	for _, shape := range [][2]int{{4, 1}, {30, 3}, {200, 20}} {
		d := sample(shape[0], shape[1])
		for _, setting := range []string{`{}`, `{"lambda": 0.01}`, `{"lambda": 100}`} {
			want, got := fitAndScore(t, t.Context(), ridge(), d, setting),
				fitAndScore(t, t.Context(), there, d, setting)
			for i := range want {
				must.Be(t, math.Float64bits(want[i]), math.Float64bits(got[i]), shape, setting, "score", i, got[i],
					want[i])
			}
		}
	}
}

// TestPool: fits of one context, such as a cell's, use one process, those of the next another, which remembers nothing
// of them, and concurrent ones a process each.
func TestPool(t *testing.T) {
	p := load(t, plugin(t, "ridge"), external.Options{})
	d := sample(50, 3)
	seen := map[int]bool{}
	for range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		for range 5 {
			fitAndScore(t, ctx, p.Spec(), d, "{}")
		}
		pids := p.Processes()
		if len(pids) != 1 || seen[pids[0]] {
			t.Errorf("processes %v for fits one after the other; those before were %v", pids, seen)
		}
		seen[pids[0]] = true
		cancel()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 10 {
				fitAndScore(t, context.Background(), p.Spec(), d, "{}")
			}
		})
	}
	wg.Wait()
	if n := len(p.Processes()); n > 3 {
		t.Errorf("%d processes for three fits at a time", n)
	}
}

// TestIdle: a process that nobody needs is ended, one that holds a model is not, and the next fit gets another.
func TestIdle(t *testing.T) {
	p := load(t, plugin(t, "ridge"), external.Options{Idle: 20 * time.Millisecond})
	for len(p.Processes()) > 0 {
		time.Sleep(time.Millisecond)
	}
	d := sample(20, 2)
	m := must.Get(p.Spec().Fit(context.Background(), env, d, nil))(t)
	time.Sleep(60 * time.Millisecond)
	must.Do(t, m.Score(context.Background(), d.X, make([]float64, 20)))
	runtime.KeepAlive(m)
}

// TestUsed: what the process uses is told to the cell, and is not counted twice.
func TestUsed(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc")
	}
	p := load(t, plugin(t, "ridge"), external.Options{})
	var seconds float64
	var most int64
	env := registry.Env{Used: func(s float64, peak int64) { seconds, most = seconds+s, max(most, peak) }}
	d := sample(4000, 200)
	for seconds == 0 { // the kernel counts in hundredths
		m := must.Get(p.Spec().Fit(t.Context(), env, d, nil))(t)
		must.Do(t, m.Score(t.Context(), d.X, make([]float64, 4000)))
	}
	if most < 4000*200*8 {
		t.Errorf("a peak of %d bytes for data of %d", most, 4000*200*8)
	}
	before := seconds
	if _, err := p.Spec().Fit(t.Context(), env, sample(4, 2), nil); err != nil || seconds-before > before+1 {
		t.Errorf("a small fit adds %g s to %g s: %v", seconds-before, before, err)
	}
}

// TestOrphans: time and memory of processes that have lost their parents, or whose parents ignore that they end, are
// those of the method.
func TestOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}
	for _, name := range []string{"orphans", "ignoring"} {
		p := load(t, plugin(t, name), external.Options{})
		var seconds float64
		var most int64
		env := registry.Env{Used: func(s float64, peak int64) { seconds, most = seconds+s, max(most, peak) }}
		for i := 0; i < 20 && (seconds < 0.1 || most < 200_000_000); i++ { // what has just ended counts a moment later
			must.Get(p.Spec().Fit(t.Context(), env, sample(4, 2), nil))(t)
		}
		if seconds < 0.1 || most < 200_000_000 {
			t.Errorf("%s: %g s and %d bytes in 20 fits", name, seconds, most)
		}
	}
}

// TestHash: the version names the files and libraries that the plugin is made of.
func TestHash(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	script := func(libraries string) string {
		return "read line; echo '" + strings.Replace(goodDescription, `"name"`,
			`"files":["part"],"libraries":{`+libraries+`},"name"`, 1) + "'; read line"
	}
	version := func() string {
		return load(t, filepath.Join(dir, "a.sh"), external.Options{}).Spec().Version
	}
	write("part", "one")
	write("a.sh", script(`"numpy":"1"`))
	first := version()
	if own, libraries := registry.Libraries(first); len(own) != len("1+3fa9c1d2") || !strings.HasPrefix(own, "1+") ||
		len(libraries) != 1 || libraries["numpy"] != "1" {
		t.Errorf("version %s", first)
	}
	must.Be(t, version(), first, "version of the same files")
	link := filepath.Join(t.TempDir(), "b.sh")
	must.Do(t, os.Symlink(filepath.Join(dir, "a.sh"), link))
	must.Be(t, load(t, link, external.Options{}).Spec().Version, first, "version by a link")
	seen := []string{first}
	for _, change := range []func(){
		func() { write("part", "two") },
		func() { write("a.sh", script(`"numpy":"2"`)) },
		func() { write("a.sh", script(`"numpy":"2"`)+" # a comment") },
	} {
		change()
		if v := version(); slices.Contains(seen, v) {
			t.Errorf("version %s again after a change", v)
		} else {
			seen = append(seen, v)
		}
	}
}

// TestMixedParameters: a parameter of several kinds has canonical forms too.
func TestMixedParameters(t *testing.T) {
	text := "read line; echo '" + strings.Replace(goodDescription, `"name"`,
		`"parameters":[{"name":"depth","default":null,"mixed":true},{"name":"c","default":1,"range":"(0,)"}],`+
			`"grid":[{"name":"depth","values":[null,3,"auto"]}],"name"`, 1) + "'; read line"
	file := filepath.Join(t.TempDir(), "a.sh")
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	s := load(t, file, external.Options{}).Spec()
	shape := registry.Shape{Task: registry.Binary, N: 10, D: 2, Classes: 2}
	got, err := s.Settings(shape, s.DefaultGrid(), json.RawMessage(`{"c": 2.50}`))
	if want := `{"depth":null,"c":2.5} {"depth":3,"c":2.5} {"depth":"auto","c":2.5}`; err != nil ||
		joined(got) != want {
		t.Errorf("%s %v", joined(got), err)
	}
	for setting, want := range map[string]string{
		`{"c": -1}`: "it must be a finite number above 0", `{"c": "x"}`: "it must be",
		`{"depth": [1]}`: "depth = [1]; it must be a number, a string", `{"d": 1}`: `unknown field "d"`,
	} {
		must.Say(t, must.Err(s.Settings(shape, nil, json.RawMessage(setting))), want)
	}
}

func joined(settings []json.RawMessage) string {
	var out []string
	for _, s := range settings {
		out = append(out, string(s))
	}
	return strings.Join(out, " ")
}

// FuzzAnswer: whatever a line holds, it is refused or answers the request and holds a description
// that is refused or complete.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{goodDescription, `{"id":1}`, `{"id":1,"scores":[1,2]}`, `{"id":1,"rounds":[3]}`,
		`{"id":1e99}`, `[]`, `{"id":1,"warnings":["a","a"]}`, `{"id":1,"error":null}`, "\xff",
		`{"id":1,"protocol":[1,1],"name":"a","version":"1","tasks":["binary"],"parameters":[{"name":"c","default":1,` +
			`"range":"(0,)"}],"grid":[{"name":"c","values":[1,2],"per":"feature"}]}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := external.ParseAnswer(line, 1)
		if err != nil {
			return
		}
		if *a.ID != 1 || len(a.Warnings) > 20 {
			t.Fatalf("an answer to %d with %d warnings", *a.ID, len(a.Warnings))
		}
		spec, err := external.DefineFrom(a.Description)
		if err == nil && (spec.Name == "" || spec.Version == "" || spec.Tasks == 0) {
			t.Fatalf("%q is a description", line)
		}
	})
}
