// Package reference carries results that come with the program: the reference run and results of the experiments. The
// README's table is made from the reference run, and `bench import reference` stores it. The embedded folder files/
// holds one file for each protocol in the form of package bundle.
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
