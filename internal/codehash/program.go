package codehash

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Program returns the hash of the running program's file, read once.
var Program = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return HashOf(f)
})

// BuiltWith returns what looks up the version of a package's module in what the build recorded. A
// package of the main module, of a module that a folder replaces, or of none has no version.
func BuiltWith(info *debug.BuildInfo) func(pkg string) (string, bool) {
	return func(pkg string) (string, bool) {
		if info == nil {
			return "", false
		}
		var found *debug.Module
		for _, m := range info.Deps {
			if (pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/")) && (found == nil || len(m.Path) > len(found.Path)) {
				found = m
			}
		}
		if found == nil {
			return "", false
		}
		if found.Replace != nil {
			found = found.Replace
		}
		return fmt.Sprintf("%s@%s %s", found.Path, found.Version, found.Sum), found.Sum != ""
	}
}
