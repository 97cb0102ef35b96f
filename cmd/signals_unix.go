//go:build unix

package cmd

import "golang.org/x/sys/unix"

// outputGone reports whether nobody reads standard output or standard error any more.
func outputGone() bool {
	fds := []unix.PollFd{{Fd: 1}, {Fd: 2}}
	_, err := unix.Poll(fds, 0)
	return err == nil && (fds[0].Revents|fds[1].Revents)&(unix.POLLERR|unix.POLLHUP) != 0
}
