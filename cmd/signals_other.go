//go:build !unix

package cmd

import "syscall"

const timeUp = syscall.SIGTERM

func outputGone() bool { return true }
