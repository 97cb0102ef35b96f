//go:build !linux && !darwin

package sandbox

import "os"

// NewFolder makes a folder that nobody else may read.
func NewFolder(parent string) (path string, release func(), err error) {
	path, err = os.MkdirTemp(parent, "bench-plugin-")
	return path, func() { _ = os.RemoveAll(path) }, err
}

// Remove removes a folder.
func Remove(path string) { _ = os.RemoveAll(path) }
