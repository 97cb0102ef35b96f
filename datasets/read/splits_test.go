package read

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
)

const splitsHead = "@relation splits\n@attribute type {TRAIN,TEST}\n@attribute rowid INTEGER\n@attribute repeat " +
	"INTEGER\n@attribute fold INTEGER\n@data\n"

// splitSet loads a set of four rows with a file of splits.
func splitSet(t *testing.T, splits string) (*datasets.Set, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"my.csv": "a,y\n1,x\n2,z\n3,x\n4,z\n", "splits.arff": splits,
		"my.toml": fmt.Sprintf("name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n[[files]]\npath = "+
			"\"splits.arff\"\nrole = \"splits\"\nsha256 = %q\n", catalogue.Checksum([]byte(splits))),
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	e := must.Get(catalogue.Builtin().Add(filepath.Join(dir, "my.toml")))(t)
	return Load(t.Context(), catalogue.Directory{}, e)
}

// TestSplits reads two repeats of two folds, whose lines stand in any order; a row may be in neither part.
func TestSplits(t *testing.T) {
	s, err := splitSet(t, splitsHead+"TEST,3,1,1\nTRAIN,0,1,1\nTRAIN,2,0,0\nTRAIN,0,0,0\nTEST,1,0,0\n'TEST',3,0,0\n"+
		"TRAIN,1,0,1\nTEST,2,0,1\nTEST,0,0,1\nTRAIN,3,0,1\nTRAIN,1,1,0\nTEST,2,1,0\n")
	must.Do(t, err)
	want := []datasets.Division{
		{Train: []int{0, 2}, Test: []int{1, 3}}, {Train: []int{1, 3}, Test: []int{0, 2}},
		{Train: []int{1}, Test: []int{2}}, {Train: []int{0}, Test: []int{3}},
	}
	must.Be(t, cmp.Diff(want, s.Splits), "", "splits (-want +got)")
}

// TestFaultySplits: each fault of a file of splits is one line with its place.
func TestFaultySplits(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{splitsHead + "TRAIN,4,0,0\nTEST,0,0,0\n", `splits.arff:7: column 1 ("rowid"): value "4" is not a whole ` +
			`number from 0 to 3`},
		{splitsHead + "TRAIN,0.5,0,0\nTEST,0,0,0\n", `value "0.5" is not a whole number`},
		{splitsHead + "TRAIN,0,0,0\nTEST,0,0,0\n", `splits.arff:8: row 0 is named a second time in repeat 0, fold 0`},
		{splitsHead + "TRAIN,0,0,0\nTEST,1,0,1\n", "repeat 0, fold 0 has 1 rows to learn from and 0 to test on; each " +
			"needs one"},
		{strings.Replace(splitsHead, "fold", "part", 1) + "TRAIN,0,0,0\n", "there is no fold"},
		{strings.Replace(splitsHead, "@data", "@attribute sample INTEGER\n@data", 1) + "TRAIN,0,0,0,0\n",
			"the splits are of a learning curve"},
		{strings.Replace(splitsHead, "{TRAIN,TEST}", "string", 1) + "TRAIN,0,0,0\nboth,1,0,0\n",
			`value "both" is neither TRAIN nor TEST`},
	} {
		if s, err := splitSet(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, error %v; want %s", s, err, c.want)
		}
	}
}
