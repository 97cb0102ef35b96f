package sandbox

import (
	"fmt"
	"os"
	"syscall"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// mountsVariable says to a process that it was given mounts of its own. Its value names those of the process that
// started it.
const mountsVariable = "BENCH_MOUNTS_BEFORE"

// mounts names the mounts that this process has, "" where the system does not say.
func mounts() string {
	name, _ := os.Readlink("/proc/self/ns/mnt")
	return name
}

// OwnMounts changes how a process will be started so that it has mounts of its own, which it can make read-only.
// Another user than the superuser needs user namespaces for that, which some systems refuse: then the process does
// not start.
func OwnMounts(a *os.ProcAttr) {
	a.Sys.Cloneflags |= unix.CLONE_NEWNS
	a.Env = append(a.Env, mountsVariable+"="+mounts())
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Sys.Cloneflags |= unix.CLONE_NEWUSER
		a.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.Sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
}

// FreezeTimes makes the mounts of this process read-only, if [OwnMounts] gave it some, but for /proc and the folder
// that FolderVariable names. Then the kernel does not note when a file was read last, by which a method could
// remember. Landlock refuses writing without this. Where a system refuses mounts nothing changes. Files that are open
// already stay those of the mounts before.
func FreezeTimes() error {
	before, given := os.LookupEnv(mountsVariable)
	if now := mounts(); !given || now == "" || now == before {
		return nil
	}
	_ = os.Unsetenv(mountsVariable)
	folder := os.Getenv(FolderVariable)
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, "") != nil ||
		unix.Mount(folder, folder, "", unix.MS_BIND, "") != nil ||
		unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly) != nil {
		return nil
	}
	writable := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	for _, path := range []string{folder, "/proc"} {
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &writable); err != nil {
			return fmt.Errorf("sandbox: the mount of %s stays read-only: %w", path, err)
		}
	}
	return ll.AllThreadsPrctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}
