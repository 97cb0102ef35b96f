package sandbox

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"golang.org/x/sys/unix"
)

// bound runs a shell script under a policy and returns what it printed.
func bound(t *testing.T, p Policy, script string) string {
	t.Helper()
	if Missing() != "" {
		t.Skip(Missing())
	}
	read, use := System()
	p.Read, p.Use = append(read, p.Read...), append(use, p.Use...)
	if p.Write == nil {
		p.Write = []string{t.TempDir()}
	}
	c := exec.Command("sh", "-c", script)
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	must.Get(Start(c, p))(t).Wait()
	return out.String()
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

// TestFiles: what is allowed can be read, what is hidden cannot, wherever it lies and by whatever link, and only the
// private folder is written.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/plugins/mine.sh", "mine")
	write(t, dir+"/plugins/deep/helper.sh", "helper")
	write(t, dir+"/plugins/data/wine.data", "labels")
	write(t, dir+"/results.db", "results")
	private := filepath.Join(dir, "private")
	must.Do(t, os.Mkdir(private, 0o700))
	for link, to := range map[string]string{"/plugins/link": "data", "/plugins/other": "../results.db"} {
		must.Do(t, os.Symlink(to, dir+link))
	}
	p := Policy{Read: []string{dir + "/plugins"}, Write: []string{private}, Hidden: []string{dir + "/plugins/data",
		dir + "/results.db"}}
	out := bound(t, p, `cd `+dir+`
for f in plugins/mine.sh plugins/deep/helper.sh plugins/data/wine.data plugins/link/wine.data plugins/other \
  results.db /etc/shadow; do cat $f >/dev/null 2>&1 && echo "read $f"; done
ls plugins | grep -q mine && echo listed; [ -e plugins/data ] || echo "no data"
for f in private/x plugins/new plugins/mine.sh results.db /tmp/bench-sandbox-test \
  /dev/shm/bench-sandbox-test; do echo x 2>/dev/null >> $f && echo "wrote $f"; done
rm -f plugins/mine.sh results.db 2>/dev/null
mv results.db private/ 2>/dev/null || ln results.db private/y 2>/dev/null || echo kept`)
	want := "read plugins/mine.sh\nread plugins/deep/helper.sh\nlisted\nno data\nwrote private/x\nkept\n"
	if Weaker() != "" {
		want = strings.Replace(want, "no data\n", "", 1)
	}
	if got := strings.ReplaceAll(out, "sh: ", ""); !strings.Contains(got, "kept") || clean(got) != want {
		t.Errorf("got\n%s\nwant\n%s", clean(got), want)
	}
	must.Be(t, string(must.Get(os.ReadFile(dir+"/results.db"))(t)), "results")
}

// clean leaves out what the shell says of refusals.
func clean(out string) string {
	var kept []string
	for _, line := range strings.Split(out, "\n") {
		if !strings.Contains(line, "ermission denied") && !strings.Contains(line, "cannot") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// TestHome: the home folder is not readable, what is named below it is.
func TestHome(t *testing.T) {
	home := t.TempDir()
	write(t, home+"/.ssh/key", "secret")
	write(t, home+"/env/bin/python", "python")
	for _, read := range [][]string{{home, home + "/env"}, {filepath.Dir(home), home + "/env"}} {
		p := Policy{Read: read, Never: []string{home}}
		out := bound(t, p, `cat `+home+`/env/bin/python; cat `+home+`/.ssh/key 2>&1; true`)
		if !strings.HasPrefix(out, "python") || strings.Contains(out, "secret") {
			t.Errorf("%v: %s", read, out)
		}
	}
}

// TestOthers: signals end at the processes of the sandbox, and nothing of another process can be read.
func TestOthers(t *testing.T) {
	victim := exec.Command("sleep", "1000")
	victim.Env = append(os.Environ(), "SECRET=secret")
	must.Do(t, victim.Start())
	defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
	id := strconv.Itoa(victim.Process.Pid)
	out := bound(t, Policy{}, `for s in KILL STOP TERM CONT; do
	kill -$s `+id+` `+strconv.Itoa(os.Getpid())+` 2>/dev/null && echo "sent $s"
done
for f in environ cmdline status stat; do cat /proc/`+id+`/$f 2>/dev/null | tr '\0' ' '; done
ls /proc/`+id+`/fd 2>/dev/null
sleep 100 & kill $! && echo own`)
	must.Be(t, clean(out), "own\n")
	must.Do(t, victim.Process.Signal(syscall.Signal(0)))
}

// TestNeighbours: of another sandbox that runs at the same time a process learns nothing by the numbers of its
// processes, by names of sockets, or by a socket file that lies where it may read.
func TestNeighbours(t *testing.T) {
	if Missing()+Weaker() != "" {
		t.Skip(Missing() + Weaker())
	}
	python, dir := systemPython(t), t.TempDir()
	prefix := filepath.Dir(filepath.Dir(python))
	read, use := System()
	c := exec.Command(python, "-c", `import os, socket, sys, time
s, _ = socket.socketpair()
s.bind("\0bench-neighbour")
for _ in range(100):
    if os.fork() == 0: time.sleep(1000)
print(flush=True); time.sleep(1000)`)
	out := must.Get(c.StdoutPipe())(t)
	p := Policy{Read: append(read, prefix), Use: use, Write: []string{t.TempDir()}}
	box := must.Get(Start(c, p))(t)
	defer func() { _ = c.Process.Kill(); box.Wait() }()
	_, _ = out.Read(make([]byte, 1))
	listener := must.Get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: dir + "/s", Net: "unixgram"}))(t)
	defer listener.Close()
	must.Be(t, bound(t, Policy{Read: []string{prefix, dir}}, "exec "+python+` -c '
import ctypes, os, socket, time
C = ctypes.CDLL(None)
room = ctypes.create_string_buffer(200)
def ask(what, f, *args):
    try:
        if f(*args) not in (-1, None): print(what, args)
    except OSError: pass
for n in [*range(50, 400), `+strconv.Itoa(box.ID)+`]:
    ask("group", os.getpgid, n)
    ask("session", os.getsid, n)
    ask("place", os.sched_getaffinity, n)
    ask("policy", os.sched_getscheduler, n)
    ask("attributes", C.syscall, `+number(unix.SYS_SCHED_GETATTR)+`, n, room, 56, 0)
    ask("end", os.pidfd_open, n)
    ask("clock", time.clock_gettime, (~n << 3) | 2)
    ask("files", os.stat, "/proc/%d/fd" % n)
def sends(kind):
    with socket.socketpair(type=kind)[0] as s: return s.sendto(b"labels", "`+dir+`/s")
ask("datagram", sends, socket.SOCK_DGRAM)
ask("packet", sends, socket.SOCK_SEQPACKET)
s, _ = socket.socketpair()
s.bind("\0bench-neighbour")
'`), "")
}

// TestSignals: signals that the first process gets, as at the end of each process that it adopts, end nothing.
func TestSignals(t *testing.T) {
	if Missing() != "" {
		t.Skip(Missing())
	}
	read, use := System()
	c := exec.Command("sh", "-c", "read line; exit 7")
	in := must.Get(c.StdinPipe())(t)
	box := must.Get(Start(c, Policy{Read: read, Use: use, Write: []string{t.TempDir()}}))(t)
	first := c.Process.Pid
	for range 20 {
		for _, thread := range must.Get(os.ReadDir("/proc/" + strconv.Itoa(first) + "/task"))(t) {
			id := must.Get(strconv.Atoi(thread.Name()))(t)
			must.Do(t, unix.Tgkill(first, id, unix.SIGURG))
		}
		time.Sleep(5 * time.Millisecond) // threads that begin later get some, too
	}
	must.Get(in.Write([]byte("\n")))(t)
	must.Be(t, box.Wait().ExitStatus(), 7)
}

// TestWithoutNamespaces: where a system refuses them a run says so, and what has no need of them holds.
func TestWithoutNamespaces(t *testing.T) {
	if Weaker() == "" {
		c := exec.Command(os.Args[0], "-test.run", "^(TestFiles|TestHome|TestOthers|TestNetwork|TestCounters|"+
			"TestLimitsOfOthers|TestSuperuser|TestNothingIsLeftWithFiles|TestWithoutNamespaces)$")
		c.Env = append(os.Environ(), spacesVariable+"="+strconv.Itoa(os.Geteuid())+" refused by a test")
		must.Get(c.Output())(t)
		return
	}
	if exec.Command("unshare", "-Urpfmni", "true").Run() == nil && !strings.HasSuffix(Weaker(), "by a test)") {
		t.Error(Weaker())
	}
}

// TestWhereNobodyListens: where the kernel refuses a listener, or its answers, a run says what is not counted, and
// commands run and end.
func TestWhereNobodyListens(t *testing.T) {
	if !filters() {
		t.Skip("no filter of system calls works here")
	}
	if !Counts() {
		must.Hold(t, Weaker(), "are not counted")
		must.Hold(t, Name(), "not counted")
		must.Be(t, bound(t, Policy{}, "echo own"), "own\n")
		return
	}
	for call, value := range map[uint32]uint32{unix.SYS_SECCOMP: unix.SECCOMP_FILTER_FLAG_NEW_LISTENER,
		unix.SYS_IOCTL: unix.SECCOMP_IOCTL_NOTIF_SEND} {
		testenv.Refusing(t, call, value, func() {
			out, err := exec.Command(os.Args[0], "-test.run", "^TestWhereNobodyListens$", "-test.timeout", "1m").
				CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestAnEndedThreadIsLeftAlone: the number of a thread that has ended may be another's, in whose memory nobody writes.
func TestAnEndedThreadIsLeftAlone(t *testing.T) {
	was := action{Handler: 7}
	n := notification{Thread: uint32(os.Getpid()), Call: unix.SYS_RT_SIGACTION}
	ignored := action{Handler: ignore}
	n.Arguments = [6]uint64{uint64(unix.SIGCHLD), uint64(uintptr(unsafe.Pointer(&ignored))),
		uint64(uintptr(unsafe.Pointer(&was)))}
	must.Be(t, n.losesChildren(-1), true)
	must.Be(t, was.Handler, 7)
}

// TestCounters: what the system counts for all processes cannot be read, and what libraries ask a machine can.
func TestCounters(t *testing.T) {
	out := bound(t, Policy{}, `for f in /proc/stat /proc/loadavg /proc/uptime /proc/vmstat \
/proc/sys/kernel/ns_last_pid /proc/sys/kernel/pty/nr /proc/sys/fs/inode-nr /proc/sys/fs/file-nr /proc/locks \
/proc/sys/fs/dentry-state /proc/interrupts /proc/net/dev /proc/self/status \
/sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory/memory.max_usage_in_bytes /sys/fs/cgroup/pids/pids.current \
/sys/kernel/mm/ksm/run /sys/devices/system/node/node0/numastat /sys/block/vda/stat
do cat $f >/dev/null 2>&1 && echo $f; done
for f in /proc/cpuinfo /proc/meminfo /sys/devices/system/cpu/online /proc/sys/kernel/random/uuid
do cat $f >/dev/null || echo no $f; done
grep -q MemAvailable /proc/meminfo || echo no memory; grep -q Mlocked /proc/meminfo && echo locked`)
	if Weaker() != "" { // the file of the machine
		out = strings.TrimSuffix(out, "locked\n")
	}
	must.Be(t, out, "")
}

// TestLimitsOfOthers: rights, owners and times of files, limits and priorities of other processes, and spaces of users
// stay as they are.
func TestLimitsOfOthers(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir+"/results.db", "results")
	before := must.Get(os.Stat(file))(t)
	id := strconv.Itoa(os.Getpid())
	out := bound(t, Policy{Write: []string{t.TempDir()}}, `chmod 000 `+file+`; touch -d 2001-01-01 `+file+`
for c in "prlimit --pid `+id+` --nofile=3" "renice -n 19 -p `+id+`" "taskset -p 1 `+id+`" \
  "unshare -U true" "chrt -i -p 0 `+id+`"; do
  command -v ${c%% *} >/dev/null && $c >/dev/null 2>&1 && echo "did $c"
done; ulimit -n 100 && (true; sh -c 'exit 0') && echo own`)
	must.Be(t, clean(out), "own\n")
	if after, err := os.Stat(file); err != nil || after.Mode() != before.Mode() || after.ModTime() != before.ModTime() {
		t.Errorf("%v, %v", after, err)
	}
}

// TestNothingIsLeftWithFiles: no attribute, hint or lease of a file that may be read changes, no value goes by a
// signal, nothing that another program shares is used, none of the processes of the same user gets another priority,
// and nothing tells which pages of a file are in memory, where it lies on its disk and how much is free there.
func TestNothingIsLeftWithFiles(t *testing.T) {
	python := systemPython(t)
	file := write(t, t.TempDir()+"/file", "text")
	script := python + ` -c '
import ctypes, os
C = ctypes.CDLL(None, use_errno=True)
f = os.open("` + file + `", os.O_RDONLY)
room = ctypes.create_string_buffer(200)
def ask(what, *call):
    ctypes.set_errno(0)
    if C.syscall(*call) >= 0 or ctypes.get_errno() not in (1, 38):
        print(what, ctypes.get_errno())
for cmd in (0x40086602, 0x40087602, 0x401c5820): ask("ioctl %x" % cmd, ` + number(unix.SYS_IOCTL) + `, f, cmd, room)
two = ctypes.byref(ctypes.c_uint64(2))
for cmd in (1036, 1038, 1024, 1026, 5, 36):
    ask("fcntl %d" % cmd, ` + number(unix.SYS_FCNTL) + `, f, cmd, two if cmd > 1030 else 0)
for cmd in (6, 7, 37, 38): # a lock, of what nothing describes: it does nothing
    if C.syscall(` + number(unix.SYS_FCNTL) + `, f, cmd, 0) != 0: print("lock %d" % cmd)
for how in (8, 0x80): ask("read %x" % how, ` + number(unix.SYS_PREADV2) + `, f, 0, 0, 0, 0, how)
for advice in (12, 20, 21): ask("advice %d" % advice, ` + number(unix.SYS_MADVISE) + `, 0, 0, advice)
ask("map of extents", ` + number(unix.SYS_IOCTL) + `, f, 0xc020660b, room)
for who in (1, 2): ask("priority", ` + number(unix.SYS_SETPRIORITY) + `, who, 0, 19)
for who in (1, 2): ask("ioprio", ` + number(unix.SYS_IOPRIO_SET) + `, who + 1, 0, 0x4006)
for call in (` + strings.Join([]string{
		number(unix.SYS_SETXATTRAT), number(unix.SYS_REMOVEXATTRAT), number(unix.SYS_FILE_SETATTR),
		number(unix.SYS_SHMAT), number(unix.SYS_SHMCTL), number(unix.SYS_SHMDT),
		number(unix.SYS_MSGSND), number(unix.SYS_MSGRCV), number(unix.SYS_MSGCTL), number(unix.SYS_SEMOP),
		number(unix.SYS_SEMCTL), number(unix.SYS_SEMTIMEDOP),
		number(unix.SYS_INOTIFY_INIT1), number(unix.SYS_FANOTIFY_INIT), number(unix.SYS_CACHESTAT),
		number(unix.SYS_STATFS), number(unix.SYS_FSTATFS), number(unix.SYS_QUOTACTL), number(unix.SYS_IO_SETUP),
		number(unix.SYS_MINCORE), number(unix.SYS_MOVE_PAGES), number(unix.SYS_MIGRATE_PAGES),
		number(unix.SYS_PROCESS_MADVISE)}, ", ") + `): ask("call %d" % call, call, 0, 0, 0, 0, 0, 0)
ask("value of a signal", ` + number(unix.SYS_RT_SIGQUEUEINFO) + `, os.getpid(), 0, room)
ask("files of a thread", ` + number(unix.SYS_UNSHARE) + `, 0x400)
os.nice(1); os.get_inheritable(f); print("own")
'`
	must.Be(t, bound(t, Policy{Read: []string{file, filepath.Dir(filepath.Dir(python))}}, script), "own\n")
}

func number(call int) string { return strconv.Itoa(call) }

// systemPython returns the program of a Python, without links.
func systemPython(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	program := must.Get(exec.Command(python, "-c", "import sys; print(sys.executable)").Output())(t)
	return must.Get(filepath.EvalSymlinks(strings.TrimSpace(string(program))))(t)
}

// TestNetwork: without the network there are no connections, no packets and no sockets of other processes; with it
// there are connections.
func TestNetwork(t *testing.T) {
	python := systemPython(t)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	script := python + ` -c '
import socket, ctypes
def ask(what, f):
    try:
        f(); print(what)
    except OSError as e:
        pass
ask("tcp", lambda: socket.create_connection(("127.0.0.1", ` + strconv.Itoa(l.Addr().(*net.TCPAddr).Port) + `)))
ask("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)))
ask("unix", lambda: socket.socket(socket.AF_UNIX))
ask("pair", lambda: socket.socketpair())
if ctypes.CDLL(None).shmget(0, 4096, 0o1600) >= 0: print("shared memory")
'`
	prefix := Policy{Read: []string{filepath.Dir(filepath.Dir(python))}}
	must.Be(t, bound(t, prefix, script), "pair\n", "without the network")
	prefix.Network = true
	must.Be(t, bound(t, prefix, script), "tcp\nudp\npair\n", "with the network")
}

// TestSuperuser: the superuser's rights over other users' files and over the machine are gone.
func TestSuperuser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for the superuser alone")
	}
	out := bound(t, Policy{},
		`hostname bench-sandbox-test 2>/dev/null && echo named; nice -n -5 true 2>/dev/null
chown 1 /dev/null 2>/dev/null; [ "$(stat -c %u /dev/null)" = 0 ] || echo gave
mount -t tmpfs none /mnt 2>/dev/null && echo mounted
echo end`)
	must.Be(t, out, "end\n")
}

func TestMissing(t *testing.T) {
	for version, want := range map[int]string{0: "no Landlock", 2: "truncating files, signals",
		5: "signals to other processes", 6: "", 8: ""} {
		if got := missing(version, true); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("version %d: %q", version, got)
		}
		if got := missing(version, false); !strings.Contains(got, want) || !strings.Contains(got, "seccomp") {
			t.Errorf("version %d without a filter of system calls: %q", version, got)
		}
	}
	must.Be(t, []string{name(7, true, true, true), name(7, false, false, false), name(0, true, false, true),
		name(0, false, false, true)},
		[]string{"landlock 7, seccomp, namespaces", "landlock 7, plugins not counted", "seccomp", "none"})
}

// TestAFilterThatTheKernelRefuses: a wrong filter is an error, never a process without one.
func TestAFilterThatTheKernelRefuses(t *testing.T) {
	if !filters() {
		t.Skip("no filter of system calls works here")
	}
	instructions := program(false, false)
	if _, err := install(instructions[:len(instructions)-1], 0); err == nil { // its last jump leads nowhere
		t.Error("no error")
	}
}

func TestEnvironment(t *testing.T) {
	got := Environment([]string{"PATH=/bin", "HOME=/home/u", "BENCH_MIRROR=/data", "BENCH_DATA=/data",
		"XDG_CACHE_HOME=/home/u/.cache", "TMPDIR=/tmp", "GITHUB_TOKEN=x", "aws_secret_access_key=x",
		"DATABASE_URL=x", "OPENAI_KEY=x", "PGPASS=x", "GH_PAT=x", "SENTRY_DSN=x", "OLDPWD=/home/u/x", "USER=u",
		"OMP_NUM_THREADS=2", "LC_ALL=C", "PYTHON_TOKEN=x"}, "/private")
	must.Be(t, strings.Join(got, " "), "PATH=/bin:/usr/local/bin:/usr/bin:/bin OMP_NUM_THREADS=2 LC_ALL=C "+
		"HOME=/private TMPDIR=/private TMP=/private TEMP=/private")
}

// TestAsAnOrdinaryUser: the tests of what the superuser's processes may do hold for those of another user.
func TestAsAnOrdinaryUser(t *testing.T) {
	tests := "TestNeighbours|TestFiles|TestHome|TestOthers|TestNetwork|TestCounters|TestLimitsOfOthers|TestChannels"
	testenv.AsOrdinaryUser(t, "^("+tests+")$", "077")
	if testenv.Thorough(t) {
		testenv.AsOrdinaryUser(t, "^("+tests+"|TestEmpty|TestNothingIsLeftWithFiles)$", "000")
	}
}
