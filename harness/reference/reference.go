// Package reference carries results that come with the program: the reference run and results of the experiments. The
// README's table is made from the reference run, and `bench import reference` stores it. The embedded folder files/
// holds them in the form of package bundle: one file for each protocol, or a folder with files of some of its data sets
// each. The folder parts/ is not embedded. It holds the same results of the reference run with the folds of every grid
// point.
package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/result"
)

//go:embed files
var files embed.FS

// Costs says how long a cell of each method takes on each data set under the protocol table2, in CSV: the task, the
// number of classes, the rows and the features of the training part, the number of grid points, the scale of these (see
// registry.Spec.Scale), and seconds of processor time. Its last column says where the time is from. A scaled cell is
// one cell times the ratio of processor times of cells after and before the method became faster, both measured in one
// run.
//
//go:embed costs.csv
var Costs string

// Table2 is the protocol of the reference run.
const Table2 = "table2"

// named are the files with results of a protocol.
func named(protocol string) []string {
	whole, _ := fs.Glob(files, path.Join("files", protocol+".bench"))
	parts, _ := fs.Glob(files, path.Join("files", protocol, "*.bench"))
	return append(whole, parts...)
}

// Has reports whether results of a protocol come with the program.
func Has(protocol string) bool { return named(protocol) != nil }

// Files yields the results of a protocol that come with the program, one file after another; none where the program was
// built without them. If sets are named, the files of other sets are not read.
func Files(protocol string, sets ...string) iter.Seq2[[]result.Run, error] {
	return func(yield func([]result.Run, error) bool) {
		for _, name := range named(protocol) {
			of := strings.TrimSuffix(path.Base(name), ".bench")
			if sets != nil && of != protocol && !slices.Contains(sets, of) {
				continue
			}
			file, err := files.ReadFile(name)
			if err != nil {
				yield(nil, err)
				return
			}
			runs, err := bundle.Read(file)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			if !yield(runs, err) {
				return
			}
		}
	}
}

// Runs returns what Files yields.
func Runs(protocol string, sets ...string) (all []result.Run, err error) {
	for runs, err := range Files(protocol, sets...) {
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
	}
	return all, nil
}
