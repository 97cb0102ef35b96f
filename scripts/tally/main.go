// Tally runs commands of the form "go test -json ..." in shells, all at the same time, shows what go test without -json
// would show, and ends with what was skipped, by reason, and the number of tests. A test with subtests is not counted
// beside them. A command may also be one without tests, whose output is shown as it comes. Tally exits with 1 if a
// command failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// event is a line of go test -json; see go doc test2json.
type event struct{ Action, Package, Test, Output string }

// name is a test or subtest of a package; the test is empty for the package itself.
type name struct{ pkg, test string }

// tally is what the commands have shown.
type tally struct {
	sync.Mutex
	to      io.Writer
	output  map[name][]string // of tests that have not ended
	results map[name]string   // fail, pass or skip
	reasons map[name]string   // why a test was skipped
}

func main() { os.Exit(run(os.Stdout, os.Args[1:])) }

func run(to io.Writer, commands []string) int {
	t := &tally{to: to, output: map[name][]string{}, results: map[name]string{}, reasons: map[name]string{}}
	codes := make([]int, len(commands))
	var wait sync.WaitGroup
	for i, command := range commands {
		wait.Go(func() {
			if err := t.watch(exec.Command("sh", "-c", command)); err != nil {
				fmt.Fprintf(os.Stderr, "tally: %s: %v\n", command, err)
				codes[i] = 1
			}
		})
	}
	wait.Wait()
	t.summary()
	return slices.Max(codes)
}

// watch runs the command and reads its events; lines that are none are shown as they are.
func (t *tally) watch(command *exec.Cmd) error {
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		t.Lock()
		if json.Unmarshal(line, &e) == nil && e.Action != "" {
			t.add(e)
		} else {
			t.to.Write(line)
		}
		t.Unlock()
		if err != nil {
			return command.Wait()
		}
	}
}

func (t *tally) add(e event) {
	n := name{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(t.to, e.Output)
	case "output":
		if e.Test != "" {
			t.output[n] = append(t.output[n], e.Output)
		} else if e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]") {
			fmt.Fprint(t.to, e.Output)
		}
	case "pass", "fail", "skip":
		if e.Test == "" { // a package ended, and what its tests said that did not end is why it failed
			for _, open := range slices.SortedFunc(maps.Keys(t.output), func(a, b name) int {
				return cmp.Compare(a.test, b.test)
			}) {
				if open.pkg == e.Package {
					t.end(open, "fail")
				}
			}
			if e.Action != "fail" || t.failed(e.Package) {
				return
			}
		}
		t.end(n, e.Action)
	}
}

// failed reports whether a test of the package failed; if none did, the package failed by itself, such as one that does
// not compile.
func (t *tally) failed(pkg string) bool {
	for n, result := range t.results {
		if n.pkg == pkg && result == "fail" {
			return true
		}
	}
	return false
}

var atLine = regexp.MustCompile(`^\s+\w+\.go:\d+: `)

// end notes the result of a test, and shows what it said if it failed.
func (t *tally) end(n name, result string) {
	switch result {
	case "fail":
		fmt.Fprint(t.to, strings.Join(t.output[n], ""))
	case "skip":
		t.reasons[n] = "for no reason given"
		for _, line := range t.output[n] {
			if at := atLine.FindString(line); at != "" {
				t.reasons[n] = strings.TrimSpace(line[len(at):])
			}
		}
	}
	delete(t.output, n)
	t.results[n] = result
}

// summary writes a line for each reason for which tests were skipped, and one with the number of tests.
func (t *tally) summary() {
	below := map[name]map[string]bool{} // the results of a test's subtests
	for n, result := range t.results {
		for at := strings.LastIndexByte(n.test, '/'); at > 0; at = strings.LastIndexByte(n.test[:at], '/') {
			above := name{n.pkg, n.test[:at]}
			if below[above] == nil {
				below[above] = map[string]bool{}
			}
			below[above][result] = true
		}
	}
	count, why := map[string]int{}, map[string]int{}
	for n, result := range t.results {
		if subtests := below[n]; subtests != nil && (result != "fail" || subtests["fail"]) {
			continue
		}
		count[result]++
		if result == "skip" {
			why[t.reasons[n]]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(t.to, "%d skipped: %s\n", why[reason], reason)
	}
	fmt.Fprintf(t.to, "%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"])
}
