package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// enough is the free memory that a folder in memory needs to be preferred, in bytes.
const enough = 4 << 30

// memoryFolder returns a folder whose files lie in memory, or "" where there is none with room: a file
// there takes a tenth of the time of one on a disk.
func memoryFolder() string {
	const folder = "/dev/shm"
	var s unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(folder, &s) != nil || s.Type != unix.TMPFS_MAGIC ||
		s.Bavail*uint64(s.Bsize) < enough || unix.Access(folder, unix.W_OK) != nil {
		return ""
	}
	return folder
}
