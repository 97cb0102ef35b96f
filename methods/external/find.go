package external

import (
	"os"
	"path/filepath"
	"strings"
)

// Candidates returns the files of a folder that may be plugins, in the order of their names: executable
// files, and files that an interpreter runs. Names that begin with "." or "_" and folders are left out, since
// they hold the parts of plugins.
func Candidates(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // a link counts as the file that it names
		if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
			continue
		}
		if interpreters[strings.ToLower(filepath.Ext(e.Name()))] != "" || executable(info) {
			out = append(out, path)
		}
	}
	return out, nil
}
