package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestRunningOnAFullDisk: results wait in memory until there is space, and nothing is lost.
func TestRunningOnAFullDisk(t *testing.T) {
	testenv.OnlyThorough(t)
	want, _ := undisturbed(t)
	disk, p := testenv.SmallDisk(t, "16m"), newProcess(t)
	p.dir = disk.Dir
	c := p.work(t, families, 2, 2).begin()
	waitFor(t, func() bool { return p.cellsStored() > 0 })
	free := disk.Fill(t)
	waitFor(t, func() bool { return strings.Contains(c.said.String(), "full") })
	free()
	c.ends(0, "complete 74/74")
	p.holds(t, want)
}

// TestReportingToAFullDisk is an error in one line; the report from before stays.
func TestReportingToAFullDisk(t *testing.T) {
	p := newProcess(t)
	p.run(t, "run", "--methods", "CART", "--datasets", "swiss", "--splits", "2")
	disk := testenv.SmallDisk(t, "4m")
	name := filepath.Join(disk.Dir, "report.html")
	report := p.run(t, "report", "accuracy", "--datasets", "swiss", "-o", name).Args[1:]
	before := must.Get(os.ReadFile(name))(t)
	free := disk.Fill(t)
	c := p.command(t, report...)
	if code, text := c.code(), strings.TrimSpace(c.said.String()); code == 0 ||
		!strings.Contains(text, "no space left") || strings.Contains(text, "\n") {
		t.Errorf("exit %d: %s", code, text)
	}
	if after := must.Get(os.ReadFile(name))(t); string(after) != string(before) {
		t.Errorf("the report from before has %d of %d bytes", len(after), len(before))
	}
	free()
	if left, _ := filepath.Glob(filepath.Join(disk.Dir, ".*")); len(left) > 0 {
		t.Errorf("parts are left: %v", left)
	}
}

// TestFetchingToAFullDisk says which file has no place, leaves no part of it, and goes on when there is space.
func TestFetchingToAFullDisk(t *testing.T) {
	disk, p := testenv.SmallDisk(t, "1m"), newProcess(t)
	p.env = []string{"BENCH_MIRROR=" + must.Get(filepath.Abs(testenv.Mirror(t)))(t)}
	fetch := []string{"data", "fetch", "pima", "occupancy", "--data", filepath.Join(disk.Dir, "data")}
	free := disk.Fill(t)
	p.command(t, fetch...).ends(5, "no space left")
	must.Do(t, filepath.WalkDir(disk.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "ballast" {
			t.Errorf("%s is left", path)
		}
		return err
	}))
	free()
	p.run(t, fetch...)
}
