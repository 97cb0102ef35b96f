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

// Costs says how long a cell of each method takes on each data set under the protocol table2, in CSV: the task, the
// number of classes, the rows and the features of the training part, the number of grid points, the scale of these (see
// registry.Spec.Scale), and seconds of processor time. Its last column says where the time is from.
//
//go:embed costs.csv
var Costs string

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
