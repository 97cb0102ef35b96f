package sandbox

import "golang.org/x/sys/unix"

// refusedHere are older forms of the calls that are refused.
var refusedHere = []uint32{unix.SYS_INOTIFY_INIT}

// ignoredHere are older forms of the calls that are ignored.
var ignoredHere = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES,
	unix.SYS_FUTIMESAT}
