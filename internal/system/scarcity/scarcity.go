// Package scarcity says in one line that the system refuses what the program needs: address space, memory, threads,
// file descriptors, room on a disk.
//
// An error of a call is recognised by [Is]. Where the runtime of Go itself is refused something, it prints pages of
// stacks and ends with exit code 2. On Linux this package prints one line instead, and ends the program with
// [ExitCode]. Every other fatal error keeps its text.
package scarcity

import (
	"errors"
	"slices"
	"syscall"
)

// ExitCode is the exit code of a program that the system refuses what it needs.
const ExitCode = 5

var refusals = []syscall.Errno{
	syscall.EAGAIN, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM,
	syscall.ENOSPC, syscall.EROFS,
}

// A Refusal is an error of the system that no number describes.
type Refusal struct{ error }

func (r Refusal) Unwrap() error { return r.error }

// Refused makes an error a Refusal.
func Refused(err error) error { return Refusal{err} }

// Is reports whether the system refused what was needed. Other errors of the system, such as that of a file that is not
// there, have causes that depend on what was asked.
func Is(err error) bool {
	var e syscall.Errno
	return errors.As(err, &e) && slices.Contains(refusals, e) || errors.As(err, new(Refusal))
}
