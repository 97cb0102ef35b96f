package catalogue

import "embed"

// embedded holds data files that come with the program, each packed by gzip, by their paths in the catalogue.
// datasets/LICENSES.md says whose they are and under which licence.
//
//go:embed embedded
var embedded embed.FS

// Embedded reports whether the program brings a data file of the entry, so that none needs to be in the data directory.
func (e *Entry) Embedded(f File) bool {
	if e.Local() || f.Role == RoleDocumentation {
		return false
	}
	_, err := embedded.Open("embedded/" + f.Path + gzipExtension)
	return err == nil
}

// needless reports whether a data file may be missing: the program brings it, or makes it.
func (e *Entry) needless(f File) bool { return e.Generated || e.Embedded(f) }
