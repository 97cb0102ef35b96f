package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"golang.org/x/sys/unix"
)

// CanIsolate says that worker processes are possible on this system.
const CanIsolate = true

const (
	lookEvery = 50 * time.Millisecond // a keeper measures the memory of its worker so often
	// and that of all processes below it so often, or as often as takes a twentieth of its time
	lookAllEvery = 500 * time.Millisecond
	// bytes above the limit that a worker may hold: garbage that its collector has not found yet
	uncollected = 64 << 20
)

// A keeper is the process between the harness and a worker. It runs no code of a method, so no method can end it. Every
// process that a worker starts stays below the keeper, in whatever group or session, and ends with the keeper. A keeper
// ends when the harness asks, when the memory limit is passed, when the worker ends, and when the harness is gone.
type keeper struct {
	worker   int // the worker's process
	limit    int64
	group    *processes.Group // a control group with the same limit; nil where there is none
	folder   string           // the folder to which all processes below the keeper may write
	exited   chan syscall.WaitStatus
	below    []int // process numbers at the last measurement of all processes
	used     time.Duration
	peak     int64
	oomKills int64
	lookedAt time.Time     // when all processes were measured last
	looks    time.Duration // how long this took
}

// keeperCommand starts this program in a process group of its own. It works even if the program's file was replaced.
func keeperCommand() *exec.Cmd {
	c := exec.Command("/proc/self/exe")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// RunKeeper starts one worker, which is this program with args, and keeps watch over it. It returns when every process
// below it has ended. limit is the memory in bytes of the worker and of all processes that the worker starts; 0 is no
// limit.
func RunKeeper(args []string, limit int64) error {
	closeOnExec(fdRequests, fdReplies, fdControl, fdEnding)
	if err := processes.Adopt(); err != nil {
		return err
	}
	runtime.LockOSThread() // the worker ends with the thread that started it
	k := &keeper{limit: limit, exited: make(chan syscall.WaitStatus, 1), oomKills: processes.OOMKills()}
	if limit > 0 {
		k.limit += uncollected
	}
	folder, remove, err := sandbox.NewFolder("")
	if err != nil {
		return err
	}
	defer remove() // this also ends the worker's files, which may lie in memory
	k.folder = folder
	if err := k.start(args); err != nil {
		return err
	}
	go k.reap()
	end := k.watch(control())
	if k.group != nil {
		k.group.Kill()
	}
	end.Left = processes.EndBelow(endsWithin)
	for range 1000 { // an ended process is a child until reap has waited for it
		if !processes.HasChildren() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	k.leaveGroup()
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &used) == nil {
		end.CPUSeconds = max(0, (time.Duration(used.Utime.Nano()+used.Stime.Nano()) - k.used).Seconds())
		end.PeakBytes = cmp.Or(k.peak, used.Maxrss<<10)
	}
	return json.NewEncoder(os.NewFile(fdEnding, "ending")).Encode(end)
}

// start starts the worker, in a control group with the limit and with mounts of its own where these are possible.
func (k *keeper) start(args []string) error {
	requests, replies := os.NewFile(fdRequests, "requests"), os.NewFile(fdReplies, "replies")
	start := func(change func(*os.ProcAttr)) (*os.Process, error) {
		attributes := &os.ProcAttr{
			Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, requests, replies},
			Env:   append(os.Environ(), sandbox.FolderVariable+"="+k.folder),
			Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
		}
		if k.group != nil {
			attributes.Sys.UseCgroupFD, attributes.Sys.CgroupFD = true, k.group.FD()
		}
		change(attributes)
		return os.StartProcess("/proc/self/exe", args, attributes)
	}
	if k.limit > 0 {
		k.group, _ = processes.NewGroup(k.limit) // usually an error: then only the keeper measures the memory
	}
	p, err := start(sandbox.OwnMounts)
	if err != nil { // this user may have no mounts of its own
		p, err = start(func(*os.ProcAttr) {})
	}
	if err != nil && k.group != nil { // the group could be made but not entered
		k.leaveGroup()
		p, err = start(sandbox.OwnMounts)
	}
	if err != nil {
		p, err = start(func(*os.ProcAttr) {})
	}
	if err != nil {
		return err
	}
	k.worker = p.Pid
	_ = p.Release() // reap waits for it
	return errors.Join(requests.Close(), replies.Close())
}

func (k *keeper) leaveGroup() {
	if k.group != nil {
		_ = k.group.Close()
		k.group = nil
	}
}

// control returns the bytes that the harness writes. The channel is closed when the harness closes its pipe
// or is gone.
func control() <-chan byte {
	out := make(chan byte)
	from := os.NewFile(fdControl, "control")
	go func() {
		defer close(out)
		for b := make([]byte, 1); ; {
			if n, err := from.Read(b); n == 0 || err != nil {
				return
			}
			out <- b[0]
		}
	}()
	return out
}

// reap waits for every child of this process, whether started here or adopted.
func (k *keeper) reap() {
	for {
		var status syscall.WaitStatus
		id, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil: // there is no child at this moment
			time.Sleep(time.Millisecond)
		case id == k.worker:
			k.exited <- status
		}
	}
}

// watch returns how the worker ended, or why the keeper has to end it.
func (k *keeper) watch(commands <-chan byte) ending {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for busy := false; ; {
		select {
		case status := <-k.exited:
			return k.by(status)
		case command, open := <-commands:
			if !open {
				return k.asked()
			}
			if busy = command == cellBegins; busy {
				k.begin()
			}
		case <-look.C:
			if busy && k.beyond() {
				return ending{Why: whyMemory}
			}
		}
	}
}

// asked returns the ending if the harness asks for it. The harness also asks when a worker's answers end, which is
// shortly before the system tells how the worker ended.
func (k *keeper) asked() ending {
	if processes.Exiting(k.worker) {
		select {
		case status := <-k.exited:
			return k.by(status)
		case <-time.After(endsWithin):
		}
	}
	return ending{Why: whyAsked}
}

// by returns the ending of a worker that the keeper did not end.
func (k *keeper) by(status syscall.WaitStatus) ending {
	end := ending{Code: status.ExitStatus(), SystemOOM: processes.OOMKills() > k.oomKills}
	if status.Signaled() {
		end.Signal = int(status.Signal())
	}
	if k.group != nil && end.Signal == int(syscall.SIGKILL) && k.group.OutOfMemory() {
		end.Why = whyMemory
	}
	return end
}

// begin notes the processor time and the memory used before a cell begins.
func (k *keeper) begin() {
	k.peak, k.oomKills, k.lookedAt = 0, processes.OOMKills(), time.Now()
	k.used = 0
	for _, id := range append(k.below, k.worker) {
		if p, there := processes.Of(id); there {
			k.used += p.CPU
		}
	}
	var reaped unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &reaped) == nil {
		k.used += time.Duration(reaped.Utime.Nano() + reaped.Stime.Nano())
	}
}

// beyond reports whether the worker and the processes that it started use more memory than the limit. Files in the
// worker's folder count as memory, and so do nameless files that these processes hold open. The worker and the folder
// are measured each time. All processes are measured less often, since that takes longer.
func (k *keeper) beyond() bool {
	p, _ := processes.Of(k.worker)
	written := processes.WrittenBelow(k.folder)
	k.peak = max(k.peak, p.Resident+written)
	if since := time.Since(k.lookedAt); since >= lookAllEvery && since >= 20*k.looks || k.limit > 0 &&
		p.Resident+written > k.limit {
		start := time.Now()
		all := processes.Below(os.Getpid())
		files := written + processes.HeldInMemory(all)
		total := processes.Sum(all).Resident + files
		k.looks, k.lookedAt = time.Since(start), start
		k.peak = max(k.peak, total)
		k.below = k.below[:0]
		for _, p := range all {
			if p.ID != k.worker {
				k.below = append(k.below, p.ID)
			}
		}
		return k.limit > 0 && total > k.limit && proportional(all, files) > k.limit
	}
	return false
}

// proportional is the memory of processes together with the files that lie in memory. Memory that processes share
// counts once. A mapped file would count twice, as memory and as a file, so only the larger of these two sums is taken.
func proportional(of []processes.Process, files int64) int64 {
	var sum, mapped int64
	for _, p := range of {
		own, shared := processes.Proportional(p.ID)
		if own+shared == 0 {
			own = p.Resident
		}
		sum, mapped = sum+own, mapped+shared
	}
	return sum + max(mapped, files)
}
