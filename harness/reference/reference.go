// Package reference carries the reference run: the results behind the table of the README, computed
// once, which `bench import reference` stores beside a newcomer's own. It holds one file of
// package bundle's form in files/, embedded in the program; a program that was built without the file
// says so.
package reference

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed files
var files embed.FS

// Name is that of the file below files/.
const Name = "table2.bench"

// File returns the file, and false where the program was built without it.
func File() ([]byte, bool, error) {
	file, err := files.ReadFile("files/" + Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return file, err == nil, err
}
