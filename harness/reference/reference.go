// Package reference carries the reference run: the results behind the table of the README. They were computed
// once, and `bench import reference` stores them beside a newcomer's own. files/ holds one file in the form
// of package bundle, embedded in the program. A program that was built without the file reports that.
package reference

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed files
var files embed.FS

// Name is the name of the file in files/.
const Name = "table2.bench"

// File returns the file, and false if the program was built without it.
func File() ([]byte, bool, error) {
	file, err := files.ReadFile("files/" + Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return file, err == nil, err
}
