//go:build !linux

package external

func memoryFolder() string { return "" }
