//go:build !linux

package runner

func closeOnExec(...int) {}

// Started needs Linux.
func Started() bool { return false }

func limitSelf(int64) {}

func childrenUse() childUse { return childUse{} }

func leftBehind() bool { return false }
