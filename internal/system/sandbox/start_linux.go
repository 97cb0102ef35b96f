package sandbox

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/kernelboosting/bench/internal/system/processes"
	"golang.org/x/sys/unix"
)

// orderVariable makes this program the first process of a sandbox. It reads an order from the first of its further
// files, and writes what happens to the second.
const orderVariable = "BENCH_SANDBOX"

const (
	fdOrder = 3 + iota
	fdReport
)

// An order says what the first process of a sandbox does.
type order struct {
	Policy    Policy
	Path, Dir string
	Args, Env []string
	Spaces    bool // it has namespaces of its own
	Listens   bool // it learns of the ends of processes
}

// Start starts a command in a sandbox. Between this process and the command's stands the first process of the sandbox,
// which is this program. It makes the walls, adopts what loses its parent, and ends with the command, or when this
// process has ended. Where the system allows it, all of them are in namespaces of their own, with a root that holds
// only what the policy names.
func Start(c *exec.Cmd, p Policy) (*Process, error) {
	return start(c, p, spaces() == nil)
}

func start(c *exec.Cmd, p Policy, spaces bool) (*Process, error) {
	p = p.LookedUp()
	o := order{p, c.Path, c.Dir, c.Args, c.Env, spaces, Counts()}
	in, toOrder, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	defer toOrder.Close()
	reports, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	c.Path, c.Args, c.Dir, c.Err = "/proc/self/exe", []string{"bench-sandbox"}, "/", nil
	// While it starts the command, which holds one of Go's processors, the other one listens. A collection of garbage
	// would stop both.
	c.Env, c.ExtraFiles = []string{orderVariable + "=1", "GOMAXPROCS=2", "GOGC=off"}, []*os.File{in, out}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if spaces {
		own := unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
			unix.CLONE_NEWCGROUP
		if !p.Network {
			own |= unix.CLONE_NEWNET
		}
		ownSpaces(c.SysProcAttr, own)
	}
	if err := c.Start(); err != nil {
		reports.Close()
		return nil, err
	}
	in.Close()
	out.Close()
	box := &Process{Cmd: c, over: make(chan struct{})}
	_ = gob.NewEncoder(toOrder).Encode(o) // a process that has ended says no line
	toOrder.Close()
	lines := bufio.NewReader(reports)
	said, err := lines.ReadString('\n')
	if said = strings.TrimSpace(said); err != nil || said != "" {
		reports.Close()
		_ = c.Wait()
		if said == "" {
			said = "the first process of the sandbox ended"
		}
		return nil, errors.New(said)
	}
	if below := processes.Children(c.Process.Pid); len(below) > 0 {
		box.ID = below[0]
	}
	go box.listen(reports, lines)
	return box, nil
}

// ownSpaces lets a process be started in namespaces of its own, in which its user is the same and nobody else is.
func ownSpaces(a *syscall.SysProcAttr, flags int) {
	uid, gid := os.Geteuid(), os.Getegid()
	a.Cloneflags |= uintptr(flags)
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
}

// spacesVariable says to the processes that this one starts what spaces found.
const spacesVariable = "BENCH_NAMESPACES"

// spaces returns why processes cannot have namespaces of their own, nil if they can. Processes of the same user that
// this one starts need not try again.
var spaces = sync.OnceValue(func() error {
	user := strconv.Itoa(os.Geteuid())
	by, fault, _ := strings.Cut(os.Getenv(spacesVariable), " ")
	if by != user {
		folder, release, err := NewFolder("")
		if err != nil {
			return err
		}
		defer release()
		read, use := System()
		private := filepath.Join(folder, "private")
		err = os.Mkdir(private, 0o700)
		if err == nil {
			var box *Process
			if box, err = start(&exec.Cmd{}, Policy{Read: read, Use: use, Write: []string{private}}, true); err == nil {
				box.Wait()
			}
		}
		if fault = ""; errors.Is(err, unix.ENOSPC) { // the kernel's word for that
			fault = "the limit user.max_user_namespaces is reached"
		} else if err != nil {
			fault = err.Error()
		}
		_ = os.Setenv(spacesVariable, user+" "+fault)
	}
	if fault != "" {
		return errors.New(fault)
	}
	return nil
})

// A Process is a command in a sandbox, with the first process of the sandbox.
type Process struct {
	*exec.Cmd               // the first process
	ID        int           // the command's process
	over      chan struct{} // closed when the first process has ended
	ended     atomic.Int64  // how the command ended, plus 1
	largest   atomic.Int64
}

// listen reads what the first process says.
func (p *Process) listen(reports *os.File, lines *bufio.Reader) {
	defer close(p.over)
	defer reports.Close()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		what, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && what == "ended" {
			p.ended.Store(n + 1)
		} else if err == nil {
			p.largest.Store(max(p.largest.Load(), n))
			largest.Store(max(largest.Load(), n))
		}
	}
}

// Largest returns the largest resident size of the processes of the sandbox that have ended since the last call, in
// bytes. The processor time of those that had lost their parents is that of the first process.
func (p *Process) Largest() int64 { return p.largest.Swap(0) }

var largest atomic.Int64

// Largest is [Process.Largest] of all sandboxes.
func Largest() int64 { return largest.Swap(0) }

// Wait waits for the end of the sandbox and returns how the command ended.
func (p *Process) Wait() syscall.WaitStatus {
	_ = p.Cmd.Wait()
	<-p.over
	if n := p.ended.Load(); n > 0 {
		return syscall.WaitStatus(n - 1)
	}
	status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

func init() {
	if _, asked := os.LookupEnv(orderVariable); asked {
		os.Exit(first())
	}
}

func first() int {
	unix.CloseOnExec(fdOrder)
	unix.CloseOnExec(fdReport)
	report := os.NewFile(fdReport, "report")
	started := make(chan struct{})
	ended := func(peak int64) {
		<-started // the first line says that
		fmt.Fprintln(report, "peak", peak)
	}
	id, err := begin(ended)
	if err != nil {
		fmt.Fprintln(report, strings.ReplaceAll(err.Error(), "\n", " "))
		return 1
	}
	fmt.Fprintln(report)
	close(started)
	debug.SetGCPercent(100)
	if id == 0 { // it was only asked whether there are walls
		return 0
	}
	go func() { // no data comes: this ends with whoever reads
		for err := error(unix.EINTR); err == unix.EINTR; {
			_, err = unix.Poll([]unix.PollFd{{Fd: fdReport}}, -1)
		}
		os.Exit(1)
	}()
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		switch child, err := syscall.Wait4(-1, &status, 0, &used); {
		case child == id:
			fmt.Fprintln(report, "ended", int(status))
			return 0
		case err == nil:
			ended(used.Maxrss << 10)
		case err != syscall.EINTR:
			return 1
		}
	}
}

// begin makes the walls and starts the command. ended gets the largest resident size of processes that end.
func begin(ended func(peak int64)) (id int, err error) {
	var o order
	if err := gob.NewDecoder(os.NewFile(fdOrder, "order")).Decode(&o); err != nil {
		return 0, err
	}
	if err := processes.Adopt(); err != nil { // needless for the first process of a namespace
		return 0, err
	}
	if o.Spaces {
		if err := o.root(); err != nil {
			return 0, err
		}
	}
	if most := uint64(o.Policy.Data); most > 0 {
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most})
	}
	started := make(chan error)
	go func() { // a thread of its own, which is bound and ends; main holds the first thread while a package begins
		runtime.LockOSThread()
		rules, err := o.Policy.Rules()
		if err == nil {
			var listener int
			if listener, err = rules.BindThread(o.Listens); listener > 0 {
				ready := make(chan struct{})
				go func() { close(ready); listen(listener, ended) }()
				<-ready
			}
			rules.Close()
		}
		if err == nil && o.Path != "" { // os.StartProcess would try a process that ends, before the listener runs
			id, err = syscall.ForkExec(o.Path, o.Args, &syscall.ProcAttr{Dir: o.Dir, Env: o.Env,
				Files: []uintptr{0, 1, 2}})
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", o.Path, err)
		}
		started <- err
	}()
	if err := <-started; err != nil {
		return 0, err
	}
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	for fd := range 3 { // the command's pipes end with the command
		if err == nil {
			err = unix.Dup3(int(nothing.Fd()), fd, 0)
		}
	}
	return id, err
}

// root gives this process a root that holds what the policy names, to be read only, and the folders to write to.
func (o *order) root() error {
	root := filepath.Join(filepath.Dir(o.Policy.Write[0]), "root")
	_ = os.Mkdir(root, 0o700) // it is there for all but the first of a folder
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("sandbox: no mounts of its own: %w", err)
	}
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	if err := unix.Mount("bench", root, "tmpfs", flags, "mode=755,size=16m"); err != nil {
		return fmt.Errorf("sandbox: no root of its own: %w", err)
	}
	b := builder{root: root, bound: map[string]bool{}}
	if err := os.Mkdir(root+"/proc", 0o755); err != nil {
		return err
	}
	// A container that hides parts of its /proc refuses another one. Then only single files of it are there.
	b.bound["/proc"] = unix.Mount("proc", root+"/proc", "proc", flags|unix.MS_NOEXEC, "") == nil
	if !b.bound["/proc"] {
		outside, _ = unix.Open("/proc", unix.O_PATH|unix.O_CLOEXEC, 0)
	}
	for _, path := range slices.Concat(o.Policy.Read, o.Policy.Write, o.Policy.Use, []string{o.Path}) {
		b.lead(path)
	}
	for _, g := range o.Policy.Grants {
		if !g.Only {
			b.bind(g.Path)
		}
	}
	for _, path := range o.Policy.Use {
		b.bind(path)
	}
	b.quietMemory()
	for name, to := range map[string]string{"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		_ = os.Symlink("/proc/self/"+to, root+"/dev/"+name)
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	err := unix.MountSetattr(unix.AT_FDCWD, root, unix.AT_RECURSIVE, &readOnly)
	for _, path := range o.Policy.Write {
		if err == nil {
			err = unix.Mount(path, root+path, "", unix.MS_BIND|unix.MS_REC, "")
		}
	}
	if err == nil {
		err = os.Chdir(root)
	}
	if err == nil {
		err = unix.PivotRoot(".", ".")
	}
	if err == nil {
		err = unix.Unmount(".", unix.MNT_DETACH)
	}
	return errors.Join(err, os.Chdir("/"))
}

// quietMemory shows the memory of the machine as it is now, without the numbers that neighbours change at will, such as
// that of locked pages.
func (b builder) quietMemory() {
	var out []byte
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range bytes.Lines(text) {
		if name, _, _ := bytes.Cut(line, []byte(":")); slices.Contains([]string{"MemTotal", "MemFree", "MemAvailable",
			"Buffers", "Cached", "SwapTotal", "SwapFree"}, string(name)) {
			out = append(out, line...)
		}
	}
	if at := b.root + "/meminfo"; os.WriteFile(at, out, 0o444) == nil {
		_ = unix.Mount(at, b.root+"/proc/meminfo", "", unix.MS_BIND, "")
		_ = os.Remove(at)
	}
}

// A builder makes a root. bound are the paths below which is what is there outside.
type builder struct {
	root  string
	bound map[string]bool
}

// lead makes the folders and links that lead to a path, as they are outside, and returns where they lead. There is no
// information on what is not there, or what this user may not see.
func (b builder) lead(path string) (at string, info os.FileInfo) {
	at = "/"
	rest := strings.Split(path, "/")
	for links := 0; len(rest) > 0 && links < 40; {
		part := rest[0]
		next := filepath.Join(at, part)
		var err error
		if info, err = os.Lstat(next); err != nil {
			return next, nil
		}
		rest = rest[1:]
		switch inside := beneathAny(next, b.bound); {
		case info.Mode()&os.ModeSymlink != 0:
			to, err := os.Readlink(next)
			if err != nil {
				return next, nil
			}
			if !inside {
				_ = os.Symlink(to, b.root+next)
			}
			if links++; filepath.IsAbs(to) {
				at = "/"
			}
			rest = append(strings.Split(to, "/"), rest...)
			continue
		case info.IsDir() && !inside:
			_ = os.Mkdir(b.root+next, 0o755)
		}
		at = next
	}
	return at, info
}

// bind shows what is at a path. Where that is not possible there is nothing.
func (b builder) bind(path string) {
	at, info := b.lead(path)
	if info == nil || beneathAny(at, b.bound) {
		return
	}
	if !info.IsDir() {
		if f, err := os.OpenFile(b.root+at, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
		}
	}
	b.bound[at] = unix.Mount(at, b.root+at, "", unix.MS_BIND|unix.MS_REC, "") == nil
}
