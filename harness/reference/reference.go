// Package reference carries results that come with the program: the reference run, which is behind the table of the README and
// which `bench import reference` stores beside a newcomer's own, and results of the experiments. files/ holds one file for
// each protocol in the form of package bundle, embedded in the program.
package reference

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed files
var files embed.FS

// Table2 is the protocol of the reference run.
const Table2 = "table2"

// File returns the file of a protocol, and false where the program was built without it.
func File(protocol string) ([]byte, bool, error) {
	file, err := files.ReadFile("files/" + protocol + ".bench")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return file, err == nil, err
}
