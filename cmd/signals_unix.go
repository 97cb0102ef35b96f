//go:build unix

package cmd

import "golang.org/x/sys/unix"

// timeUp is the signal that the limit of processor time comes (ulimit -t).
const timeUp = unix.SIGXCPU

// outputGone reports whether nobody reads standard output or standard error any more.
func outputGone() bool {
	fds := []unix.PollFd{{Fd: 1}, {Fd: 2}}
	_, err := unix.Poll(fds, 0)
	return err == nil && (fds[0].Revents|fds[1].Revents)&(unix.POLLERR|unix.POLLHUP) != 0
}
