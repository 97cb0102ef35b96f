package split

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// A CSV file read back holds the bits of the parts that methods see here, where each row comes from, and its fold.
func TestCSVHoldsTheParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, s := drawNumbers(t), drawSplitter(t)
		drawn := must.Get(s.Split(set, 1))(t)
		p := Parts{Set: set, Split: drawn, Standardise: rapid.Bool().Draw(t, "standardise"),
			ScaleTarget: rapid.Bool().Draw(t, "scale")}
		exported := must.Get(p.Export())(t)
		whole := must.Get(p.Whole())(t)
		var out bytes.Buffer
		must.Do(t, exported.WriteCSV(&out))
		lines := must.Get(csv.NewReader(&out).ReadAll())(t)
		must.Be(t, strings.Join(lines[0], " "), "part row fold y a b c")
		lines = lines[1:]
		for i, row := range slices.Concat(drawn.Train, drawn.Test) {
			part, at, name := whole.Learn, i, "train"
			fold := strconv.Itoa(slices.IndexFunc(drawn.Folds, func(f []int) bool { return slices.Contains(f, i) }))
			if i >= len(drawn.Train) {
				part, at, name, fold = whole.Score, i-len(drawn.Train), "test", ""
			}
			if l := lines[i]; l[0] != name || l[1] != strconv.Itoa(row) || l[2] != fold || !same(l[3], part.Y[at]) {
				t.Fatalf("line %d is %v, want %s, row %d, fold %s, target %v", i, l, name, row, fold, part.Y[at])
			}
			for j, v := range part.X.RawRowView(at) {
				must.Be(t, same(lines[i][4+j], v), true, "line", i, lines[i][4+j], v)
			}
		}
		must.Be(t, len(lines), len(drawn.Train)+len(drawn.Test))
		checkArchive(t, exported)
	})
}

// same reports whether a text reads back as the bits of x.
func same(text string, x float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Float64bits(v) == math.Float64bits(x)
}

// checkArchive compares the names in an archive with the documented ones.
func checkArchive(t *rapid.T, e Exported) {
	var out bytes.Buffer
	must.Do(t, e.WriteNPZ(&out))
	files := must.Get(zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len())))(t)
	var names []string
	for _, f := range files.File {
		names = append(names, strings.TrimSuffix(f.Name, ".npy"))
	}
	want := "X_train y_train X_test y_test rows_train rows_test folds_train features labels"
	if e.Learn.Task == registry.Regression {
		want += " target_mean target_scale"
	}
	must.Be(t, strings.Join(names, " "), want)
}
