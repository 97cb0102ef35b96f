package cmd_test

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// raw is a protocol that shows methods the rows as they are in the file.
const raw = `splits = 8
datasets = ["swiss"]

[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = false
`

// TestFindingsAreNamed: a method that remembers labels of earlier cells, and one whose results are chance, are named at the end of
// the run, by the status, by reports and in SQL; a method without a fault is not, and the plan says what canaries cost.
func TestFindingsAreNamed(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	p.protocol(t, "raw.toml", raw)
	bench := func(args ...string) (string, string) {
		t.Helper()
		c, stderr := p.command(args...)
		c.Path, c.Args[0] = mustLookPath(t, "bench-faulty"), "bench-faulty"
		stdout, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, stderr)
		}
		return string(stdout), stderr.String()
	}
	run := []string{"run", "--protocol", "raw.toml", "--datasets", "swiss", "--methods", "Remembers,Restless,Good", "--jobs", "1", "--isolate=false"}
	if _, said := bench(append(run, "--dry-run")...); !strings.Contains(said, ": 27 cells to run with 3 canaries, 0 stored already") {
		t.Errorf("the plan:\n%s", said)
	}
	_, said := bench(run...)
	leak, state := "leak: Remembers is right about test rows of swiss although its training labels contradicted them (swiss, split ", "state: results of Restless on swiss depend on what its process did before, or on chance"
	check := func(what, text string) {
		t.Helper()
		if !strings.Contains(text, leak) || !strings.Contains(text, state) || strings.Contains(text, "Good is") || strings.Contains(text, "results of Good") {
			t.Errorf("%s does not name what was found, or more:\n%s", what, text)
		}
	}
	check("the run", said)
	if !strings.Contains(said, "complete 24/24\n") || !strings.Contains(said, "27/27 cells") {
		t.Errorf("canaries are counted as results:\n%s", said)
	}
	_, said = bench("status")
	check("the status", said)
	for _, report := range []string{"leaderboard", "table2"} {
		out, _ := bench("report", report, "--protocol", "raw.toml")
		check(report, strings.Join(strings.Fields(out), " "))
	}
	out, _ := bench("query", "--format", "csv", "SELECT DISTINCT finding, method FROM findings ORDER BY method, finding")
	if out != "finding,method\nleak,Remembers\nstate,Remembers\nstate,Restless\n" {
		t.Errorf("in SQL: %s", out)
	}
	_, said = bench("run", "--protocol", "raw.toml", "--datasets", "swiss", "--methods", "Good", "--isolate", "--db", "apart.db")
	out, _ = bench("query", "--db", "apart.db", "--format", "csv", "SELECT method, status, n_test, n_correct BETWEEN 1 AND 149 AND p BETWEEN 0.001 AND 1 AS honest FROM canaries")
	if out != "method,status,n_test,honest\nGood,ok,150,1\n" || strings.Contains(said, "leak") {
		t.Errorf("the canary of an isolated method: %s\n%s", out, said)
	}
	_, said = bench(run...)
	check("a run that has nothing to do", said)
	if !strings.Contains(said, "complete 24/24") {
		t.Error(said)
	}
}
