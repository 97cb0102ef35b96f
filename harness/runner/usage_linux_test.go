package runner

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestShortCellsHaveTheirTime: work shorter than a tick of the system counts as what it took. By getrusage most of it
// would be 0.
func TestShortCellsHaveTheirTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sum := 0.0
	for range 50 {
		from := testenv.ThreadCPUTime()
		start, known := threadCPU()
		for i := range 100_000 {
			sum += math.Sqrt(float64(i))
		}
		end, _ := threadCPU()
		took := (end - start).Seconds()
		if whole := testenv.ThreadCPUTime() - from; !known || took < whole/2 || took > whole {
			t.Fatalf("work of %v s counts as %v s (known: %v)", whole, took, known)
		}
	}
	if sum == 0 {
		t.Error("there was no work")
	}
}

// TestPeakBelow: the largest process that ended in a sandbox is known, also if its parent waited for it.
func TestPeakBelow(t *testing.T) {
	if missing := sandbox.Missing(); missing != "" {
		t.Skip(missing)
	}
	read, use := sandbox.System()
	c := exec.Command("sh", "-c", "head -c 300000000 /dev/zero | tail -c 200000000 >/dev/null; exit 7")
	box := must.Get(sandbox.Start(c, sandbox.Policy{Read: read, Use: use, Write: []string{t.TempDir()}}))(t)
	must.Be(t, box.Wait().ExitStatus(), 7)
	if got := childrenUse().boxed; got < 200_000_000 {
		t.Errorf("the largest process had %d bytes", got)
	}
	must.Be(t, childrenUse().boxed, 0)
}

// TestPeakBelowInAContainer: a container that hides a part of /proc, and so refuses sandboxes one of their own, changes
// nothing about that.
func TestPeakBelowInAContainer(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for the superuser alone")
	}
	out, err := exec.Command("unshare", "-m", "sh", "-c", `mount --bind /dev/null /proc/interrupts &&
		exec "$0" -test.run "^TestPeakBelow$"`, os.Args[0]).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPeakIsOfTheCell: memory that an earlier cell of the process used does not count in the peak of the next one.
func TestPeakIsOfTheCell(t *testing.T) {
	testenv.NotUnderRace(t)
	const large = 300 << 20
	cell := func() int64 {
		used := make([]byte, large)
		for i := 0; i < large; i += 4096 {
			used[i] = 1
		}
		return processes.Peak()
	}
	if peak := cell(); peak < large {
		t.Fatalf("the peak is %d bytes, below those that were written", peak)
	}
	returnIdle()
	processes.ResetPeak()
	if peak := processes.Peak(); peak > large/2 {
		t.Errorf("the next cell begins with a peak of %d bytes", peak)
	}
}
