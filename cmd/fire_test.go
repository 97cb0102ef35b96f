package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestRunningOnAFullDisk: results wait in memory until there is space, and nothing is lost.
func TestRunningOnAFullDisk(t *testing.T) {
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	want, _ := undisturbed(t)
	disk := testenv.SmallDisk(t, "16m")
	p := process{dir: disk.Dir}
	c, stderr := p.work(t, families, 2, 2)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return cellsStored(p) > 0 })
	free := disk.Fill(t)
	waitFor(t, func() bool { return strings.Contains(stderr.String(), "full") })
	free()
	if code := exitCode(t, c); code != 0 || !strings.Contains(stderr.String(), "complete 74/74") {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	if got := p.storedContent(t); got != want {
		t.Errorf("stored\n%s\nwant\n%s", got, want)
	}
}

// TestReportingToAFullDisk is an error in one line; the report from before stays.
func TestReportingToAFullDisk(t *testing.T) {
	p := newProcess(t)
	if c, stderr := p.command("run", "--methods", "CART", "--datasets", "swiss", "--splits", "2"); c.Run() != nil {
		t.Fatal(stderr)
	}
	disk := testenv.SmallDisk(t, "4m")
	name := filepath.Join(disk.Dir, "report.html")
	report := func() (int, *screen) {
		c, stderr := p.command("report", "accuracy", "--datasets", "swiss", "-o", name)
		return startedCode(t, c), stderr
	}
	if code, stderr := report(); code != 0 {
		t.Fatal(stderr)
	}
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	free := disk.Fill(t)
	code, stderr := report()
	if text := strings.TrimSpace(stderr.String()); code == 0 || !strings.Contains(text, "no space left") || strings.Contains(text, "\n") {
		t.Errorf("exit %d: %s", code, text)
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != string(before) {
		t.Errorf("the report from before has %d of %d bytes, %v", len(after), len(before), err)
	}
	free()
	if left, _ := filepath.Glob(filepath.Join(disk.Dir, ".*")); len(left) > 0 {
		t.Errorf("parts are left: %v", left)
	}
}

// TestFetchingToAFullDisk says which file has no place, leaves no part of it, and goes on when there is space.
func TestFetchingToAFullDisk(t *testing.T) {
	mirror, err := filepath.Abs(testenv.Mirror(t))
	if err != nil {
		t.Fatal(err)
	}
	disk := testenv.SmallDisk(t, "1m")
	p := newProcess(t)
	fetch := func() (int, *screen) {
		c, stderr := p.command("data", "fetch", "wine", "sonar", "--data", filepath.Join(disk.Dir, "data"))
		c.Env = append(c.Env, "BENCH_MIRROR="+mirror)
		return startedCode(t, c), stderr
	}
	free := disk.Fill(t)
	if code, stderr := fetch(); code == 0 || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	err = filepath.WalkDir(disk.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "ballast" {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	free()
	if code, stderr := fetch(); code != 0 {
		t.Errorf("with space again: exit %d: %s", code, stderr)
	}
}
