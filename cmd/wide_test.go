package cmd_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// peakMain runs bench, and says the peak of its memory. The kernel counts what a process had before it became another
// program as that program's, so that the program must be started by a small process, not by the tests.
func peakMain() {
	c := exec.Command("bench", os.Args[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	err := c.Run()
	fmt.Fprintln(os.Stderr, "peak of memory in KiB:", c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if err != nil {
		os.Exit(1)
	}
}

// TestWideFilesWithinMemory describes and shows files of 12 rows by a million columns. The
// peak of the memory that the process takes is within --memory.
func TestWideFilesWithinMemory(t *testing.T) {
	testenv.OnlyThorough(t)
	const columns, limit = 1_000_000, 1024
	table := func(w *bufio.Writer, name, end string) {
		for j := range columns {
			fmt.Fprintf(w, name, j)
		}
		fmt.Fprintln(w, end)
		for i := range 12 {
			for j := range columns {
				fmt.Fprintf(w, "%d.5,", (i*7919+j*31)%97)
			}
			fmt.Fprintln(w, i%2)
		}
	}
	for name, write := range map[string]func(w *bufio.Writer){
		"a.csv":  func(w *bufio.Writer) { table(w, "g%d,", "y") },
		"a.arff": func(w *bufio.Writer) { table(w, "@attribute g%d real\n", "@attribute y {0,1}\n@data") },
		"a.libsvm": func(w *bufio.Writer) {
			for i := range 12 {
				fmt.Fprint(w, i%2)
				for j := range columns {
					fmt.Fprintf(w, " %d:%d.5", j+1, (i*7919+j*31)%97)
				}
				fmt.Fprintln(w)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProcess(t)
			p.env = append(p.env, "GOGC=100") // as users have it; make test sets another
			f := must.Get(os.Create(p.file(name)))(t)
			w := bufio.NewWriter(f)
			write(w)
			must.Do(t, w.Flush())
			must.Do(t, f.Close())
			for _, line := range []string{"data describe " + name + " -o a.toml", "data show ./a.toml"} {
				p.program = "bench-peak"
				c := p.command(t, append(strings.Fields(line), "--memory", fmt.Sprint(limit, "MiB"))...).ends(0)
				_, text, _ := strings.Cut(c.said.String(), "peak of memory in KiB: ")
				peak := must.Get(strconv.ParseInt(strings.TrimSpace(text), 10, 64))(t) / 1024
				if peak > limit {
					t.Errorf("%s: %d MiB", line, peak)
				}
			}
		})
	}
}
