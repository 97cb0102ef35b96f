//go:build !unix

package cmd

func outputGone() bool { return true }
