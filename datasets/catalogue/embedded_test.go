package catalogue_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestEmbedded: the program brings the files of exactly the sets that datasets/LICENSES.md names with a DOI and with a
// place where the licence can be read. They have the catalogue's bytes, and are small.
func TestEmbedded(t *testing.T) {
	licences := string(must.Get(os.ReadFile(filepath.Join(testenv.Root(), "datasets", "LICENSES.md")))(t))
	named := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*?)` \\|.*\\| 10\\.24432/C5[0-9A-Z]{4,5} \\| .* \\|$").
		FindAllStringSubmatch(licences, -1) {
		named[row[1]] = true
	}
	_, places, _ := strings.Cut(licences, "| place |")
	files := map[string]bool{}
	for _, e := range catalogue.Builtin().All() {
		for _, f := range e.DataFiles() {
			if !e.Embedded(f) {
				continue
			}
			files[f.Path] = true
			data := must.Get(catalogue.Make(e, f))(t)
			must.Do(t, f.Check(int64(len(data)), catalogue.Checksum(data)))
			if e.VariantOf == "" {
				must.Be(t, named[e.Name], true, e.Name, "has a row with a DOI")
				must.Hold(t, places, "`"+e.Name+"`")
			}
		}
	}
	packed, size := 0, int64(0)
	root := filepath.Join(testenv.Root(), "datasets", "catalogue", "embedded")
	must.Do(t, filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			packed++
			size += must.Get(d.Info())(t).Size()
		}
		return err
	}))
	must.Be(t, []int{packed, len(named)}, []int{len(files), len(files)}, "packed files and rows of the table")
	if size > 1_500_000 {
		t.Errorf("the packed files have %d bytes", size)
	}
}
