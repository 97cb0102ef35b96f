//go:build !linux && !darwin

package external

import "os"

func privateFolder(parent string) (path string, release func(), err error) {
	path, err = os.MkdirTemp(parent, folderPrefix)
	return path, func() { _ = os.RemoveAll(path) }, err
}
