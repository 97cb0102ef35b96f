//go:build unix

// Package cputime measures work in processor time of the whole process, which other
// work on the machine disturbs less than the time on the wall.
//
// It is for benchmarks and measuring programs; the harness counts a cell's own threads.
package cputime

import "syscall"

// Of returns the processor time, user and system, in seconds that the process spends
// during work. Whatever runs beside work in the same process counts too.
func Of(work func()) float64 {
	start := used()
	work()
	return used() - start
}

func used() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only an invalid pointer makes it fail
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
