package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// adder adds to a new folder from a new server, and appends what it tells to the list that it returns.
func adder(t *testing.T) (*Adder, *testenv.OpenML, *[]string) {
	t.Helper()
	server := testenv.NewOpenML()
	t.Cleanup(server.Close)
	var told []string
	return &Adder{
		Dir: filepath.Join(t.TempDir(), "openml"), Server: server.URL, Memory: 1 << 30,
		Web:  &Polite{Options: Options{Agent: "bench/test", Backoff: time.Millisecond}},
		Tell: func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) },
	}, server, &told
}

// TestSuiteGoesOn: a suite that was interrupted asks for nothing that is there, and has its group when it is whole.
func TestSuiteGoesOn(t *testing.T) {
	a, server, told := adder(t)
	ctx, interrupt := context.WithCancel(t.Context())
	tell := a.Tell
	a.Tell = func(format string, args ...any) {
		tell(format, args...)
		if len(*told) == 2 {
			interrupt()
		}
	}
	must.Say(t, must.Err(a.Add(ctx, "openml-suite:5")),
		"was interrupted after 2 of 6 tasks; run it again for the others")
	if groups, _ := filepath.Glob(filepath.Join(a.Dir, "*.group")); groups != nil {
		t.Errorf("a group of a part: %v", groups)
	}
	before := server.Asked()
	*told = nil
	left, err := a.Add(t.Context(), "openml-suite:5")
	if err != nil || len(left) != 3 {
		t.Fatalf("%v left out, %v", left, err)
	}
	for _, path := range server.Asked() {
		must.Be(t, slices.Contains(before, path), false, path)
	}
	if raw, err := os.ReadFile(filepath.Join(a.Dir, "all-of-ours.group")); err != nil ||
		string(raw) != "Berry-7\nStones-8\nHeat-10\n" {
		t.Errorf("the group: %q, %v", raw, err)
	}
	must.Be(t, server.Agents(), []string{"bench/test"})
}

// TestDescriptions: what the server says of target, ignored columns and gaps is what is loaded.
func TestDescriptions(t *testing.T) {
	a, _, _ := adder(t)
	for ref, want := range map[string]string{
		"openml-task:107": "[size in mm colour=? colour=blue colour=red] [sour sweet] [31 29] 6 splits median",
		"openml-task:108": "[weight] [basalt chalk flint] [20 20 20] 5 splits ",
		"openml:10":       "[hour] [] [] 0 splits [OpenML calls this version deactivated, not active]",
	} {
		must.Get(a.Add(t.Context(), ref))(t)
		paths, _ := filepath.Glob(filepath.Join(a.Dir, "*-"+strings.TrimPrefix(ref[len(ref)-2:], "0")+".toml"))
		must.Be(t, len(paths), 1, ref, paths)
		e := must.Get(catalogue.Builtin().Add(paths[0]))(t)
		s := must.Get(read.Load(t.Context(), catalogue.Directory{}, e))(t)
		if got := fmt.Sprint(s.Features, s.Labels, s.Counts(), len(s.Splits), " splits ", s.Gaps.Impute,
			e.Defects); strings.Join(strings.Fields(strings.TrimSuffix(got, "[]")),
			" ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s is\n%s, want\n%s", ref, got, want)
		}
	}
}

// TestFaults: a server that is busy is asked again, as late as it says and not for ever; an answer of another kind is
// refused, and nothing of a file with another MD5 stays.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, ref, want string
		status          int
		after           string
		times, asked    int
	}{
		{"busy", "openml:10", "", http.StatusTooManyRequests, "0", 2, 5},
		{"down", "openml:10", "the server answers 503 Service Unavailable", http.StatusServiceUnavailable, "", 99, 4},
		{"patience", "openml:10", "the server answers 429 Too Many Requests, and asks to wait 1h0m0s; try again then",
			http.StatusTooManyRequests, "3600", 99, 1},
		{"page", "openml:10", "the server answers 404 Not Found", http.StatusNotFound, "", 99, 1},
		{"checksum", "openml:11", "expected MD5 ", 0, "", 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, server, _ := adder(t)
			waits, failed := 0, 0
			a.Web.Waiting = func(string, time.Duration, error) { waits++ }
			server.Fault(func(string) (int, string) {
				if failed++; failed > c.times {
					return 0, ""
				}
				return c.status, c.after
			})
			_, err := a.Add(t.Context(), c.ref)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n")) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if asked := server.Asked(); len(asked) != c.asked || waits != min(c.times, c.asked-1) {
				t.Errorf("%d requests and %d waits: %v", len(asked), waits, asked)
			}
			if left, _ := filepath.Glob(filepath.Join(a.Dir, "*.*")); c.want != "" && left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	a, server, _ := adder(t)
	server.Close()
	if _, err := a.Add(t.Context(), "openml-suite:5"); err == nil ||
		!strings.Contains(err.Error(), "no answer from 127.0.0.1") ||
		!strings.Contains(err.Error(), "run it again with a network, or with --from DIR") {
		t.Errorf("without a network: %v", err)
	}
}

// TestShapes: a value of the API may be a string, a number, a truth value, a list or nothing.
func TestShapes(t *testing.T) {
	for raw, want := range map[string]texts{`"a"`: {"a"}, `7`: {"7"}, `["a","b"]`: {"a", "b"}, `[]`: nil, `null`: nil,
		`true`: {"true"}, `[3,"x"]`: {"3", "x"}} {
		var got texts
		if err := json.Unmarshal([]byte(raw), &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s is %q, %v; want %q", raw, got, err, want)
		}
	}
	for body, want := range map[string]string{
		`{"error":{"code":"111","message":"Unknown dataset"}}`:  "OpenML's error 111, Unknown dataset",
		`{"detail":"No dataset with id 9 found.","code":"111"}`: "OpenML's error 111, No dataset with id 9 found.",
		`<html>`: "", `{}`: "", `[]`: "",
	} {
		must.Be(t, whyRefused([]byte(body)), want, body)
	}
	for ref, ok := range map[string]bool{
		"openml:7": true, "openml-task:7": true, "openml-suite:99": true, "openml-suite:OpenML-CC18": true,
		"openml:": false, "openml:-1": false, "openml:07": false,
		"openml-suite:": false, "openml-suite:a/b": false, "openml-suite:0": false, "7": false, "wine": false,
		"openml:7x": false,
	} {
		if err := Check(ref); (err == nil) != ok {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// TestKnownSuites: each suite that comes with the program has as many different tasks and names as it should.
func TestKnownSuites(t *testing.T) {
	a, server, _ := adder(t)
	// The catalogue has rows, features and classes of these three tasks, too, from the files of the UCI repository.
	counted := map[string]string{"balance-scale": "balance-multiclass", "diabetes": "pima", "wdbc": "wdbc"}
	for _, asked := range []string{"99", "openml-cc18"} {
		s, err := a.listed(t.Context(), asked)
		if err != nil || s.Name != "OpenML-CC18" || len(s.Tasks) != 72 {
			t.Fatalf("suite %s: %d tasks of %s, %v", asked, len(s.Tasks), s.Name, err)
		}
		ids, sets, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, task := range s.Tasks {
			ids[task.ID], sets[task.Set], names[task.Name] = true, true, true
			if Check(Task+task.ID) != nil || Check(Set+task.Set) != nil || task.Name == "" {
				t.Errorf("task %+v", task)
			}
			if task.Rows < 500 || task.Rows > 100000 || task.Features < 1 || task.Features >= 5000 || task.Classes < 2 {
				t.Errorf("task %+v: the suite's authors take sets of 500 to 100,000 rows and less than 5,000 features",
					task)
			}
			e, err := catalogue.Builtin().Lookup(counted[task.Name])
			if err == nil && (e.Rows != task.Rows || e.Features != task.Features || len(e.Counts) != task.Classes) {
				t.Errorf("task %+v, and the file of the UCI repository has %d rows, %d features and %d classes", task,
					e.Rows, e.Features, len(e.Counts))
			}
		}
		if len(ids) != 72 || len(sets) != 72 || len(names) != 72 {
			t.Errorf("%d different tasks, %d different sets, %d different names", len(ids), len(sets), len(names))
		}
	}
	if server.Asked() != nil {
		t.Error("the server was asked for a suite that comes with the program")
	}
}
