package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"sync"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights of Landlock, by what a grant allows.
const (
	listing = ll.AccessFSReadDir
	reading = ll.AccessFSExecute | ll.AccessFSReadFile
	using   = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	writing = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir | ll.AccessFSWriteFile |
		ll.AccessFSRemoveDir | ll.AccessFSRemoveFile |
		ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo |
		ll.AccessFSMakeSym | ll.AccessFSRefer | ll.AccessFSTruncate
	ofFiles = using | ll.AccessFSExecute
)

// abi is the version of Landlock that the kernel has, 0 without it.
var abi = sync.OnceValue(func() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil || v < 0 {
		return 0
	}
	return v
})

// handled returns the rights that a ruleset of a version of Landlock is asked to refuse.
func handled(version int, network bool) ll.RulesetAttr {
	ofFiles := []int{0, 13, 14, 15, 15, 16} // how many there are, by version
	a := ll.RulesetAttr{HandledAccessFS: 1<<ofFiles[min(version, 5)] - 1}
	if version >= 4 && !network {
		a.HandledAccessNet = ll.AccessNetBindTCP | ll.AccessNetConnectTCP
	}
	if version >= 6 {
		a.Scoped = ll.ScopeAbstractUnixSocket | ll.ScopeSignal
	}
	return a
}

// Missing says what this system cannot enforce of a Policy, "" if nothing.
func Missing() string { return missing(abi(), filters()) }

func missing(version int, filters bool) string {
	var what, why []string
	switch {
	case version < 1:
		what = append(what, "files, signals and other processes")
		why = append(why, "this kernel has no Landlock")
	case version < 3:
		what = append(what, "truncating files")
		fallthrough
	case version < 6:
		what = append(what, "signals to other processes")
		why = append(why, fmt.Sprintf("this kernel's Landlock is version %d, 6 is needed", version))
	}
	if !filters {
		what = append(what, "sockets, memory and messages that outlive a process")
		why = append(why, "no filter of system calls (seccomp) works here")
	}
	if what == nil {
		return ""
	}
	return fmt.Sprintf("not out of a plugin's reach: %s (%s)", strings.Join(what, ", "), strings.Join(why, "; "))
}

// Weaker says what keeps less apart here than elsewhere, "" if nothing.
func Weaker() string {
	var what []string
	if err := spaces(); err != nil {
		what = append(what, fmt.Sprintf("a plugin sees which files there are and which processes run (no namespaces: "+
			"%v)", err))
	}
	if err := listens(); err != nil {
		what = append(what, fmt.Sprintf("time and memory of plugins are not counted, whose processes could hide both "+
			"(nobody learns of their ends: %v)", err))
	}
	if what == nil {
		return ""
	}
	return "weaker walls: " + strings.Join(what, "; ")
}

// Name says what enforces policies here, for the record of an environment.
func Name() string { return name(abi(), filters(), spaces() == nil, Counts()) }

func name(version int, filters, spaces, counts bool) string {
	var by []string
	if version > 0 {
		by = append(by, fmt.Sprintf("landlock %d", version))
	}
	if filters {
		by = append(by, "seccomp")
	}
	if spaces {
		by = append(by, "namespaces")
	}
	if !counts {
		by = append(by, "plugins not counted")
	}
	return cmp.Or(strings.Join(by, ", "), "none")
}

// Rules are a Policy as the kernel takes it. They must be closed.
type Rules struct {
	fd      int // of a ruleset, -1 without Landlock
	network bool
}

// Rules makes the rules of a policy.
func (p Policy) Rules() (*Rules, error) {
	r := &Rules{fd: -1, network: p.Network}
	if abi() == 0 {
		return r, nil
	}
	attributes := handled(abi(), p.Network)
	fd, err := ll.LandlockCreateRuleset(&attributes, 0)
	if err != nil {
		return nil, fmt.Errorf("sandbox: no ruleset could be made: %w", err)
	}
	r.fd = fd
	for _, g := range p.granted() {
		rights := uint64(reading | listing)
		if g.Only {
			rights = listing
		}
		err = r.allow(g.Path, rights&attributes.HandledAccessFS, err)
	}
	for _, path := range p.Use {
		err = r.allow(path, using&attributes.HandledAccessFS, err)
	}
	for _, path := range p.Write {
		err = r.allow(path, writing&attributes.HandledAccessFS, err)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// allow adds a rule for a path that is there.
func (r *Rules) allow(path string, rights uint64, before error) error {
	if before != nil {
		return before
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil { // there is nothing, or nothing that this user may see
		return nil
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return fmt.Errorf("sandbox: %s: %w", path, err)
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	if rights == 0 {
		return nil
	}
	if err := ll.LandlockAddPathBeneathRule(r.fd, &ll.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd},
		0); err != nil {
		return fmt.Errorf("sandbox: no rule could be made for %s: %w", path, err)
	}
	return nil
}

// Close lets go of the rules; whom they bind they go on to bind.
func (r *Rules) Close() {
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
	}
}

// BindThread binds the thread of the caller, who has locked it, and all processes that it starts. Files that this
// program inherited from whoever started it are not handed on. listener is that of the filter, 0 if listens is false.
func (r *Rules) BindThread(listens bool) (listener int, err error) {
	_ = unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC) // known since Linux 5.11, before Landlock
	if err := dropCapabilities(); err != nil {
		return 0, err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("sandbox: new privileges cannot be given up: %w", err)
	}
	if r.fd >= 0 {
		if err := ll.LandlockRestrictSelf(r.fd, 0); err != nil {
			return 0, fmt.Errorf("sandbox: Landlock does not bind a thread: %w", err)
		}
	}
	if !listens { // Weaker says so
		return filter(r.network, 0)
	}
	return filter(r.network, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
}

// BindProcess binds every thread of this process, and all that it starts.
func (r *Rules) BindProcess() error {
	if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: new privileges cannot be given up: %w", err)
	}
	if r.fd >= 0 {
		if err := ll.AllThreadsLandlockRestrictSelf(r.fd, 0); err != nil {
			return fmt.Errorf("sandbox: Landlock does not bind this process: %w", err)
		}
	}
	_, err := filter(r.network, unix.SECCOMP_FILTER_FLAG_TSYNC)
	return err
}

// dropCapabilities takes from a thread what its user may do beyond other users.
func dropCapabilities() error {
	// SECBIT_NOROOT and SECBIT_NO_SETUID_FIXUP, each with its lock: executing a program gives nothing back
	const bits = 1<<0 | 1<<1 | 1<<2 | 1<<3
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, bits, 0, 0, 0); err != nil && os.Geteuid() == 0 {
		return nil // a container that gives its superuser no such right has none to take
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("sandbox: capabilities cannot be given up: %w", err)
	}
	return nil
}
