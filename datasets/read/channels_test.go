package read

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// divided is a set whose channels are in one file, and byPosition one whose classes follow from the numbers of the
// rows.
const (
	divided = "name = \"mine\"\nfile = \"a.csv\"\ntask = \"regression\"\nlabel = 0\ntarget_range = [-1.0, 1.0]\n" +
		"channels = [{ name = \"left\", features = 1 }, { name = \"right\", features = 2 }]\n"
	byPosition = "name = \"mine\"\nfile = \"a.csv\"\ntask = \"multiclass\"\nrows_per_class = 2\n"
)

// TestUserChannelsOfOneFile: the features of one file are divided by the key channels, and targets move to their range.
func TestUserChannelsOfOneFile(t *testing.T) {
	s := must.Get(userSet(t, divided, "a.csv", "1,1,2,3\n2,4,5,6\n5,7,8,9\n"))(t)
	must.Be(t, cmp.Diff([]registry.Block{{Name: "left", To: 1}, {Name: "right", From: 1, To: 3}}, s.Blocks), "")
	must.Be(t, s.Y, []float64{-1, -0.5, 1})
}

func TestUserChannels(t *testing.T) {
	const toml = "name = \"mine\"\nlabel = 0\nformat = \"blank\"\n[[files]]\npath = \"a\"\nchannel = " +
		"\"left\"\n[[files]]\npath = \"b\"\nchannel = \"right\"\npermute = 2\n"
	s := must.Get(userSet(t, toml, "a", "x 1 2\ny 3 4\ny 9 0\n", "b", "5\t6\n7\t8\n11\t0\n"))(t)
	order := rng.New(2).Permutation(3) // of the rows of the second file
	if diff := cmp.Diff([]float64{1, 3, 9}, []float64{s.X.At(0, 0), s.X.At(1, 0), s.X.At(2, 0)}); diff != "" ||
		order[0] == 0 {
		t.Error(diff, order)
	}
	must.Be(t, cmp.Diff([]float64{5, 7, 11}[order[0]], s.X.At(0, 2)), "")
	must.Be(t, cmp.Diff([]registry.Block{{Name: "left", To: 2}, {Name: "right", From: 2, To: 4}}, s.Blocks), "")
	must.Be(t, cmp.Diff([]string{"left.c1", "left.c2", "right.c0", "right.c1"}, s.Features), "")
	_, err := userSet(t, toml, "a", "x 1\ny 3\n", "b", "5 6\n")
	want := "DIR/b: the file has 1 rows and DIR/a has 2; files with a channel are joined by columns and must have " +
		"equal rows"
	must.Be(t, fmt.Sprint(err), want)
}

// TestSizesOfFiles: rows and features of a file are checked.
func TestSizesOfFiles(t *testing.T) {
	const channels = "name = \"mine\"\nlabel = 0\nformat = \"blank\"\n[[files]]\npath = \"a\"\nchannel = " +
		"\"left\"\n%s\n[[files]]\npath = \"b\"\nchannel = \"right\"\n%s\n"
	const parts = "name = \"mine\"\nlabel = 0\n[[files]]\npath = \"a.csv\"\n%s\n[[files]]\npath = \"b.csv\"\nrole = " +
		"\"test\"\n%s\n"
	const sparse = "name = \"mine\"\n[[files]]\npath = \"a.svm\"\n%s\n[[files]]\npath = \"b.svm\"\nrole = " +
		"\"test\"\n%s\n"
	for _, c := range []struct {
		toml, a, b, want string
	}{
		{channels, "rows = 2\nfeatures = 1", "rows = 2\nfeatures = 2", ""},
		{channels, "features = 2", "", "DIR/a: the file gives 1 features and features = 2 is expected; correct one " +
			"of them"},
		{channels, "", "features = 1", "DIR/b: the file gives 2 features and features = 1 is expected; correct one " +
			"of them"},
		{channels, "", "rows = 3", "DIR/b: the file has 2 rows and rows = 3 is expected; correct one of them"},
		{channels, "rows = -1", "", `DIR/set.toml: set mine: file "a": rows = -1, features = 0, first_rows = 0; they ` +
			`must not be negative`},
		{channels, "features = -1", "", `DIR/set.toml: set mine: file "a": rows = 0, features = -1, first_rows = 0; ` +
			`they must not be negative`},
		{parts, "rows = 2", "rows = 1", ""},
		{parts, "rows = 1", "", "DIR/a.csv: the file has 2 rows and rows = 1 is expected; correct one of them"},
		{parts, "", "rows = 2", "DIR/b.csv: the file has 1 rows and rows = 2 is expected; correct one of them"},
		{parts, "features = 1", "", `DIR/set.toml: set mine: file "a.csv": features = 1 is of a file with a channel; ` +
			`give those of all files together outside of [[files]]`},
		{sparse, "rows = 2", "rows = 1", ""},
		{sparse, "rows = 2", "rows = 2", "DIR/b.svm: the file has 1 rows and rows = 2 is expected; correct one of " +
			"them"},
	} {
		_, err := userSet(t, fmt.Sprintf(c.toml, c.a, c.b), "a", "x 1\ny 3\n", "b", "5 6\n7 8\n",
			"a.csv", "1,2\n-1,4\n", "b.csv", "1,3\n", "a.svm", "1 1:2\n-1 1:3\n", "b.svm", "1 1:3\n")
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestRowsPerClass(t *testing.T) {
	s, err := userSet(t, byPosition+"classes = [\"u\", \"v\"]", "a.csv", "1,1\n2,2\n3,3\n4,4\n")
	if err != nil || !slices.Equal(s.Y, []float64{0, 0, 1, 1}) || s.Labels[1] != "v" {
		t.Error(s, err)
	}
}
