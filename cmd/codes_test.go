package cmd

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestCodes: what is damaged and what the system refuses have their exit codes wherever they were met.
func TestCodes(t *testing.T) {
	for want, errs := range map[int][]error{
		exitIncomplete: {fmt.Errorf("report: %w", &store.DamageError{Path: "x.db"})},
		exitScarce: {usageError(fmt.Errorf("write x: %w", fs.ErrPermission)), usageError(syscall.EROFS), syscall.EIO,
			syscall.ENOSPC},
		exitUsage:       {usage("no such thing"), fs.ErrNotExist},
		exitInterrupted: {exitError{exitInterrupted, fs.ErrPermission}},
		exitInternal:    {fmt.Errorf("what nobody expects")},
	} {
		for _, err := range errs {
			must.Be(t, withCode(err).code, want, err.Error())
		}
	}
}
