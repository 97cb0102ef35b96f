//go:build !linux

package sandbox

func memoryFolder() string { return "" }
